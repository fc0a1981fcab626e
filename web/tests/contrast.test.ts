/** WCAG 2.2: text has a contrast of 4.5 to 1 (1.4.3), what must be seen to understand has 3 to 1 (1.4.11). */

import { expect, test } from "vitest";
import css from "../src/app/style/palette.css?raw";

function colours(selector: string): Record<string, string> {
  const block = css.split(`${selector} {`)[1]!.split("}")[0]!;
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]),
  );
}

/** Relative luminance, as WCAG defines it. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

const SERIES = ["series-1", "series-2", "series-3", "series-4", "series-5"];
const TEXT: readonly [string, readonly string[]][] = [
  ["ink", ["paper", "desk", "tint", "grid"]],
  ["soft", ["paper", "desk"]],
  ["accent", ["paper", "desk", "tint"]],
  ["on-accent", ["accent"]],
  ["loss", ["paper", "desk"]],
  ["good", ["paper", "desk"]],
  ["warn", ["paper", "desk"]],
  ["against", ["paper", "desk"]],
  ["depends", ["paper", "desk"]],
];
const SEEN: readonly [string, readonly string[]][] = [
  ...SERIES.map((name): [string, readonly string[]] => [name, ["paper"]]),
  ["field-edge", ["paper"]],
  ["accent", ["paper", "grid"]],
];

const pairs = (list: readonly [string, readonly string[]][]): [string, string][] =>
  list.flatMap(([front, backs]) => backs.map((back): [string, string] => [front, back]));

for (const [name, selector] of [
  ["light", ":root"],
  ["dark", ':root[data-theme="dark"]'],
] as const) {
  const have = colours(selector);
  test.each(pairs(TEXT))(`${name}: %s on %s can be read`, (front, back) => {
    expect(contrast(have[front]!, have[back]!)).toBeGreaterThanOrEqual(4.5);
  });
  test.each(pairs(SEEN))(`${name}: %s on %s can be seen`, (front, back) => {
    expect(contrast(have[front]!, have[back]!)).toBeGreaterThanOrEqual(3);
  });
}

test("contrasts are those of WCAG's own examples", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 10);
  // The grey that is known for just passing on white.
  expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 2);
});
