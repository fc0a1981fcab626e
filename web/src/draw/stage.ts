/** The stage: two canvases, the network beneath and its packets above, and what lies under a point. */

import type { Moment } from "../model/moment";
import type { Head } from "../recording/head";
import { distanceToLane, layout, WHOLE } from "./geometry";
import type { Layout, Point, View } from "./geometry";
import { drawNetwork } from "./network";
import type { Selection } from "./network";
import { drawPackets, look, spot } from "./packets";
import type { Look } from "./packets";
import { SvgPen } from "./pen";
import { theme } from "./theme";
import type { Theme } from "./theme";

/** How near a click must be to a packet, in pixels. */
const NEAR = 9;
const SCALES = { least: 0.5, most: 20 };

export class Stage {
  readonly element = document.createElement("div");
  selected: Selection = null;
  private head: Head;
  private view: View = WHOLE;
  private readonly below = document.createElement("canvas");
  private readonly above = document.createElement("canvas");
  private readonly pens: { readonly below: CanvasRenderingContext2D; readonly above: CanvasRenderingContext2D };
  private at: Layout;
  private like: Look;
  private colours: Theme;
  private size = { width: 1, height: 1 };
  private ratio = 1;

  constructor(head: Head) {
    this.head = head;
    this.element.className = "stage";
    this.element.append(this.below, this.above);
    this.pens = { below: this.below.getContext("2d")!, above: this.above.getContext("2d")! };
    this.colours = theme();
    this.like = look(this.colours, head.flows, head.kinds);
    this.at = layout(head, this.size, this.view);
  }

  /** What those are told who do not see the picture. */
  label(words: string): void {
    this.above.setAttribute("role", "img");
    this.above.setAttribute("aria-label", words);
  }

  /** Take the size of the element, the colours of the page and what the recording has become. */
  arrange(head: Head = this.head): void {
    this.head = head;
    const { clientWidth, clientHeight } = this.element;
    this.size = { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight) };
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    for (const canvas of [this.below, this.above]) {
      canvas.width = Math.round(this.size.width * this.ratio);
      canvas.height = Math.round(this.size.height * this.ratio);
    }
    this.colours = theme();
    this.like = look(this.colours, head.flows, head.kinds);
    this.at = layout(head, this.size, this.view);
    this.drawBelow();
  }

  /** The selection has changed: the network shows it. */
  drawBelow(): void {
    const pen = this.pens.below;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.below.width, this.below.height);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (this.head.nodes.length) drawNetwork(pen, this.head, this.at, this.colours, this.selected);
  }

  draw(moment: Moment): void {
    const pen = this.pens.above;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.above.width, this.above.height);
    drawPackets(pen, moment, this.at, this.like, this.selected, this.ratio);
  }

  /** Zoom by `factor` about a point of the stage, and move by pixels. */
  look(factor: number, about: Point, dx = 0, dy = 0): void {
    const scale = Math.min(SCALES.most, Math.max(SCALES.least, this.view.scale * factor));
    const by = scale / this.view.scale;
    const cx = about.x - this.size.width / 2;
    const cy = about.y - this.size.height / 2;
    this.view = { scale, x: cx - by * (cx - this.view.x) + dx, y: cy - by * (cy - this.view.y) + dy };
    this.arrange();
  }

  lookAtAll(): void {
    this.view = WHOLE;
    this.arrange();
  }

  get isWhole(): boolean {
    return this.view === WHOLE;
  }

  /** The middle of the n-th place of a moment, in pixels of the element. */
  spot(moment: Moment, n: number): Point | null {
    return spot(moment, this.at, n);
  }

  /** What lies at a point: a packet before a node before a link. */
  hit(moment: Moment, point: Point): Selection {
    let best = NEAR;
    let found: Selection = null;
    for (let n = 0; n < moment.count; n++) {
      const at = spot(moment, this.at, n);
      const far = at ? Math.hypot(at.x - point.x, at.y - point.y) : Infinity;
      if (far < best) {
        best = far;
        found = { what: "packet", uid: moment.one(n).uid };
      }
    }
    if (found) return found;
    for (const [id, at] of this.at.nodes) {
      if (Math.hypot(at.x - point.x, at.y - point.y) <= this.at.radius + 3) return { what: "node", id };
    }
    for (const lane of this.at.lanes) {
      const up = (point.x - lane.queue.x) * lane.qx + (point.y - lane.queue.y) * lane.qy;
      const beside = Math.abs((point.x - lane.queue.x) * lane.qy - (point.y - lane.queue.y) * lane.qx);
      const inQueue = up > -4 && up < lane.most && beside < this.at.thickness && (moment.queues[lane.link.id] ?? 0) > 0;
      if (inQueue || distanceToLane(lane, point) <= this.at.thickness / 2 + 2)
        return { what: "link", id: lane.link.id };
    }
    return null;
  }

  /** The picture as it stands, as SVG. */
  svg(moment: Moment, title: string): string {
    const pen = new SvgPen();
    pen.fillStyle = this.colours.paper;
    pen.fillRect(0, 0, this.size.width, this.size.height);
    drawNetwork(pen, this.head, this.at, this.colours, this.selected);
    drawPackets(pen, moment, this.at, this.like, this.selected, 1);
    return pen.picture(this.size.width, this.size.height, title);
  }

  /** The picture as it stands, as PNG. */
  png(): Promise<Blob | null> {
    const canvas = document.createElement("canvas");
    canvas.width = this.below.width;
    canvas.height = this.below.height;
    const pen = canvas.getContext("2d")!;
    pen.fillStyle = this.colours.paper;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(this.below, 0, 0);
    pen.drawImage(this.above, 0, 0);
    return new Promise((resolve) => canvas.toBlob(resolve));
  }
}
