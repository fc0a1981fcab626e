/** Runs that the page asks for, the studies, and what can be chosen. */

import { ask, get, post } from "./server";

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
}

export interface Table {
  readonly columns: readonly string[];
  readonly units: Readonly<Record<string, string>>;
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  readonly text?: string;
}

/** What a run tells while it goes. */
export interface Listener {
  /** It waits for its turn; at place 1 it is next. */
  waiting?(place: number): void;
  progress(fraction: number, simulated_s: number): void;
  done(recording: string, output: string): void;
  failed(error: string, stderr: string): void;
}

export const about = (): Promise<About> => get<About>("about");
export const choices = (): Promise<Choices> => get<Choices>("choices");
export const table = (run: string): Promise<Table> => get<Table>(`runs/${encodeURIComponent(run)}/table`);
export const texts = (scenario: unknown): Promise<{ toml: string; tcl: string }> => post("scenario/text", { scenario });

/** The same of a run in the page. */
function followHere(run: string, listener: Listener): () => void {
  let stop: (() => void) | null = null;
  let isStopped = false;
  void import("../engine/local").then(({ follow }) => {
    if (!isStopped) stop = follow(run, listener);
  });
  return () => {
    isStopped = true;
    stop?.();
  };
}

/** Start a run of a scenario, or of an ns-2 script with its arguments; its id. */
export async function start(
  what: { scenario: unknown } | { script: string; arguments: readonly string[] },
): Promise<string> {
  return (await post<{ id: string }>("runs", what)).id;
}

export async function cancel(run: string): Promise<void> {
  await ask(`runs/${encodeURIComponent(run)}`, { method: "DELETE" });
}

/** Tell `listener` of a run until it ends; the function that is returned stops listening. */
export function follow(run: string, listener: Listener): () => void {
  if (import.meta.env.MODE === "site") return followHere(run, listener);
  const source = new EventSource(`/api/runs/${encodeURIComponent(run)}/events`);
  const on = <T>(name: string, then: (data: T) => void): void =>
    source.addEventListener(name, (event) => then(JSON.parse((event as MessageEvent<string>).data) as T));
  on<{ place: number }>("waiting", (told) => listener.waiting?.(told.place));
  on<{ fraction: number; simulated_s: number }>("progress", (told) =>
    listener.progress(told.fraction, told.simulated_s),
  );
  on<{ recording: string; output?: string }>("done", (told) => {
    source.close();
    listener.done(told.recording, told.output ?? "");
  });
  on<{ error: string; stderr?: string }>("failed", (told) => {
    source.close();
    listener.failed(told.error, told.stderr ?? "");
  });
  // The browser tries again by itself unless it was refused; whether anybody is there is asked beside it.
  source.onerror = () => {
    const refused = source.readyState === EventSource.CLOSED;
    const end = (words: string): void => {
      source.onerror = null;
      source.close();
      listener.failed(words, "");
    };
    about().then(
      () => refused && end("The server does not know this run any more: run it again."),
      (error: unknown) => end(error instanceof Error ? error.message : String(error)),
    );
  };
  return () => source.close();
}
