/** A page in a frame of a notebook: who made the frame asks Python and passes the answers on. */

import type { Answers } from "./server";

interface Answered {
  readonly ackclock: number;
  readonly status: number;
  readonly body: ArrayBuffer;
}

export function answersOfParent(): Answers {
  const waiting = new Map<number, (answer: Response) => void>();
  let asked = 0;
  addEventListener("message", (event: MessageEvent<Partial<Answered>>) => {
    if (event.source !== parent || !event.data) return;
    const { ackclock, status, body } = event.data;
    if (ackclock === undefined) return;
    waiting.get(ackclock)?.(new Response(body ?? null, { status: status ?? 500 }));
    waiting.delete(ackclock);
  });
  return (path) =>
    new Promise((resolve) => {
      waiting.set(++asked, resolve);
      // The frame has no origin of its own to name another's.
      parent.postMessage({ ackclock: asked, path }, "*");
    });
}
