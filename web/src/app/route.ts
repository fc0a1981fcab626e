/** The page's addresses: fragments, so that the server has one page. */

export type Route =
  | { readonly at: "files" }
  | { readonly at: "view"; readonly id: string; readonly t: number | null }
  | { readonly at: "play"; readonly setup: string | null }
  | { readonly at: "claim"; readonly study: string; readonly runs: readonly string[] }
  | { readonly at: "embed"; readonly setup: string | null }
  | { readonly at: "lessons" }
  | { readonly at: "lesson"; readonly id: string }
  | { readonly at: "studies" }
  | { readonly at: "study"; readonly id: string }
  | { readonly at: "nowhere"; readonly address: string };

/** What a fragment names: `#/view/ID?t=1.25`, `#/play?setup=...`, `#/play?study=002&run=...`, `#/lessons/incast`, `#/studies/004`. */
export function route(fragment: string): Route {
  const [path = "", after = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  const given = new URLSearchParams(after);
  const [first = "", second = ""] = path.split("/", 2).map(decoded);
  if (first === "") return { at: "files" };
  if (first === "view" && second) {
    const t = given.get("t");
    return { at: "view", id: second, t: t !== null && t !== "" && Number.isFinite(Number(t)) ? Number(t) : null };
  }
  const study = given.get("study");
  if (first === "play" && study !== null) return { at: "claim", study, runs: given.getAll("run") };
  if (first === "play") return { at: "play", setup: given.get("setup") };
  if (first === "embed") return { at: "embed", setup: given.get("setup") };
  if (first === "lessons") return second ? { at: "lesson", id: second } : { at: "lessons" };
  if (first === "studies") return second ? { at: "study", id: second } : { at: "studies" };
  return { at: "nowhere", address: fragment };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
