/** The player: stage, transport, flows, numbers and charts of one recording, and the loop that moves them. */

import { Stage } from "../draw/stage";
import type { Selection } from "../draw/network";
import { FALL_S } from "../draw/packets";
import { Clock, speedFor } from "../model/clock";
import { Filter } from "../model/filter";
import type { Action } from "../model/keys";
import { Moment } from "../model/moment";
import type { Place } from "../model/moment";
import { lastEvent, nextEvent } from "../model/step";
import { count } from "../model/words";
import type { ChunkEntry } from "../recording/head";
import { counters as askCounters } from "../recording/numbers";
import type { Recording } from "../recording/recording";
import { Charts, chartTools } from "./charts";
import { Details } from "./details";
import { button, el, save } from "./element";
import { Flows } from "./flows";
import { failed } from "./notice";
import { watchPointer } from "./pointer";
import { faster, Transport } from "./transport";
import { series } from "../recording/series";
import { dropTimes } from "../model/curve";

/** While the server still reads the file it is asked this often. */
const REFRESH_MS = 700;
/** Curves of all of it cost the server more. */
const REFRESH_CHARTS_MS = 2500;
/** Counters while playing. */
const COUNT_MS = 300;
/** Chunks are sent for this long before they are needed, in seconds of the eye. */
const AHEAD_S = 2;
/** A fall is no longer than this in simulated time, however fast it plays. */
const LONGEST_FALL_S = 0.5;

/** A place with where it is drawn, for tests. */
export interface Drawn extends Place {
  readonly x: number;
  readonly y: number;
}

/** As many changes of the count of drops as the time line can show. */
const DROP_POINTS = 4000;

export class Player {
  readonly element: HTMLElement;
  readonly recording: Recording;
  readonly clock: Clock;
  private filter = new Filter();
  private readonly stage: Stage;
  private moment: Moment;
  private readonly transport: Transport;
  private readonly flows: Flows;
  private readonly details: Details;
  private readonly charts: Charts;
  private readonly state = el("p", { class: "stage-state", role: "status" });
  private readonly caption = el("p", { class: "stage-caption" });
  private readonly watch: ResizeObserver;
  private frame = 0;
  private before = 0;
  private dirty = true;
  private shown = false;
  private counted = -Infinity;
  private charted = 0;
  private counting: AbortController | null = null;
  private refreshing: ReturnType<typeof setTimeout> | undefined;
  private failure: Error | null = null;

  constructor(recording: Recording, at: number | null) {
    this.recording = recording;
    const { head } = recording;
    const delays_s = head.links.map(({ delay_s }) => delay_s ?? 0);
    // Of a file that is still being read, how long the whole will be.
    const span_s = (head.end_s - head.begin_s) / (head.complete ? 1 : Math.max(head.read_fraction, 0.01));
    this.clock = new Clock(head.begin_s, head.end_s, speedFor(delays_s, span_s));
    if (at !== null) this.clock.seek(at);
    this.stage = new Stage(head);
    this.moment = new Moment(head.links);
    this.transport = new Transport(this.clock, {
      toggle: () => this.toggle(),
      step: (direction) => void this.step(direction),
      seek: (t) => this.seek(t),
      setSpeed: (rate) => this.setSpeed(rate),
    });
    this.flows = new Flows({
      setFilter: (filter) => this.setFilter(filter),
      select: (id) => this.select({ what: "flow", id }),
    });
    this.details = new Details(
      head,
      () => this.select(null),
      (t) => this.seek(t),
    );
    this.charts = new Charts(head, this.filter, (t) => this.seek(t));
    this.flows.build(head, this.filter);
    watchPointer(this.stage, {
      click: (point) => this.select(this.stage.hit(this.moment, point)),
      moved: () => (this.dirty = true),
    });
    this.element = this.lay();
    this.watch = new ResizeObserver(() => this.arrange());
  }

  private lay(): HTMLElement {
    const { head } = this.recording;
    const tools = el(
      "div",
      { class: "stage-tools", role: "group", "aria-label": "Image" },
      button("slower", "Farther (-)", () => this.act("farther", 0)),
      button("faster", "Nearer (+)", () => this.act("closer", 0)),
      button("whole", "All of the network (w)", () => this.act("whole", 0)),
      el("button", {
        type: "button",
        class: "small",
        text: "PNG",
        title: "Save the image as PNG",
        on: { click: () => void this.png() },
      }),
      el("button", {
        type: "button",
        class: "small",
        text: "SVG",
        title: "Save the image as SVG",
        on: { click: () => this.svg() },
      }),
    );
    const size = `${count(head.nodes.length)} nodes and ${count(head.links.length)} one-way links`;
    this.stage.label(`The network of ${head.name}: ${size}, with packets moving along them`);
    this.stage.element.append(tools, this.state, this.caption);
    return el(
      "div",
      { class: "player" },
      el(
        "div",
        { class: "theatre" },
        el("div", { class: "card stage-card" }, this.stage.element, this.transport.element),
        el("aside", { class: "side" }, this.flows.element, this.details.element),
      ),
      chartTools(this.charts),
      this.charts.element,
    );
  }

  /** Begin: the element is in the page. */
  start(): void {
    this.watch.observe(this.stage.element);
    this.arrange();
    this.frame = requestAnimationFrame((now) => this.tick(now));
    if (!this.recording.head.complete) this.refreshing = setTimeout(() => void this.refresh(), REFRESH_MS);
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.refreshing);
    this.watch.disconnect();
    this.counting?.abort();
    this.charts.stop();
  }

  /** Colours or size have changed. */
  arrange(): void {
    this.stage.arrange(this.recording.head);
    this.flows.build(this.recording.head, this.filter);
    this.charts.redraw();
    this.counted = -Infinity;
    this.dirty = true;
  }

  private tick(now: number): void {
    this.frame = requestAnimationFrame((next) => this.tick(next));
    const passed = Math.max(0, (now - this.before) / 1000);
    this.before = now;
    if (!this.clock.playing && !this.dirty) return;
    const { clock, recording } = this;
    const ready = this.show(clock.t);
    this.tell(ready);
    if (ready) {
      this.dirty = false;
      // What lies ahead is sent for in time.
      recording.atHand(recording.needed(clock.t, clock.t + AHEAD_S * clock.speed));
      const was = clock.playing;
      clock.pass(passed);
      if (was && !clock.playing) this.dirty = true;
    }
    this.transport.show();
    this.count(now);
  }

  /** Where the time line has drops; what is not told leaves it bare. */
  private async markDrops(): Promise<void> {
    const { begin_s: from, end_s: to, id } = this.recording.head;
    const span = to - from;
    if (span <= 0) return;
    const found = await series(id, "drops", { from, to, points: DROP_POINTS, interval_s: span }).catch(() => null);
    const shares = found ? dropTimes(found).map((t) => (t - from) / span) : [];
    this.transport.marks(shares);
  }

  private get fall_s(): number {
    return Math.min(LONGEST_FALL_S, FALL_S * this.clock.speed);
  }

  private needed(t: number): readonly ChunkEntry[] {
    return this.recording.needed(t - this.fall_s, t);
  }

  /** Draw the packets of `t`; false if some of them are still on their way from the server. */
  private show(t: number): boolean {
    const chunks = this.recording.atHand(this.needed(t));
    if (!chunks) return false;
    this.stage.draw(this.moment.at(t, chunks, this.filter, this.fall_s));
    if (!this.shown) {
      this.shown = true;
      performance.mark("first-frame");
      this.element.dataset["drawn"] = "";
      // Packets first: a browser asks a server few things at once.
      void this.markDrops();
      this.charts.load();
    }
    this.charts.playhead(t, !this.clock.playing);
    // What the file says in words holds until it says something else.
    const said = this.recording.head.remarks?.findLast(({ time_s }) => time_s <= t)?.text ?? "";
    if (this.caption.textContent !== said) this.caption.textContent = said;
    return true;
  }

  private tell(ready: boolean): void {
    const failure = this.recording.failure;
    if (failure !== this.failure) {
      this.failure = failure;
      if (failure) {
        this.clock.playing = false;
        this.state.replaceChildren(failed(failure, () => this.again()));
      } else this.state.replaceChildren();
    }
    if (failure) return;
    const { complete, read_fraction } = this.recording.head;
    const words = !ready
      ? "Loading packets …"
      : complete
        ? ""
        : `Reading the file: ${Math.floor(100 * read_fraction)} %`;
    if (this.state.textContent !== words) this.state.textContent = words;
  }

  private again(): void {
    this.recording.failure = null;
    this.dirty = true;
  }

  /** Counters of the present time, at most every so often. */
  private count(now: number): void {
    if (now - this.counted < COUNT_MS) {
      if (!this.clock.playing) this.dirty = true;
      return;
    }
    this.counted = now;
    this.counting?.abort();
    const asked = (this.counting = new AbortController());
    askCounters(this.recording.head.id, this.clock.t, asked.signal).then(
      (counters) => {
        this.flows.show(counters);
        this.details.update(this.recording.head, counters);
      },
      // Whether the server is there is told by the packets.
      () => undefined,
    );
  }

  private async refresh(): Promise<void> {
    const before = this.recording.head.flows.length;
    try {
      if (await this.recording.refresh()) {
        const { head } = this.recording;
        this.clock.begin = head.begin_s;
        this.clock.end = head.end_s;
        // There may be more links, and better estimates of them.
        this.moment = new Moment(head.links);
        if (head.complete || performance.now() - this.charted > REFRESH_CHARTS_MS) {
          this.charted = performance.now();
          this.charts.update(head, this.filter);
        }
        this.details.update(head, null);
        this.stage.arrange(head);
        if (head.flows.length !== before) this.flows.build(head, this.filter);
      }
    } catch (error) {
      this.recording.failure = error instanceof Error ? error : new Error(String(error));
    }
    this.dirty = true;
    if (!this.recording.head.complete && !this.recording.failure)
      this.refreshing = setTimeout(() => void this.refresh(), REFRESH_MS);
  }

  seek(t: number): void {
    this.clock.seek(t);
    this.dirty = true;
    this.counted = -Infinity;
  }

  private toggle(): void {
    this.clock.toggle();
    this.dirty = true;
    this.transport.show();
  }

  private setSpeed(rate: number): void {
    this.clock.speed = rate;
    this.dirty = true;
  }

  private setFilter(filter: Filter): void {
    this.filter = filter;
    this.flows.build(this.recording.head, filter);
    this.charts.update(this.recording.head, filter);
    this.counted = -Infinity;
    this.dirty = true;
  }

  private select(selected: Selection): void {
    this.stage.selected = selected;
    this.stage.drawBelow();
    this.details.show(selected);
    this.counted = -Infinity;
    this.dirty = true;
  }

  /** To the next event that the filter shows, or the one before. */
  async step(direction: 1 | -1): Promise<void> {
    this.clock.playing = false;
    const { recording, clock } = this;
    const { chunks } = recording.head;
    const find = direction > 0 ? nextEvent : lastEvent;
    // First where the time is, then chunk by chunk outwards: hidden flows may leave long stretches empty.
    const here = recording.needed(clock.t);
    const others = chunks.filter(
      (one) => !here.includes(one) && (direction > 0 ? one.begin_s > clock.t : one.begin_s <= clock.t),
    );
    const near = direction > 0 ? others[0] : others[others.length - 1];
    try {
      let found = find(await recording.load(near ? [...here, near] : here), clock.t, this.filter);
      for (const one of direction > 0 ? others.slice(1) : others.slice(0, -1).reverse()) {
        if (found !== null) break;
        found = find(await recording.load([one]), clock.t, this.filter);
      }
      this.seek(found ?? (direction > 0 ? clock.end : clock.begin));
    } catch (error) {
      recording.failure = error instanceof Error ? error : new Error(String(error));
      this.dirty = true;
    }
  }

  /** Do what a key means. */
  act(action: Action, digit: number): void {
    const { clock, stage, recording, charts } = this;
    const { head } = recording;
    const middle = { x: stage.element.clientWidth / 2, y: stage.element.clientHeight / 2 };
    const flow = head.flows[digit - 1]?.id;
    const acts: Partial<Record<Action, () => void>> = {
      play: () => this.toggle(),
      next: () => void this.step(1),
      back: () => void this.step(-1),
      forward: () => this.seek(clock.t + clock.speed),
      backward: () => this.seek(clock.t - clock.speed),
      begin: () => this.seek(clock.begin),
      end: () => this.seek(clock.end),
      faster: () => this.setSpeed(faster(clock.speed, 1)),
      slower: () => this.setSpeed(faster(clock.speed, -1)),
      goto: () => this.transport.focusTime(),
      flow: () => flow !== undefined && this.setFilter(this.filter.toggledFlow(flow)),
      onlyFlow: () =>
        flow !== undefined &&
        this.setFilter(
          this.filter.onlyFlow(
            flow,
            head.flows.map(({ id }) => id),
          ),
        ),
      allFlows: () => this.setFilter(new Filter()),
      acks: () => head.kinds.includes("ack") && this.setFilter(this.filter.toggledKind(head.kinds.indexOf("ack"))),
      nextPacket: () =>
        this.selectNext(
          "packet",
          Array.from({ length: this.moment.count }, (_, n) => this.moment.one(n).uid),
        ),
      nextFlow: () =>
        this.selectNext(
          "flow",
          head.flows.map(({ id }) => id),
        ),
      nextLink: () =>
        this.selectNext(
          "link",
          head.links.map(({ id }) => id),
        ),
      nextNode: () =>
        this.selectNext(
          "node",
          head.nodes.map(({ id }) => id),
        ),
      deselect: () => this.select(null),
      closer: () => stage.look(1.25, middle),
      farther: () => stage.look(0.8, middle),
      whole: () => stage.lookAtAll(),
      zoomIn: () => charts.zoomBy(0.5),
      zoomOut: () => charts.zoomBy(2),
      panLeft: () => charts.panBy(-0.25),
      panRight: () => charts.panBy(0.25),
      allTime: () => charts.look(null),
    };
    acts[action]?.();
    this.dirty = true;
  }

  private selectNext(what: "packet" | "flow" | "link" | "node", all: readonly number[]): void {
    if (all.length === 0) return;
    const now = this.stage.selected;
    const at =
      now?.what === what
        ? all.indexOf(what === "packet" ? (now as { uid: number }).uid : (now as { id: number }).id)
        : -1;
    const next = all[(at + 1) % all.length]!;
    this.select(what === "packet" ? { what, uid: next } : { what, id: next });
  }

  /** Every place at `t` (s), as the page would draw it. */
  async positions(t: number): Promise<readonly Drawn[]> {
    const chunks = await this.recording.load(this.needed(t));
    const moment = new Moment(this.recording.head.links).at(t, chunks, this.filter, this.fall_s);
    return Array.from({ length: moment.count }, (_, n) => ({
      ...moment.one(n),
      ...(this.stage.spot(moment, n) ?? { x: NaN, y: NaN }),
    }));
  }

  private async png(): Promise<void> {
    const picture = await this.stage.png();
    if (picture) save(`${this.recording.head.name}.png`, picture);
  }

  private svg(): void {
    const { head } = this.recording;
    save(`${head.name}.svg`, this.stage.svg(this.moment, `${head.name} at ${this.clock.t} s`), "image/svg+xml");
  }
}
