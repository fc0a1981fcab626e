/**
 * Where every packet is at one time.
 *
 * A packet waits in a link's queue from enqueue_s to start_s. Its first bit is then on the link at
 * (t - start_s) / delay of its length, its last bit at (t - end_s) / delay: so it is as long as it is in truth. What is
 * dropped falls for a while; how long is a matter of the eye, and told by who draws.
 */

import { DROPPED, LOST, MARKED } from "../recording/chunk";
import type { Chunk } from "../recording/chunk";
import type { Link } from "../recording/head";
import { Alive } from "./alive";
import { Filter } from "./filter";

export const WAITING = 0;
export const ON_LINK = 1;
export const FALLING = 2;

/** A packet on a link at a time. */
export interface Place {
  readonly uid: number;
  readonly link: number;
  readonly flow: number;
  readonly kind: number;
  readonly size_bytes: number;
  readonly seq: number;
  readonly marked: boolean;
  readonly state: number;
  /** First and last bit, as fractions of the link; while falling, where it fell from. */
  readonly head: number;
  readonly tail: number;
  /** Place in the queue, from 0; while falling, the share of the fall that is behind it. */
  readonly queued: number;
}

/** All places at a time, as columns that are used again for the next time. */
export class Moment {
  t = NaN;
  count = 0;
  /** Packets in each link's queue, whatever is filtered. */
  readonly queues: Uint32Array;
  readonly delays_s: Float64Array;
  chunk: Chunk[] = [];
  row = new Uint32Array(1024);
  state = new Uint8Array(1024);
  head = new Float64Array(1024);
  tail = new Float64Array(1024);
  queued = new Float64Array(1024);
  private readonly alive = new WeakMap<Chunk, Alive>();

  constructor(links: readonly Link[]) {
    const size = 1 + links.reduce((most, link) => Math.max(most, link.id), -1);
    this.queues = new Uint32Array(size);
    this.delays_s = new Float64Array(size);
    for (const link of links) this.delays_s[link.id] = link.delay_s ?? 0;
  }

  /** Find the places at `t` (s) in `chunks`, of packets that `filter` shows; what was dropped falls for `fall_s`. */
  at(t: number, chunks: readonly Chunk[], filter: Filter, fall_s: number): this {
    this.t = t;
    this.count = 0;
    this.queues.fill(0);
    for (const chunk of chunks) {
      let alive = this.alive.get(chunk);
      if (!alive) this.alive.set(chunk, (alive = new Alive(chunk, this.delays_s)));
      alive.rows(t - fall_s, t, (row) => this.place(chunk, row, filter, fall_s));
    }
    return this;
  }

  private place(chunk: Chunk, row: number, filter: Filter, fall_s: number): void {
    const t = this.t;
    const drop = chunk.drop_s[row]!;
    const start = chunk.start_s[row]!;
    if (t >= drop) {
      if (t < drop + fall_s) this.add(chunk, row, filter, FALLING, this.lostAt(chunk, row), 0, (t - drop) / fall_s);
      return;
    }
    // Not yet started, or never: it waits. (A comparison with NaN is false.)
    if (!(t >= start)) {
      const link = chunk.link[row]!;
      this.add(chunk, row, filter, WAITING, 0, 0, this.queues[link]!++);
      return;
    }
    const delay = this.delays_s[chunk.link[row]!]!;
    const arrive = chunk.arrive_s[row]!;
    const end = chunk.end_s[row]!;
    if (t >= (arrive === arrive ? arrive : end + delay)) return;
    this.add(chunk, row, filter, ON_LINK, fraction(t - start, delay), fraction(t - end, delay), 0);
  }

  /** Where a packet that is lost was on its link: at the queue, or as far as it had come. */
  private lostAt(chunk: Chunk, row: number): number {
    if (!(chunk.flags[row]! & LOST)) return 0;
    const start = chunk.start_s[row]!;
    return start === start ? fraction(chunk.drop_s[row]! - start, this.delays_s[chunk.link[row]!]!) : 0;
  }

  private add(
    chunk: Chunk,
    row: number,
    filter: Filter,
    state: number,
    head: number,
    tail: number,
    queued: number,
  ): void {
    if (!filter.shows(chunk.flow[row]!, chunk.kind[row]!)) return;
    const n = this.count++;
    if (n === this.row.length) this.grow();
    this.chunk[n] = chunk;
    this.row[n] = row;
    this.state[n] = state;
    this.head[n] = head;
    this.tail[n] = tail;
    this.queued[n] = queued;
  }

  private grow(): void {
    const longer = <T extends Uint8Array | Uint32Array | Float64Array>(made: T, old: T): T => (made.set(old), made);
    const size = 2 * this.row.length;
    this.row = longer(new Uint32Array(size), this.row);
    this.state = longer(new Uint8Array(size), this.state);
    this.head = longer(new Float64Array(size), this.head);
    this.tail = longer(new Float64Array(size), this.tail);
    this.queued = longer(new Float64Array(size), this.queued);
  }

  /** The n-th place as an object. */
  one(n: number): Place {
    const chunk = this.chunk[n]!;
    const row = this.row[n]!;
    return {
      uid: chunk.uid[row]!,
      link: chunk.link[row]!,
      flow: chunk.flow[row]!,
      kind: chunk.kind[row]!,
      size_bytes: chunk.size_bytes[row]!,
      seq: chunk.seq[row]!,
      marked: (chunk.flags[row]! & MARKED) !== 0,
      state: this.state[n]!,
      head: this.head[n]!,
      tail: this.tail[n]!,
      queued: this.queued[n]!,
    };
  }
}

/** Is the row's packet dropped or lost on this link, now or later? */
export function isLoss(chunk: Chunk, row: number): boolean {
  return (chunk.flags[row]! & (DROPPED | LOST)) !== 0;
}

/** How far a bit has come that set out `since` seconds ago; on a link without delay it is there at once. */
function fraction(since: number, delay: number): number {
  if (since <= 0) return 0;
  return delay > 0 ? Math.min(1, since / delay) : 1;
}
