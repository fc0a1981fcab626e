/** Play, pause, step, scrub, speed. */

import { nearestSpeed, SPEEDS } from "../model/clock";
import type { Clock } from "../model/clock";
import { clock as written, speed as speedWords } from "../model/words";
import { button, el, icon } from "./element";

export interface Commands {
  toggle(): void;
  step(direction: 1 | -1): void;
  seek(t: number): void;
  setSpeed(rate: number): void;
}

/** The scrubber's steps; a range input counts in whole ones. */
const STEPS = 100_000;
/** Places of the time line that marks can be told apart at. */
const MARKS = 600;

export class Transport {
  readonly element: HTMLElement;
  private readonly clock: Clock;
  private readonly play: HTMLButtonElement;
  private readonly scrubber: HTMLInputElement;
  private readonly time: HTMLInputElement;
  private readonly ends = el("span", { class: "soft" });
  private readonly speedBar: HTMLInputElement;
  private readonly speedText = el("output", { class: "speed-text" });
  private readonly drops = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  private playing: boolean | null = null;

  constructor(clock: Clock, commands: Commands) {
    this.clock = clock;
    this.play = button("play", "Play (Space)", () => commands.toggle(), {
      class: "primary round",
      "data-test": "play",
    });
    this.scrubber = el("input", {
      type: "range",
      class: "scrubber",
      min: 0,
      max: STEPS,
      step: 1,
      "aria-label": "Time",
    });
    this.scrubber.addEventListener("input", () => {
      const share = Number(this.scrubber.value) / STEPS;
      commands.seek(clock.begin + share * (clock.end - clock.begin));
    });
    this.time = el("input", {
      class: "time",
      inputmode: "decimal",
      "aria-label": "Time in seconds",
      autocomplete: "off",
      spellcheck: "false",
    });
    const go = (): void => {
      const t = Number(this.time.value.replace(",", "."));
      if (Number.isFinite(t) && this.time.value.trim() !== "") commands.seek(t);
      this.time.blur();
    };
    this.time.addEventListener("keydown", (event) => {
      if (event.key === "Enter") go();
      if (event.key === "Escape") this.time.blur();
      event.stopPropagation();
    });
    this.time.addEventListener("blur", () => this.show());
    this.speedBar = el("input", {
      type: "range",
      class: "speed",
      min: 0,
      max: SPEEDS.length - 1,
      step: 1,
      "aria-label": "Speed",
    });
    this.speedBar.addEventListener("input", () => commands.setSpeed(SPEEDS[Number(this.speedBar.value)]!));
    this.drops.setAttribute("preserveAspectRatio", "none");
    this.drops.setAttribute("role", "img");
    this.drops.toggleAttribute("hidden", true);
    this.element = el(
      "div",
      { class: "transport", role: "group", "aria-label": "Player" },
      this.scrubber,
      el("div", { class: "drop-marks", title: "drops" }, this.drops),
      el(
        "div",
        { class: "transport-row" },
        el(
          "div",
          { class: "buttons" },
          button("rewind", "To the beginning (Home)", () => commands.seek(clock.begin)),
          button("back", "Event before (←)", () => commands.step(-1)),
          this.play,
          button("next", "Next event (→)", () => commands.step(1), { "data-test": "next" }),
        ),
        el("label", { class: "clock" }, this.time, el("span", { text: "s" }), this.ends),
        el(
          "div",
          { class: "speed-box" },
          button("slower", "Slower (↓)", () => commands.setSpeed(faster(clock.speed, -1))),
          this.speedBar,
          button("faster", "Faster (↑)", () => commands.setSpeed(faster(clock.speed, 1))),
          this.speedText,
        ),
      ),
    );
  }

  /** Mark the instants at which packets were dropped, as shares of the whole time. */
  marks(shares: readonly number[]): void {
    const places = [...new Set(shares.map((share) => Math.round(share * MARKS)))];
    const lines = places.map((at) => `M${at} 0V6`).join("");
    this.drops.setAttribute("viewBox", `0 0 ${MARKS} 6`);
    this.drops.innerHTML = lines === "" ? "" : `<path d="${lines}" vector-effect="non-scaling-stroke" />`;
    this.drops.toggleAttribute("hidden", lines === "");
    this.drops.setAttribute("aria-label", `Drops at ${places.length} places of the time line`);
  }

  focusTime(): void {
    this.time.focus();
    this.time.select();
  }

  /** Write what the clock says. */
  show(): void {
    const { t, begin, end, speed, playing } = this.clock;
    const span = end - begin;
    const share = span > 0 ? (t - begin) / span : 0;
    this.scrubber.value = String(Math.round(share * STEPS));
    this.scrubber.style.setProperty("--share", `${(share * 100).toFixed(3)}%`);
    this.scrubber.setAttribute("aria-valuetext", `${written(t, span)} seconds`);
    if (document.activeElement !== this.time) this.time.value = written(t, Math.min(span, speed * 10));
    this.ends.textContent = `of ${written(end, Math.max(1, span))}`;
    this.speedBar.value = String(SPEEDS.indexOf(nearestSpeed(speed)));
    this.speedBar.setAttribute("aria-valuetext", speedWords(speed));
    this.speedText.textContent = speedWords(speed);
    if (playing !== this.playing) {
      this.playing = playing;
      this.play.replaceChildren(icon(playing ? "pause" : "play"));
      const label = playing ? "Pause (Space)" : "Play (Space)";
      this.play.setAttribute("aria-label", label);
      this.play.title = label;
    }
  }
}

/** The speed one step from the nearest one. */
export function faster(rate: number, by: 1 | -1): number {
  const now = SPEEDS.indexOf(nearestSpeed(rate));
  return SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, now + by))]!;
}
