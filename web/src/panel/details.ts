/** The numbers of what was clicked: a packet, a flow, a link, a node. */

import type { Selection } from "../draw/network";
import { bytes, count, packets, plain, rate, seconds } from "../model/words";
import type { Head } from "../recording/head";
import { packet as ask } from "../recording/numbers";
import type { Counters, Packet } from "../recording/numbers";
import { button, el } from "./element";
import { failed, loading } from "./notice";

const WORDS: Readonly<Record<string, string>> = {
  enqueue: "joins the queue",
  dequeue: "leaves the queue",
  receive: "arrives",
  drop: "is dropped",
  mark: "is marked",
  loss: "is lost on the link",
};

export class Details {
  readonly element = el("section", { class: "card details", "aria-label": "Numbers", "aria-live": "polite" });
  private selected: Selection = null;
  private head: Head;
  private counters: Counters | null = null;
  private readonly close: () => void;
  private readonly seek: (t: number) => void;

  constructor(head: Head, close: () => void, seek: (t: number) => void) {
    this.head = head;
    this.close = close;
    this.seek = seek;
    this.show(null);
  }

  show(selected: Selection): void {
    this.selected = selected;
    if (selected === null) this.hint();
    else if (selected.what === "packet") void this.packet(selected.uid);
    else this.write();
  }

  /** New counters, or more of the recording. */
  update(head: Head, counters: Counters | null): void {
    const before = this.head.notes.join();
    this.head = head;
    this.counters = counters ?? this.counters;
    if (this.selected && this.selected.what !== "packet") this.write();
    // What is wrong with a file is found while it is read.
    if (this.selected === null && head.notes.join() !== before) this.hint();
  }

  private hint(): void {
    this.element.replaceChildren(
      el("p", { class: "soft", text: "Click a packet, flow, link or node for its numbers." }),
      ...this.notes(),
    );
  }

  private notes(): HTMLElement[] {
    return this.head.notes.map((note) => el("p", { class: "soft note", text: note }));
  }

  private write(): void {
    const { selected } = this;
    if (selected?.what === "link") this.link(selected.id);
    if (selected?.what === "flow") this.flow(selected.id);
    if (selected?.what === "node") this.node(selected.id);
  }

  private fill(title: string, facts: readonly (readonly [string, string])[], ...more: readonly HTMLElement[]): void {
    this.element.replaceChildren(
      el("header", {}, el("h2", { text: title }), button("close", "Close the numbers (Esc)", this.close)),
      el(
        "dl",
        { class: "facts" },
        ...facts.map(([name, value]) => el("div", {}, el("dt", { text: name }), el("dd", { text: value }))),
      ),
      ...more,
    );
  }

  private name(node: number | null): string {
    return this.head.nodes.find(({ id }) => id === node)?.name ?? "not known";
  }

  private link(id: number): void {
    const link = this.head.links.find((one) => one.id === id);
    if (!link) return;
    const now = this.counters?.links.find((one) => one.id === id);
    const facts: [string, string][] = [
      [link.estimated ? "rate, estimated" : "rate", rate(link.rate_bps)],
      [link.estimated ? "delay, estimated" : "delay", seconds(link.delay_s)],
      ["queue's limit", link.limit_packets === null ? "not known" : packets(link.limit_packets)],
    ];
    if (now) {
      facts.push(["in the queue", `${packets(now.queue_packets)}, ${bytes(now.queue_bytes)}`]);
      if (now.sent !== undefined) facts.push(["sent", count(now.sent)]);
      if (now.dropped !== undefined) facts.push(["dropped", count(now.dropped)]);
      if (now.marked !== undefined) facts.push(["marked", count(now.marked)]);
    }
    this.fill(`Link ${this.name(link.from)} → ${this.name(link.to)}`, facts);
  }

  private flow(id: number): void {
    const flow = this.head.flows.find((one) => one.id === id);
    if (!flow) return;
    const now = this.counters?.flows.find((one) => one.id === id);
    const facts: [string, string][] = [
      ["from", this.name(flow.source)],
      ["to", this.name(flow.destination)],
      ["kinds", flow.kinds.join(", ")],
    ];
    if (now) {
      facts.push(["sent", count(now.sent)], ["received", count(now.received)]);
      if (now.received_bytes !== undefined) facts.push(["received bytes", bytes(now.received_bytes)]);
      facts.push(["dropped", count(now.dropped)], ["marked", count(now.marked)]);
    }
    this.fill(`Flow ${flow.name}`, facts);
  }

  private node(id: number): void {
    const links = this.head.links.filter(({ from }) => from === id);
    const begins = this.head.flows.filter(({ source }) => source === id).map(({ name }) => name);
    const ends = this.head.flows.filter(({ destination }) => destination === id).map(({ name }) => name);
    this.fill(`Node ${this.name(id)}`, [
      ["links to", links.map(({ to }) => this.name(to)).join(", ") || "none"],
      ["flows begin", begins.join(", ") || "none"],
      ["flows end", ends.join(", ") || "none"],
    ]);
  }

  private async packet(uid: number): Promise<void> {
    this.element.replaceChildren(loading("The packet's life …"));
    try {
      const found = await ask(this.head.id, uid);
      if (this.selected?.what === "packet" && this.selected.uid === uid) this.life(found);
    } catch (error) {
      if (this.selected?.what === "packet" && this.selected.uid === uid)
        this.element.replaceChildren(failed(error, () => void this.packet(uid)));
    }
  }

  private life(found: Packet): void {
    const first = found.events[0];
    const facts: [string, string][] = first
      ? [
          ["flow", this.head.flows.find(({ id }) => id === first.flow)?.name ?? String(first.flow)],
          ["kind", first.kind],
          ["size", `${count(first.size_bytes)} B`],
          ["sequence number", first.seq === null ? "none" : String(first.seq)],
        ]
      : [];
    if (first?.source && first.destination) facts.push(["address", `${first.source} → ${first.destination}`]);
    const life = found.events.map((event) => {
      const link = this.head.links.find(({ id }) => id === event.link);
      const where = link
        ? `${this.name(link.from)} → ${this.name(link.to)}`
        : event.node === null
          ? ""
          : this.name(event.node);
      return el(
        "li",
        {},
        el("button", {
          type: "button",
          class: "plain number",
          text: plain(event.t, 12),
          title: "Go to this time",
          on: { click: () => this.seek(event.t) },
        }),
        el("span", {
          class: event.what === "drop" || event.what === "loss" ? "loss" : "",
          text: WORDS[event.what] ?? event.what,
        }),
        el("span", { class: "soft", text: where }),
      );
    });
    this.fill(
      `Packet ${found.uid}`,
      facts,
      el("ol", { class: "life", "aria-label": "What happens to it, by time in seconds" }, ...life),
    );
  }
}
