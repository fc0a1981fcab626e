/** What is said of a run while it goes on. */

import { seconds } from "./words";

/** What a run in a page may take, bytes: crates/wasm/build.rs. */
export const MOST_MEMORY = 2 ** 30;
/** Before that a run is not judged, and one that takes less is not remarked on, s. */
const EARLY_S = 5;
const LONG_S = 60;

const LESS = "Cancel it and shorten its duration or lower its rates, or run it with `ackclock run`.";

/** How far it is. */
export function howFar(fraction: number, simulated_s: number): string {
  return `${Math.floor(100 * fraction)} % · ${seconds(simulated_s)}`;
}

/** What to do about a run that takes too long or too much at the pace that it has; null where it does not. */
export function advice(fraction: number, elapsed_s: number, memory_bytes = 0): string | null {
  if (elapsed_s < EARLY_S) return null;
  const rest_s = fraction > 0 ? (elapsed_s / fraction) * (1 - fraction) : Infinity;
  const isTooMuch = memory_bytes > MOST_MEMORY / 16 && memory_bytes > fraction * MOST_MEMORY;
  if (isTooMuch) return `It will need more memory than a page may take (1 GiB), and end then. ${LESS}`;
  return rest_s > LONG_S ? `At this pace it takes ${lasting(rest_s)} more. ${LESS}` : null;
}

const UNITS: readonly (readonly [number, string])[] = [
  [365.25 * 86400, "years"],
  [86400, "days"],
  [3600, "hours"],
  [60, "minutes"],
];

/** A span of time in words, by its greatest unit: "3 hours". */
function lasting(span_s: number): string {
  if (span_s > 1000 * UNITS[0]![0]) return "more than 1,000 years";
  const [unit_s, words] = UNITS.find(([least]) => span_s >= 2 * least) ?? [60, "minutes"];
  return `about ${Math.round(span_s / unit_s)} ${words}`;
}
