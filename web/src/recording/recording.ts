/** One recording on the server: its head, and those chunks of its packets that are at hand. */

import { decode } from "./chunk";
import type { Chunk } from "./chunk";
import type { ChunkEntry, Flow, Head } from "./head";
import { ask, get } from "./server";

/** Chunks kept at hand, in bytes: what was not wanted for longest goes first. */
const KEPT_BYTES = 200e6;

export class Recording {
  head: Head;
  /** Why a chunk did not come; nothing more is sent for until it is set to null. */
  failure: Error | null = null;
  private readonly kept = new Map<number, Chunk>();
  private readonly coming = new Map<number, Promise<Chunk>>();
  private keptBytes = 0;

  constructor(head: Head) {
    this.head = head;
  }

  static async open(id: string): Promise<Recording> {
    return new Recording(await headOf(id));
  }

  /** Ask how far the server has read; true if the recording has grown. */
  async refresh(): Promise<boolean> {
    const before = this.head;
    this.head = await headOf(before.id);
    // The last chunk may have been given out while it was still filling.
    for (const [n, chunk] of this.kept) {
      const entry = this.head.chunks[n];
      if (entry && entry.rows !== chunk.rows) this.forget(n);
    }
    const { chunks, end_s, complete } = this.head;
    return chunks.length !== before.chunks.length || end_s !== before.end_s || complete !== before.complete;
  }

  /** The chunks that have something to show at some time from `from` to `to`. */
  needed(from: number, to: number = from): readonly ChunkEntry[] {
    return this.head.chunks.filter((entry) => entry.begin_s <= to && from <= (entry.reach_s ?? Infinity));
  }

  /** Those of `entries` that are at hand; null if one is missing, which is then sent for. */
  atHand(entries: readonly ChunkEntry[]): readonly Chunk[] | null {
    const found: Chunk[] = [];
    for (const { n } of entries) {
      const chunk = this.kept.get(n);
      if (chunk) {
        found.push(chunk);
        this.touch(n, chunk);
      } else if (this.failure === null) {
        // Who draws asks again with the next frame, and looks at `failure`.
        this.chunk(n).catch(
          (error: unknown) => (this.failure = error instanceof Error ? error : new Error(String(error))),
        );
      }
    }
    return found.length === entries.length ? found : null;
  }

  /** All of `entries`, waited for; throws a ServerError or ChunkError. */
  load(entries: readonly ChunkEntry[]): Promise<readonly Chunk[]> {
    return Promise.all(entries.map(({ n }) => this.chunk(n)));
  }

  private chunk(n: number): Promise<Chunk> {
    const kept = this.kept.get(n);
    if (kept) return Promise.resolve(kept);
    let coming = this.coming.get(n);
    if (!coming) {
      coming = this.fetch(n).finally(() => this.coming.delete(n));
      this.coming.set(n, coming);
    }
    return coming;
  }

  private async fetch(n: number): Promise<Chunk> {
    const answer = await ask(`recordings/${encodeURIComponent(this.head.id)}/hops/${n}`);
    const chunk = decode(await answer.arrayBuffer());
    this.kept.set(n, chunk);
    this.keptBytes += chunk.bytes;
    for (const oldest of this.kept.keys()) {
      if (this.keptBytes <= KEPT_BYTES || oldest === n) break;
      this.forget(oldest);
    }
    return chunk;
  }

  /** A Map keeps the order of insertion: what is wanted goes to its end. */
  private touch(n: number, chunk: Chunk): void {
    this.kept.delete(n);
    this.kept.set(n, chunk);
  }

  private forget(n: number): void {
    this.keptBytes -= this.kept.get(n)?.bytes ?? 0;
    this.kept.delete(n);
  }
}

/** A recording's head, its flows in the order of their names: 2 before 10. */
export async function headOf(id: string): Promise<Head> {
  const head = await get<Head>(`recordings/${encodeURIComponent(id)}`);
  // By the id in the packets, as plots have them: a flow has one colour in both.
  const order = (a: Flow, b: Flow): number => (a.flow_id ?? 0) - (b.flow_id ?? 0) || NATURAL.compare(a.name, b.name);
  return { ...head, flows: [...head.flows].sort(order) };
}

const NATURAL = new Intl.Collator("en", { numeric: true });
