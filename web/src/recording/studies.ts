/** The papers that were held against runs. */

import { begin, start } from "./runs";
import { get } from "./server";

export interface StudyEntry {
  readonly id: string;
  readonly title: string;
  readonly authors: string;
  readonly year: number | string | null;
  readonly question: string;
  readonly claims: number;
  readonly verdicts: Readonly<Record<string, number>>;
  /** How many claims have settings that are printed, inferred, fitted. */
  readonly settings: Readonly<Record<string, number>>;
  readonly not_weighed: number;
  readonly measured: boolean;
}

/** The paper's claims by verdict and by where their settings come from. */
export interface Counts {
  readonly settings: readonly string[];
  /** Each row's numbers are in the order of `settings`, then their sum; the row without a verdict is of all. */
  readonly rows: readonly { readonly verdict: string | null; readonly counts: readonly number[] }[];
  /** Statements that no paper makes, by verdict. */
  readonly ours: Readonly<Record<string, number>>;
  /** Claims that the level of the run leaves out. */
  readonly left_out: number;
}

/** What stands in the paper and no claim weighs. */
export interface Unweighed {
  readonly place: string;
  readonly words: string;
  readonly reason: string;
}

export interface Cell {
  readonly published: string | null;
  readonly measured: string | null;
  readonly verdict: string | null;
  readonly note?: string;
  readonly run?: string | null;
  /** All of the runs that it is measured in. */
  readonly runs?: readonly string[];
}

export interface StudyTable {
  readonly id: string;
  readonly title: string;
  readonly where: string;
  readonly unit?: string;
  /** The settings that each cell has a value for, in this order; empty where there is one value. */
  readonly settings?: readonly string[];
  readonly corner?: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  readonly cells: readonly (readonly Cell[])[];
}

export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly where?: string;
  readonly svg: string;
  readonly words?: string;
}

/** A table of the study's own: the same numbers from several sources. */
export interface Comparison {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly groups: readonly {
    readonly name: string;
    readonly rows: readonly { readonly name: string; readonly cells: readonly string[] }[];
  }[];
}

export interface Claim {
  readonly id: string;
  readonly words: string;
  readonly where: string;
  readonly verdict: string | null;
  readonly why?: string;
  readonly runs?: readonly string[];
}

export interface Study {
  readonly id: string;
  readonly title: string;
  readonly authors: string;
  readonly year: number | string | null;
  readonly venue?: string;
  readonly question: string;
  readonly command: string;
  readonly measured: boolean;
  readonly counts: Counts | null;
  readonly unweighed: readonly Unweighed[];
  readonly tables: readonly StudyTable[];
  readonly figures: readonly Figure[];
  readonly comparisons: readonly Comparison[];
  readonly claims: readonly Claim[];
  readonly runs: readonly StudyRun[];
}

export interface StudyRun {
  readonly id: string;
  readonly label: string;
  /** Whether it is of a scenario, which the page can run; otherwise it is of an ns-2 script. */
  readonly scenario: boolean;
}

export const studies = (): Promise<readonly StudyEntry[]> => get<readonly StudyEntry[]>("studies");
export const study = (id: string): Promise<Study> => get<Study>(`studies/${encodeURIComponent(id)}`);

/** The scenario of a study's run. */
export const scenarioOf = async (id: string, run: string): Promise<unknown> =>
  (await get<{ scenario: unknown }>(`studies/${encodeURIComponent(id)}/scenarios/${encodeURIComponent(run)}`)).scenario;

/** So many runs stand side by side in the playground. */
export const MOST_TOGETHER = 4;

/** The scenario of a study's run, with its name. */
export interface Claimed {
  readonly scenario: unknown;
  readonly name: string;
  readonly study: string;
  readonly run: string;
}

export const claimed = (id: string, runs: readonly string[]): Promise<Claimed[]> =>
  Promise.all(
    runs
      .slice(0, MOST_TOGETHER)
      .map(async (run) => ({ scenario: await scenarioOf(id, run), name: `Study ${id}: ${run}`, study: id, run })),
  );

/** Make a study's run again: the id to follow. */
export async function openRun(id: string, run: StudyRun): Promise<string> {
  if (run.scenario) return start({ scenario: await scenarioOf(id, run.id) });
  return begin(`studies/${encodeURIComponent(id)}/open`, { run: run.id });
}
