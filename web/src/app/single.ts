/** A page of one recording: in a file to be mailed, or in a frame of a notebook. */

import "uplot/dist/uPlot.min.css";
import "./style/palette.css";
import "./style/base.css";
import "./style/player.css";
import "./style/play.css";
import { button, el, icon } from "../panel/element";
import { help } from "../panel/help";
import { failed, loading } from "../panel/notice";
import { Player } from "../panel/player";
import { embedded, partsOf } from "../recording/embedded";
import { answersOfParent } from "../recording/parent";
import { Recording } from "../recording/recording";
import { answerBy, ask } from "../recording/server";
import { press } from "./press";
import { isDark, switchTheme, watchTheme } from "./theme";

const overlay = help();
const place = el("main", { id: "main", tabindex: "-1" });
const themeButton = button("moon", "Light or dark (t)", () => toggleTheme());
let player: Player | null = null;

function toggleTheme(): void {
  switchTheme();
  recolour();
}

function recolour(): void {
  themeButton.replaceChildren(icon(isDark() ? "sun" : "moon"));
  player?.arrange();
}

async function show(): Promise<void> {
  place.replaceChildren(loading("Loading …"));
  try {
    const recording = await Recording.open("recording");
    document.title = `${recording.head.name} · ackclock`;
    player = new Player(recording, null);
    place.replaceChildren(
      el("div", { class: "player-title" }, el("h1", { text: recording.head.name })),
      player.element,
    );
    player.start();
  } catch (error) {
    place.replaceChildren(el("div", { class: "page" }, failed(error)));
  }
}

answerBy({
  answer: document.querySelector("script[data-path]") ? embedded(partsOf(document)) : answersOfParent(),
  follow: () => () => undefined, // one recording, and no runs
});
document.body.append(
  el(
    "header",
    { class: "top" },
    el("span", { class: "brand" }, el("span", { text: "ackclock" })),
    el("span", { class: "grow" }),
    themeButton,
    button("help", "Keys (?)", () => overlay.showModal()),
  ),
  place,
  overlay,
);
watchTheme(recolour);
recolour();
addEventListener("keydown", (event) => press(event, overlay, player, toggleTheme));
void show();

/** For tests: what the page would ask a server for. */
Object.defineProperty(window, "ackclock", { value: Object.freeze({ ask }) });
