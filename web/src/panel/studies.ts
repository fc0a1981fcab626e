/** The papers: what each asks, and how its claims came out. */

import type { StudyEntry } from "../recording/studies";
import { el } from "./element";
import { empty } from "./notice";
import { verdictCounts } from "./verdict";

export function studyList(known: readonly StudyEntry[]): HTMLElement {
  const page = el(
    "div",
    { class: "page" },
    el("h1", { text: "Studies" }),
    el("p", {
      class: "soft lead",
      text: "Published papers, held against runs: number by number and sentence by sentence.",
    }),
  );
  if (known.length === 0) {
    page.append(
      empty(
        "No studies were found. They are in ackclock's source tree, not in the installed package: start ackclock serve in a checkout.",
      ),
    );
    return page;
  }
  page.append(
    el(
      "ul",
      { class: "study-list" },
      ...known.map((one) =>
        el(
          "li",
          {},
          el(
            "a",
            { class: "card study-entry", href: `#/studies/${encodeURIComponent(one.id)}` },
            el("span", { class: "study-number", text: one.id }),
            el(
              "div",
              {},
              el("h2", { text: one.title }),
              el("p", { class: "soft", text: [one.authors, one.year].filter(Boolean).join(", ") }),
              el("p", { text: one.question }),
              one.measured ? verdictCounts(one.verdicts) : el("p", { class: "soft", text: "Not run here yet." }),
            ),
          ),
        ),
      ),
    ),
  );
  return page;
}
