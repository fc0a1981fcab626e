/** The overlay that says which key does what. */

import { KEYS } from "../model/keys";
import { button, el } from "./element";

export function help(): HTMLDialogElement {
  const rows = KEYS.map(({ shown, words }) =>
    el("div", {}, el("dt", {}, el("kbd", { text: shown })), el("dd", { text: words })),
  );
  const overlay = el(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    el(
      "header",
      {},
      el("h2", { id: "help-title", text: "Keys" }),
      button("close", "Close", () => overlay.close()),
    ),
    el("dl", {}, ...rows),
    el("p", {
      class: "soft",
      text:
        "In the network: click a packet, flow, link or node for its numbers; drag to move it, Ctrl and the wheel to go nearer. " +
        "In the charts: click to go to a time, drag to zoom, double-click for all of the time, Shift and the wheel to move on, Ctrl and the wheel to zoom.",
    }),
  );
  overlay.addEventListener("click", (event) => {
    if (event.target === overlay) overlay.close();
  });
  return overlay;
}
