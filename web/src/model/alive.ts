/**
 * Which rows of a chunk may show something at a time, found without reading all of them.
 *
 * Rows are in order of enqueue_s, but end in another order. For blocks of rows the latest end is kept, and the latest
 * end up to each block, which never falls: a binary search in it finds the first block that can matter.
 */

import type { Chunk } from "../recording/chunk";

const BLOCK = 64;

/** When a packet has left a link, by row; Infinity for one that the trace leaves in the queue. */
export function endOf(chunk: Chunk, row: number, delay_s: number): number {
  const drop = chunk.drop_s[row]!;
  if (drop === drop) return drop;
  const arrive = chunk.arrive_s[row]!;
  if (arrive === arrive) return arrive;
  const end = chunk.end_s[row]!;
  return end === end ? end + delay_s : Infinity;
}

export class Alive {
  private readonly latest: Float64Array;
  private readonly latestUntil: Float64Array;
  private readonly chunk: Chunk;

  constructor(chunk: Chunk, delays_s: Float64Array) {
    this.chunk = chunk;
    const blocks = Math.ceil(chunk.rows / BLOCK);
    this.latest = new Float64Array(blocks).fill(-Infinity);
    for (let row = 0; row < chunk.rows; row++) {
      const end = endOf(chunk, row, delays_s[chunk.link[row]!] ?? 0);
      const block = (row / BLOCK) | 0;
      if (end > this.latest[block]!) this.latest[block] = end;
    }
    this.latestUntil = this.latest.slice();
    for (let block = 1; block < blocks; block++) {
      this.latestUntil[block] = Math.max(this.latestUntil[block]!, this.latestUntil[block - 1]!);
    }
  }

  /** Call `visit` for the rows enqueued until `t` of which some in their block end at `since` or later. */
  rows(since: number, t: number, visit: (row: number) => void): void {
    const past = firstAbove(this.chunk.enqueue_s, t);
    const blocks = Math.ceil(past / BLOCK);
    for (let block = firstAtLeast(this.latestUntil, since); block < blocks; block++) {
      if (this.latest[block]! < since) continue;
      const last = Math.min(past, (block + 1) * BLOCK);
      for (let row = block * BLOCK; row < last; row++) visit(row);
    }
  }
}

/** The first place of sorted `values` that holds more than `x`. */
export function firstAbove(values: Float64Array, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first place of sorted `values` that holds `x` or more. */
export function firstAtLeast(values: Float64Array, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
