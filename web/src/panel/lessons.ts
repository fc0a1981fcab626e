/** The lessons, as a list. */

import type { Lesson } from "../model/lesson";
import { el } from "./element";

export function lessonList(known: readonly Lesson[]): HTMLElement {
  return el(
    "div",
    { class: "page" },
    el("h1", { text: "Lessons" }),
    el("p", {
      class: "soft lead",
      text: "Each has a text of one screen, a question, a set-up to run and to change, and the answer. A test checks what the answers say in the same runs.",
    }),
    el("ol", { class: "lesson-list" }, ...known.map(entry)),
  );
}

function entry(lesson: Lesson, place: number): HTMLElement {
  return el(
    "li",
    {},
    el(
      "a",
      { class: "card lesson-entry", href: `#/lessons/${encodeURIComponent(lesson.id)}` },
      el("span", { class: "lesson-number", "aria-hidden": "true", text: String(place + 1) }),
      el("div", {}, el("h2", { text: lesson.title }), el("p", { text: lesson.summary })),
    ),
  );
}
