/** The packets of a moment, each frame: on their links, in queues, falling. */

import { FALLING, ON_LINK } from "../model/moment";
import type { Moment } from "../model/moment";
import { MARKED } from "../recording/chunk";
import { along, fallen, pressing, waiting } from "./geometry";
import type { Lane, Layout, Point } from "./geometry";
import { FONT } from "./network";
import type { Selection } from "./network";
import type { Pen } from "./pen";
import type { Theme } from "./theme";
import { stroke } from "./theme";
import type { Stroke } from "./theme";

/** Seconds of the eye in which a dropped packet falls. */
export const FALL_S = 0.9;
/** A packet is never drawn shorter, or it would not be seen. */
const LEAST_LENGTH = 3;
/** A packet that is nearer than this to one of its flow and kind that was drawn hides behind it (pixels). */
const HIDDEN = 0.5;

export interface Look {
  readonly colours: Theme;
  /** By flow id, with the flow's place among all. */
  readonly strokes: ReadonlyMap<number, Stroke & { readonly number: number }>;
  /** By place of the kind: acknowledgements are thin. */
  readonly thin: readonly boolean[];
}

export function look(colours: Theme, flows: readonly { readonly id: number }[], kinds: readonly string[]): Look {
  return {
    colours,
    strokes: new Map(flows.map(({ id }, number) => [id, { ...stroke(colours, number), number }])),
    thin: kinds.map((kind) => kind === "ack"),
  };
}

/** Where the n-th place of a moment is drawn: its middle. */
export function spot(moment: Moment, at: Layout, n: number): Point | null {
  const lane = at.laneOf[moment.chunk[n]!.link[moment.row[n]!]!];
  if (!lane) return null;
  if (moment.state[n] === ON_LINK) return along(lane, moment.head[n]!, moment.tail[n]!);
  const queue = moment.queues[lane.link.id]!;
  const pressed = pressing(lane, queue);
  if (moment.state[n] === FALLING) {
    const from = moment.head[n]! > 0 ? along(lane, moment.head[n]!, moment.head[n]!) : waiting(lane, queue, pressed);
    return fallen(from, moment.queued[n]!);
  }
  return waiting(lane, moment.queued[n]!, pressed);
}

/** Draw the packets; `ratio` is canvas pixels per pixel of the layout. */
export function drawPackets(
  pen: Pen,
  moment: Moment,
  at: Layout,
  like: Look,
  selected: Selection,
  ratio: number,
): void {
  drawBuffers(pen, moment, at, like, ratio);
  const plain = like.colours.soft;
  let colour = "";
  const paint = (next: string): void => {
    if (next !== colour) pen.fillStyle = colour = next;
  };
  const drawn = new Float64Array(at.laneOf.length * (like.strokes.size + 1) * 4).fill(-Infinity);
  for (let n = 0; n < moment.count; n++) {
    const chunk = moment.chunk[n]!;
    const row = moment.row[n]!;
    const lane = at.laneOf[chunk.link[row]!];
    if (!lane) continue;
    const way = like.strokes.get(chunk.flow[row]!);
    const state = moment.state[n]!;
    if (state === FALLING) {
      paint(like.colours.loss);
      drawFalling(pen, spot(moment, at, n)!, at.thickness * 0.8, moment.queued[n]!, ratio);
      continue;
    }
    const thin = like.thin[chunk.kind[row]!];
    const onLink = state === ON_LINK;
    let length: number;
    let middle: number;
    if (onLink) {
      const head = moment.head[n]! * lane.length;
      const tail = moment.tail[n]! * lane.length;
      // A seam shows where one packet ends and the next begins.
      const seam = head - tail > 2 * LEAST_LENGTH ? 1 : 0;
      length = Math.max(LEAST_LENGTH, head - tail - seam);
      middle = (head + tail + seam) / 2;
    } else {
      const high = lane.cell * pressing(lane, moment.queues[lane.link.id]!);
      length = high > 2.5 ? high - 1 : Math.max(1, high);
      middle = (moment.queued[n]! + 0.5) * high;
    }
    const marked = chunk.flags[row]! & MARKED;
    const chosen = selected?.what === "packet" && chunk.uid[row] === selected.uid;
    const crowd = ((lane.link.id * (like.strokes.size + 1) + (way ? way.number + 1 : 0)) * 2 + (thin ? 1 : 0)) * 2;
    const place = crowd + (onLink ? 1 : 0);
    if (!marked && !chosen && Math.abs(middle - drawn[place]!) * ratio < HIDDEN) continue;
    drawn[place] = middle;
    // A waiting packet lies across the way its queue grows.
    const across = onLink ? (thin ? at.thickness * 0.5 : at.thickness) : at.thickness + 4;
    if (onLink) turn(pen, lane.ux, lane.uy, lane, ratio);
    else turn(pen, lane.qx, lane.qy, lane.queue, ratio);
    paint(way?.colour ?? plain);
    pen.fillRect(middle - length / 2, -across / 2, length, across);
    if (marked || way?.hollow) {
      // A hollow packet is of the second five flows; a stripe across is a mark.
      paint(like.colours.paper);
      if (way?.hollow && length > 4) pen.fillRect(middle - length / 2 + 1.5, -across / 2 + 1.5, length - 3, across - 3);
      if (marked) {
        if (way?.hollow) paint(way.colour);
        const stripe = Math.min(3, Math.max(1, length / 3));
        pen.fillRect(middle - stripe / 2, -across / 2, stripe, across);
      }
    }
    if (chosen) {
      pen.strokeStyle = like.colours.ink;
      pen.lineWidth = 2;
      pen.strokeRect(middle - length / 2 - 3, -across / 2 - 3, length + 6, across + 6);
    }
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
}

/** Draw from `from` on along the unit vector (x, y), with the left of the way above. */
function turn(pen: Pen, x: number, y: number, from: Point, ratio: number): void {
  pen.setTransform(ratio * x, ratio * y, -ratio * y, ratio * x, ratio * from.x, ratio * from.y);
}

/** The outline of a buffer whose limit is known, and how many packets are in it. */
function drawBuffers(pen: Pen, moment: Moment, at: Layout, like: Look, ratio: number): void {
  for (const lane of at.lanes) {
    const packets = moment.queues[lane.link.id]!;
    const limit = lane.link.limit_packets;
    if (packets === 0) continue;
    const wide = at.thickness + 8;
    if (limit !== null && limit <= 1000) {
      turn(pen, lane.qx, lane.qy, lane.queue, ratio);
      pen.strokeStyle = like.colours.soft;
      pen.globalAlpha = 0.6;
      pen.lineWidth = 1;
      pen.strokeRect(-1, -wide / 2, Math.min(lane.most, limit * lane.cell) + 2, wide);
      pen.globalAlpha = 1;
    }
    if (packets > 1) labelQueue(pen, lane, packets, wide, like, ratio);
  }
}

function labelQueue(pen: Pen, lane: Lane, packets: number, wide: number, like: Look, ratio: number): void {
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = `600 11px ${FONT}`;
  pen.fillStyle = like.colours.ink;
  // Beside the stack, on the side away from the link's far end.
  pen.textAlign = lane.ux >= 0 ? "right" : "left";
  pen.textBaseline = "middle";
  const off = wide / 2 + 5;
  pen.fillText(String(packets), lane.queue.x - lane.ux * off, lane.queue.y - lane.uy * off + lane.qy * 6);
}

/** A cross, so that it is not told by its colour alone. */
function drawFalling(pen: Pen, at: Point, size: number, share: number, ratio: number): void {
  const turn = share * 2.2 + Math.PI / 4;
  const c = Math.cos(turn) * ratio;
  const s = Math.sin(turn) * ratio;
  pen.setTransform(c, s, -s, c, at.x * ratio, at.y * ratio);
  pen.globalAlpha = 1 - 0.75 * share;
  pen.fillRect(-size * 0.7, -size * 0.2, size * 1.4, size * 0.4);
  pen.fillRect(-size * 0.2, -size * 0.7, size * 0.4, size * 1.4);
  pen.globalAlpha = 1;
}
