/** Every key of the player: one table for the page that listens, the overlay that explains, and the guide. */

export type Action =
  | "play"
  | "next"
  | "back"
  | "forward"
  | "backward"
  | "begin"
  | "end"
  | "faster"
  | "slower"
  | "goto"
  | "flow"
  | "onlyFlow"
  | "allFlows"
  | "acks"
  | "nextPacket"
  | "nextNode"
  | "nextLink"
  | "nextFlow"
  | "deselect"
  | "closer"
  | "farther"
  | "whole"
  | "zoomIn"
  | "zoomOut"
  | "panLeft"
  | "panRight"
  | "allTime"
  | "theme"
  | "help";

export interface Key {
  readonly action: Action;
  /** KeyboardEvent.key, or a digit for `#`. */
  readonly keys: readonly string[];
  readonly shift?: boolean;
  /** As it is written in the overlay and the guide. */
  readonly shown: string;
  readonly words: string;
}

export const KEYS: readonly Key[] = [
  { action: "play", keys: [" "], shown: "Space", words: "play, pause" },
  { action: "next", keys: ["ArrowRight", "."], shown: "→ or .", words: "to the next event" },
  { action: "back", keys: ["ArrowLeft", ","], shown: "← or ,", words: "to the event before" },
  { action: "forward", keys: ["ArrowRight"], shift: true, shown: "Shift →", words: "on by what plays in one second" },
  { action: "backward", keys: ["ArrowLeft"], shift: true, shown: "Shift ←", words: "back by what plays in one second" },
  { action: "begin", keys: ["Home"], shown: "Home", words: "to the beginning" },
  { action: "end", keys: ["End"], shown: "End", words: "to the end" },
  { action: "faster", keys: ["ArrowUp"], shown: "↑", words: "faster" },
  { action: "slower", keys: ["ArrowDown"], shown: "↓", words: "slower" },
  { action: "goto", keys: ["g"], shown: "g", words: "write the time to go to" },
  { action: "flow", keys: ["#"], shown: "1 … 9", words: "hide or show a flow" },
  { action: "onlyFlow", keys: ["#"], shift: true, shown: "Shift 1 … 9", words: "show only this flow" },
  { action: "allFlows", keys: ["0"], shown: "0", words: "show all flows and kinds" },
  { action: "acks", keys: ["a"], shown: "a", words: "hide or show acknowledgements" },
  { action: "nextPacket", keys: ["p"], shown: "p", words: "numbers of the next packet" },
  { action: "nextFlow", keys: ["f"], shown: "f", words: "numbers of the next flow" },
  { action: "nextLink", keys: ["l"], shown: "l", words: "numbers of the next link" },
  { action: "nextNode", keys: ["n"], shown: "n", words: "numbers of the next node" },
  { action: "deselect", keys: ["Escape"], shown: "Esc", words: "close the details, or this help" },
  { action: "closer", keys: ["+", "="], shown: "+", words: "network: zoom in" },
  { action: "farther", keys: ["-"], shown: "-", words: "network: zoom out" },
  { action: "whole", keys: ["w"], shown: "w", words: "network: show all" },
  { action: "zoomIn", keys: ["z"], shown: "z", words: "charts: zoom in at the playhead" },
  { action: "zoomOut", keys: ["Z", "z"], shift: true, shown: "Shift z", words: "charts: zoom out" },
  { action: "panLeft", keys: ["["], shown: "[", words: "charts: earlier" },
  { action: "panRight", keys: ["]"], shown: "]", words: "charts: later" },
  { action: "allTime", keys: ["x"], shown: "x", words: "charts: whole run" },
  { action: "theme", keys: ["t"], shown: "t", words: "light or dark" },
  { action: "help", keys: ["?"], shown: "?", words: "this help" },
];

/** Signs that need Shift on some keyboards, so that Shift says nothing with them. */
const SIGNS = new Set(["?", "+", "=", "[", "]", ".", ","]);

/** What a key that was pressed means, with its digit if it has one; null if nothing. */
export function meaning(event: {
  readonly key: string;
  readonly code: string;
  readonly shiftKey: boolean;
}): { action: Action; digit: number } | null {
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
  for (const { action, keys, shift } of KEYS) {
    if (digit && keys.includes("#") && (shift ?? false) === event.shiftKey) return { action, digit: Number(digit) };
    if (keys.includes(event.key) && (SIGNS.has(event.key) || (shift ?? false) === event.shiftKey))
      return { action, digit: 0 };
  }
  return null;
}
