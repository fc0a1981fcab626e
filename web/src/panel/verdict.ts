/** Verdicts as words with a sign, so that colour alone tells nothing. */

import { el } from "./element";

const SIGNS: Readonly<Record<string, string>> = {
  reproduced: "✓",
  contradicted: "✕",
  depends: "≈",
  undetermined: "?",
};

const words = (verdict: string): string => verdict.replaceAll("_", " ");

/** "✓ reproduced". */
export function verdictMark(verdict: string | null): HTMLElement {
  const name = verdict === null ? "not run" : words(verdict);
  return el(
    "span",
    { class: `verdict ${(verdict ?? "none").replaceAll(/[_ ]/g, "-")}` },
    el("span", { "aria-hidden": "true", text: SIGNS[name] ?? "·" }),
    ` ${name}`,
  );
}

/** The sign alone, for a cell. */
export function verdictSign(verdict: string): HTMLElement {
  const name = words(verdict);
  return el("span", {
    class: `verdict sign ${verdict.replaceAll(/[_ ]/g, "-")}`,
    role: "img",
    "aria-label": name,
    title: name,
    text: SIGNS[name] ?? "·",
  });
}

/** How many claims came out how. */
export function verdictCounts(counts: Readonly<Record<string, number>>): HTMLElement {
  const shown = Object.entries(counts).filter(([, n]) => n > 0);
  return el(
    "ul",
    { class: "verdicts" },
    ...shown.map(([verdict, n]) =>
      el("li", {}, el("strong", { class: "number", text: String(n) }), " ", verdictMark(verdict)),
    ),
  );
}
