import { expect, test } from "vitest";
import { Filter } from "../src/model/filter";
import { FALLING, Moment, ON_LINK, WAITING } from "../src/model/moment";
import type { Place } from "../src/model/moment";
import type { Chunk } from "../src/recording/chunk";
import { chunkOf, hop, twoNodes } from "./synthetic";
import type { Hop } from "./synthetic";

const places = (t: number, chunks: readonly Chunk[], filter = new Filter(), fall = 0): Place[] => {
  const moment = new Moment(twoNodes().links).at(t, chunks, filter, fall);
  return Array.from({ length: moment.count }, (_, n) => moment.one(n));
};

// 1000 bytes at 1 Mb/s take 8 ms; the link's delay is 10 ms.
const sent = (at: number, uid: number, start = at): Hop =>
  hop({ enqueue: at, start, end: start + 0.008, arrive: start + 0.018, uid });

test("a packet's first and last bit move at the speed of the link", () => {
  const chunk = chunkOf([sent(0.1, 1)]);
  expect(places(0.0999, [chunk])).toEqual([]);
  expect(places(0.1, [chunk])[0]).toMatchObject({ uid: 1, state: ON_LINK, head: 0, tail: 0 });
  const early = places(0.104, [chunk])[0]!;
  expect(early.head).toBeCloseTo(0.4, 12);
  expect(early.tail).toBe(0);
  const late = places(0.112, [chunk])[0]!;
  expect(late.head).toBe(1);
  expect(late.tail).toBeCloseTo(0.4, 12);
  expect(places(0.1181, [chunk])).toEqual([]);
});

test("packets wait in order, each in its link's queue", () => {
  const chunk = chunkOf([
    sent(0.1, 1),
    sent(0.101, 2, 0.108),
    sent(0.102, 3, 0.116),
    { ...sent(0.103, 4, 0.2), link: 1 },
  ]);
  const found = places(0.105, [chunk]);
  expect(found.map((one) => [one.uid, one.state, one.queued])).toEqual([
    [1, ON_LINK, 0],
    [2, WAITING, 0],
    [3, WAITING, 1],
    [4, WAITING, 0],
  ]);
});

test("a drop falls from where it happened, for as long as it is let", () => {
  const chunk = chunkOf([
    hop({ enqueue: 0.1, drop: 0.1, uid: 1, flags: 2 }),
    hop({ enqueue: 0.1, start: 0.1, end: 0.108, drop: 0.105, uid: 2, flags: 4 }),
  ]);
  const found = places(0.11, [chunk], new Filter(), 0.02);
  expect(found.map((one) => [one.uid, one.state])).toEqual([
    [1, FALLING],
    [2, FALLING],
  ]);
  expect(found[0]!.head).toBe(0);
  expect(found[1]!.head).toBeCloseTo(0.5, 12);
  expect(found[0]!.queued).toBeCloseTo(0.5, 12);
  expect(places(0.121, [chunk], new Filter(), 0.02).map((one) => one.uid)).toEqual([2]);
  expect(places(0.13, [chunk], new Filter(), 0.02)).toEqual([]);
});

test("what the file leaves in a queue stays there; what it leaves on the way arrives after the link's delay", () => {
  const chunk = chunkOf([hop({ enqueue: 0.1, uid: 1 }), hop({ enqueue: 0.1, start: 0.1, end: 0.108, uid: 2 })]);
  expect(places(0.1179, [chunk]).map((one) => one.uid)).toEqual([1, 2]);
  expect(places(0.1181, [chunk]).map((one) => one.uid)).toEqual([1]);
  expect(places(99, [chunk]).map((one) => one.uid)).toEqual([1]);
});

test("hidden flows and kinds are not shown, but count in the queue", () => {
  const chunk = chunkOf([sent(0.1, 1, 0.2), { ...sent(0.1, 2, 0.3), flow: 2 }, { ...sent(0.1, 3, 0.4), kind: 1 }]);
  const moment = new Moment(twoNodes().links);
  const uids = (filter: Filter): number[] => {
    moment.at(0.15, [chunk], filter, 0);
    return Array.from({ length: moment.count }, (_, n) => moment.one(n).uid);
  };
  expect(uids(new Filter([1]))).toEqual([2]);
  expect(uids(new Filter([], [1]))).toEqual([1, 2]);
  expect(moment.queues[0]).toBe(3);
  expect(uids(new Filter().onlyFlow(2, [1, 2]))).toEqual([2]);
  expect(uids(new Filter().onlyFlow(2, [1, 2]).onlyFlow(2, [1, 2]))).toEqual([1, 2, 3]);
});

test("what a search through blocks finds is what looking at each row finds", () => {
  // Ends in another order than beginnings, some never, over many blocks; numbers by a rule.
  const hops: Hop[] = [];
  for (let n = 0; n < 5000; n++) {
    const at = n * 0.001;
    const wait = ((n * 7919) % 97) * 0.003;
    if (n % 50 === 3) hops.push(hop({ enqueue: at, drop: at + wait, uid: n, flags: 2, link: n % 2 }));
    else if (n % 977 === 5) hops.push(hop({ enqueue: at, uid: n, link: n % 2 }));
    else hops.push({ ...sent(at, n, at + wait), link: n % 2 });
  }
  const chunk = chunkOf(hops);
  for (const t of [0, 0.0005, 0.7, 1.2345, 3.3, 4.999, 5.2, 6]) {
    const slowly = hops.filter((one) => {
      if (one.enqueue > t) return false;
      if (!Number.isNaN(one.drop)) return t < one.drop + 0.05;
      return Number.isNaN(one.start) || t < one.arrive;
    });
    expect(places(t, [chunk], new Filter(), 0.05).map((one) => one.uid)).toEqual(slowly.map((one) => one.uid));
  }
});

test("a link without delay is crossed at once, and its packet still takes its time to send", () => {
  const chunk = chunkOf([hop({ enqueue: 0, start: 0, end: 0.008, arrive: 0.008 })]);
  const moment = new Moment(twoNodes(0).links).at(0.004, [chunk], new Filter(), 0);
  expect(moment.one(0)).toMatchObject({ state: ON_LINK, head: 1, tail: 0 });
});
