/** The network without its packets: drawn once, until its size, its colours or what is selected changes. */

import { rate, withUnit } from "../model/words";
import type { Head, Link } from "../recording/head";
import type { Layout } from "./geometry";
import type { Pen } from "./pen";
import type { Theme } from "./theme";

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
/** With more links than this, no link says its rate and delay. */
const MOST_LABELS = 16;

/** What was clicked. */
export type Selection =
  | { readonly what: "packet"; readonly uid: number }
  | { readonly what: "flow"; readonly id: number }
  | { readonly what: "node"; readonly id: number }
  | { readonly what: "link"; readonly id: number }
  | null;

export function drawNetwork(pen: Pen, head: Head, at: Layout, colours: Theme, selected: Selection): void {
  for (const lane of at.lanes) {
    const chosen = selected?.what === "link" && selected.id === lane.link.id;
    pen.beginPath();
    pen.moveTo(lane.x, lane.y);
    pen.lineTo(lane.x + lane.ux * lane.length, lane.y + lane.uy * lane.length);
    pen.lineWidth = at.thickness + 2;
    pen.strokeStyle = colours.grid;
    pen.stroke();
    if (chosen) {
      pen.lineWidth = 1.5;
      pen.strokeStyle = colours.ink;
      pen.stroke();
    }
  }
  if (head.links.length <= MOST_LABELS) labelLinks(pen, head, at, colours);
  const names = head.nodes.length <= 120;
  for (const node of head.nodes) {
    const { x, y } = at.nodes.get(node.id)!;
    const chosen = selected?.what === "node" && selected.id === node.id;
    pen.lineWidth = chosen ? 3 : 1.5;
    pen.strokeStyle = colours.ink;
    pen.fillStyle = colours.paper;
    pen.beginPath();
    if (node.shape === "circle") {
      pen.arc(x, y, at.radius, 0, 2 * Math.PI);
    } else {
      const side = at.radius * 0.9;
      pen.moveTo(x - side, y - side);
      pen.lineTo(x + side, y - side);
      pen.lineTo(x + side, y + side);
      pen.lineTo(x - side, y + side);
      pen.lineTo(x - side, y - side);
    }
    pen.fill();
    pen.stroke();
    if (names) nameNode(pen, node.name, x, y, at, colours);
  }
}

function nameNode(pen: Pen, name: string, x: number, y: number, at: Layout, colours: Theme): void {
  const inside = name.length <= 2 && at.radius > 8;
  pen.font = `${inside ? 600 : 500} ${at.radius > 14 ? 12.5 : 10.5}px ${FONT}`;
  pen.textAlign = "center";
  pen.textBaseline = inside ? "middle" : "top";
  pen.fillStyle = colours.ink;
  pen.fillText(name, x, inside ? y + 0.5 : y + at.radius + 5);
}

/** Rate and delay beside each link, once for both directions; both rates where they differ. */
function labelLinks(pen: Pen, head: Head, at: Layout, colours: Theme): void {
  const said = new Set<string>();
  pen.font = `11.5px ${FONT}`;
  pen.fillStyle = colours.soft;
  for (const lane of at.lanes) {
    const { link } = lane;
    const ends = [link.from, link.to].sort((a, b) => a - b).join(" ");
    const flat = Math.abs(lane.uy) < 0.35;
    const back = head.links.find((other) => other.from === link.to && other.to === link.from);
    const text = linkWords(link, back);
    if (text === "" || said.has(ends) || lane.length < (flat ? 100 : 130)) continue;
    said.add(ends);
    // Below the lanes of a flat link; to the right of a steep one.
    const off = at.thickness * (back ? 1.5 : 0.8) + 6;
    const middle = { x: lane.x + (lane.ux * lane.length) / 2, y: lane.y + (lane.uy * lane.length) / 2 };
    pen.textAlign = flat ? "center" : "left";
    pen.textBaseline = flat ? "top" : "middle";
    const below = lane.ux >= 0 ? off : at.thickness / 2 + 6;
    pen.fillText(text, middle.x + (flat ? 0 : off + 4), middle.y + (flat ? below : 0));
  }
}

function linkWords(link: Link, back: Link | undefined): string {
  const rates = new Set([link.rate_bps, back?.rate_bps ?? null].filter((one) => one !== null).map((one) => rate(one)));
  const parts = [[...rates].join(" / "), link.delay_s === null ? "" : withUnit(link.delay_s, "s", 3)];
  const words = parts.filter((part) => part !== "").join(" · ");
  // A trace does not say what its links are: the numbers are what its packets show at most.
  return link.estimated && words !== "" ? `≈ ${words}` : words;
}
