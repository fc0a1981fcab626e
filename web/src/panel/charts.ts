/** The linked charts: one time axis, one playhead, each what the recording has. */

import { Chart } from "../draw/chart";
import { chartSvg, svgPng } from "../draw/picture";
import { linkStroke, stroke, theme } from "../draw/theme";
import type { Stroke } from "../draw/theme";
import { busiest, csv, extent, interval, moved, nameOf, zoomed } from "../model/curve";
import type { Range } from "../model/curve";
import type { Filter } from "../model/filter";
import type { Head } from "../recording/head";
import { series as ask } from "../recording/series";
import type { Column, Series, What } from "../recording/series";
import { button, el, save } from "./element";
import { failed, loading } from "./notice";

interface Panel {
  readonly title: string;
  readonly what: readonly What[];
  /** What is shown where the recording has none of these. */
  readonly instead?: What;
  readonly stairs: boolean;
  readonly points: boolean;
}

const PANELS: readonly Panel[] = [
  {
    title: "Congestion window and ssthresh, packets",
    what: ["cwnd", "ssthresh"],
    instead: "in_flight",
    stairs: true,
    points: false,
  },
  { title: "Throughput", what: ["throughput"], stairs: false, points: false },
  { title: "Queue, packets", what: ["queue"], stairs: true, points: false },
  { title: "Round-trip time", what: ["rtt"], stairs: false, points: false },
  { title: "Drops since the beginning, packets", what: ["drops"], stairs: true, points: false },
  { title: "Sequence numbers, packets", what: ["sequence"], stairs: false, points: true },
];

/** For a CSV: as many points as the server gives. */
const ALL_POINTS = 200_000;
/** Begins the names of its curves. */
const SSTHRESH = "ssthresh ";
/** Queues that can be told apart: the fullest ones. */
const MOST_LINKS = 6;
/** Fewer questions while the range is dragged. */
const SETTLE_MS = 120;

interface Shown {
  readonly panel: Panel;
  readonly chart: Chart;
  readonly card: HTMLElement;
  readonly heading: HTMLElement;
  readonly state: HTMLElement;
  /** null until the first ones have come. */
  series: Series | null;
  asked: AbortController | null;
}

export class Charts {
  readonly element = el("section", { class: "charts", "aria-label": "Charts" });
  private head: Head;
  private filter: Filter;
  /** null follows the whole recording. */
  private zoom: Range | null = null;
  private t = 0;
  private readonly shown: readonly Shown[];
  private settling: ReturnType<typeof setTimeout> | undefined;
  private readonly seek: (t: number) => void;

  constructor(head: Head, filter: Filter, seek: (t: number) => void) {
    this.head = head;
    this.filter = filter;
    this.seek = seek;
    this.shown = PANELS.map((panel) => this.card(panel));
    this.element.append(...this.shown.map(({ card }) => card));
  }

  private get whole(): Range {
    return { from: this.head.begin_s, to: Math.max(this.head.end_s, this.head.begin_s + 1e-9) };
  }

  get range(): Range {
    return this.zoom ?? this.whole;
  }

  private card(panel: Panel): Shown {
    const chart = new Chart(panel, { range: (range) => this.look(range), seek: this.seek });
    const state = el("div", { class: "chart-state" }, loading("Loading …"));
    const one = (name: string, label: string, press: () => void): HTMLButtonElement =>
      el("button", {
        type: "button",
        class: "small",
        text: name,
        title: label,
        "aria-label": `${panel.title}: ${label}`,
        on: { click: press },
      });
    const heading = el("h3", { text: this.titleOf(panel) });
    const card = el(
      "article",
      { class: "card chart-card", "data-chart": panel.what[0]! },
      el(
        "header",
        {},
        heading,
        el(
          "div",
          { class: "exports", role: "group" },
          one("PNG", "save as PNG", () => void this.png(shown)),
          one("SVG", "save as SVG", () => this.svg(shown)),
          one("CSV", "save the data as CSV", () => void this.csv(shown)),
        ),
      ),
      chart.element,
      state,
    );
    const shown: Shown = { panel, chart, card, heading, state, series: null, asked: null };
    return shown;
  }

  /** See another part of time; null is all of it. */
  look(range: Range | null): void {
    this.zoom = range === null ? null : zoomed(range, 1, range.from, this.whole);
    // What is there is stretched at once; what is finer comes.
    for (const one of this.shown) this.draw(one);
    this.load();
  }

  zoomBy(factor: number): void {
    const { from, to } = this.range;
    const about = this.t >= from && this.t <= to ? this.t : (from + to) / 2;
    this.look(zoomed(this.range, factor, about, this.whole));
  }

  panBy(share: number): void {
    this.look(moved(this.range, share * (this.range.to - this.range.from), this.whole));
  }

  get isWhole(): boolean {
    return this.zoom === null;
  }

  /** Show other flows, or a recording that has grown. */
  update(head: Head, filter: Filter): void {
    this.head = head;
    this.filter = filter;
    for (const one of this.shown) this.draw(one);
    this.load();
  }

  redraw(): void {
    for (const one of this.shown) this.draw(one);
  }

  playhead(t: number, settled: boolean): void {
    this.t = t;
    if (this.zoom && t > this.zoom.to && t < this.zoom.to + (this.zoom.to - this.zoom.from)) this.panBy(1);
    for (const { chart } of this.shown) {
      chart.playhead(t);
      if (settled) chart.values(t);
    }
  }

  load(): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.shown.forEach((one) => void this.fetch(one)), SETTLE_MS);
  }

  stop(): void {
    clearTimeout(this.settling);
    for (const { asked } of this.shown) asked?.abort();
  }

  private async fetch(one: Shown): Promise<void> {
    one.asked?.abort();
    const asked = (one.asked = new AbortController());
    try {
      const points = Math.max(400, 2 * one.chart.element.clientWidth);
      one.series = await this.ask(one, points, asked.signal);
      if (!asked.signal.aborted) this.draw(one);
    } catch (error) {
      if (!asked.signal.aborted) one.state.replaceChildren(failed(error, () => void this.fetch(one)));
    }
  }

  private async ask(one: Shown, points: number, signal?: AbortSignal): Promise<Series> {
    const { from, to } = this.range;
    const wanted = this.whatOf(one.panel);
    const part = { from, to, points, interval_s: interval(to - from) };
    const all = await Promise.all(wanted.map((what) => ask(this.head.id, what, part, signal)));
    const notes = all.map(({ note }) => note).filter((note) => note !== undefined);
    const named = (what: What, column: Column): Column => ({
      ...column,
      name: (what === "ssthresh" ? SSTHRESH : "") + nameOf(this.head, column),
    });
    const found = {
      columns: all.flatMap(({ columns }, n) => columns.map((column) => named(wanted[n]!, column))),
      exact: all.every(({ exact }) => exact ?? true),
      ...(notes[0] === undefined ? {} : { note: notes[0] }),
    };
    return busiest(found, MOST_LINKS);
  }

  /** What a panel asks for: of a file that does not tell windows, what is in flight. */
  private whatOf(panel: Panel): readonly What[] {
    const has = (what: What): boolean => this.head.series?.includes(what) ?? true;
    const found = panel.what.filter(has);
    return found.length ? found : panel.instead && has(panel.instead) ? [panel.instead] : panel.what.slice(0, 1);
  }

  /** With the unit of its curves: two-way TCP numbers bytes. */
  private titleOf(panel: Panel, series: Series | null = null): string {
    const title = this.whatOf(panel)[0] === "in_flight" ? "In flight, packets" : panel.title;
    const inBytes = series !== null && series.columns.some(({ unit }) => unit === "bytes");
    return inBytes ? title.replace("packets", "bytes") : title;
  }

  /** The curves that the filter shows. */
  private seen(series: Series): Series {
    return { ...series, columns: series.columns.filter(({ flow }) => flow === null || !this.filter.flows.has(flow)) };
  }

  private strokes(series: Series): Stroke[] {
    const colours = theme();
    let links = 0;
    return series.columns.map(({ flow, name }) => {
      if (flow === null) return linkStroke(colours, links++);
      const own = stroke(
        colours,
        Math.max(
          0,
          this.head.flows.findIndex(({ id }) => id === flow),
        ),
      );
      return name.startsWith(SSTHRESH) ? { ...own, dash: [2, 3] } : own;
    });
  }

  private draw(one: Shown): void {
    if (one.series === null) return;
    const series = this.seen(one.series);
    const nothing = series.columns.length === 0 || series.columns.every(({ times }) => times.length === 0);
    const words =
      one.series.note ??
      (one.series.columns.length ? "Nothing of the shown flows in this time." : "Nothing in this time.");
    one.state.replaceChildren(...(nothing ? [el("p", { class: "soft", text: words })] : []));
    one.card.classList.toggle("bare", nothing);
    one.heading.textContent = this.titleOf(one.panel, one.series);
    // A first threshold of a thousand packets would leave no room for the window.
    const others = series.columns.filter(({ name }) => !name.startsWith(SSTHRESH));
    const high = others.length < series.columns.length ? extent({ columns: others })?.high : undefined;
    if (!nothing) one.chart.show(series, this.strokes(series), this.range, high === undefined ? null : 1.15 * high);
  }

  private fileName(one: Shown, ending: string): string {
    return `${this.head.name.replace(/[^\w.-]+/g, "-")}-${one.panel.what[0]!}.${ending}`;
  }

  private async png(one: Shown): Promise<void> {
    const blob = await svgPng(this.picture(one));
    if (blob) save(this.fileName(one, "png"), blob);
  }

  private svg(one: Shown): void {
    save(this.fileName(one, "svg"), this.picture(one), "image/svg+xml");
  }

  private picture(one: Shown): string {
    const series = this.seen(one.series ?? { columns: [] });
    const { stairs, points } = one.panel;
    const title = `${this.titleOf(one.panel, one.series)} · ${this.head.name}`;
    return chartSvg(title, series, this.strokes(series), this.range, stairs, points);
  }

  private async csv(one: Shown): Promise<void> {
    try {
      const series = await this.ask(one, ALL_POINTS);
      save(this.fileName(one, series.exact ? "csv" : "thinned.csv"), csv(this.seen(series)), "text/csv");
    } catch (error) {
      one.state.replaceChildren(failed(error));
    }
  }
}

/** The buttons above the charts, for those who have no wheel. */
export function chartTools(charts: Charts): HTMLElement {
  return el(
    "div",
    { class: "chart-tools", role: "group", "aria-label": "Charts' time" },
    el("h2", { text: "Charts" }),
    el("span", { class: "grow" }),
    button("slower", "Zoom out (Shift z)", () => charts.zoomBy(2)),
    button("faster", "Zoom in (z)", () => charts.zoomBy(0.5)),
    button("whole", "All of the time (x)", () => charts.look(null)),
  );
}
