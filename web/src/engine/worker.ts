/** A web worker with an instance of the engine: it runs a scenario and answers what is asked of the results. */

import type { Asked, Progress, Request, Told } from "./protocol";

interface Engine {
  readonly memory: WebAssembly.Memory;
  input(bytes: number): number;
  request(): number;
  output(): number;
  output_bytes(): number;
}

/** The worker's own scope, of which the page's types know nothing. */
interface Scope {
  onmessage: ((event: MessageEvent<Asked>) => void) | null;
  postMessage(told: Told, transferred?: Transferable[]): void;
}

const REFUSED = 0;
/** Between two tellings of progress, ms. */
const EVERY_MS = 100;
const BROKEN =
  "The run ended: it needs more memory than a page may take (1 GiB), or the engine is at fault. " +
  "Shorten it, or run it with `ackclock run`.";

const scope = self as unknown as Scope;
let engine: Engine | null = null;
/** After a trap nothing of the instance can be trusted. */
let isBroken = false;

function ask(request: Request): { readonly kind: number; readonly bytes: Uint8Array<ArrayBuffer> } {
  if (engine === null || isBroken) throw new Error(BROKEN);
  const text = new TextEncoder().encode(JSON.stringify(request));
  try {
    const at = engine.input(text.length);
    new Uint8Array(engine.memory.buffer, at, text.length).set(text);
    const kind = engine.request();
    // A view of the memory is gone when the memory grows: it is copied at once.
    return { kind, bytes: new Uint8Array(engine.memory.buffer, engine.output(), engine.output_bytes()).slice() };
  } catch {
    isBroken = true;
    throw new Error(BROKEN);
  }
}

function read<T>(bytes: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

/** The answer to a question, told under its id; whether it was no refusal. */
function answer(id: number, request: Request): boolean {
  const { kind, bytes } = ask(request);
  if (kind === REFUSED) scope.postMessage({ id, refusal: read(bytes) });
  else scope.postMessage({ id, bytes: bytes.buffer }, [bytes.buffer]);
  return kind !== REFUSED;
}

/** Run what was begun to its end. */
function run(id: number): void {
  let told = 0;
  for (;;) {
    const { kind, bytes } = ask({ do: "step" });
    if (kind === REFUSED) return scope.postMessage({ id, refusal: read(bytes) });
    const progress: Progress = { ...read<Progress>(bytes), memory_bytes: engine!.memory.buffer.byteLength };
    if (progress.done || performance.now() - told > EVERY_MS) {
      told = performance.now();
      scope.postMessage({ id, progress });
    }
    if (progress.done) return;
  }
}

scope.onmessage = ({ data: { id, module, request } }) => {
  try {
    if (module) engine = new WebAssembly.Instance(module, {}).exports as unknown as Engine;
    if (request.do === "run") run(id);
    else answer(id, request);
  } catch (error) {
    scope.postMessage({ id, refusal: { error: error instanceof Error ? error.message : String(error), key: null } });
  }
};
