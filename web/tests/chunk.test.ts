import { expect, test } from "vitest";
import { ChunkError, chunkBytes, decode } from "../src/recording/chunk";
import { chunkOf, encode, hop } from "./synthetic";

test("columns come back as they were written", () => {
  const chunk = chunkOf([
    hop({
      enqueue: 0.5,
      start: 0.75,
      end: 1,
      arrive: 1.25,
      uid: 7,
      size: 1040,
      link: 3,
      flow: 2,
      kind: 1,
      flags: 9,
      seq: 70000,
    }),
    hop({ enqueue: 0.6, drop: 0.6, uid: 4294967295, flags: 2 }),
    hop({ enqueue: 0.7, link: 65535 }),
  ]);
  expect(chunk.rows).toBe(3);
  expect([...chunk.enqueue_s]).toEqual([0.5, 0.6, 0.7]);
  expect([...chunk.start_s]).toEqual([0.75, NaN, NaN]);
  expect([...chunk.drop_s]).toEqual([NaN, 0.6, NaN]);
  expect([...chunk.uid]).toEqual([7, 4294967295, 0]);
  expect([...chunk.link]).toEqual([3, 0, 65535]);
  expect([...chunk.flags]).toEqual([9, 2, 0]);
  expect([...chunk.seq]).toEqual([70000, 0, 0]);
});

test("its size is the format's: 16 bytes, and columns padded to 8", () => {
  // 5 of 8 bytes, 3 of 4, 2 of 2, 2 of 1: for one row each of the last seven takes 8.
  expect(chunkBytes(1)).toBe(16 + 5 * 8 + 7 * 8);
  expect(chunkBytes(65536)).toBe(16 + 65536 * (40 + 12 + 4 + 2));
});

test.each([
  ["empty", new ArrayBuffer(0), /shorter than its header/],
  ["cut short", encode([hop({}), hop({})]).slice(0, 60), /2 rows has 60 bytes of .*cut short/],
  ["something else", new TextEncoder().encode('{"error": "no such file"}').buffer as ArrayBuffer, /ACKH/],
])("%s is refused in words", (_name, bytes, message) => {
  expect(() => decode(bytes)).toThrow(ChunkError);
  expect(() => decode(bytes)).toThrow(message);
});

test("a newer version is refused", () => {
  const bytes = encode([]);
  new DataView(bytes).setUint32(4, 2, true);
  expect(() => decode(bytes)).toThrow(/version 2, this page reads 1/);
});
