/** Runs that the page asks for, the studies, and what can be chosen. */

import { ask, get, post, SERVER } from "./server";

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

/** Start a run; its id. */
export async function start(what: Runnable, given: RequestInit = {}): Promise<string> {
  return (await post<{ id: string }>("runs", what, given)).id;
}

/** Start it on the server, also where the page could run it. */
export async function startOnServer(what: Runnable, given: RequestInit = {}): Promise<string> {
  return (await post<{ id: string }>("runs", what, given, SERVER)).id;
}

export async function cancel(run: string): Promise<void> {
  await ask(`runs/${encodeURIComponent(run)}`, { method: "DELETE" });
}
