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

/** The curves of `what` from `from` to `to` (s), in at most `points` points each. */
export function series(
  id: string,
  what: What,
  from: number,
  to: number,
  points: number,
  signal?: AbortSignal,
): Promise<Series> {
  return get<Series>(`recordings/${encodeURIComponent(id)}/series${query({ what, from, to, points })}`, signal);
}
