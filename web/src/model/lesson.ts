/**
 * Lessons: a text, a question, a scenario and a change to it, and the answer. Each is a file of src/lessons, of which
 * docs/guide/playground.md says how it is written. tests/docs/test_lessons.py runs both scenarios and checks the answer.
 */

import { scenario } from "./setup";
import type { FlowSetup, Setup } from "./setup";

type Table = Readonly<Record<string, unknown>>;

export interface Source {
  readonly text: string;
  readonly url: string;
}

export interface Lesson {
  /** The file's name without its number: what the lesson's link says. */
  readonly id: string;
  readonly title: string;
  /** What it is about, in a line of the list. */
  readonly summary: string;
  /** Paragraphs. */
  readonly text: readonly string[];
  readonly question: string;
  /** What to change before the second run. */
  readonly task: string;
  readonly answer: readonly string[];
  readonly sources: readonly Source[];
  readonly setup: Setup;
  readonly changed: Setup;
}

/** What a scenario that does not say it has (python/ackclock/scenario/model/topology.py). */
const SIZES: Readonly<Record<string, number>> = { dumbbell: 2, parking_lot: 3, star: 4, chain: 3 };
const ACCESS = { rate: "100 Mb/s", delay: "1 ms" };

/** A lesson's file that the page cannot show. */
export class LessonError extends Error {}

/** The lessons in the order of their files' names. Throws a LessonError that names the file. */
export function lessonsOf(files: Readonly<Record<string, Table>>): Lesson[] {
  const paths = Object.keys(files).sort();
  return paths.map((path) => {
    const name = path.replace(/^.*\//, "");
    try {
      return lessonOf(name.replace(/^\d+-|\.toml$/g, ""), files[path]!);
    } catch (error) {
      throw new LessonError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}

/** What a file says; throws a LessonError for what is missing. */
export function lessonOf(id: string, table: Table): Lesson {
  const text = (key: string): string => {
    const value = table[key];
    if (typeof value !== "string" || value.trim() === "") throw new LessonError(`${key}: expected a text`);
    return value.trim();
  };
  const begin = tableAt(table, "scenario");
  const sources = (Array.isArray(table["sources"]) ? table["sources"] : []) as Source[];
  if (sources.length === 0) throw new LessonError("sources: expected at least one, with its text and url");
  return {
    id,
    title: text("title"),
    summary: text("summary"),
    text: paragraphs(text("text")),
    question: text("question"),
    task: text("task"),
    answer: paragraphs(text("answer")),
    sources,
    setup: setupOf(begin),
    changed: setupOf(merged(begin, tableAt(table, "change")) as Table),
  };
}

function tableAt(table: Table, key: string): Table {
  const value = table[key];
  if (!isTable(value)) throw new LessonError(`${key}: expected a table`);
  return value;
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Blank lines separate them; other line breaks are spaces. */
function paragraphs(text: string): string[] {
  return text.split(/\n\s*\n/).map((one) => one.replaceAll(/\s+/g, " ").trim());
}

/** A table with the leaves of another in it; a list's items go by their numbers, as in `flows.0.tcp`. */
export function merged(given: unknown, change: unknown): unknown {
  if (!isTable(change)) return change;
  if (Array.isArray(given)) {
    const list = [...(given as unknown[])];
    for (const [key, value] of Object.entries(change)) {
      if (!/^\d+$/.test(key) || Number(key) >= list.length)
        throw new LessonError(`change: expected the number of an item below ${list.length}, not ${key}`);
      list[Number(key)] = merged(list[Number(key)], value);
    }
    return list;
  }
  const made: Record<string, unknown> = { ...(isTable(given) ? given : {}) };
  for (const [key, value] of Object.entries(change)) made[key] = merged(made[key], value);
  return made;
}

/** The playground's set-up for a scenario. Throws a LessonError with the first key that the form has no field for. */
export function setupOf(given: Table): Setup {
  const topology = (given["topology"] ?? {}) as Table;
  const kind = String(topology["kind"] ?? "dumbbell");
  const bottleneck = (topology["bottleneck"] ?? topology["link"] ?? {}) as Table;
  const access = (topology["access"] ?? {}) as Table;
  const queue = (bottleneck["queue"] ?? {}) as Table;
  const loss = (bottleneck["loss"] ?? {}) as Table;
  const delays = (topology["delays"] as readonly string[] | undefined) ?? [access["delay"] ?? ACCESS.delay];
  const size = topology["pairs"] ?? topology["hosts"] ?? topology["nodes"] ?? topology["bottlenecks"] ?? SIZES[kind];
  const setup: Setup = {
    name: written(given["name"]),
    topology: kind,
    size: Number(size),
    rate: written(bottleneck["rate"]),
    delay: written(bottleneck["delay"]),
    queue: String(queue["kind"] ?? "drop_tail"),
    limit: written(queue["limit"]),
    parameters: Object.fromEntries(
      Object.entries((queue["parameters"] ?? {}) as Table).map(([key, value]) => [key, written(value)]),
    ),
    // In percent, without what floating point adds: 0.07 is 7.
    loss: String(Number((100 * Number(loss["rate"] ?? 0)).toPrecision(12))),
    accessRate: written(access["rate"] ?? ACCESS.rate),
    accessDelay: delays.join(", "),
    flows: ((given["flows"] ?? []) as readonly Table[]).map(flowOf),
    duration: written(given["duration"]),
    seed: written(given["seed"]),
    defaults: String(given["defaults"] ?? "ns2_35"),
  };
  const key = lost(given, scenario(setup), "");
  if (key !== null) throw new LessonError(`${key}: the playground's form has no field for it, or writes it otherwise`);
  return setup;
}

function flowOf(given: Table): FlowSetup {
  const pair = given["pair"];
  const control = given["control"];
  return {
    ends:
      pair === undefined ? `${written(given["source"])} ${written(given["destination"])}` : `left${pair} right${pair}`,
    tcp: control === undefined ? written(given["tcp"]) : `${written(given["tcp"])}:${written(control)}`,
    window: written(given["window"]),
    start: written(given["start"] ?? "0 s"),
    size: written((given["app"] as Table | undefined)?.["size"]),
  };
}

function written(value: unknown): string {
  return value === undefined ? "" : String(value);
}

/** The first key of a scenario that another does not have with the same value; null if there is none. */
function lost(given: unknown, made: unknown, at: string): string | null {
  if (typeof given !== "object" || given === null) return given === made ? null : at;
  for (const [key, value] of Object.entries(given)) {
    const path = at === "" ? key : `${at}.${key}`;
    // It is written as the source and the destination.
    if (/^flows\.\d+\.pair$/.test(path)) continue;
    const found = lost(value, (made as Record<string, unknown> | undefined)?.[key], path);
    if (found !== null) return found;
  }
  return null;
}
