/** A small network and its packets, made by rule: what a server would send. */

import { chunkBytes, decode } from "../src/recording/chunk";
import type { Chunk } from "../src/recording/chunk";
import type { Head } from "../src/recording/head";

export interface Hop {
  enqueue: number;
  start: number;
  end: number;
  arrive: number;
  drop: number;
  uid: number;
  size: number;
  link: number;
  flow: number;
  kind: number;
  flags: number;
  seq: number;
}

export const hop = (given: Partial<Hop>): Hop => ({
  enqueue: 0,
  start: NaN,
  end: NaN,
  arrive: NaN,
  drop: NaN,
  uid: 0,
  size: 1000,
  link: 0,
  flow: 1,
  kind: 0,
  flags: 0,
  seq: 0,
  ...given,
});

/** The bytes of a chunk, written by the format's description and not by the reader. */
export function encode(hops: readonly Hop[]): ArrayBuffer {
  const buffer = new ArrayBuffer(chunkBytes(hops.length));
  const view = new DataView(buffer);
  [..."ACKH"].forEach((letter, n) => view.setUint8(n, letter.charCodeAt(0)));
  view.setUint32(4, 1, true);
  view.setUint32(8, hops.length, true);
  let at = 16;
  const column = (width: number, put: (at: number, of: Hop) => void): void => {
    hops.forEach((of, n) => put(at + n * width, of));
    at += Math.ceil((hops.length * width) / 8) * 8;
  };
  for (const key of ["enqueue", "start", "end", "arrive", "drop"] as const)
    column(8, (to, of) => view.setFloat64(to, of[key], true));
  for (const key of ["uid", "size"] as const) column(4, (to, of) => view.setUint32(to, of[key], true));
  for (const key of ["link", "flow"] as const) column(2, (to, of) => view.setUint16(to, of[key], true));
  for (const key of ["kind", "flags"] as const) column(1, (to, of) => view.setUint8(to, of[key]));
  column(4, (to, of) => view.setUint32(to, of.seq, true));
  return buffer;
}

export const chunkOf = (hops: readonly Hop[]): Chunk => decode(encode(hops));

/** Two nodes and a link each way of 1 Mb/s and `delay` seconds. */
export function twoNodes(delay = 0.01): Head {
  const link = { rate_bps: 1e6, delay_s: delay, orient: null, queue_position: null, limit_packets: null };
  return {
    id: "synthetic",
    name: "synthetic",
    kind: "ns2",
    begin_s: 0,
    end_s: 1,
    complete: true,
    read_fraction: 1,
    nodes: [
      { id: 0, name: "0", x: 0.1, y: 0.5, shape: "circle" },
      { id: 1, name: "1", x: 0.9, y: 0.5, shape: "circle" },
    ],
    links: [
      { id: 0, from: 0, to: 1, ...link },
      { id: 1, from: 1, to: 0, ...link },
    ],
    flows: [{ id: 1, name: "1", source: 0, destination: 1, kinds: ["tcp"] }],
    kinds: ["tcp", "ack"],
    chunks: [],
    notes: [],
  };
}
