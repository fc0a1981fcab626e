/**
 * A recording that stands in the page itself (`ackclock view --export`): parts as gzipped base64, each under the path of
 * the API that it answers. What a server would compute anew for each request is computed from these parts.
 */

import { decode, DROPPED, LOST, NO_SEQ } from "./chunk";
import type { Chunk } from "./chunk";
import type { Head } from "./head";
import type { Counters, Packet, PacketEvent } from "./numbers";
import type { Column, Series } from "./series";
import type { Answers } from "./server";

/** The series of a part: throughput with the interval of its points. */
type Kept = Series & { readonly interval_s?: number };

export interface Parts {
  /** The bytes under a path; null where there is none. */
  bytes(path: string): Promise<ArrayBuffer | null>;
}

/** The parts in elements `<script type="application/gzip" data-path="...">` of the page. */
export function partsOf(page: Document): Parts {
  return {
    async bytes(path) {
      const element = page.querySelector(`script[data-path="${CSS.escape(path)}"]`);
      if (!element) return null;
      const packed = Uint8Array.from(atob(element.textContent), (sign) => sign.charCodeAt(0));
      return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    },
  };
}

/** Answers from `parts`, to what the player asks of a recording. */
export function embedded(parts: Parts): Answers {
  const json = async <T>(path: string): Promise<T | null> => {
    const bytes = await parts.bytes(path);
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as T);
  };
  const kept = new Map<string, Promise<unknown>>();
  const once = <T>(path: string, make: () => Promise<T>): Promise<T> => {
    if (!kept.has(path)) kept.set(path, make());
    return kept.get(path) as Promise<T>;
  };
  return async (asked) => {
    const [path = "", query = ""] = asked.split("?", 2);
    const given = new URLSearchParams(query);
    const [, , what, n] = path.split("/");
    switch (what) {
      case undefined:
        return answer(await json<Head>("head"));
      case "hops": {
        const bytes = await parts.bytes(`hops/${n}`);
        return bytes ? new Response(bytes) : answer(null);
      }
      case "series": {
        const name = given.get("what") ?? "";
        const whole = await once(`series/${name}`, () => json<Kept>(`series/${name}`));
        const number = (key: string): number | null => (given.has(key) ? Number(given.get(key)) : null);
        return answer(whole && part(whole, number("from"), number("to"), number("bin")));
      }
      case "state": {
        const all = (await once("states", () => json<readonly Counters[]>("states"))) ?? [];
        return answer(all.findLast(({ t }) => t <= Number(given.get("t"))) ?? all[0] ?? null);
      }
      case "packet": {
        const head = await json<Head>("head");
        return answer(head && (await packet(head, Number(n), parts)));
      }
      default:
        return answer(null);
    }
  };
}

function answer(value: unknown): Response {
  if (value !== null) return Response.json(value);
  return Response.json({ error: "This file does not contain that: only the recording itself." }, { status: 404 });
}

/** The points from `from` to `to`, with the ones before and after; rates as means over `interval`. */
export function part(series: Kept, from: number | null, to: number | null, interval: number | null): Series {
  const { interval_s: own, ...rest } = series;
  const join = own && interval ? Math.max(1, Math.round(interval / own)) : 1;
  return { ...rest, columns: series.columns.map((column) => cut(join > 1 ? joined(column, join) : column, from, to)) };
}

function cut(column: Column, from: number | null, to: number | null): Column {
  const { times, values } = column;
  const begin =
    from === null
      ? 0
      : Math.max(
          0,
          times.findLastIndex((t) => t <= from),
        );
  const after = to === null ? -1 : times.findIndex((t) => t > to);
  const end = after < 0 ? times.length : after + 1;
  return { ...column, times: times.slice(begin, end), values: values.slice(begin, end) };
}

/** Means of `count` intervals each. */
function joined(column: Column, count: number): Column {
  const times: number[] = [];
  const values: number[] = [];
  for (let n = 0; n < column.times.length; n += count) {
    times.push(column.times[n]!);
    values.push(column.values.slice(n, n + count).reduce<number>((sum, value) => sum + (value ?? 0), 0) / count);
  }
  return { ...column, times, values };
}

/** Each event of one packet, in the order of time; null where there is no such packet. */
async function packet(head: Head, uid: number, parts: Parts): Promise<Packet | null> {
  const events: PacketEvent[] = [];
  for (const { n } of head.chunks) {
    const bytes = await parts.bytes(`hops/${n}`);
    if (bytes) events.push(...eventsOf(head, decode(bytes), uid));
  }
  return events.length ? { uid, events: events.sort((a, b) => a.t - b.t) } : null;
}

function eventsOf(head: Head, chunk: Chunk, uid: number): PacketEvent[] {
  const found: PacketEvent[] = [];
  for (let row = chunk.uid.indexOf(uid); row >= 0; row = chunk.uid.indexOf(uid, row + 1)) {
    const link = head.links.find(({ id }) => id === chunk.link[row]);
    const flags = chunk.flags[row]!;
    const times: readonly (readonly [string, number])[] = [
      ["enqueue", chunk.enqueue_s[row]!],
      ["dequeue", chunk.start_s[row]!],
      ["receive", chunk.arrive_s[row]!],
      [flags & LOST && !(flags & DROPPED) ? "loss" : "drop", chunk.drop_s[row]!],
    ];
    const seq = chunk.seq[row]!;
    for (const [what, t] of times.filter(([, t]) => !Number.isNaN(t)))
      found.push({
        t,
        what,
        link: chunk.link[row]!,
        node: (what === "receive" ? link?.to : link?.from) ?? null,
        kind: head.kinds[chunk.kind[row]!] ?? "",
        size_bytes: chunk.size_bytes[row]!,
        flow: chunk.flow[row]!,
        seq: seq === NO_SEQ ? null : seq,
      });
  }
  return found;
}
