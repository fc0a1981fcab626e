/** A lesson: its text and its question, the playground with its set-up, and the answer, hidden until it is asked for. */

import type { Lesson } from "../model/lesson";
import type { Choices } from "../recording/runs";
import { button, el } from "./element";
import { Playground } from "./playground";

export class LessonPage {
  readonly element: HTMLElement;
  readonly id: string;
  readonly playground: Playground;

  /** The lesson at a `place` among those that are known. */
  constructor(choices: Choices, known: readonly Lesson[], place: number) {
    const lesson = known[place]!;
    this.id = lesson.id;
    this.playground = new Playground(choices, lesson.setup, {
      heading: el("h2", { text: "Set-up" }),
      presets: false,
    });
    this.element = el(
      "div",
      { class: "lesson-page" },
      el(
        "article",
        { class: "card lesson" },
        el(
          "p",
          { class: "soft" },
          el("a", { href: "#/lessons", text: "Lessons" }),
          ` · ${place + 1} of ${known.length}`,
        ),
        el("h1", { text: lesson.title }),
        el(
          "div",
          { class: "lesson-parts" },
          el("div", { class: "lesson-text" }, ...lesson.text.map(paragraph)),
          this.work(lesson),
          sources(lesson),
        ),
        el("nav", { class: "lesson-turn", "aria-label": "Other lessons" }, ...turns(known, place)),
      ),
      this.playground.element,
    );
  }

  /** Colours have changed, or the width. */
  redraw(): void {
    this.playground.redraw();
  }

  /** Another lesson is shown: what still runs is cancelled. */
  close(): void {
    this.playground.close();
  }

  /** The question, what to do, the answer. */
  private work(lesson: Lesson): HTMLElement {
    const first = button(
      "play",
      "Run the lesson's set-up",
      () => void this.playground.try(lesson.setup),
      { class: "primary", "data-test": "first" },
      "Run it",
    );
    const second = button(
      "play",
      "Make this change and run",
      () => void this.playground.try(lesson.changed),
      { class: "outline", "data-test": "second" },
      "Do it for me",
    );
    return el(
      "section",
      { class: "lesson-work", "aria-label": "Question" },
      el("h2", { text: "Question" }),
      paragraph(lesson.question),
      el(
        "ol",
        { class: "steps" },
        el("li", {}, el("p", { text: "Run the set-up below." }), first),
        el("li", {}, paragraph(lesson.task), second),
        el("li", {}, el("p", { text: "Compare both runs, then look at the answer." })),
      ),
      el(
        "details",
        { class: "answer", "data-test": "answer" },
        el("summary", { text: "Show the answer" }),
        ...lesson.answer.map(paragraph),
      ),
    );
  }
}

/** A paragraph in which `what stands between backticks` is code. */
function paragraph(text: string): HTMLElement {
  const parts = text.split("`").map((part, n) => (n % 2 === 1 ? el("code", { text: part }) : part));
  return el("p", {}, ...parts);
}

function sources(lesson: Lesson): HTMLElement {
  const links = lesson.sources.map(({ text, url }) => el("li", {}, el("a", { href: url, rel: "noreferrer", text })));
  return el("div", { class: "sources" }, el("h2", { text: "Sources" }), el("ul", {}, ...links));
}

/** Links to the lessons before and after it. */
function turns(known: readonly Lesson[], place: number): HTMLElement[] {
  const link = (to: Lesson | undefined, words: string): HTMLElement[] =>
    to ? [el("a", { href: `#/lessons/${encodeURIComponent(to.id)}`, text: `${words}: ${to.title}` })] : [];
  return [...link(known[place - 1], "Before"), ...link(known[place + 1], "Next")];
}
