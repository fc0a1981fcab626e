/** Mouse and fingers on the stage: a click asks, a drag moves, Ctrl and the wheel (or two fingers) come nearer. */

import type { Point } from "../draw/geometry";
import type { Stage } from "../draw/stage";

export interface PointerEvents {
  click(point: Point): void;
  moved(): void;
}

/** A finger or mouse that moved less than this was a click. */
const STILL = 5;

export function watchPointer(stage: Stage, events: PointerEvents): void {
  const { element } = stage;
  const down = new Map<number, Point>();
  let far = 0;
  const at = (event: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  element.addEventListener("pointerdown", (event) => {
    if ((event.target as Element).closest("button")) return;
    if (down.size === 0) far = 0;
    down.set(event.pointerId, at(event));
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const now = at(event);
    far += Math.hypot(now.x - before.x, now.y - before.y);
    if (far >= STILL) {
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      const apart = (point: Point): number => (other ? Math.hypot(point.x - other.x, point.y - other.y) || 1 : 1);
      stage.look(apart(now) / apart(before), other ?? now, other ? 0 : now.x - before.x, other ? 0 : now.y - before.y);
      events.moved();
    }
    down.set(event.pointerId, now);
  });
  const up = (event: PointerEvent): void => {
    if (down.delete(event.pointerId) && down.size === 0 && far < STILL && event.type === "pointerup")
      events.click(at(event));
  };
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  element.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      stage.look(Math.exp(-event.deltaY / 300), at(event));
      events.moved();
    },
    { passive: false },
  );
}
