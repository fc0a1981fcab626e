/** A set-up as a piece of an address: JSON, deflated, in the letters that addresses may have. */

import { FIRST, fitted } from "./setup";
import type { FlowSetup, Setup } from "./setup";

/** The form of what is in a link: a page of an older version cannot read a later one. Lists alone are of form 1, too. */
const FORM = 1;

/** Which of a link's runs is shown in the player, from 1, and the place in time, s. */
export interface Shown {
  readonly run: number;
  readonly t: number | null;
}

/** Four set-ups are smaller, in bytes. Deflated, a short link could hold more than a page can take. */
const MOST_BYTES = 1 << 20;

/** A text that is no set-up of this page. */
export class ShareError extends Error {}

export async function packed(setups: readonly Setup[]): Promise<string> {
  const bytes = await through(
    new CompressionStream("deflate-raw"),
    new TextEncoder().encode(JSON.stringify({ form: FORM, setups })),
  );
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The set-ups in a link; throws a ShareError where it was cut or is of something else. */
export async function unpacked(text: string): Promise<Setup[]> {
  let read: unknown;
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(
      new DecompressionStream("deflate-raw"),
      Uint8Array.from(letters, (letter) => letter.charCodeAt(0)),
    );
    read = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new ShareError(
      "The set-up in this link cannot be read: the link was cut short or changed. Ask for it again, or begin with a set-up of your own.",
    );
  }
  if (typeof read === "object" && read !== null && "form" in read) {
    if (read.form !== FORM)
      throw new ShareError(
        "The set-up in this link is from another version of ackclock. Open it with that version, or begin with a set-up of your own.",
      );
    read = "setups" in read ? read.setups : null;
  }
  if (!Array.isArray(read) || read.length === 0 || read.length > 4)
    throw new ShareError("The link holds no set-up of the playground.");
  return read.map(checked);
}

/** Nothing but what a set-up has, each of its type: links come from anywhere. */
function checked(given: unknown): Setup {
  const from = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  const made: Record<string, unknown> = { ...FIRST };
  for (const [key, usual] of Object.entries(FIRST)) {
    if (typeof from[key] === typeof usual && typeof usual !== "object") made[key] = from[key];
  }
  made["parameters"] = Object.fromEntries(
    Object.entries((from["parameters"] ?? {}) as object).filter(([, value]) => typeof value === "string"),
  );
  const flows = Array.isArray(from["flows"]) ? (from["flows"] as unknown[]) : [];
  made["flows"] = flows.slice(0, 16).map((one) => {
    const flow = (one ?? {}) as Record<string, unknown>;
    const text = (key: keyof FlowSetup): string => (typeof flow[key] === "string" ? flow[key] : FIRST.flows[0]![key]);
    return { ends: text("ends"), tcp: text("tcp"), window: text("window"), start: text("start"), size: text("size") };
  });
  const setup = made as unknown as Setup;
  // No more nodes than the form has: a page that draws a billion names stands still.
  return fitted(setup, setup.topology, setup.size);
}

async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  let count = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      count += chunk.length;
      if (count > MOST_BYTES) controller.error(new ShareError("too long"));
      else controller.enqueue(chunk);
    },
  });
  const made = new Blob([bytes]).stream().pipeThrough(stream).pipeThrough(counted);
  return new Uint8Array(await new Response(made).arrayBuffer());
}
