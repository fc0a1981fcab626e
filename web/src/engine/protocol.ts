/** What the page and the worker with the engine say to each other. */

/** What is asked: `do` and its parameters, as crates/wasm/src/session.rs takes them. `run` begins a run and follows it. */
export type Request = Readonly<Record<string, unknown>> & { readonly do: string };

export interface Asked {
  readonly id: number;
  /** The compiled engine, with the first question. */
  readonly module?: WebAssembly.Module;
  readonly request: Request;
}

export interface Told {
  readonly id: number;
  /** It goes on: how far the run is. */
  readonly progress?: Progress;
  /** The answer, JSON or a chunk of packets. */
  readonly bytes?: ArrayBuffer;
  /** A refusal: a sentence, and the key of a scenario that is wrong. */
  readonly refusal?: { readonly error: string; readonly key: string | null };
}

export interface Progress {
  readonly fraction: number;
  readonly simulated_s: number;
  /** What the instance takes. */
  readonly memory_bytes?: number;
  readonly done?: boolean;
}
