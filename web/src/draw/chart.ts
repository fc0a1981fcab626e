/** One chart over time: its curves, its legend with the values at the playhead, zoom and pan. */

import uPlot from "uplot";
import { held, valueAt } from "../model/curve";
import type { Range } from "../model/curve";
import { plain, PREFIXES, withUnit } from "../model/words";
import type { Column, Series } from "../recording/series";
import { FONT } from "./network";
import { theme } from "./theme";
import type { Stroke } from "./theme";

export interface ChartEvents {
  /** Another part of time is to be seen; null is all of it. */
  range(range: Range | null): void;
  seek(t: number): void;
}

export interface Kind {
  /** As stairs: the value holds until the next one. */
  readonly stairs: boolean;
  /** As points alone. */
  readonly points: boolean;
}

const HEIGHT = 206;
const PREFIXED = new Set(["b/s", "bit/s", "s", "B", "bytes"]);

/** A number as the legend says it; packets are counted, and the chart's title says so. */
export function said(value: number | null, unit: string): string {
  if (value === null) return "–";
  if (PREFIXED.has(unit)) return withUnit(value, short(unit));
  const written = Number.isInteger(value) ? String(value) : plain(value);
  return unit === "packets" ? written : `${written} ${unit}`.trim();
}

export class Chart {
  readonly element = document.createElement("div");
  private readonly plot = document.createElement("div");
  private readonly legend = document.createElement("ul");
  private readonly head = document.createElement("div");
  private chart: uPlot | null = null;
  private series: Series = { columns: [] };
  private strokes: readonly Stroke[] = [];
  private range: Range = { from: 0, to: 1 };
  /** NaN until there is a playhead. */
  private t = NaN;
  private most: number | null = null;
  private readonly kind: Kind;
  private readonly events: ChartEvents;

  constructor(kind: Kind, events: ChartEvents) {
    this.kind = kind;
    this.events = events;
    this.element.className = "chart";
    this.plot.className = "chart-plot";
    this.legend.className = "legend";
    this.head.className = "playhead";
    this.head.setAttribute("aria-hidden", "true");
    this.element.append(this.plot, this.legend);
  }

  /** Show `series`, each curve with its stroke; up to `most`, so that charts side by side have one scale. */
  show(series: Series, strokes: readonly Stroke[], range: Range, most: number | null = null): void {
    this.most = most;
    this.series = this.kind.stairs ? held(series, range.to) : series;
    this.strokes = strokes;
    this.range = range;
    this.build();
  }

  /** Take another width, or other colours. */
  build(): void {
    this.chart?.destroy();
    this.chart = null;
    const width = this.plot.clientWidth;
    if (width === 0) return;
    const tables = this.series.columns.map(({ times, values }) => [times, values] as unknown as uPlot.AlignedData);
    // Each curve has its own times: where another has a point and this one has none there is no gap.
    const data = tables.length
      ? uPlot.join(
          tables,
          tables.map(() => [0, 1]),
        )
      : ([[]] as uPlot.AlignedData);
    this.chart = new uPlot(this.options(width), data, this.plot);
    this.chart.over.append(this.head);
    this.listen(this.chart.over);
    this.write();
    this.playhead(this.t);
  }

  playhead(t: number): void {
    this.t = t;
    const chart = this.chart;
    if (!chart) return;
    const x = chart.valToPos(t, "x");
    this.head.hidden = !(x >= 0 && x <= chart.over.clientWidth);
    this.head.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  /** Write the values at `t` into the legend. */
  values(t: number): void {
    this.series.columns.forEach((column, n) => {
      const place = this.legend.children[n]?.lastElementChild;
      const text = Number.isNaN(t) ? "" : said(valueAt(column, t), column.unit);
      if (place && place.textContent !== text) place.textContent = text;
    });
  }

  /** The plotted picture, for a PNG. */
  get canvas(): HTMLCanvasElement | null {
    return this.chart?.ctx.canvas ?? null;
  }

  private write(): void {
    this.legend.replaceChildren(
      ...this.series.columns.map((column, n) => {
        const item = document.createElement("li");
        const swatch = document.createElement("span");
        swatch.className = "swatch";
        swatch.style.borderTopColor = this.strokes[n]!.colour;
        swatch.style.borderTopStyle = this.strokes[n]!.dash.length ? "dashed" : "solid";
        const value = document.createElement("span");
        value.className = "value";
        item.append(swatch, column.name, value);
        return item;
      }),
    );
    this.values(this.t);
    // The keyboard scrolls what does not fit.
    if (this.legend.scrollHeight > this.legend.clientHeight) this.legend.tabIndex = 0;
    else this.legend.removeAttribute("tabindex");
  }

  private options(width: number): uPlot.Options {
    const colours = theme();
    const unit = this.series.columns[0]?.unit ?? "";
    const axis: uPlot.Axis = {
      stroke: colours.soft,
      font: `11px ${FONT}`,
      grid: { stroke: colours.grid, width: 1 },
      ticks: { stroke: colours.grid, width: 1, size: 4 },
    };
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: {
        sync: { key: "ackclock", setSeries: false },
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        y: false,
      },
      scales: {
        x: { time: false, range: () => [this.range.from, this.range.to] },
        y: { range: (_, low, high) => reach(low, this.most ?? high) },
      },
      axes: [
        {
          ...axis,
          size: 26,
          label: "time (s)",
          labelSize: 16,
          labelFont: `11px ${FONT}`,
          values: (_, splits) => splits.map((t) => plain(t, 9)),
        },
        { ...axis, size: 66, values: (_, splits) => scaleWords(splits, unit) },
      ],
      series: [{}, ...this.series.columns.map((column, n) => this.curve(column, n))],
      hooks: {
        setSelect: [
          (chart) => {
            const { left, width: wide } = chart.select;
            if (wide > 4) this.events.range({ from: chart.posToVal(left, "x"), to: chart.posToVal(left + wide, "x") });
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        setCursor: [
          (chart) => {
            const left = chart.cursor.left ?? -1;
            this.values(left >= 0 ? chart.posToVal(left, "x") : this.t);
          },
        ],
      },
    };
  }

  private curve(column: Column, n: number): uPlot.Series {
    const { colour, dash } = this.strokes[n]!;
    const line: uPlot.Series = { label: column.name, stroke: colour, width: 1.4, points: { show: false } };
    if (dash.length) line.dash = [...dash];
    if (this.kind.points) {
      line.paths = () => null;
      line.points = { show: true, size: 4, fill: colour, stroke: colour, width: 0 };
    } else if (this.kind.stairs) {
      line.paths = uPlot.paths.stepped!({ align: 1 });
    }
    return line;
  }

  private listen(over: HTMLElement): void {
    const timeAt = (event: MouseEvent): number =>
      this.chart!.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
    let pressedAt = 0;
    over.addEventListener("mousedown", (event) => (pressedAt = event.clientX));
    over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressedAt) < 4) this.events.seek(timeAt(event));
    });
    over.addEventListener("dblclick", () => this.events.range(null));
    over.addEventListener(
      "wheel",
      (event) => {
        // Plain scrolling scrolls the page.
        if (!event.ctrlKey && !event.shiftKey && !event.altKey) return;
        event.preventDefault();
        const width = this.range.to - this.range.from;
        if (event.shiftKey) {
          const by = (width * (event.deltaX || event.deltaY)) / 600;
          this.events.range({ from: this.range.from + by, to: this.range.to + by });
        } else {
          const factor = Math.exp(event.deltaY / 300);
          const t = timeAt(event);
          this.events.range({ from: t - (t - this.range.from) * factor, to: t + (this.range.to - t) * factor });
        }
      },
      { passive: false },
    );
  }
}

/** The values' scale: from nought for what is never negative, with room above. */
export function reach(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const from = low >= 0 ? 0 : low * 1.05;
  return [from, high > from ? high + (high - from) * 0.06 : from + 1];
}

/** Numbers of an axis, all with the prefix of the greatest: 0.5 Mb/s, 1 Mb/s. */
export function scaleWords(splits: readonly number[], unit: string): string[] {
  const most = Math.max(...splits.map(Math.abs));
  if (!PREFIXED.has(unit)) return splits.map((value) => plain(value));
  const [factor, prefix] = PREFIXES.find(([least]) => most >= least) ?? ([1, ""] as const);
  return splits.map((value) => (value === 0 ? "0" : `${plain(value / factor)} ${prefix}${short(unit)}`));
}

/** A unit as it is written on the page. */
function short(unit: string): string {
  return unit === "bit/s" ? "b/s" : unit === "bytes" ? "B" : unit;
}
