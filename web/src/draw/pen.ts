/** What pictures are drawn with: the part of a canvas's context that they need, so that an SVG can take its place. */

type Drawing = Pick<
  CanvasRenderingContext2D,
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "globalAlpha"
  | "font"
  | "textAlign"
  | "textBaseline"
  | "fillRect"
  | "strokeRect"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "arc"
  | "fill"
  | "stroke"
  | "fillText"
  | "setLineDash"
>;

export interface Pen extends Drawing {
  setTransform(a: number, b: number, c: number, d: number, e: number, f: number): void;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const short = (value: number): string => String(Number(value.toFixed(2)));

/** Writes an SVG of what is drawn with it. */
export class SvgPen implements Pen {
  fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  strokeStyle: string | CanvasGradient | CanvasPattern = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "12px sans-serif";
  textAlign: CanvasTextAlign = "start";
  textBaseline: CanvasTextBaseline = "alphabetic";
  private dash: readonly number[] = [];
  private path = "";
  private matrix = "";
  private readonly parts: string[] = [];

  setTransform(...numbers: [number, number, number, number, number, number]): void {
    const same = numbers.join() === "1,0,0,1,0,0";
    this.matrix = same ? "" : ` transform="matrix(${numbers.map((one) => Number(one.toFixed(5))).join(" ")})"`;
  }

  setLineDash(segments: Iterable<number>): void {
    this.dash = [...segments];
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(`<rect${this.box(x, y, width, height)} fill="${String(this.fillStyle)}"${this.rest()}/>`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(`<rect${this.box(x, y, width, height)} fill="none"${this.lines()}${this.rest()}/>`);
  }

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${short(x)} ${short(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `L${short(x)} ${short(y)}`;
  }

  /** Whole circles only. */
  arc(x: number, y: number, radius: number): void {
    const r = short(radius);
    this.path += `M${short(x - radius)} ${short(y)}a${r} ${r} 0 1 0 ${short(2 * radius)} 0a${r} ${r} 0 1 0 ${short(-2 * radius)} 0`;
  }

  fill(): void {
    this.parts.push(`<path d="${this.path}" fill="${String(this.fillStyle)}"${this.rest()}/>`);
  }

  stroke(): void {
    this.parts.push(`<path d="${this.path}" fill="none"${this.lines()}${this.rest()}/>`);
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = { center: "middle", right: "end", end: "end", left: "start", start: "start" }[this.textAlign];
    const baseline = this.textBaseline === "middle" ? "central" : this.textBaseline === "top" ? "hanging" : "auto";
    this.parts.push(
      `<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" dominant-baseline="${baseline}" ` +
        `style="font:${escaped(this.font)}" fill="${String(this.fillStyle)}"${this.rest()}>${escaped(text)}</text>`,
    );
  }

  /** The picture, with a title for those who do not see it. */
  picture(width: number, height: number, title: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">` +
      `<title>${escaped(title)}</title>${this.parts.join("")}</svg>\n`
    );
  }

  private box(x: number, y: number, width: number, height: number): string {
    return ` x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
  }

  private lines(): string {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    return ` stroke="${String(this.strokeStyle)}" stroke-width="${short(this.lineWidth)}"${dash}`;
  }

  private rest(): string {
    return this.matrix + (this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : "");
  }
}
