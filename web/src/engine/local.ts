/** The HTTP API (docs/http-api.md) without a server: runs are workers of this page. */

import type { Asked, Progress, Request, Told } from "./protocol";

// Without a server its code is in the page's: a run needs no network once the page is there, and the cache may have let
// it go. A server allows workers from its own files alone (Content-Security-Policy).
const { default: EngineWorker } = await (import.meta.env.MODE === "site"
  ? import("./worker?worker&inline")
  : import("./worker?worker"));

export interface Follower {
  progress(fraction: number, simulated_s: number, memory_bytes?: number): void;
  done(recording: string, output: string): void;
  failed(error: string, stderr: string): void;
}

/** A refusal of the engine. */
class Refused extends Error {
  readonly key: string | null;

  constructor(error: string, key: string | null) {
    super(error);
    this.key = key;
  }
}

const NO_ENGINE = "This browser has no WebAssembly, which the simulator needs: take a newer one.";
const GONE = "This run is not in this page any more: run its set-up again in the playground.";
const NEEDS_SERVER = "is not to be had without a server: install ackclock and start `ackclock serve`.";
/** Runs whose results are kept, and the memory that they may take together, bytes. A run takes 1 GiB at most. */
const MOST_RUNS = 8;
const MOST_BYTES = 3 * 2 ** 30;

let compiled: Promise<WebAssembly.Module> | null = null;

/** The engine, loaded and compiled once. */
function module(): Promise<WebAssembly.Module> {
  if (typeof WebAssembly === "undefined") return Promise.reject(new Error(NO_ENGINE));
  compiled ??= fetch(new URL("ackclock.wasm", document.baseURI))
    .then((answer) => {
      if (!answer.ok) throw new Error(`The engine did not come: ackclock.wasm, status ${answer.status}.`);
      // Compiled while it comes, where the server says what it is; plain file servers may not.
      const isNamed = answer.headers.get("Content-Type") === "application/wasm";
      return isNamed ? WebAssembly.compileStreaming(answer) : answer.arrayBuffer().then(WebAssembly.compile);
    })
    .catch((error: unknown) => {
      compiled = null;
      throw error;
    });
  return compiled;
}

interface Waiting {
  resolve(bytes: ArrayBuffer): void;
  reject(error: Error): void;
  progress(told: Progress): void;
}

/** An instance of the engine in a worker of its own. */
class Instance {
  private readonly worker = new EngineWorker();
  private readonly waiting = new Map<number, Waiting>();
  private sent = 0;
  private hasEnded = false;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<Told>) => this.told(data);
    this.worker.onerror = (event) => this.fail(new Error(event.message || "The worker of this run has ended."));
  }

  /** The answer to a request; `progress` is told how far a run is. */
  async ask(request: Request, progress: (told: Progress) => void = () => undefined): Promise<ArrayBuffer> {
    // The module is there before a number is taken: a load that failed is tried again by the next question.
    const loaded = await module();
    if (this.hasEnded) throw new Error(GONE);
    const id = (this.sent += 1);
    const asked: Asked = id === 1 ? { id, request, module: loaded } : { id, request };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, progress });
      this.worker.postMessage(asked);
    });
  }

  end(): void {
    this.hasEnded = true;
    this.worker.terminate();
    this.fail(new Error(GONE));
  }

  private told({ id, progress, bytes, refusal }: Told): void {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    if (progress) waiting.progress(progress);
    if (progress && !progress.done) return;
    this.waiting.delete(id);
    if (refusal) waiting.reject(new Refused(refusal.error, refusal.key));
    else waiting.resolve(bytes ?? new ArrayBuffer(0));
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

interface Run {
  readonly id: string;
  readonly name: string;
  readonly engine: Instance;
  followers: Follower[];
  progress: Progress;
  /** Why there are no results; null while it goes on, and after a good end. */
  failure: string | null;
}

const runs = new Map<string, Run>();
let begun = 0;
/** For what concerns no run. */
let bench: Instance | null = null;

function anyEngine(): Instance {
  bench ??= new Instance();
  return bench;
}

/** The answer to a request of `/api`. */
export async function answer(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await answered(path, init);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return json({ error: said, key: error instanceof Refused ? error.key : null }, 422);
  }
}

function json(told: unknown, status = 200): Response {
  return new Response(JSON.stringify(told), { status, headers: { "Content-Type": "application/json" } });
}

function passed(bytes: ArrayBuffer): Response {
  return new Response(bytes, { headers: { "Content-Type": "application/json" } });
}

async function answered(path: string, init: RequestInit): Promise<Response> {
  const [route = "", query = ""] = path.split("?", 2);
  const [kind, id = "", part = "", which = ""] = route.split("/").map(decodeURIComponent);
  const given = new URLSearchParams(query);
  if (kind === "about") return json({ version: "", files: [], play: true });
  if (kind === "choices") return passed(await anyEngine().ask({ do: "choices" }));
  if (kind === "scenario") return passed(await anyEngine().ask({ do: "text", ...body(init) }));
  if (kind === "runs" && init.method === "POST") return json({ id: await start(body(init), init.signal) }, 202);
  if (kind === "runs" && init.method === "DELETE") {
    forget(id);
    return json({ id });
  }
  const run = kind === "runs" || kind === "recordings" ? runs.get(id) : undefined;
  if (!run) return json({ error: kind === "recordings" ? GONE : `${path} ${NEEDS_SERVER}` }, 404);
  if (kind === "runs" && part === "table") return passed(await run.engine.ask({ do: "table" }));
  switch (part) {
    case "": {
      const head = JSON.parse(new TextDecoder().decode(await run.engine.ask({ do: "head" }))) as object;
      return json({ ...head, id, name: run.name });
    }
    case "hops":
      return new Response(await run.engine.ask({ do: "chunk", n: Number(which) }));
    case "packet":
      return passed(await run.engine.ask({ do: "packet", uid: Number(which) }));
    case "series":
    case "state": {
      const numbers = [...given].map(([key, value]) => [key, key === "what" ? value : Number(value)]);
      return passed(await run.engine.ask({ ...Object.fromEntries(numbers), do: part }));
    }
    default:
      return json({ error: `not found: ${path}` }, 404);
  }
}

function body(init: RequestInit): Record<string, unknown> {
  return JSON.parse(String(init.body ?? "{}")) as Record<string, unknown>;
}

/** Begin a run; throws what is wrong with its scenario. A network without bounds begins for long: `signal` ends that. */
async function start(asked: Record<string, unknown>, signal?: AbortSignal | null): Promise<string> {
  if (!("scenario" in asked)) throw new Error(`A script ${NEEDS_SERVER}`);
  const engine = new Instance();
  const leave = (): void => engine.end();
  signal?.addEventListener("abort", leave);
  let name: string;
  try {
    const told = await engine.ask({ do: "begin", scenario: asked["scenario"] });
    name = (JSON.parse(new TextDecoder().decode(told)) as { name: string }).name;
  } catch (error) {
    engine.end();
    throw error;
  } finally {
    signal?.removeEventListener("abort", leave);
  }
  const id = `run-${(begun += 1)}`;
  const run: Run = {
    id,
    name: name || id,
    engine,
    followers: [],
    progress: { fraction: 0, simulated_s: 0 },
    failure: null,
  };
  makeRoom();
  runs.set(id, run);
  const tell = (what: (follower: Follower) => void): void => run.followers.forEach(what);
  engine
    .ask({ do: "run" }, (told) => {
      run.progress = told;
      if (!told.done) tell((one) => one.progress(told.fraction, told.simulated_s, told.memory_bytes));
    })
    .then(
      () => tell((one) => one.done(id, "")),
      (error: unknown) => {
        run.failure = error instanceof Error ? error.message : String(error);
        engine.end(); // its memory is wanted by others, and nothing of it can be trusted
        tell((one) => one.failed(run.failure!, ""));
      },
    );
  return id;
}

/** Let go of the runs that ended first. */
function makeRoom(): void {
  for (const [id, { progress, failure }] of runs) {
    const taken = [...runs.values()].reduce((sum, run) => sum + (run.progress.memory_bytes ?? 0), 0);
    if (runs.size < MOST_RUNS && taken < MOST_BYTES) return;
    if (progress.done || failure !== null) forget(id);
  }
}

function forget(id: string): void {
  runs.get(id)?.engine.end();
  runs.delete(id);
}

/** Tell a follower of a run until it ends; the function that is returned stops that. */
export function follow(id: string, follower: Follower): () => void {
  const run = runs.get(id);
  if (!run) {
    follower.failed(GONE, "");
    return () => undefined;
  }
  if (run.failure !== null) follower.failed(run.failure, "");
  else if (run.progress.done) follower.done(id, "");
  else run.followers.push(follower);
  return () => {
    run.followers = run.followers.filter((one) => one !== follower);
  };
}
