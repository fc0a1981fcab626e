import { expect, test } from "vitest";
import { advice, howFar, MOST_MEMORY } from "../src/model/pace";

test("how far a run is", () => {
  expect(howFar(0.257, 10.28)).toBe("25 % · 10.28 s");
});

test("what is soon over is not remarked on, nor what has only begun", () => {
  expect(advice(0.001, 4)).toBeNull();
  expect(advice(0.5, 50)).toBeNull();
});

test("a run that takes long says how long, and what to do", () => {
  // A tenth in 20 s: nine tenths take 180 s.
  expect(advice(0.1, 20)).toMatch(/^At this pace it takes about 3 minutes more\. Cancel it/);
  expect(advice(0.001, 10)).toContain("about 3 hours more");
  expect(advice(1e-6, 10)).toContain("about 116 days more");
  expect(advice(0, 10)).toContain("more than 1,000 years more");
});

test("a run that outgrows the memory of a page says so before it ends", () => {
  expect(advice(0.1, 6, MOST_MEMORY / 4)).toMatch(/^It will need more memory than a page may take \(1 GiB\)/);
  expect(advice(0.5, 6, MOST_MEMORY / 4)).toBeNull();
  // Small ones take a few MB before their first packet.
  expect(advice(0.0001, 6, MOST_MEMORY / 100)).not.toContain("memory");
});
