/** Simulated time as it passes on the page. */

/** Slowest and fastest, in simulated seconds per second. */
export const SLOWEST = 1e-6;
export const FASTEST = 10;

/** Longest step of one frame, in seconds of the eye: after a pause of the tab, time does not jump. */
const LONGEST_FRAME_S = 0.1;

export class Clock {
  t: number;
  begin: number;
  end: number;
  playing = false;
  private rate: number;

  constructor(begin: number, end: number, rate: number) {
    this.t = begin;
    this.begin = begin;
    this.end = end;
    this.rate = limited(rate);
  }

  /** Simulated seconds per second. */
  get speed(): number {
    return this.rate;
  }

  set speed(rate: number) {
    this.rate = limited(rate);
  }

  seek(t: number): void {
    this.t = Math.min(this.end, Math.max(this.begin, t));
  }

  /** Let `seconds` of the eye pass; at the end it stops. */
  pass(seconds: number): void {
    if (!this.playing) return;
    this.seek(this.t + Math.min(seconds, LONGEST_FRAME_S) * this.rate);
    if (this.t >= this.end) this.playing = false;
  }

  toggle(): void {
    if (!this.playing && this.t >= this.end) this.t = this.begin;
    this.playing = !this.playing;
  }
}

function limited(rate: number): number {
  return Math.min(FASTEST, Math.max(SLOWEST, rate));
}

/** The longest that a recording takes at its first speed, in seconds of the eye. */
export const LONGEST_S = 180;

/**
 * A speed at which a packet takes about `seconds` of the eye over a link of the middle delay, and at which the whole,
 * `span_s` long, takes at most three minutes.
 */
export function speedFor(delays_s: readonly number[], span_s = 0, seconds = 1.5): number {
  const sorted = delays_s.filter((delay) => delay > 0).sort((a, b) => a - b);
  const seen = sorted.length === 0 ? 0.01 : sorted[sorted.length >> 1]! / seconds;
  // One, two or five times a power of ten, as the steps of the speed are.
  const least = SPEEDS.find((speed) => speed * LONGEST_S >= span_s * (1 - 1e-9)) ?? FASTEST;
  return Math.max(nearestSpeed(seen), least);
}

/** 1, 2, 5, 10 ... from the slowest to the fastest. */
export const SPEEDS: readonly number[] = Array.from(
  { length: 22 },
  (_, n) => [1, 2, 5][n % 3]! * 10 ** (Math.floor(n / 3) - 6),
);

export function nearestSpeed(rate: number): number {
  return SPEEDS.reduce((best, one) => (Math.abs(Math.log(one / rate)) < Math.abs(Math.log(best / rate)) ? one : best));
}
