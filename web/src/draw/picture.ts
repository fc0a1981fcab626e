/** A chart as a picture of its own: SVG by our own pen, PNG from the page's canvas. */

import { extent, held, ticks } from "../model/curve";
import type { Range } from "../model/curve";
import { plain } from "../model/words";
import type { Series } from "../recording/series";
import { reach, scaleWords } from "./chart";
import { FONT } from "./network";
import { SvgPen } from "./pen";
import { theme } from "./theme";
import type { Stroke } from "./theme";

const SIZE = { width: 900, height: 420 };
const EDGE = { left: 84, right: 20, top: 40, bottom: 44 };

/** The chart as SVG, with title, axes, units and legend. */
export function chartSvg(
  title: string,
  series: Series,
  strokes: readonly Stroke[],
  range: Range,
  stairs: boolean,
  points: boolean,
): string {
  const colours = theme();
  const pen = new SvgPen();
  const found = extent(series);
  const [low, high] = reach(found?.low ?? null, found?.high ?? null);
  const x = (t: number): number =>
    EDGE.left + ((t - range.from) / (range.to - range.from)) * (SIZE.width - EDGE.left - EDGE.right);
  const y = (value: number): number =>
    SIZE.height - EDGE.bottom - ((value - low) / (high - low)) * (SIZE.height - EDGE.top - EDGE.bottom);
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, SIZE.width, SIZE.height);
  pen.font = `11px ${FONT}`;
  pen.strokeStyle = colours.grid;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  const unit = series.columns[0]?.unit ?? "";
  const rows = ticks(low, high, 6);
  const words = scaleWords(rows, unit);
  rows.forEach((value, n) => {
    line(pen, EDGE.left, y(value), SIZE.width - EDGE.right, y(value));
    pen.fillStyle = colours.soft;
    pen.fillText(words[n]!, EDGE.left - 8, y(value));
  });
  pen.textAlign = "center";
  pen.textBaseline = "top";
  for (const t of ticks(range.from, range.to, 9)) {
    line(pen, x(t), EDGE.top, x(t), SIZE.height - EDGE.bottom);
    pen.fillStyle = colours.soft;
    pen.fillText(plain(t, 9), x(t), SIZE.height - EDGE.bottom + 8);
  }
  pen.fillText("time (s)", (EDGE.left + SIZE.width - EDGE.right) / 2, SIZE.height - 18);
  (stairs ? held(series, range.to) : series).columns.forEach(({ times, values }, n) => {
    const { colour, dash } = strokes[n]!;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 1.4;
    pen.setLineDash(dash);
    pen.beginPath();
    let before: number | null = null;
    times.forEach((t, at) => {
      const value = values[at] ?? null;
      if (value !== null && points) {
        pen.arc(x(t), y(value), 2);
      } else if (value !== null) {
        if (before === null) pen.moveTo(x(t), y(value));
        else if (stairs) pen.lineTo(x(t), y(before));
        pen.lineTo(x(t), y(value));
      }
      before = value;
    });
    if (points) pen.fill();
    else pen.stroke();
    pen.setLineDash([]);
  });
  heading(pen, title, series, strokes, colours.ink);
  return pen.picture(SIZE.width, SIZE.height, title);
}

function heading(pen: SvgPen, title: string, series: Series, strokes: readonly Stroke[], ink: string): void {
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.font = `600 13px ${FONT}`;
  pen.fillStyle = ink;
  pen.fillText(title, EDGE.left, 18);
  pen.font = `11px ${FONT}`;
  let at = EDGE.left + title.length * 8 + 24;
  series.columns.slice(0, 10).forEach(({ name }, n) => {
    pen.strokeStyle = strokes[n]!.colour;
    pen.setLineDash(strokes[n]!.dash);
    line(pen, at, 18, at + 18, 18);
    pen.setLineDash([]);
    pen.fillStyle = ink;
    pen.fillText(name, at + 23, 18);
    at += 36 + name.length * 6.4;
  });
}

function line(pen: SvgPen, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

/** The same as PNG, twice as fine: with title, axes, units and legend. Null where the browser cannot draw it. */
export async function svgPng(svg: string): Promise<Blob | null> {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const whole = document.createElement("canvas");
  [whole.width, whole.height] = [2 * SIZE.width, 2 * SIZE.height];
  whole.getContext("2d")!.drawImage(picture, 0, 0, whole.width, whole.height);
  return new Promise((resolve) => whole.toBlob(resolve));
}
