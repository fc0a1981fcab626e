/** One run of the playground: how far it is, what came out, its curves. */

import { Chart } from "../draw/chart";
import { chartSvg, svgPng } from "../draw/picture";
import { stroke, theme } from "../draw/theme";
import type { Stroke } from "../draw/theme";
import { busiest, csv, extent, interval, nameOf } from "../model/curve";
import type { Range } from "../model/curve";
import { senders, summary } from "../model/setup";
import type { Setup } from "../model/setup";
import { plain } from "../model/words";
import type { Head } from "../recording/head";
import { IS_STATIC, isHere } from "../recording/here";
import { headOf } from "../recording/recording";
import { cancel, table as askTable, texts } from "../recording/runs";
import type { Table } from "../recording/runs";
import { series as ask } from "../recording/series";
import type { Series, What } from "../recording/series";
import type { Claimed } from "../recording/studies";
import { follow } from "../recording/server";
import { button, el, save, scroller } from "./element";
import { failed, loading } from "./notice";
import { progress } from "./progress";

/** A set-up of the form, the scenario of a study, which the form has no fields for, or an ns-2 script. */
export type Asked = { readonly setup: Setup } | Claimed | { readonly script: string };

function titleOf(asked: Asked): string {
  if ("setup" in asked) return asked.setup.name || senders(asked.setup);
  return "scenario" in asked ? asked.name : "ns-2 script";
}

export interface CardEvents {
  remove(card: RunCard): void;
  edit(setup: Setup): void;
  /** Run it once more, on the server. */
  elsewhere(card: RunCard): void;
  /** It has curves now: scales may have to become others. */
  ready(card: RunCard): void;
  range(range: Range | null): void;
}

const CURVES: readonly { readonly what: What; readonly title: string; readonly stairs: boolean }[] = [
  { what: "cwnd", title: "Congestion window, packets", stairs: true },
  { what: "throughput", title: "Throughput", stairs: false },
  { what: "rtt", title: "Round-trip time", stairs: false },
  { what: "queue", title: "Bottleneck queue, packets", stairs: true },
];
const POINTS = 1200;

/** Columns of the table that say most, with the unit in which they are read. */
const COLUMNS: readonly (readonly [string, string, (value: number) => string])[] = [
  ["goodput_bps", "goodput Mb/s", (value) => (value / 1e6).toFixed(3)],
  ["sent_packets", "sent", String],
  ["dropped_packets", "dropped", String],
  ["retransmitted_packets", "retransmitted", String],
  ["timeouts", "timeouts", String],
  ["rtt_mean_s", "RTT ms", milliseconds],
  ["delay_mean_s", "delay ms", milliseconds],
  ["delay_p95_s", "p95 delay ms", milliseconds],
  ["marked_packets", "marked", String],
  ["completion_s", "completion ms", milliseconds],
];
/** Columns that are left out where they say nothing: no flow has marks, or an end. */
const OPTIONAL = new Set(["marked_packets", "completion_s"]);

/** Of data centres, too: 0.08 ms. */
function milliseconds(seconds: number): string {
  const value = 1e3 * seconds;
  return value.toFixed(value < 10 ? 2 : 1);
}

const OF_A_STUDY =
  "The form has no fields for all of this scenario. Save it as TOML to change it, and `ackclock run` it.";

/** Cards are numbered for those who hear them: each table has a name of its own. */
let made = 0;

export class RunCard {
  readonly element = el("article", { class: "card run" });
  readonly asked: Asked;
  private readonly number = (made += 1);
  recording: string | null = null;
  private head: Head | null = null;
  private readonly events: CardEvents;
  private readonly body = el("div", { class: "run-body" });
  private readonly charts: { readonly chart: Chart; series: Series; range: Range }[] = [];
  private run: string | null = null;
  private unfollow: () => void = () => undefined;
  private readonly leaving = new AbortController();

  constructor(asked: Asked, events: CardEvents) {
    this.asked = asked;
    this.events = events;
    const about = "setup" in asked ? summary(asked.setup) : "scenario" in asked ? OF_A_STUDY : "";
    this.element.append(
      el(
        "header",
        {},
        el("div", {}, el("h2", { text: titleOf(asked) }), el("p", { class: "soft", title: about, text: about })),
        "setup" in asked
          ? el("button", {
              type: "button",
              class: "small",
              text: "Edit",
              title: "Edit this set-up in the form",
              on: { click: () => events.edit(asked.setup) },
            })
          : null,
        "scenario" in asked
          ? el("button", {
              type: "button",
              class: "small",
              text: "TOML",
              title: "Save as scenario.toml",
              on: { click: () => void this.saveScenario(asked.scenario) },
            })
          : null,
        button("close", "Remove this run", () => events.remove(this)),
      ),
      this.body,
    );
    this.body.append(loading("Waiting …"));
  }

  /** Follow a run that was started. */
  watch(run: string): void {
    this.run = run;
    const shown = progress(() => void this.cancel());
    this.body.replaceChildren(shown.element);
    this.unfollow = follow(run, {
      ...shown.listener,
      done: (recording, output) => void this.show(recording, output),
      failed: (error, stderr) => this.fail(new Error(error), stderr),
    });
  }

  fail(error: unknown, stderr = ""): void {
    this.body.replaceChildren(failed(error), ...(stderr ? [el("pre", {}, el("code", { text: stderr }))] : []));
    if (IS_STATIC || this.run === null || !isHere(this.run)) return;
    this.body.append(
      el("button", {
        type: "button",
        class: "outline",
        text: "Run it on the server",
        on: { click: () => this.events.elsewhere(this) },
      }),
    );
  }

  /** Ends the asking for it, when it is removed. */
  get signal(): AbortSignal {
    return this.leaving.signal;
  }

  private async saveScenario(scenario: unknown): Promise<void> {
    try {
      save("scenario.toml", (await texts(scenario)).toml);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Stop listening, and the run if it still goes. */
  close(): void {
    this.leaving.abort();
    this.unfollow();
    if (this.recording === null && this.run !== null) cancel(this.run).catch(() => undefined);
  }

  private async cancel(): Promise<void> {
    try {
      if (this.run !== null) await cancel(this.run);
      // Once: others may share the run, and the server counts who wants it.
      this.run = null;
      this.unfollow();
      this.body.replaceChildren(el("p", { class: "soft", text: "Cancelled." }));
    } catch (error) {
      this.fail(error);
    }
  }

  private async show(recording: string, output: string): Promise<void> {
    try {
      const [head, table] = await Promise.all([
        headOf(recording),
        !("script" in this.asked) && this.run !== null ? askTable(this.run) : null,
      ]);
      this.recording = recording;
      this.head = head;
      this.body.replaceChildren(
        ...(table ? [scroller(`Flows of run ${this.number}`, this.flows(table))] : []),
        ...(output.trim()
          ? [
              el(
                "details",
                { open: table === null },
                el("summary", { text: "Output of the script" }),
                el("pre", {}, el("code", { text: output })),
              ),
            ]
          : []),
        ...CURVES.map(({ title, stairs, what }) => this.curve(title, stairs, what)),
        el(
          "p",
          {},
          el("a", { class: "open", href: `#/view/${encodeURIComponent(recording)}`, text: "Show its packets" }),
          IS_STATIC
            ? null
            : el("span", { class: "soft", text: isHere(recording) ? " · ran in this page" : " · ran on the server" }),
        ),
      );
      await this.load(head);
    } catch (error) {
      this.fail(error);
    }
  }

  private curve(title: string, stairs: boolean, what: What): HTMLElement {
    const chart = new Chart(
      { stairs, points: false },
      { range: (range) => this.events.range(range), seek: () => undefined },
    );
    this.charts.push({ chart, series: { columns: [] }, range: { from: 0, to: 1 } });
    const place = this.charts.length - 1;
    const kept = (name: string, press: () => void): HTMLElement =>
      el("button", {
        type: "button",
        class: "small",
        text: name,
        title: `save as ${name}`,
        "aria-label": `${title}: save as ${name}`,
        on: { click: press },
      });
    return el(
      "div",
      { class: "run-chart", "data-chart": what },
      el(
        "header",
        {},
        el("h3", { text: title }),
        el(
          "div",
          { class: "exports", role: "group" },
          kept("PNG", () => void this.png(place)),
          kept("SVG", () => save(this.file(place, "svg"), this.picture(place), "image/svg+xml")),
          kept("CSV", () => save(this.file(place, "csv"), csv(this.charts[place]!.series), "text/csv")),
        ),
      ),
      chart.element,
    );
  }

  private file(place: number, ending: string): string {
    return `${titleOf(this.asked).replaceAll(/\W+/g, "-")}-${CURVES[place]!.what}.${ending}`;
  }

  private async png(place: number): Promise<void> {
    const blob = await svgPng(this.picture(place));
    if (blob) save(this.file(place, "png"), blob);
  }

  private picture(place: number): string {
    const { title, stairs } = CURVES[place]!;
    const name = "setup" in this.asked ? this.asked.setup.name : "scenario" in this.asked ? this.asked.name : "";
    const { series, range } = this.charts[place]!;
    return chartSvg(
      [title, name].filter(Boolean).join(" · "),
      this.named(series),
      this.strokes(series),
      range,
      stairs,
      false,
    );
  }

  private async load(head: Head): Promise<void> {
    const { begin_s: from, end_s: to } = head;
    const part = { from, to, points: POINTS, interval_s: interval(to - from) };
    await Promise.all(
      CURVES.map(async ({ what }, n) => {
        this.charts[n]!.series = busiest(await ask(head.id, what, part), 1);
      }),
    );
    this.events.ready(this);
  }

  /** The whole time of the run; null before there is any. */
  get whole(): Range | null {
    return this.head ? { from: this.head.begin_s, to: this.head.end_s } : null;
  }

  /** Greatest value of each chart. */
  get greatest(): readonly number[] {
    return this.charts.map(({ series }) => extent(series)?.high ?? 0);
  }

  /** Draw, with scales that all runs share. */
  draw(range: Range, greatest: readonly number[]): void {
    this.charts.forEach((one, n) => {
      one.range = range;
      one.chart.show(this.named(one.series), this.strokes(one.series), range, greatest[n] ?? null);
    });
  }

  private named(series: Series): Series {
    const name = (column: Series["columns"][number]): string => (this.head ? nameOf(this.head, column) : column.name);
    return { ...series, columns: series.columns.map((column) => ({ ...column, name: name(column) })) };
  }

  private strokes(series: Series): Stroke[] {
    const colours = theme();
    return series.columns.map(({ flow }) =>
      flow === null ? { colour: colours.ink, dash: [], hollow: false } : stroke(colours, this.placeOf(flow)),
    );
  }

  private placeOf(flow: number): number {
    return Math.max(0, this.head?.flows.findIndex(({ id }) => id === flow) ?? 0);
  }

  private flows(table: Table): HTMLElement {
    const at = (name: string): number => table.columns.indexOf(name);
    const known = COLUMNS.filter(
      ([name]) => at(name) >= 0 && (!OPTIONAL.has(name) || table.rows.some((row) => Boolean(row[at(name)]))),
    );
    const first = Math.max(0, at("flow"), at("name"));
    return el(
      "table",
      { class: "figures" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col", text: "flow" }),
          ...known.map(([, words]) => el("th", { scope: "col", class: "number", text: words })),
        ),
      ),
      el(
        "tbody",
        {},
        ...table.rows.map((row) =>
          el(
            "tr",
            {},
            el("th", { scope: "row", text: String(row[first]) }),
            ...known.map(([name, , write]) => {
              const value = row[at(name)];
              // The exact number is at hand: the table of the Python API has the same.
              return el("td", {
                class: "number",
                title: String(value),
                "data-value": String(value),
                text: typeof value === "number" ? write(value) : value == null ? "–" : plain(Number(value)),
              });
            }),
          ),
        ),
      ),
    );
  }
}
