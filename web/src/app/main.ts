/** The page: a bar above, and below it what the address names. */

import "uplot/dist/uPlot.min.css";
import "./style/palette.css";
import "./style/base.css";
import "./style/player.css";
import "./style/play.css";
import "./style/lesson.css";
import "./style/embed.css";
import { button, el, icon } from "../panel/element";
import { embedTitle, ranAlone } from "../panel/embed";
import { help } from "../panel/help";
import { LessonPage } from "../panel/lesson";
import { linkButton } from "../panel/link";
import { lessonList } from "../panel/lessons";
import { library } from "../panel/library";
import { empty, failed, loading } from "../panel/notice";
import { Player } from "../panel/player";
import { Playground } from "../panel/playground";
import { studyList } from "../panel/studies";
import { StudyPage } from "../panel/study";
import { LESSONS } from "../model/lessons";
import { unpacked } from "../model/share";
import { ALONE, BESIDE, IS_STATIC } from "../recording/here";
import { Recording } from "../recording/recording";
import { about, choices } from "../recording/runs";
import { answerBy } from "../recording/server";
import { claimed, studies, study } from "../recording/studies";
import { press } from "./press";
import { route } from "./route";
import type { Route } from "./route";
import { isDark, switchTheme, watchTheme } from "./theme";

/** What is shown now, how it takes other colours, and how it ends. */
interface Showing {
  readonly player: Player | null;
  redraw(): void;
  stop(): void;
}

const NOTHING: Showing = { player: null, redraw: () => undefined, stop: () => undefined };

const overlay = help();
const place = el("main", { id: "main", tabindex: "-1" });
const themeButton = button("moon", "Light or dark (t)", () => toggleTheme());
const ALL_LINKS = [
  ["files", "#/", "Recordings"],
  ["play", "#/play", "Playground"],
  ["lessons", "#/lessons", "Lessons"],
  ["studies", "#/studies", "Studies"],
] as const;
/** Files are a server's. Studies are beside a page of static files if tools/build_site.py has put them there and says so. */
const hasStudies = !IS_STATIC || document.querySelector("meta[name=studies]") !== null;
const links = ALL_LINKS.filter(([name]) => (name !== "files" || !IS_STATIC) && (name !== "studies" || hasStudies));
const nav = el("nav", { "aria-label": "Pages" }, ...links.map(([, href, text]) => el("a", { href, text })));
let showing: Showing = NOTHING;
let asked = 0;
/** It stays, with its runs, while its recordings are looked at. */
let playground: Playground | null = null;
/** So does the lesson that was opened last. */
let lesson: LessonPage | null = null;

function toggleTheme(): void {
  switchTheme();
  recolour();
}

function recolour(): void {
  themeButton.replaceChildren(icon(isDark() ? "sun" : "moon"));
  showing.redraw();
}

function build(): void {
  document.body.append(
    el(
      "header",
      { class: "top" },
      el(
        "a",
        { class: "brand", href: "#/", "aria-label": "ackclock" },
        el("img", { src: "./icon.svg", alt: "" }),
        el("span", { text: "ackclock" }),
      ),
      nav,
      el("span", { class: "grow" }),
      themeButton,
      button("help", "Keys (?)", () => overlay.showModal()),
    ),
    place,
    overlay,
  );
  watchTheme(recolour);
  recolour();
}

async function go(): Promise<void> {
  const mine = ++asked;
  const to = route(location.hash);
  showing.stop();
  showing = NOTHING;
  mark(to);
  document.body.classList.toggle("embedded", to.at === "embed");
  place.replaceChildren(loading("Loading …"));
  try {
    const next = await show(to, () => mine === asked);
    if (mine === asked) showing = next;
    else next.stop();
  } catch (error) {
    if (mine === asked)
      place.replaceChildren(
        el(
          "div",
          { class: "page" },
          failed(error, () => void go()),
        ),
      );
  }
}

function mark(to: Route): void {
  const lists: Partial<Record<Route["at"], string>> = {
    view: "files",
    study: "studies",
    lesson: "lessons",
    claim: "play",
  };
  const page = lists[to.at] ?? to.at;
  links.forEach(([name], n) => {
    const link = nav.children[n]!;
    if (name === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
}

async function show(to: Route, wanted: () => boolean): Promise<Showing> {
  switch (to.at) {
    case "files": {
      if (IS_STATIC) {
        location.replace("#/play");
        return NOTHING;
      }
      const known = await about();
      const only = known.files[0];
      if (wanted() && known.files.length === 1 && only) {
        location.replace(`#/view/${encodeURIComponent(only.id)}`);
        return NOTHING;
      }
      if (wanted()) fill("Recordings", library(known));
      return NOTHING;
    }
    case "view": {
      const recording = await Recording.open(to.id);
      if (!wanted()) return NOTHING;
      const player = new Player(recording, to.t);
      const { head } = recording;
      const link = linkButton(() => linkTo(to.id, player.clock.t));
      fill(head.name, el("div", { class: "player-title" }, el("h1", { text: head.name }), link), player.element);
      player.start();
      return { player, redraw: () => player.arrange(), stop: () => player.stop() };
    }
    case "play":
      return await play(to, wanted);
    case "claim":
      return await playClaim(to, wanted);
    case "embed":
      return await embed(to.setup, wanted);
    case "lessons":
      fill("Lessons", lessonList(LESSONS));
      return NOTHING;
    case "lesson":
      return await learn(to.id, wanted);
    case "studies": {
      const known = await studies();
      if (wanted()) fill("Studies", studyList(known));
      return NOTHING;
    }
    case "study": {
      const page = new StudyPage(await study(to.id));
      if (wanted()) fill(`Study ${to.id}`, page.element);
      return { ...NOTHING, stop: () => page.stop() };
    }
    default:
      lostIn("There is nothing at this address.", "#/", "To the beginning");
      return NOTHING;
  }
}

/** A link to what is shown: with the set-up of a run of the playground or a lesson, which is run again. */
async function linkTo(recording: string, t: number): Promise<string> {
  const known = [playground, lesson?.playground].map((one) => one?.linkTo(recording, t) ?? null);
  const [found] = (await Promise.all(known)).filter((link) => link !== null);
  return found ?? `${location.origin}${location.pathname}#/view/${encodeURIComponent(recording)}?t=${t}`;
}

async function play({ setup, shown }: Route & { at: "play" }, wanted: () => boolean): Promise<Showing> {
  const setups = setup === null || isTaken() ? null : await unpacked(setup);
  return await opened((made) => setups && made.take(setups, shown), wanted);
}

/** The runs that a claim is measured in. */
async function playClaim({ study: id, runs, shown }: Route & { at: "claim" }, wanted: () => boolean): Promise<Showing> {
  const scenarios = isTaken() ? null : await claimed(id, runs);
  return await opened((made) => scenarios && made.runAll(scenarios, shown), wanted);
}

/** Whoever comes back to a link finds the runs that are there. */
function isTaken(): boolean {
  return playground?.address === location.hash;
}

async function opened(begin: (made: Playground) => void, wanted: () => boolean): Promise<Showing> {
  const made = playground ?? new Playground(await choices(), null);
  if (!wanted()) return NOTHING;
  playground = made;
  made.address = location.hash;
  fill("Playground", made.element);
  begin(made);
  made.redraw();
  return { ...NOTHING, redraw: () => made.redraw() };
}

/** In a frame of another page: the player and no bar. */
async function embed(setup: string | null, wanted: () => boolean): Promise<Showing> {
  const made = await ranAlone(setup, place, wanted);
  if (!made) return NOTHING;
  const { player } = made;
  fill(player.recording.head.name, await embedTitle(made.setup), player.element);
  player.start();
  return { player, redraw: () => player.arrange(), stop: () => player.stop() };
}

async function learn(id: string, wanted: () => boolean): Promise<Showing> {
  const place = LESSONS.findIndex((one) => one.id === id);
  if (place < 0) {
    lostIn(`There is no lesson "${id}".`, "#/lessons", "To the lessons");
    return NOTHING;
  }
  const made = lesson?.id === id ? lesson : new LessonPage(await choices(), LESSONS, place);
  if (!wanted()) return NOTHING;
  if (lesson !== made) lesson?.close();
  lesson = made;
  fill(LESSONS[place]!.title, made.element);
  made.redraw();
  return { ...NOTHING, redraw: () => made.redraw() };
}

function lostIn(words: string, href: string, text: string): void {
  fill("Not found", el("div", { class: "page" }, empty(words, el("a", { href, text }))));
}

function fill(title: string, ...parts: readonly HTMLElement[]): void {
  document.title = title === "Recordings" ? "ackclock" : `${title} · ackclock`;
  place.replaceChildren(...parts);
}

/** For tests: what the page knows, to be read and not to be changed. */
declare global {
  interface Window {
    readonly ackclock: {
      positions(t: number): ReturnType<Player["positions"]>;
      readonly time: number | null;
    };
  }
}

Object.defineProperty(window, "ackclock", {
  value: Object.freeze({
    positions: (t: number) =>
      showing.player ? showing.player.positions(t) : Promise.reject(new Error("no recording is open")),
    get time() {
      return showing.player?.clock.t ?? null;
    },
  }),
});

answerBy(IS_STATIC ? ALONE : BESIDE);
build();
addEventListener("hashchange", () => void go());
addEventListener("keydown", (event) => press(event, overlay, showing.player, toggleTheme));
void go();
