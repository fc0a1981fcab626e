/** Runs that the page asks for, the studies, and what can be chosen. */

import { ask, get, post, query, SERVER } from "./server";
import type { Source } from "./server";

export interface Choice {
  readonly id: string;
  readonly words: string;
}

export interface QueueChoice extends Choice {
  readonly parameters: readonly {
    readonly id: string;
    readonly unit: string | null;
    readonly default: unknown;
    readonly words?: string;
  }[];
}

export interface Choices {
  readonly tcp: readonly Choice[];
  readonly controls?: readonly (Choice & { readonly tcp?: string })[];
  readonly queues: readonly QueueChoice[];
  readonly topologies: readonly Choice[];
  readonly defaults: readonly Choice[];
}

export interface FileEntry {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly bytes: number;
}

export interface About {
  readonly version: string;
  readonly files: readonly FileEntry[];
  readonly limits?: { readonly time_s?: number; readonly memory_bytes?: number; readonly output_bytes?: number };
  readonly play?: boolean;
  /** Whether the page has the engine with it. */
  readonly engine?: boolean;
}

export interface Table {
  readonly columns: readonly string[];
  readonly units: Readonly<Record<string, string>>;
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  readonly text?: string;
}

/** A scenario as files; without a script, `lacks` is what ns-2 has no such thing of. */
export interface Texts {
  readonly toml: string;
  readonly tcl: string | null;
  readonly lacks: string | null;
}

export const about = (): Promise<About> => get<About>("about");
export const choices = (): Promise<Choices> => get<Choices>("choices");
export const table = (run: string): Promise<Table> => get<Table>(`runs/${encodeURIComponent(run)}/table`);
export const texts = (scenario: unknown): Promise<Texts> => post("scenario/text", { scenario });

/** What can be run: a scenario, or an ns-2 script with its arguments. */
export type Runnable =
  { readonly scenario: unknown } | { readonly script: string; readonly arguments: readonly string[] };

/** What has been started. Equal set-ups are one run on a server, which each asking for it has another key to. */
interface Begun {
  readonly id: string;
  readonly key?: string;
}

/** The keys that this page has, by the run. */
const keys = new Map<string, string[]>();

/** Start something by a request; the run's id. */
export async function begin(path: string, what: unknown, given: RequestInit = {}, by?: Source): Promise<string> {
  const { id, key } = await post<Begun>(path, what, given, by);
  if (key !== undefined) keys.set(id, [...(keys.get(id) ?? []), key]);
  return id;
}

/** Start a run; its id. */
export const start = (what: Runnable, given: RequestInit = {}): Promise<string> => begin("runs", what, given);

/** Start it on the server, also where the page could run it. */
export const startOnServer = (what: Runnable, given: RequestInit = {}): Promise<string> =>
  begin("runs", what, given, SERVER);

/** Leave a run, which ends it if nobody else wants it. It is left once for each time that it was started. */
export async function cancel(run: string): Promise<void> {
  const known = keys.get(run);
  const key = known?.pop();
  if (known && key === undefined) return;
  await ask(`runs/${encodeURIComponent(run)}${query({ key })}`, { method: "DELETE" });
}
