/** Runs in the page: with a server beside the engine, and without one. */

import type { About } from "./runs";
import { get, SERVER } from "./server";
import type { Listener, Source } from "./server";

/** Built as static files (`vite build --mode site`): there is no server. */
export const IS_STATIC = import.meta.env.MODE === "site";

/** Loaded when a run is first wanted: a page of recordings needs no engine. */
const engine = (): Promise<typeof import("../engine/local")> => import("../engine/local");

/** Whether a run's id, or its recording's, is of this page. The server's ids are hexadecimal. */
export const isHere = (id: string): boolean => /^run-\d+$/.test(id);

function follow(run: string, listener: Listener): () => void {
  let stop: (() => void) | null = null;
  let isStopped = false;
  void engine().then((loaded) => {
    if (!isStopped) stop = loaded.follow(run, listener);
  });
  return () => {
    isStopped = true;
    stop?.();
  };
}

/** A file beside the page, or why it did not come. */
async function file(path: string): Promise<Response> {
  const found = await fetch(path).catch(() => null);
  if (found?.ok) return found;
  const error = found
    ? `There is no ${path} here: the page was published without it.`
    : `${path} did not come: without a network there are no studies. Runs in the playground need none.`;
  return Response.json({ error }, { status: found?.status ?? 503 });
}

/** The page without a server: the engine answers, and files beside the page tell of studies (tools/build_site.py). */
export const ALONE: Source = {
  async answer(path, init) {
    const [kind, id, part, ...rest] = path.split("/");
    if (kind !== "studies") return (await engine()).answer(path, init);
    if (id === undefined) return file("studies/index.json");
    if (part === undefined) return file(`studies/${id}.json`);
    // A run's scenario: one file has all of a study's.
    const all = await file(`studies/${id}/scenarios.json`);
    if (!all.ok) return all;
    const scenarios = (await all.json()) as Record<string, unknown>;
    const scenario = scenarios[decodeURIComponent(rest.join("/"))];
    if (scenario !== undefined) return Response.json({ scenario });
    const error = "The engine in the page does not run this: `ackclock serve` does.";
    return Response.json({ error }, { status: 404 });
  },
  follow,
};

let known: Promise<About> | null = null;

/** Whether the server's page has the engine with it, and the browser can run it. */
async function hasEngine(): Promise<boolean> {
  if (typeof WebAssembly === "undefined") return false;
  known ??= get<About>("about");
  try {
    return (await known).engine === true;
  } catch {
    known = null;
    return false;
  }
}

/** A server whose page runs what it can. Scripts, and what the engine in the page refuses, the server runs. */
export const BESIDE: Source = {
  async answer(path, init) {
    const [kind, id = ""] = path.split(/[/?]/);
    if ((kind === "runs" || kind === "recordings") && isHere(id)) return (await engine()).answer(path, init);
    if (path === "runs" && (await hasEngine())) {
      const begun = await (await engine()).answer(path, init);
      // Refused is what is wrong, which the server says, too, and what is not known here, such as cellular links.
      if (begun.ok) return begun;
    }
    return SERVER.answer(path, init);
  },
  follow: (run, listener) => (isHere(run) ? follow(run, listener) : SERVER.follow(run, listener)),
};
