/** Curves of a recording, thinned by the server to as many points as can be seen. */

import { get, query } from "./server";

export type What = "cwnd" | "ssthresh" | "throughput" | "queue" | "in_flight" | "rtt" | "drops" | "sequence";

export interface Column {
  readonly name: string;
  readonly unit: string;
  readonly flow: number | null;
  readonly link: number | null;
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
}

export interface Series {
  readonly columns: readonly Column[];
  /** Every point is there, none was left out. */
  readonly exact?: boolean;
  /** Why there is nothing. */
  readonly note?: string;
}

/** What part of the curves, how finely. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly points: number;
  /** Of rates: seconds that each is taken over. */
  readonly interval_s: number;
}

/** The curves of `what` from `from` to `to` (s), in at most `points` points each. */
export function series(id: string, what: What, part: Part, signal?: AbortSignal): Promise<Series> {
  const { from, to, points, interval_s } = part;
  const bin = what === "throughput" ? interval_s : null;
  return get<Series>(`recordings/${encodeURIComponent(id)}/series${query({ what, from, to, points, bin })}`, signal);
}
