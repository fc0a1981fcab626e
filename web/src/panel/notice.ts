/** What stands where something is not there yet, is empty or went wrong. */

import { el } from "./element";

export function loading(words: string): HTMLElement {
  return el(
    "div",
    { class: "notice loading", role: "status" },
    el("span", { class: "spinner", "aria-hidden": "true" }),
    el("p", { text: words }),
  );
}

export function empty(words: string, ...more: readonly HTMLElement[]): HTMLElement {
  return el("div", { class: "notice" }, el("p", { text: words }), ...more);
}

/** An error in the words of who met it, and how to go on. */
export function failed(error: unknown, again?: () => void): HTMLElement {
  const words = error instanceof Error ? error.message : String(error);
  return el(
    "div",
    { class: "notice error", role: "alert" },
    el("p", { text: words }),
    again ? el("button", { type: "button", text: "Try again", on: { click: again } }) : null,
  );
}
