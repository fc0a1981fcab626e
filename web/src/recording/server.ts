/** Questions of the page, who answers them, and refusals in their own words. */

import type { About } from "./runs";

/** What is told of a run while it goes. */
export interface Listener {
  /** It waits for its turn; at place 1 it is next. */
  waiting?(place: number): void;
  /** `memory_bytes` is what a run in the page takes. */
  progress(fraction: number, simulated_s: number, memory_bytes?: number): void;
  done(recording: string, output: string): void;
  failed(error: string, stderr: string): void;
}

/** Who answers requests of `/api`, and tells of runs (docs/http-api.md): a server, the page itself, or both. */
export interface Source {
  answer(path: string, init?: RequestInit): Promise<Response>;
  /** Tell `listener` of a run until it ends; the function that is returned stops that. */
  follow(run: string, listener: Listener): () => void;
}

/** How requests are answered, without runs. */
export type Answers = Source["answer"];

/** What the server said was wrong, or that it does not answer. */
export class ServerError extends Error {
  readonly status: number;
  /** The key of a scenario that is wrong, where the server names one. */
  readonly key: string | null;

  constructor(message: string, status: number, key: string | null = null) {
    super(message);
    this.status = status;
    this.key = key;
  }
}

const GONE =
  "The server does not answer. Is ackclock still running in its terminal? Start it again, then reload this page.";

interface Refusal {
  readonly error?: string;
  readonly key?: string | null;
}

/** `ackclock serve`, or `ackclock view`. */
export const SERVER: Source = {
  answer: (path, init) => fetch(`/api/${path}`, init),
  follow(run, listener) {
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
      get<About>("about").then(
        () => refused && end("The server does not know this run any more: run it again."),
        (error: unknown) => end(error instanceof Error ? error.message : String(error)),
      );
    };
    return () => source.close();
  },
};

let source: Source = SERVER;

/** Have all requests answered by this source from now on. */
export function answerBy(other: Source): void {
  source = other;
}

/** Tell `listener` of a run until it ends; the function that is returned stops listening. */
export const follow: Source["follow"] = (run, listener) => source.follow(run, listener);

/** The answer of `by` to a request of `/api`; throws a ServerError. */
export async function ask(path: string, init?: RequestInit, by: Source = source): Promise<Response> {
  let answer: Response;
  try {
    answer = await by.answer(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServerError(GONE, 0);
  }
  if (answer.ok) return answer;
  const said = (await answer.json().catch(() => ({}))) as Refusal;
  throw new ServerError(
    said.error ?? `The server answered ${answer.status} to /api/${path}.`,
    answer.status,
    said.key ?? null,
  );
}

/** The JSON under `path`. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await ask(path, signal ? { signal } : {})).json()) as T;
}

/** The JSON that comes back for `body`. */
export async function post<T>(path: string, body: unknown, given: RequestInit = {}, by: Source = source): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const init = { ...given, method: "POST", headers, body: JSON.stringify(body) };
  return (await (await ask(path, init, by)).json()) as T;
}

/** Query text: absent values are left out. */
export function query(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== null && value !== undefined) given.set(key, String(value));
  }
  const text = given.toString();
  return text ? `?${text}` : "";
}
