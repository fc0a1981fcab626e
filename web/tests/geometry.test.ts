import { expect, test } from "vitest";
import { along, layout, pressing, waiting, WHOLE } from "../src/draw/geometry";
import { SvgPen } from "../src/draw/pen";
import { twoNodes } from "./synthetic";

const SIZE = { width: 1000, height: 400 };

test("nodes fill the stage, and two directions lie side by side on the left of their ways", () => {
  const at = layout(twoNodes(), SIZE, WHOLE);
  const left = at.nodes.get(0)!;
  const right = at.nodes.get(1)!;
  expect(left.y).toBe(200);
  expect(right.y).toBe(200);
  expect((left.x + right.x) / 2).toBeCloseTo(500, 9);
  expect(left.x).toBeLessThan(120);
  const [there, back] = at.lanes;
  expect([there!.ux, back!.ux]).toEqual([1, -1]);
  expect(there!.y).toBeLessThan(200);
  expect(back!.y).toBeGreaterThan(200);
});

test("a packet half on its way is drawn half on its way", () => {
  const lane = layout(twoNodes(), SIZE, WHOLE).lanes[0]!;
  const middle = along(lane, 0.6, 0.4);
  expect(middle.x).toBeCloseTo(500, 9);
  expect(middle.y).toBeCloseTo(lane.y, 9);
});

test("queues stack away from the link, and no higher than there is room", () => {
  const lane = layout(twoNodes(), SIZE, WHOLE).lanes[0]!;
  expect(waiting(lane, 1, 1).y).toBeLessThan(waiting(lane, 0, 1).y);
  const pressed = pressing(lane, 1000);
  expect(lane.queue.y - waiting(lane, 999, pressed).y).toBeLessThanOrEqual(lane.most);
  expect(pressing(lane, 2)).toBe(1);
});

test("nam's place of a queue turns its stack: a quarter of a turn the other way is below", () => {
  const head = twoNodes();
  const turned = { ...head, links: head.links.map((link) => ({ ...link, queue_position: 1.5 })) };
  const lane = layout(turned, SIZE, WHOLE).lanes[0]!;
  expect(lane.qy).toBeCloseTo(1, 9);
});

test("zoom is about the middle of the stage when nothing was moved", () => {
  const near = layout(twoNodes(), SIZE, { scale: 2, x: 0, y: 0 });
  const whole = layout(twoNodes(), SIZE, WHOLE);
  expect(near.nodes.get(1)!.x - 500).toBeCloseTo(2 * (whole.nodes.get(1)!.x - 500), 9);
});

test("an SVG says what was drawn, and escapes what it was given", () => {
  const pen = new SvgPen();
  pen.fillStyle = "#0b3c5d";
  pen.setTransform(1, 0, 0, 1, 5, 6);
  pen.fillRect(1, 2, 3, 4);
  pen.fillText("a < b", 0, 0);
  const picture = pen.picture(10, 20, 'A & "B"');
  expect(picture).toContain('<rect x="1" y="2" width="3" height="4" fill="#0b3c5d" transform="matrix(1 0 0 1 5 6)"/>');
  expect(picture).toContain(">a &lt; b</text>");
  expect(picture).toContain("<title>A &amp; &quot;B&quot;</title>");
});
