/** The next and the last event before a time: a packet joins a queue, starts, arrives or is dropped. */

import type { Chunk } from "../recording/chunk";
import type { Filter } from "./filter";

const COLUMNS = ["enqueue_s", "start_s", "arrive_s", "drop_s"] as const;

/** The earliest event after `t` of packets that `filter` shows; null if `chunks` have none. */
export function nextEvent(chunks: readonly Chunk[], t: number, filter: Filter): number | null {
  let found = Infinity;
  for (const chunk of chunks) {
    for (const name of COLUMNS) {
      const times = chunk[name];
      for (let row = 0; row < chunk.rows; row++) {
        const time = times[row]!;
        if (time > t && time < found && filter.shows(chunk.flow[row]!, chunk.kind[row]!)) found = time;
      }
    }
  }
  return found < Infinity ? found : null;
}

/** The latest event before `t` of packets that `filter` shows; null if `chunks` have none. */
export function lastEvent(chunks: readonly Chunk[], t: number, filter: Filter): number | null {
  let found = -Infinity;
  for (const chunk of chunks) {
    for (const name of COLUMNS) {
      const times = chunk[name];
      for (let row = 0; row < chunk.rows; row++) {
        const time = times[row]!;
        if (time < t && time > found && filter.shows(chunk.flow[row]!, chunk.kind[row]!)) found = time;
      }
    }
  }
  return found > -Infinity ? found : null;
}
