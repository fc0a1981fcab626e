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
      text: "Claims of published papers, checked against simulation runs.",
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
              one.measured ? verdictCounts(one.verdicts) : el("p", { class: "soft", text: "Not run yet." }),
              el("p", { class: "soft", text: settingsWords(one) }),
            ),
          ),
        ),
      ),
    ),
  );
  return page;
}

/** "Settings: 1 printed, 12 inferred, 3 fitted; 5 entries not weighed". */
function settingsWords({ settings, not_weighed: rest }: StudyEntry): string {
  const counts = Object.entries(settings).map(([name, n]) => `${n} ${name}`);
  const more = rest === 0 ? "" : `; ${rest} ${rest === 1 ? "entry" : "entries"} not weighed`;
  return `Settings: ${counts.join(", ")}${more}`;
}
