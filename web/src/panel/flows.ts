/** The flows and kinds of packets: their colours, what each has sent and lost, and which are shown. */

import { stroke, theme } from "../draw/theme";
import type { Filter } from "../model/filter";
import { count } from "../model/words";
import type { Head } from "../recording/head";
import type { Counters } from "../recording/numbers";
import { el } from "./element";

export interface FlowCommands {
  setFilter(filter: Filter): void;
  select(flow: number): void;
}

const COLUMNS = ["sent", "received", "dropped", "marked"] as const;

export class Flows {
  readonly element = el("section", { class: "card flows", "aria-label": "Flows and kinds of packets" });
  private readonly commands: FlowCommands;
  private rows = new Map<number, HTMLTableRowElement>();

  constructor(commands: FlowCommands) {
    this.commands = commands;
  }

  /** Build the list anew: another filter, other colours, more flows. */
  build(head: Head, filter: Filter): void {
    const colours = theme();
    this.rows = new Map();
    const body = head.flows.map((flow, number) => {
      const { colour, hollow } = stroke(colours, number);
      const box = el("input", {
        type: "checkbox",
        checked: !filter.flows.has(flow.id),
        "aria-label": `Show flow ${flow.name}`,
      });
      box.addEventListener("change", () => this.commands.setFilter(filter.toggledFlow(flow.id)));
      const swatch = el("span", { class: hollow ? "packet hollow" : "packet", "aria-hidden": "true" });
      swatch.style.setProperty("--colour", colour);
      const row = el(
        "tr",
        { class: filter.flows.has(flow.id) ? "hidden-row" : "" },
        el("td", {}, el("label", { class: "check" }, box, swatch)),
        el(
          "th",
          { scope: "row" },
          el("button", {
            type: "button",
            class: "plain",
            text: flow.name,
            title: `Numbers of flow ${flow.name}`,
            on: { click: () => this.commands.select(flow.id) },
          }),
        ),
        ...COLUMNS.map(() => el("td", { class: "number", text: "" })),
      );
      this.rows.set(flow.id, row);
      return row;
    });
    const kinds = head.kinds.map((kind, place) => {
      const box = el("input", { type: "checkbox", checked: !filter.kinds.has(place) });
      box.addEventListener("change", () => this.commands.setFilter(filter.toggledKind(place)));
      return el("label", { class: "check kind" }, box, kind);
    });
    this.element.replaceChildren(
      el(
        "table",
        {},
        el("caption", { text: "Flows" }),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("td"),
            el("td"),
            ...COLUMNS.map((name) => el("th", { scope: "col", class: "number", text: name })),
          ),
        ),
        el("tbody", {}, ...body),
      ),
      el(
        "div",
        { class: "kinds", role: "group", "aria-label": "Kinds of packets" },
        el("span", { class: "soft", text: "Kinds" }),
        ...kinds,
      ),
      el(
        "p",
        { class: "signs soft" },
        el("span", { class: "sign-mark", "aria-hidden": "true" }),
        "marked",
        el("span", { class: "sign-drop", text: "✕", "aria-hidden": "true" }),
        "dropped",
        el("span", { class: "sign-ack", "aria-hidden": "true" }),
        "acknowledgement",
      ),
    );
  }

  /** Write the counters. */
  show(counters: Counters): void {
    for (const flow of counters.flows) {
      const row = this.rows.get(flow.id);
      COLUMNS.forEach((name, n) => {
        const cell = row?.cells[n + 2];
        const text = flow[name] === undefined ? "" : count(flow[name]);
        if (cell && cell.textContent !== text) cell.textContent = text;
      });
    }
  }
}
