/** The playground's form: a network, who sends, what the queue does. */

import { changed, ends as endsOf, fitted, oneMore, SIZES, withFlows, withQueue } from "../model/setup";
import type { FlowSetup, Setup } from "../model/setup";
import type { Choices } from "../recording/runs";
import { button, el } from "./element";

/** Most flows that can be told apart side by side. */
const MOST_FLOWS = 8;

/** Senders that take a congestion control by name. */
const FAMILIES: Readonly<Record<string, string>> = {
  tcp: "Today's TCP, with",
  linux: "Linux 2.6, with",
  ns3: "ns-3.25, with",
};

export class Form {
  readonly element = el("form", { class: "form", autocomplete: "off" });
  setup: Setup;
  private readonly choices: Choices;
  private readonly changed: (setup: Setup) => void;

  constructor(choices: Choices, setup: Setup, changed: (setup: Setup) => void) {
    this.choices = choices;
    this.setup = setup;
    this.changed = changed;
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.build();
  }

  /** Show another set-up. */
  take(setup: Setup): void {
    this.setup = setup;
    this.build();
    this.changed(setup);
  }

  /** Mark the field that was wrong; null takes all marks away. */
  blame(field: string | null): void {
    for (const marked of this.element.querySelectorAll("[aria-invalid]")) marked.removeAttribute("aria-invalid");
    const found = field === null ? null : this.element.querySelector<HTMLElement>(`[name="${CSS.escape(field)}"]`);
    found?.closest("details")?.setAttribute("open", "");
    found?.setAttribute("aria-invalid", "true");
    found?.focus();
  }

  private set(change: Partial<Setup>, again = false): void {
    this.put(changed(this.setup, change), again);
  }

  private put(setup: Setup, again: boolean): void {
    const before = this.setup;
    this.setup = setup;
    if (again) this.build();
    else if (before.name !== setup.name) this.write("name", setup.name);
    this.changed(this.setup);
  }

  private write(name: string, value: string): void {
    const field = this.element.querySelector<HTMLInputElement>(`[name="${CSS.escape(name)}"]`);
    if (field) field.value = value;
  }

  private build(): void {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.getAttribute("name") : null;
    const { setup, choices } = this;
    const size = SIZES[setup.topology] ?? SIZES["dumbbell"]!;
    const single = setup.topology === "star" || setup.topology === "chain";
    this.element.replaceChildren(
      el(
        "fieldset",
        {},
        el("legend", { text: "Network" }),
        this.row(
          this.choice(
            "topology",
            "Topology",
            setup.topology,
            choices.topologies.filter(({ id }) => id in SIZES),
            (value) => this.take(fitted(setup, value, setup.size)),
          ),
          this.number("size", size.words, setup.size, size.least, size.most),
        ),
        this.row(
          this.text("rate", single ? "Rate of links" : "Bottleneck's rate"),
          this.text("delay", single ? "Delay of links" : "Bottleneck's delay"),
        ),
        single
          ? null
          : this.row(
              this.text("accessRate", "Other links' rate"),
              this.text("accessDelay", "Other links' delay", "one, or one for each: 2 ms, 40 ms"),
            ),
      ),
      el(
        "fieldset",
        {},
        el("legend", { text: single ? "Queues" : "Bottleneck's queue" }),
        this.row(
          this.choice("queue", "Discipline", setup.queue, choices.queues, (value) =>
            this.put(withQueue(this.setup, value, this.countsPackets(value)), true),
          ),
          this.text("limit", "Buffer", "as 30 packets, 64 kB or 1 BDP; empty: the discipline's own"),
        ),
        this.row(this.text("loss", "Packets lost, %", "at random, on top of what the queue drops")),
        this.parameters(),
      ),
      el(
        "fieldset",
        { class: "flow-list" },
        el("legend", { text: "Flows" }),
        ...setup.flows.map((flow, n) => this.flow(flow, n)),
        this.addFlow(),
      ),
      el(
        "fieldset",
        {},
        el("legend", { text: "Run" }),
        this.row(this.text("duration", "Duration"), this.text("seed", "Seed")),
        this.row(
          this.choice("defaults", "Default set", setup.defaults, choices.defaults, (value) =>
            this.set({ defaults: value }),
          ),
          this.text("name", "Name"),
        ),
      ),
    );
    if (focused) this.element.querySelector<HTMLElement>(`[name="${CSS.escape(focused)}"]`)?.focus();
  }

  private row(...fields: readonly HTMLElement[]): HTMLElement {
    return el("div", { class: "row" }, ...fields);
  }

  private labelled(label: string, field: HTMLElement, title = ""): HTMLElement {
    return el("label", { class: "field", title: title || null }, el("span", { text: label }), field);
  }

  private text(name: keyof Setup & string, label: string, title = ""): HTMLElement {
    const field = el("input", { type: "text", name, value: String(this.setup[name]), spellcheck: "false" });
    field.addEventListener("input", () => this.set({ [name]: field.value }));
    return this.labelled(label, field, title);
  }

  private number(name: "size", label: string, value: number, least: number, most: number): HTMLElement {
    const field = el("input", { type: "number", name, value, min: least, max: most });
    field.addEventListener("change", () => this.take(fitted(this.setup, this.setup.topology, Number(field.value))));
    return this.labelled(label, field);
  }

  private choice(
    name: string,
    label: string,
    value: string,
    of: readonly { readonly id: string; readonly words: string }[],
    pick: (value: string) => void,
  ): HTMLElement {
    const field = el(
      "select",
      { name },
      ...of.map(({ id, words }) =>
        el("option", { value: id, text: id.replaceAll("_", " "), title: words, selected: id === value }),
      ),
    );
    field.addEventListener("change", () => pick(field.value));
    return this.labelled(label, field, of.find(({ id }) => id === value)?.words ?? "");
  }

  /** What the queue discipline can be told, with its own values as hints. */
  private parameters(): HTMLElement | null {
    const of = this.choices.queues.find(({ id }) => id === this.setup.queue)?.parameters ?? [];
    // The limit has a field of its own.
    const known = of.filter(({ id }) => id !== "limit");
    if (known.length === 0) return null;
    const field = (one: (typeof known)[number]): HTMLElement => {
      const box = el("input", {
        type: "text",
        name: `parameters.${one.id}`,
        value: this.setup.parameters[one.id] ?? "",
        placeholder: hint(one),
        spellcheck: "false",
      });
      box.addEventListener("input", () => {
        const { [one.id]: _, ...others } = this.setup.parameters;
        this.set({ parameters: box.value.trim() === "" ? others : { ...others, [one.id]: box.value } });
      });
      return this.labelled(one.id, box, one.words ?? "");
    };
    const given = known.filter(({ id }) => id in this.setup.parameters);
    const others = known.filter(({ id }) => !(id in this.setup.parameters));
    const more = `${given.length ? "More parameters" : "Parameters"} of ${this.setup.queue.replaceAll("_", " ")}`;
    return el(
      "div",
      {},
      given.length ? this.row(...given.map(field)) : null,
      el("details", {}, el("summary", { text: more }), this.row(...others.map(field))),
    );
  }

  private flow(flow: FlowSetup, n: number): HTMLElement {
    const change = (part: Partial<FlowSetup>): void =>
      this.flows(this.setup.flows.map((one, at) => (at === n ? { ...one, ...part } : one)));
    const ends = el(
      "select",
      { name: `flows.${n}.ends`, "aria-label": `Flow ${n + 1}: from and to` },
      ...endsOf(this.setup.topology, this.setup.size).map((both) =>
        el("option", { value: both, text: both.replace(" ", " → "), selected: both === flow.ends }),
      ),
    );
    ends.addEventListener("change", () => change({ ends: ends.value }));
    const tcp = el(
      "select",
      { name: `flows.${n}.tcp`, "aria-label": `Flow ${n + 1}: TCP variant` },
      ...this.variants(flow.tcp),
    );
    tcp.addEventListener("change", () => change({ tcp: tcp.value }));
    const text = (name: "window" | "start" | "size", label: string, title: string): HTMLElement => {
      const field = el("input", { type: "text", name: `flows.${n}.${name}`, value: flow[name], spellcheck: "false" });
      field.addEventListener("input", () => change({ [name]: field.value }));
      return this.labelled(label, field, title);
    };
    const remove = button(
      "close",
      `Remove flow ${n + 1}`,
      () =>
        this.put(
          withFlows(
            this.setup,
            this.setup.flows.filter((_, at) => at !== n),
          ),
          true,
        ),
      { disabled: this.setup.flows.length === 1 },
    );
    return el(
      "div",
      { class: "flow-row" },
      el("div", { class: "flow-head" }, tcp, ends, remove),
      this.row(
        text("window", "Window", "at most; empty: the default set's"),
        text("start", "Starts at", "as 0 s or 500 ms"),
        text("size", "Size", "as 64 kB or 100 packets; empty: without end"),
      ),
    );
  }

  /** Take other flows; what follows from them is written into its fields. */
  private flows(flows: Setup["flows"]): void {
    const next = withFlows(this.setup, flows);
    const defaults = next.defaults;
    this.put(next, false);
    const field = this.element.querySelector<HTMLSelectElement>('[name="defaults"]');
    if (field) field.value = defaults;
  }

  private countsPackets(queue: string): boolean {
    const limit = this.choices.queues.find(({ id }) => id === queue)?.parameters.find(({ id }) => id === "limit");
    return limit?.unit === "packets";
  }

  /** Variants by themselves, and those that name a control. */
  private variants(chosen: string): HTMLElement[] {
    const { tcp, controls = [] } = this.choices;
    const option = (id: string, text: string, words: string): HTMLElement =>
      el("option", { value: id, text: text.replaceAll("_", " "), title: words, selected: id === chosen });
    const families = [...new Set(controls.map((control) => control.tcp ?? "linux"))];
    // What has its sender's control by itself is in that sender's group; today's come first.
    const own = el(
      "optgroup",
      { label: "ns-2 and others" },
      ...tcp.filter(({ id }) => !families.includes(id)).map(({ id, words }) => option(id, id, words)),
    );
    const groups = families.map((family) =>
      el(
        "optgroup",
        { label: FAMILIES[family] ?? family },
        ...controls
          .filter((control) => (control.tcp ?? "linux") === family)
          .map(({ id, words }) => option(`${family}:${id}`, id, words)),
      ),
    );
    const today = families.indexOf("tcp");
    return today < 0 ? [own, ...groups] : [groups[today]!, own, ...groups.filter((_, n) => n !== today)];
  }

  private addFlow(): HTMLElement {
    return el("button", {
      type: "button",
      class: "outline",
      text: "Add a flow",
      disabled: this.setup.flows.length >= MOST_FLOWS,
      on: { click: () => this.set(oneMore(this.setup), true) },
    });
  }
}

/** What a parameter is by itself, as it would be written. */
function hint({ default: value, unit }: { readonly default: unknown; readonly unit: string | null }): string {
  if (value === null || value === undefined) return "";
  return unit === null || unit === "flag" || unit === "" ? String(value) : `${String(value)} ${unit}`;
}
