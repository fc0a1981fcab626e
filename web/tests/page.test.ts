import { expect, test } from "vitest";
import { route } from "../src/app/route";
import { busiest, csv, held, interval, moved, ticks, valueAt, zoomed } from "../src/model/curve";
import { KEYS, meaning } from "../src/model/keys";

const column = { name: "1", unit: "packets", flow: 1, link: null, times: [1, 2, 4], values: [10, null, 30] };

test("the value at a time is the last one before it", () => {
  expect([0.5, 1, 1.9, 2.5, 4, 9].map((t) => valueAt(column, t))).toEqual([null, 10, 10, null, 30, 30]);
});

test("a CSV has a line for each point, with gaps left empty and names quoted", () => {
  expect(csv({ columns: [{ ...column, name: 'a,"b"' }] })).toBe(
    'time_s,curve,unit,value\n1,"a,""b""",packets,10\n2,"a,""b""",packets,\n4,"a,""b""",packets,30\n',
  );
});

test("ticks are round and inside", () => {
  expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(ticks(0.31, 0.72, 5)).toEqual([0.4, 0.5, 0.6, 0.7]);
});

test("zoom keeps its place and stays within the recording", () => {
  const whole = { from: 0, to: 10 };
  expect(zoomed(whole, 0.5, 4, whole)).toEqual({ from: 2, to: 7 });
  expect(zoomed({ from: 2, to: 7 }, 4, 4, whole)).toEqual(whole);
  expect(moved({ from: 2, to: 7 }, 100, whole)).toEqual({ from: 5, to: 10 });
});

test("addresses name what is shown", () => {
  expect(route("#/view/a%2Fb?t=1.25")).toEqual({ at: "view", id: "a/b", t: 1.25 });
  expect(route("#/view/a?t=soon")).toEqual({ at: "view", id: "a", t: null });
  expect(route("")).toEqual({ at: "files" });
  expect(route("#/studies/004")).toEqual({ at: "study", id: "004" });
  expect(route("#/play?setup=abc")).toEqual({ at: "play", setup: "abc", shown: null });
  expect(route("#/play?setup=abc&show=2&t=1.5")).toMatchObject({ setup: "abc", shown: { run: 2, t: 1.5 } });
  expect(route("#/play?study=002&run=q12%2FII&run=b")).toEqual({
    at: "claim",
    study: "002",
    runs: ["q12/II", "b"],
    shown: null,
  });
  expect(route("#/embed?setup=abc")).toEqual({ at: "embed", setup: "abc" });
  expect(route("#/elsewhere")).toMatchObject({ at: "nowhere" });
});

test("every key of the table is heard, and no key has two meanings", () => {
  const seen = new Map<string, string>();
  for (const { action, keys, shift = false } of KEYS) {
    for (const key of keys) {
      const pressed = { key: key === "#" ? "3" : key, code: key === "#" ? "Digit3" : "", shiftKey: shift };
      expect(meaning(pressed), `${key} ${String(shift)}`).toEqual({ action, digit: key === "#" ? 3 : 0 });
      const id = `${key} ${String(shift)}`;
      expect(seen.get(id)).toBeUndefined();
      seen.set(id, action);
    }
  }
  expect(meaning({ key: "?", code: "Slash", shiftKey: true })?.action).toBe("help");
  expect(meaning({ key: "q", code: "KeyQ", shiftKey: false })).toBe(null);
});

test("of links the fullest come first, and flows stay", () => {
  const link = (id: number, high: number) => ({ ...column, flow: null, link: id, values: [0, high, 0] });
  const found = busiest({ columns: [link(1, 2), column, link(2, 9), link(3, 5)] }, 2);
  expect(found.columns.map(({ flow, link: id }) => flow ?? -id!)).toEqual([1, -2, -3]);
});

test("rates are taken over round intervals, some eighty of them", () => {
  expect([40, 20, 3, 0.001].map(interval)).toEqual([0.5, 0.5, 0.05, 0.00002]);
});

test("a stair goes on to the end of what is seen", () => {
  const [longer] = held({ columns: [column] }, 9).columns;
  expect([longer!.times, longer!.values]).toEqual([
    [1, 2, 4, 9],
    [10, null, 30, 30],
  ]);
  expect(held({ columns: [column] }, 4).columns).toEqual([column]);
});
