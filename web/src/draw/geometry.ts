/**
 * Where nodes, links and queues lie on the stage, in pixels.
 *
 * Each direction of a link is a lane on the left of its way, so that two directions lie side by side and a queue, which
 * stacks up on the left too (nam's queuePos 0.5), never crosses the other.
 */

import type { Head, Link, Node } from "../recording/head";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What part of the network is seen: zoomed by `scale` and moved by pixels. */
export interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export const WHOLE: View = { scale: 1, x: 0, y: 0 };

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One direction of a link: from its beginning at a node's edge, `length` along the unit vector (ux, uy). */
export interface Lane {
  readonly link: Link;
  readonly x: number;
  readonly y: number;
  readonly ux: number;
  readonly uy: number;
  readonly length: number;
  /** Where its queue begins, and which way it grows. */
  readonly queue: Point;
  readonly qx: number;
  readonly qy: number;
  /** Height of one waiting packet, and of the whole stack at most. */
  readonly cell: number;
  readonly most: number;
}

export interface Layout {
  readonly nodes: ReadonlyMap<number, Point>;
  readonly lanes: readonly Lane[];
  readonly laneOf: readonly (Lane | undefined)[];
  readonly radius: number;
  /** Across a lane, of a packet that carries data. */
  readonly thickness: number;
}

const STACK_MOST = 96;
/** How much more one axis may be stretched than the other to fill the stage: little where the file says the angles. */
const STRETCH = { drawn: 1.3, free: 3 };

export function layout(head: Head, size: Size, view: View): Layout {
  const crowded = head.nodes.length > 40;
  const small = size.width < 600;
  const radius = crowded ? 6 : small ? 11 : 17;
  const thickness = crowded ? 4 : small ? 7 : 10;
  const stretch = head.links.some(({ orient }) => orient !== null) ? STRETCH.drawn : STRETCH.free;
  const nodes = place(head.nodes, size, radius, view, stretch);
  const both = new Set(head.links.map(({ from, to }) => `${from} ${to}`));
  const lanes = head.links.map((link) => {
    const twoWays = both.has(`${link.to} ${link.from}`);
    return lane(link, nodes.get(link.from)!, nodes.get(link.to)!, radius, thickness, twoWays, link.limit_packets ?? 0);
  });
  const laneOf: (Lane | undefined)[] = [];
  for (const one of lanes) laneOf[one.link.id] = one;
  return { nodes, lanes, laneOf, radius, thickness };
}

/** Fit the nodes into the stage, nearly in proportion. */
function place(nodes: readonly Node[], size: Size, radius: number, view: View, stretch: number): Map<number, Point> {
  const left = Math.min(...nodes.map(({ x }) => x));
  const top = Math.min(...nodes.map(({ y }) => y));
  const width = Math.max(...nodes.map(({ x }) => x)) - left;
  const height = Math.max(...nodes.map(({ y }) => y)) - top;
  const marginX = radius + Math.min(56, size.width * 0.06);
  const marginY = radius + Math.min(76, size.height * 0.18);
  const roomX = size.width - 2 * marginX;
  const roomY = size.height - 2 * marginY;
  let sx = width > 0 ? roomX / width : Infinity;
  let sy = height > 0 ? roomY / height : Infinity;
  if (sx === Infinity) sx = Number.isFinite(sy) ? sy : 0;
  if (sy === Infinity) sy = sx;
  sx = Math.min(sx, sy * stretch);
  sy = Math.min(sy, sx * stretch);
  const middleX = size.width / 2;
  const middleY = size.height / 2;
  return new Map(
    nodes.map((node) => [
      node.id,
      {
        x: middleX + view.x + view.scale * sx * (node.x - left - width / 2),
        y: middleY + view.y + view.scale * sy * (node.y - top - height / 2),
      },
    ]),
  );
}

function lane(
  link: Link,
  from: Point,
  to: Point,
  radius: number,
  thickness: number,
  twoWays: boolean,
  limit: number,
): Lane {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const far = Math.hypot(dx, dy) || 1;
  const ux = dx / far;
  const uy = dy / far;
  // Left of the way; the screen's y grows downwards.
  const aside = twoWays ? thickness / 2 + 2 : 0;
  const x = from.x + ux * (radius + 3) + uy * aside;
  const y = from.y + uy * (radius + 3) - ux * aside;
  const turn = (link.queue_position ?? 0.5) * Math.PI;
  const qx = ux * Math.cos(turn) + uy * Math.sin(turn);
  const qy = uy * Math.cos(turn) - ux * Math.sin(turn);
  const rise = thickness / 2 + 4;
  const cell = Math.min(thickness * 0.8, STACK_MOST / Math.max(1, limit));
  return {
    link,
    x,
    y,
    ux,
    uy,
    length: Math.max(1, far - 2 * (radius + 3)),
    queue: { x: x + ux * (thickness + 2) + qx * rise, y: y + uy * (thickness + 2) + qy * rise },
    qx,
    qy,
    cell,
    most: STACK_MOST,
  };
}

/** The middle of a waiting packet; a stack higher than there is room for is pressed together by `pressed`. */
export function waiting(lane: Lane, place: number, pressed: number): Point {
  const up = (place + 0.5) * lane.cell * pressed;
  return { x: lane.queue.x + lane.qx * up, y: lane.queue.y + lane.qy * up };
}

/** How far a stack of `packets` must be pressed together. */
export function pressing(lane: Lane, packets: number): number {
  return packets * lane.cell > lane.most ? lane.most / (packets * lane.cell) : 1;
}

/** The middle of what lies between two fractions of a lane. */
export function along(lane: Lane, head: number, tail: number): Point {
  const at = ((head + tail) / 2) * lane.length;
  return { x: lane.x + lane.ux * at, y: lane.y + lane.uy * at };
}

/** Where a falling packet is: it drops down the screen, a little faster all the time. */
export function fallen(from: Point, share: number): Point {
  return { x: from.x - 14 * share, y: from.y + 12 * share + 90 * share * share };
}

export function distanceToLane(lane: Lane, at: Point): number {
  const px = at.x - lane.x;
  const py = at.y - lane.y;
  const onto = Math.min(lane.length, Math.max(0, px * lane.ux + py * lane.uy));
  return Math.hypot(px - onto * lane.ux, py - onto * lane.uy);
}
