import { describe, expect, it } from "vitest";
import { part } from "../src/recording/embedded";

const column = {
  name: "throughput 1",
  unit: "bit/s",
  flow: 0,
  link: null,
  times: [0, 1, 2, 3, 4, 5],
  values: [6, 0, 3, 3, 9, 3],
};

describe("a part of an embedded curve", () => {
  it("has the points of the range, and one on each side", () => {
    expect(part({ columns: [column] }, 1.5, 3.5, null).columns[0]!.times).toEqual([1, 2, 3, 4]);
    expect(part({ columns: [column] }, null, null, null).columns[0]!.times).toEqual(column.times);
    expect(part({ columns: [column] }, 5, 9, null).columns[0]!.times).toEqual([5]);
  });

  it("takes rates over the interval that is asked for: the same bits, over a longer time", () => {
    const { times, values } = part({ columns: [column], interval_s: 1 }, null, null, 3).columns[0]!;
    expect(times).toEqual([0, 3]);
    expect(values).toEqual([(6 + 0 + 3) / 3, (3 + 9 + 3) / 3]);
  });

  it("joins none where the interval is finer than what there is", () => {
    expect(part({ columns: [column], interval_s: 1 }, null, null, 0.1).columns[0]!.values).toEqual(column.values);
  });
});
