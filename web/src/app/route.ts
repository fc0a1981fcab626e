/** The page's addresses: fragments, so that the server has one page. */

import type { Shown } from "../model/share";

export type Route =
  | { readonly at: "files" }
  | { readonly at: "view"; readonly id: string; readonly t: number | null }
  | { readonly at: "play"; readonly setup: string | null; readonly shown: Shown | null }
  | { readonly at: "claim"; readonly study: string; readonly runs: readonly string[]; readonly shown: Shown | null }
  | { readonly at: "embed"; readonly setup: string | null }
  | { readonly at: "lessons" }
  | { readonly at: "lesson"; readonly id: string }
  | { readonly at: "studies" }
  | { readonly at: "study"; readonly id: string }
  | { readonly at: "nowhere"; readonly address: string };

/**
 * What a fragment names: `#/view/ID?t=1.25`, `#/play?setup=...&show=2&t=1.25`, `#/play?study=002&run=...`,
 * `#/lessons/incast`, `#/studies/004`.
 */
export function route(fragment: string): Route {
  const [path = "", after = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  const given = new URLSearchParams(after);
  const [first = "", second = ""] = path.split("/", 2).map(decoded);
  if (first === "") return { at: "files" };
  if (first === "view" && second) return { at: "view", id: second, t: number(given.get("t")) };
  const study = given.get("study");
  const run = number(given.get("show"));
  const shown = run === null ? null : { run, t: number(given.get("t")) };
  if (first === "play" && study !== null) return { at: "claim", study, runs: given.getAll("run"), shown };
  if (first === "play") return { at: "play", setup: given.get("setup"), shown };
  if (first === "embed") return { at: "embed", setup: given.get("setup") };
  if (first === "lessons") return second ? { at: "lesson", id: second } : { at: "lessons" };
  if (first === "studies") return second ? { at: "study", id: second } : { at: "studies" };
  return { at: "nowhere", address: fragment };
}

function number(text: string | null): number | null {
  return text !== null && text !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
