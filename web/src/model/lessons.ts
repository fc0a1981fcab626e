/** The lessons that the page has: the files of src/lessons. */

import { lessonsOf } from "./lesson";

export const LESSONS = lessonsOf(
  import.meta.glob<Readonly<Record<string, unknown>>>("../lessons/*.toml", { eager: true, import: "default" }),
);
