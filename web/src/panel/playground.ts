/** The playground: a form, up to four runs side by side, and a link that holds them. */

import type { Range } from "../model/curve";
import { fieldOf, FIRST, PRESETS, scenario, senders } from "../model/setup";
import type { Setup } from "../model/setup";
import type { Shown } from "../model/share";
import { packed } from "../model/share";
import { IS_STATIC } from "../recording/here";
import { cancel, start, startOnServer, texts } from "../recording/runs";
import type { Choices, Runnable } from "../recording/runs";
import { ServerError } from "../recording/server";
import { button, el, save } from "./element";
import { embedTag } from "./embed";
import { Form } from "./form";
import { linkField } from "./link";
import { failed } from "./notice";
import { RunCard } from "./run-card";
import type { Asked } from "./run-card";
import { scriptBox } from "./script";

/** Side by side. */
const MOST_RUNS = 4;

/** Where it stands: by itself with set-ups to begin with, or below a lesson that has its own. */
export interface Frame {
  readonly heading: HTMLElement;
  readonly presets: boolean;
}

const ALONE: Frame = { heading: el("h1", { text: "Playground" }), presets: true };

export class Playground {
  readonly element: HTMLElement;
  /** The link that it was opened by, or that it gave out, last. */
  address = "";
  private readonly form: Form;
  private readonly runs = el("div", { class: "runs", "aria-label": "Runs", role: "region" });
  private readonly said = el("div", { class: "said", role: "status" });
  private readonly presets = el("div", { class: "presets" });
  private cards: RunCard[] = [];
  private range: Range | null = null;
  private awaited: { readonly card: RunCard; readonly t: number | null } | null = null;
  private readonly frame: Frame;

  constructor(choices: Choices, setup: Setup | null, frame: Frame = ALONE) {
    this.frame = frame;
    this.form = new Form(choices, setup ?? FIRST, () => this.form.blame(null));
    this.presets.append(
      ...PRESETS.map((one) =>
        el(
          "button",
          { type: "button", class: "card preset", on: { click: () => void this.try(one.setup) } },
          el("strong", { text: one.setup.name }),
          el("span", { class: "soft", text: one.words }),
        ),
      ),
    );
    const run = button("play", "Run", () => void this.run(), { class: "primary", "data-test": "run" }, "Run");
    this.element = el(
      "div",
      { class: "playground" },
      el(
        "section",
        { class: "card bench", "aria-label": "Set-up" },
        frame.heading,
        this.form.element,
        el(
          "div",
          { class: "bench-foot" },
          this.said,
          run,
          button("link", "Copy a link that holds this set-up", () => void this.share(), { class: "outline" }, "Link"),
          button("save", "Save as scenario.toml", () => void this.saveAs("toml"), { class: "outline" }, "TOML"),
          // The engine in the page writes no scripts and runs none.
          IS_STATIC
            ? null
            : button("save", "Save as an ns-2 script", () => void this.saveAs("tcl"), { class: "outline" }, "ns-2"),
        ),
        IS_STATIC
          ? el("p", {
              class: "soft",
              text: "All of it runs in this page. For ns-2 scripts, sweeps and the studies: pip install ackclock, then ackclock serve.",
            })
          : scriptBox((script, given) => void this.begin({ script }, { script, arguments: given })),
      ),
      this.runs,
    );
    this.arrange();
    let width = 0;
    // A chart has a width in pixels, which it must be given again when its card gets another one.
    const watch = new ResizeObserver(() => {
      if (width === this.runs.clientWidth) return;
      width = this.runs.clientWidth;
      this.draw();
    });
    watch.observe(this.runs);
  }

  /** Take set-ups that came by a link: several are run, and one that is to be shown. */
  take(setups: readonly Setup[], shown: Shown | null): void {
    this.form.take(setups[0]!);
    if (setups.length > 1 || shown)
      this.runAll(
        setups.map((setup) => ({ setup })),
        shown,
      );
  }

  /** Run what came by a link, in place of what stands there. The run that is to be shown is, when it has ended. */
  runAll(all: readonly Asked[], shown: Shown | null): void {
    for (const card of this.cards) card.close();
    this.cards = [];
    for (const one of all) void this.begin(one);
    const card = shown && this.cards[shown.run - 1];
    this.awaited = card ? { card, t: shown.t } : null;
  }

  /** A link to a run of these at a time, with those beside it; null where there is no such run, or it is of a script. */
  async linkTo(recording: string, t: number): Promise<string | null> {
    const asked = this.cards.find((card) => card.recording === recording)?.asked;
    if (!asked || "script" in asked) return null;
    const beside = this.cards.map((card) => card.asked);
    const given = new URLSearchParams();
    if ("setup" in asked) {
      const setups = beside.flatMap((one) => ("setup" in one ? [one.setup] : []));
      given.set("setup", await packed(setups));
      given.set("show", String(setups.indexOf(asked.setup) + 1));
    } else {
      const runs = beside.flatMap((one) => ("study" in one && one.study === asked.study ? [one.run] : []));
      given.set("study", asked.study);
      for (const run of runs) given.append("run", run);
      given.set("show", String(runs.indexOf(asked.run) + 1));
    }
    given.set("t", String(t));
    return `${location.origin}${location.pathname}#/play?${given.toString()}`;
  }

  /** Show a set-up in the form, and run it. */
  async try(setup: Setup): Promise<void> {
    this.form.take(setup);
    await this.run();
  }

  /** Cancel what still runs: it is not shown any more. */
  close(): void {
    for (const card of this.cards) card.close();
  }

  async run(): Promise<void> {
    this.form.blame(null);
    const { setup } = this.form;
    await this.begin({ setup });
  }

  /** Colours have changed, or the width. */
  redraw(): void {
    this.draw();
  }

  private async begin(asked: Asked, what: Runnable = runnable(asked), by = start): Promise<void> {
    if (this.cards.length >= MOST_RUNS) {
      this.say(failed(new Error("Four runs stand side by side already: remove one of them first.")));
      return;
    }
    this.said.replaceChildren();
    const card = new RunCard(asked, {
      remove: (one) => this.remove(one),
      edit: (setup) => this.form.take(setup),
      elsewhere: (one) => {
        this.remove(one);
        void this.begin(asked, what, startOnServer);
      },
      ready: (one) => {
        this.draw();
        if (this.awaited?.card === one) this.show(one, this.awaited.t);
      },
      range: (range) => this.look(range),
    });
    this.cards.push(card);
    this.arrange();
    this.draw();
    try {
      const run = await by(what, { signal: card.signal });
      if (card.signal.aborted) return void cancel(run).catch(() => undefined);
      card.watch(run);
      // On a phone the form would hide it.
      const block = window.matchMedia("(max-width: 900px)").matches ? "start" : "nearest";
      card.element.scrollIntoView({ block });
    } catch (error) {
      if (card.signal.aborted) return;
      const field = error instanceof ServerError && error.key !== null ? fieldOf(error.key) : null;
      this.remove(card);
      this.say(failed(error));
      this.form.blame(field);
    }
  }

  private show(card: RunCard, t: number | null): void {
    this.awaited = null;
    const time = t === null ? "" : `?t=${t}`;
    location.hash = `#/view/${encodeURIComponent(card.recording ?? "")}${time}`;
  }

  /** Say it above the button that was pressed, where it is seen. */
  private say(what: HTMLElement): void {
    this.said.replaceChildren(what);
  }

  private remove(card: RunCard): void {
    card.close();
    this.cards = this.cards.filter((one) => one !== card);
    this.arrange();
    this.draw();
  }

  private arrange(): void {
    const some = this.cards.length > 0;
    const more = el(
      "div",
      { class: "runs-empty" },
      el("h2", { text: some ? "More to try" : "Begin with one of these, or with your own" }),
      this.presets,
      some
        ? null
        : el("p", {
            class: "soft",
            text: "Run it, change something, run it again: up to four runs stand side by side.",
          }),
    );
    const cards = this.cards.map(({ element }) => element);
    const isOffered = this.frame.presets && this.cards.length < MOST_RUNS;
    this.runs.replaceChildren(...cards, ...(isOffered ? [more] : []));
  }

  private look(range: Range | null): void {
    this.range = range;
    this.draw();
  }

  /** All runs with the same scales, so that they can be compared by eye. */
  private draw(): void {
    const known = this.cards.filter(({ whole }) => whole !== null);
    if (known.length === 0) return;
    const greatest = known
      .map((card) => card.greatest)
      .reduce((one, other) => one.map((value, n) => Math.max(value, other[n]!)));
    const from = Math.min(...known.map(({ whole }) => whole!.from));
    const to = Math.max(...known.map(({ whole }) => whole!.to));
    for (const card of known) card.draw(this.range ?? { from, to }, greatest);
  }

  private async share(): Promise<void> {
    const others = this.cards.flatMap(({ asked }) =>
      "setup" in asked && asked.setup !== this.form.setup ? [asked.setup] : [],
    );
    const page = `${location.origin}${location.pathname}`;
    const address = `${page}#/play?setup=${await packed([this.form.setup, ...others].slice(0, MOST_RUNS))}`;
    // A lesson's address stays the lesson's.
    if (this.frame.presets) {
      history.replaceState(null, "", address);
      this.address = location.hash;
    }
    const { field, isCopied } = await linkField(address);
    this.said.replaceChildren(
      el("p", {
        class: "soft",
        text: `${isCopied ? "Copied. " : ""}${IS_STATIC ? "Whoever has it" : "Whoever runs ackclock"} can open it: the address after # is the set-up.`,
      }),
      field,
      ...(IS_STATIC ? [await this.embedding(page)] : []),
    );
    field.select();
  }

  /** The tag by which another page shows the set-up's player. */
  private async embedding(page: string): Promise<HTMLElement> {
    const { setup } = this.form;
    const value = embedTag(page, await packed([setup]), setup.name || senders(setup));
    const field = el("input", { type: "text", readonly: true, value, "data-test": "embed" });
    field.addEventListener("focus", () => field.select());
    return el("label", { class: "field" }, el("span", { text: "To show its packets in another page" }), field);
  }

  private async saveAs(kind: "toml" | "tcl"): Promise<void> {
    try {
      const written = await texts(scenario(this.form.setup));
      const text = written[kind];
      if (text === null) throw new Error(written.lacks ?? "ns-2 has no such thing.");
      save(kind === "toml" ? "scenario.toml" : "scenario.tcl", text);
      this.said.replaceChildren();
    } catch (error) {
      this.say(failed(error));
      if (error instanceof ServerError && error.key !== null) this.form.blame(fieldOf(error.key));
    }
  }
}

/** What is run of a set-up, or of a scenario. */
function runnable(asked: Asked): Runnable {
  if ("script" in asked) return { script: asked.script, arguments: [] };
  return { scenario: "setup" in asked ? scenario(asked.setup) : asked.scenario };
}
