import { expect, test } from "vitest";
import { Clock, FASTEST, nearestSpeed, SLOWEST, speedFor, SPEEDS } from "../src/model/clock";
import { dropTimes } from "../src/model/curve";
import { Filter } from "../src/model/filter";
import { lastEvent, nextEvent } from "../src/model/step";
import { clock as onClock, rate, seconds, withUnit } from "../src/model/words";
import { chunkOf, hop } from "./synthetic";

test("speeds go from 1 µs to 10 s of simulated time per second in steps of 1, 2, 5", () => {
  expect(SPEEDS[0]).toBeCloseTo(1e-6, 18);
  expect(SPEEDS[SPEEDS.length - 1]).toBe(10);
  expect(SPEEDS.slice(9, 13).map((one) => Number(one.toPrecision(3)))).toEqual([0.001, 0.002, 0.005, 0.01]);
  expect(nearestSpeed(0.0043)).toBeCloseTo(0.005, 12);
});

test("time passes at its speed, stops at the end and begins again", () => {
  const clock = new Clock(0, 1, 0.5);
  clock.pass(0.05);
  expect(clock.t).toBe(0);
  clock.toggle();
  clock.pass(0.05);
  expect(clock.t).toBeCloseTo(0.025, 12);
  clock.pass(60);
  expect(clock.t).toBeCloseTo(0.075, 12);
  clock.seek(5);
  expect(clock.t).toBe(1);
  clock.pass(0.01);
  expect(clock.playing).toBe(false);
  clock.toggle();
  expect(clock.t).toBe(0);
  clock.speed = 1e9;
  expect(clock.speed).toBe(FASTEST);
  clock.speed = 0;
  expect(clock.speed).toBe(SLOWEST);
});

test("a packet takes about a second and a half over a link at the first speed", () => {
  expect(speedFor([0.01, 0.01, 0.01])).toBeCloseTo(0.005, 12);
  expect(speedFor([])).toBe(0.01);
});

test("steps go to each event, and over those of hidden flows", () => {
  const chunk = chunkOf([
    hop({ enqueue: 0.1, start: 0.2, end: 0.3, arrive: 0.4, flow: 1 }),
    hop({ enqueue: 0.15, drop: 0.15, flow: 2 }),
  ]);
  const all = new Filter();
  const times: (number | null)[] = [];
  for (let t: number | null = 0; t !== null; t = nextEvent([chunk], t, all)) times.push(t);
  expect(times).toEqual([0, 0.1, 0.15, 0.2, 0.4]);
  expect(nextEvent([chunk], 0.1, new Filter([2]))).toBe(0.2);
  expect(lastEvent([chunk], 0.4, all)).toBe(0.2);
  expect(lastEvent([chunk], 0.1, all)).toBe(null);
});

test("numbers are said as people read them", () => {
  expect(rate(1.5e6)).toBe("1.5 Mb/s");
  expect(rate(1e9)).toBe("1 Gb/s");
  expect(seconds(0.02)).toBe("20 ms");
  expect(seconds(0)).toBe("0 s");
  expect(withUnit(null, "s")).toBe("not known");
  expect(onClock(1.25, 10)).toBe("1.250");
  expect(onClock(1.25, 1e-6)).toBe("1.250000000");
});

test("a recording takes three minutes at most at its first speed, a short one shows its packets", () => {
  for (const span_s of [9.5, 25, 40, 61]) expect(span_s / speedFor([0.01, 0.01], span_s)).toBeLessThanOrEqual(180);
  expect(speedFor([0.01, 0.01], 0.5)).toBe(speedFor([0.01, 0.01]));
});

test("drops are where their count grows", () => {
  const column = { name: "a", unit: "packets", flow: null, link: 1, times: [0, 1, 2, 3], values: [0, 2, 2, 3] };
  expect(dropTimes({ columns: [column] })).toEqual([1, 3]);
});
