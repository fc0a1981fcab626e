/** The files that the server was given, and what to do if there is none. */

import { bytes } from "../model/words";
import type { About, FileEntry } from "../recording/runs";
import { el } from "./element";
import { empty } from "./notice";

const KINDS: Readonly<Record<string, string>> = {
  ns2: "ns-2 trace",
  nam: "nam trace",
  run: "saved run",
};

export function library(about: About): HTMLElement {
  const page = el("div", { class: "page" }, el("h1", { text: "Recordings" }));
  if (about.files.length === 0) {
    page.append(
      empty(
        "There is no recording here. Start ackclock with a trace, a nam file or a saved run:",
        el("pre", {}, el("code", { text: "ackclock view out.tr" })),
        el("p", {}, "or run a simulation in the ", el("a", { href: "#/play", text: "playground" }), "."),
      ),
    );
    return page;
  }
  page.append(el("ul", { class: "files" }, ...about.files.map(entry)));
  return page;
}

function entry(file: FileEntry): HTMLElement {
  return el(
    "li",
    {},
    el(
      "a",
      { class: "card file", href: `#/view/${encodeURIComponent(file.id)}` },
      el("strong", { text: file.name }),
      el("span", { class: "soft", text: KINDS[file.kind] ?? file.kind }),
      el("span", { class: "soft number", text: file.bytes ? bytes(file.bytes) : "" }),
    ),
  );
}
