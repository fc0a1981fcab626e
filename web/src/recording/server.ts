/** Questions to the server, or to the engine in the page, and their refusals in their own words. */

/** Built as static files (`vite build --mode site`): there is no server, and the engine runs in the page. */
export const IS_STATIC = import.meta.env.MODE === "site";

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

/** What answers a request of `/api`: the server, unless the page has its recording with it. */
export type Answers = (path: string, init?: RequestInit) => Promise<Response>;

let answers: Answers = (path, init) => fetch(`/api/${path}`, init);

/** Have requests answered by something else from now on. */
export function answerBy(other: Answers): void {
  answers = other;
}

/** The answer to a request of `/api`; throws a ServerError. */
export async function ask(path: string, init?: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    // Said here and not by the name, so that the other page is built without the engine.
    if (import.meta.env.MODE === "site") answer = await (await import("../engine/local")).answer(path, init);
    else answer = await answers(path, init);
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
export async function post<T>(path: string, body: unknown): Promise<T> {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return (await (await ask(path, init)).json()) as T;
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
