/** Numbers as people read them. */

/** Factor and prefix, the greatest first. */
export const PREFIXES: readonly (readonly [number, string])[] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** `digits` significant digits, without needless noughts: 1.5, 0.02, 1200. */
export function plain(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(digits)));
}

/** With a prefix: 1.5 Mb/s, 20 ms. */
export function withUnit(value: number | null, unit: string, digits = 4): string {
  if (value === null || !Number.isFinite(value)) return "not known";
  if (value === 0) return `0 ${unit}`;
  const [factor, prefix] =
    PREFIXES.find(([least]) => Math.abs(value) >= least * 0.9999) ?? PREFIXES[PREFIXES.length - 1]!;
  return `${plain(value / factor, digits)} ${prefix}${unit}`;
}

export const rate = (bps: number | null): string => withUnit(bps, "b/s");
export const seconds = (value: number | null): string => withUnit(value, "s");

/** Bytes, by powers of 1000 as everywhere in ackclock. */
export const bytes = (value: number): string => withUnit(value, "B", 3);

export const count = (value: number): string => value.toLocaleString("en-GB").replaceAll(",", "\u202f");

/** A time on the clock, to the nanosecond where `span` (s) is short enough to tell them apart. */
export function clock(t: number, span: number): string {
  return t.toFixed(Math.max(3, Math.min(9, Math.ceil(3 - Math.log10(span || 1)))));
}

/** What one second of the eye is: "5 ms per second". */
export const speed = (rate: number): string => `${seconds(rate)} per second`;

/** "1 packet", "2 packets". */
export const packets = (n: number): string => `${count(n)} ${n === 1 ? "packet" : "packets"}`;
