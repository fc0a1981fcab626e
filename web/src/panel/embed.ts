/** The player of one set-up, by itself: for a frame in another page. */

import { FIRST, scenario, senders, summary } from "../model/setup";
import type { Setup } from "../model/setup";
import { packed, unpacked } from "../model/share";
import { Recording } from "../recording/recording";
import { cancel, start } from "../recording/runs";
import { follow } from "../recording/server";
import { el } from "./element";
import { Player } from "./player";
import { progress } from "./progress";

/** Run the first set-up of a link and give its player. How far it is stands in `place`; an unwanted run is cancelled. */
export async function ranAlone(
  setup: string | null,
  place: HTMLElement,
  wanted: () => boolean,
): Promise<{ readonly setup: Setup; readonly player: Player } | null> {
  const [chosen = FIRST] = setup === null ? [] : await unpacked(setup);
  const run = await start({ scenario: scenario(chosen) });
  const recording = await new Promise<string | null>((resolve, reject) => {
    const leave = (): void => {
      unfollow();
      cancel(run).catch(() => undefined);
    };
    const shown = progress(() => {
      leave();
      reject(new Error("Cancelled."));
    });
    place.replaceChildren(el("div", { class: "page" }, shown.element));
    const unfollow = follow(run, {
      ...shown.listener,
      progress: (...told) => {
        if (wanted()) return shown.listener.progress(...told);
        leave();
        resolve(null);
      },
      done: (id) => resolve(id),
      failed: (error) => reject(new Error(error)),
    });
  });
  if (recording === null || !wanted()) return null;
  return { setup: chosen, player: new Player(await Recording.open(recording), null) };
}

/** What is seen, and where it can be changed. */
export async function embedTitle(setup: Setup): Promise<HTMLElement> {
  return el(
    "div",
    { class: "embed-title" },
    el("h1", { text: setup.name || senders(setup) }),
    el("span", { class: "soft", text: summary(setup) }),
    el("a", {
      href: `${location.pathname}#/play?setup=${await packed([setup])}`,
      target: "_blank",
      rel: "noopener",
      text: "Change it in the playground",
    }),
  );
}

/** The tag for another page. */
export function embedTag(page: string, packedSetup: string, title: string): string {
  const name = title.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<iframe src="${page}#/embed?setup=${packedSetup}" title="${name}" width="100%" height="720" loading="lazy" style="border: 0"></iframe>`;
}
