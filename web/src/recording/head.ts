/**
 * What a recording says of itself: the network, its flows and kinds of packets, and the chunks of its packet table.
 * Times are seconds, rates bits per second. docs/http-api.md has the format.
 */

export interface Node {
  readonly id: number;
  readonly name: string;
  /** 0 left to 1 right, 0 top to 1 bottom. */
  readonly x: number;
  readonly y: number;
  readonly shape: string;
}

/** One direction of a link. */
export interface Link {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly rate_bps: number | null;
  readonly delay_s: number | null;
  /** Rate and delay were found from the packets' times. */
  readonly estimated?: boolean;
  readonly orient: string | null;
  /** nam's: the angle of the queue from the link, in half turns; null where the file does not say. */
  readonly queue_position: number | null;
  readonly limit_packets: number | null;
}

export interface Flow {
  readonly id: number;
  readonly name: string;
  /** The id in its packets. */
  readonly flow_id?: number;
  readonly source: number | null;
  readonly destination: number | null;
  readonly kinds: readonly string[];
}

export interface ChunkEntry {
  readonly n: number;
  readonly begin_s: number;
  readonly end_s: number;
  /** The last time that something happens to one of its packets; null while one is under way. */
  readonly reach_s: number | null;
  readonly rows: number;
}

export interface Head {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly begin_s: number;
  readonly end_s: number;
  /** false while the server still reads the file. */
  readonly complete: boolean;
  readonly read_fraction: number;
  readonly nodes: readonly Node[];
  readonly links: readonly Link[];
  readonly flows: readonly Flow[];
  readonly kinds: readonly string[];
  readonly chunks: readonly ChunkEntry[];
  /** What can be followed over time; all, where it is not said. */
  readonly series?: readonly string[];
  /** What the file says in words at a time (nam's annotations). */
  readonly remarks?: readonly { readonly time_s: number; readonly text: string }[];
  /** What the file does not say, in words. */
  readonly notes: readonly string[];
}
