/** Curves as data: values at a time, ticks of axes, CSV. */

import type { Head } from "../recording/head";
import type { Column, Series } from "../recording/series";

/** The value that holds at `t`: the last one at or before it; null before the first and in a gap. */
export function valueAt(column: Column, t: number): number | null {
  let low = 0;
  let high = column.times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column.times[middle]! <= t) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? (column.values[low - 1] ?? null) : null;
}

/** Stairs up to `to`: what has not changed since its last point still holds. */
export function held(series: Series, to: number): Series {
  const columns = series.columns.map((column) => {
    const last = column.times[column.times.length - 1];
    if (last === undefined || last >= to) return column;
    return {
      ...column,
      times: [...column.times, to],
      values: [...column.values, column.values[column.values.length - 1]!],
    };
  });
  return { ...series, columns };
}

/** Every point of every curve, one to a line: time_s,curve,unit,value. */
export function csv(series: Series): string {
  const lines = ["time_s,curve,unit,value"];
  for (const { name, unit, times, values } of series.columns) {
    const fixed = `,${quoted(name)},${quoted(unit)},`;
    times.forEach((time, n) => {
      const value = values[n];
      lines.push(`${time}${fixed}${value ?? ""}`);
    });
  }
  return lines.join("\n") + "\n";
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Round numbers from `low` to `high`, about `wanted` of them. */
export function ticks(low: number, high: number, wanted: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((of) => of * power).find((one) => one >= rough * 0.999)!;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, n) => Number(((first + n) * step).toPrecision(12)));
}

/** The highest and lowest value of all curves; null if there is none. */
export function extent(series: Series): { readonly low: number; readonly high: number } | null {
  let low = Infinity;
  let high = -Infinity;
  for (const { values } of series.columns) {
    for (const value of values) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? { low, high } : null;
}

/** Whose curve it is: a flow's name, or a link's ends. */
export function nameOf(head: Head, column: Column): string {
  if (column.flow !== null) return head.flows.find(({ id }) => id === column.flow)?.name ?? column.name;
  const link = head.links.find(({ id }) => id === column.link);
  const node = (id: number): string => head.nodes.find((one) => one.id === id)?.name ?? String(id);
  return link ? `${node(link.from)} → ${node(link.to)}` : column.name;
}

/** An interval for rates over so many seconds: 1, 2 or 5 times a power of ten, about eighty of them. */
export function interval(span_s: number): number {
  const power = 10 ** Math.floor(Math.log10(span_s / 80 || 1));
  return (
    [1, 2, 5, 10].map((of) => Number((of * power).toPrecision(3))).find((one) => one >= (span_s / 80) * 0.999) ?? power
  );
}

/** Of the links' curves the `most` that rise highest, the highest first; flows' curves stay. */
export function busiest(series: Series, most: number): Series {
  const height = ({ values }: Column): number => values.reduce<number>((high, value) => Math.max(high, value ?? 0), 0);
  const links = series.columns.filter(({ flow }) => flow === null).sort((a, b) => height(b) - height(a));
  return { ...series, columns: [...series.columns.filter(({ flow }) => flow !== null), ...links.slice(0, most)] };
}

/** Part of the whole that is seen: zoomed by `factor` about `t`, kept within begin and end. */
export function zoomed(range: Range, factor: number, t: number, whole: Range): Range {
  const width = Math.min(whole.to - whole.from, Math.max(1e-9, (range.to - range.from) * factor));
  const share = (t - range.from) / (range.to - range.from || 1);
  return within(t - share * width, width, whole);
}

/** Moved by `by` seconds, kept within begin and end. */
export function moved(range: Range, by: number, whole: Range): Range {
  return within(range.from + by, range.to - range.from, whole);
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

function within(from: number, width: number, whole: Range): Range {
  const start = Math.min(Math.max(from, whole.from), whole.to - width);
  return { from: start, to: start + width };
}

/** When a count of drops grew, of any flow or link. */
export function dropTimes(series: Series): number[] {
  return series.columns.flatMap(({ times, values }) => {
    let before = 0;
    return times.filter((_, at) => {
      const value = values[at] ?? before;
      const grew = value > before;
      before = value;
      return grew;
    });
  });
}
