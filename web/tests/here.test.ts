import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Source } from "../src/recording/server";

const engine = vi.hoisted(() => ({ answer: vi.fn<Source["answer"]>(), follow: vi.fn<Source["follow"]>() }));
vi.mock("../src/engine/local", () => engine);

const SCENARIO = { method: "POST", body: JSON.stringify({ scenario: {} }) };

/** A server whose page has the engine with it, or has not; paths that it was asked. */
function server(hasEngine: boolean): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (path: string) => {
    if (path !== "/api/about") asked.push(path);
    return Promise.resolve(Response.json(path === "/api/about" ? { engine: hasEngine } : { id: "0a1b2c" }));
  });
  return asked;
}

async function started(): Promise<string> {
  const { BESIDE } = await import("../src/recording/here");
  const { answerBy, post } = await import("../src/recording/server");
  answerBy(BESIDE);
  return (await post<{ id: string }>("runs", {})).id;
}

beforeEach(() => {
  engine.answer.mockReset();
  engine.answer.mockImplementation(() => Promise.resolve(Response.json({ id: "run-1" }, { status: 202 })));
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test("what the engine in the page begins stays there, with its recording", async () => {
  const asked = server(true);
  expect(await started()).toBe("run-1");
  const { BESIDE } = await import("../src/recording/here");
  for (const path of ["runs/run-1/table", "recordings/run-1", "recordings/run-1/series?what=cwnd"])
    await BESIDE.answer(path);
  expect(engine.answer).toHaveBeenCalledTimes(4);
  expect(asked).toEqual([]);
  await BESIDE.answer("recordings/0a1b2c");
  expect(asked).toEqual(["/api/recordings/0a1b2c"]);
});

test("what it refuses the server runs, or says what is wrong", async () => {
  const asked = server(true);
  engine.answer.mockImplementation(() => Promise.resolve(Response.json({ error: "not read here" }, { status: 422 })));
  expect(await started()).toBe("0a1b2c");
  expect(asked).toEqual(["/api/runs"]);
});

test("a page without the engine, and a browser without WebAssembly, leave all to the server", async () => {
  server(false);
  expect(await started()).toBe("0a1b2c");
  vi.resetModules();
  server(true);
  vi.stubGlobal("WebAssembly", undefined);
  expect(await started()).toBe("0a1b2c");
  expect(engine.answer).not.toHaveBeenCalled();
});

test("a run that is wanted on the server goes there", async () => {
  const asked = server(true);
  const { startOnServer } = await import("../src/recording/runs");
  expect(await startOnServer({ scenario: {} })).toBe("0a1b2c");
  expect(asked).toEqual(["/api/runs"]);
});

test("a shared run is left once for each time that it was started", async () => {
  const left: string[] = [];
  let n = 0;
  vi.stubGlobal("fetch", (path: string, init: RequestInit = {}) => {
    if (init.method === "DELETE") left.push(path);
    return Promise.resolve(Response.json({ id: "0a1b2c", key: `k${(n += 1)}` }));
  });
  const { cancel, startOnServer } = await import("../src/recording/runs");
  for (let times = 0; times < 2; times += 1) await startOnServer({ scenario: {} });
  for (let times = 0; times < 3; times += 1) await cancel("0a1b2c");
  expect(left).toEqual(["/api/runs/0a1b2c?key=k2", "/api/runs/0a1b2c?key=k1"]);
});

test("without a server files tell of studies, and the engine of all else", async () => {
  const files: Record<string, unknown> = {
    "studies/index.json": [{ id: "002" }],
    "studies/002.json": { id: "002" },
    "studies/002/scenarios.json": { "q12/II": { duration: "1 s" } },
  };
  vi.stubGlobal("fetch", (path: string) => Promise.resolve(Response.json(files[path])));
  const { ALONE } = await import("../src/recording/here");
  const told = async (path: string): Promise<unknown> => (await ALONE.answer(path)).json();
  expect(await told("studies")).toEqual([{ id: "002" }]);
  expect(await told("studies/002")).toEqual({ id: "002" });
  expect(await told(`studies/002/scenarios/${encodeURIComponent("q12/II")}`)).toEqual({
    scenario: { duration: "1 s" },
  });
  expect((await ALONE.answer("studies/002/scenarios/SACK1")).status).toBe(404);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("<h1>Not found</h1>", { status: 404 })));
  expect(await told("studies/999")).toEqual({
    error: "There is no studies/999.json here: the page was published without it.",
  });
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  expect(JSON.stringify(await told("studies/002/scenarios/a"))).toContain("scenarios.json did not come");
  await ALONE.answer("runs", SCENARIO);
  expect(engine.answer).toHaveBeenCalledWith("runs", SCENARIO);
});
