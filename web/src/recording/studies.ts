/** The papers that were held against runs. */

import { get, post } from "./server";

export interface StudyEntry {
  readonly id: string;
  readonly title: string;
  readonly authors: string;
  readonly year: number | string | null;
  readonly question: string;
  readonly claims: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly measured: boolean;
}

export interface Cell {
  readonly published: string | null;
  readonly measured: string | null;
  readonly verdict: string | null;
  readonly note?: string;
  readonly run?: string | null;
}

export interface StudyTable {
  readonly id: string;
  readonly title: string;
  readonly where: string;
  readonly unit?: string;
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
  readonly tables: readonly StudyTable[];
  readonly figures: readonly Figure[];
  readonly claims: readonly Claim[];
  readonly runs: readonly { readonly id: string; readonly label: string }[];
}

export const studies = (): Promise<readonly StudyEntry[]> => get<readonly StudyEntry[]>("studies");
export const study = (id: string): Promise<Study> => get<Study>(`studies/${encodeURIComponent(id)}`);

/** Open a study's run: its recording at once, or the id of the run that makes it first. */
export const openRun = (id: string, run: string): Promise<{ recording?: string; id?: string }> =>
  post(`studies/${encodeURIComponent(id)}/open`, { run });
