/** A run that goes on: how far it is, what to do about one that takes long, and a way to end it. */

import { advice, howFar } from "../model/pace";
import type { Listener } from "../recording/server";
import { el } from "./element";

export interface Progress {
  readonly element: HTMLElement;
  readonly listener: Required<Pick<Listener, "waiting" | "progress">>;
}

export function progress(cancel: () => void): Progress {
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Progress" });
  const words = el("span", { class: "soft number", text: "0 %" });
  const stop = el("button", { type: "button", class: "outline", text: "Cancel", on: { click: cancel } });
  const advised = el("p", { class: "soft", role: "status" });
  const began = performance.now();
  return {
    element: el("div", {}, el("div", { class: "progress", role: "status" }, bar, words, stop), advised),
    listener: {
      waiting: (place) => {
        bar.removeAttribute("value");
        words.textContent = `Waiting for its turn: place ${place} in the queue`;
      },
      progress: (fraction, simulated_s, memory_bytes) => {
        bar.value = fraction;
        words.textContent = howFar(fraction, simulated_s);
        // Those who hear the page hear it once: an element of role status is read out whenever it changes.
        const said = advice(fraction, (performance.now() - began) / 1000, memory_bytes) ?? "";
        if (advised.textContent !== said) advised.textContent = said;
      },
    },
  };
}
