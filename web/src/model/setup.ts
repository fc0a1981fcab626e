/**
 * What the playground sets up, and the scenario that it comes to (docs/guide/scenarios.md has its keys). Quantities are
 * texts with their units, as in a scenario; the server says which is wrong.
 */

export interface FlowSetup {
  /** "left1 right1": the names of both ends. */
  readonly ends: string;
  /** A variant's id, or "linux:cubic". */
  readonly tcp: string;
  /** Empty: the default set's. */
  readonly window: string;
  readonly start: string;
  /** "64 kB" or "100 packets"; empty: without end. */
  readonly size: string;
}

export interface Setup {
  readonly name: string;
  readonly topology: string;
  /** Pairs, bottlenecks, hosts or nodes. */
  readonly size: number;
  readonly rate: string;
  readonly delay: string;
  readonly queue: string;
  readonly limit: string;
  /** Only what is not as the queue discipline has it by itself. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Share of packets that are lost on the bottleneck, in percent. */
  readonly loss: string;
  readonly accessRate: string;
  /** One for all, or one for each, separated by commas. */
  readonly accessDelay: string;
  readonly flows: readonly FlowSetup[];
  readonly duration: string;
  /** "7" or "ns2:7"; empty for none. Only the second has an ns-2 script that gives the same packets. */
  readonly seed: string;
  readonly defaults: string;
}

const FLOW: FlowSetup = { ends: "left1 right1", tcp: "reno", window: "1000 packets", start: "0 s", size: "" };

export const FIRST: Setup = {
  name: "Vegas beside Reno",
  topology: "dumbbell",
  size: 2,
  rate: "2 Mb/s",
  delay: "20 ms",
  queue: "drop_tail",
  limit: "30 packets",
  parameters: {},
  loss: "0",
  accessRate: "20 Mb/s",
  accessDelay: "5 ms",
  flows: [FLOW, { ...FLOW, ends: "left2 right2", tcp: "vegas" }],
  duration: "40 s",
  seed: "ns2:1",
  defaults: "ns2_35",
};

/** To begin with: each shows one thing. */
export const PRESETS: readonly { readonly setup: Setup; readonly words: string }[] = [
  { setup: FIRST, words: "Reno fills the queue; Vegas sees the delay grow and gives way." },
  {
    setup: {
      ...FIRST,
      name: "RED instead of drop-tail",
      queue: "red",
      parameters: { thresh: "5 packets", maxthresh: "15 packets" },
    },
    words: "Early drops keep the queue short: Vegas gets more of the link.",
  },
  {
    setup: {
      ...FIRST,
      name: "Near and far",
      accessDelay: "2 ms, 80 ms",
      flows: [FLOW, { ...FLOW, ends: "left2 right2" }],
    },
    words: "Two Reno flows, one with seven times the RTT: the shorter one gets nearly all.",
  },
  {
    setup: {
      ...FIRST,
      name: "A lossy link",
      loss: "2",
      limit: "100 packets",
      flows: [
        { ...FLOW, tcp: "tahoe" },
        { ...FLOW, ends: "left2 right2", tcp: "sack" },
      ],
    },
    words: "Random losses: Tahoe restarts slow start after each, SACK recovers and gets more.",
  },
];

/** The same with what was changed. A preset's name does not stay on another set-up. */
export function changed(setup: Setup, change: Partial<Setup>): Setup {
  const isPreset = PRESETS.some((one) => one.setup.name === setup.name);
  const keepsName = !isPreset || "name" in change || Object.keys(change).every((key) => key === "seed");
  return { ...setup, ...(keepsName ? {} : { name: "" }), ...change };
}

/** With another queue discipline: a buffer that it does not count, or that was another's, is left to it. */
export function withQueue(setup: Setup, queue: string, countsPackets: boolean): Setup {
  return changed(setup, { queue, parameters: {}, limit: countsPackets ? setup.limit : "" });
}

/**
 * With other flows: today's senders have the defaults of today's Linux, ns-2's those of ns-2.35. A set that was chosen
 * by hand stays.
 */
export function withFlows(setup: Setup, flows: readonly FlowSetup[]): Setup {
  const isToday = (of: readonly FlowSetup[]): boolean => of.some(({ tcp }) => /^tcp(:|$)/.test(tcp));
  const usual = (of: readonly FlowSetup[]): string => (isToday(of) ? "linux" : FIRST.defaults);
  const defaults = setup.defaults === usual(setup.flows) ? usual(flows) : setup.defaults;
  return changed(setup, { flows, defaults });
}

/** What a topology's size counts. */
export const SIZES: Readonly<
  Record<string, { readonly words: string; readonly least: number; readonly most: number }>
> = {
  dumbbell: { words: "Pairs of hosts", least: 1, most: 8 },
  parking_lot: { words: "Bottlenecks", least: 1, most: 6 },
  star: { words: "Hosts", least: 2, most: 12 },
  chain: { words: "Nodes", least: 2, most: 12 },
};

/** The ends that a flow may have, as "source destination". */
export function ends(topology: string, size: number): string[] {
  const numbers = Array.from({ length: size }, (_, n) => n + 1);
  const all = (name: string): string[] =>
    numbers.flatMap((a) => numbers.filter((b) => b !== a).map((b) => `${name}${a} ${name}${b}`));
  switch (topology) {
    case "parking_lot":
      return [0, ...numbers].map((n) => `source${n} sink${n}`);
    case "star":
      return all("host");
    case "chain":
      return all("node").sort((a, b) => length(b) - length(a));
    default:
      return numbers.map((n) => `left${n} right${n}`);
  }
}

/** Nodes apart; the longest way first. */
function length(ends: string): number {
  const [a, b] = ends.split(" ").map((name) => Number(name.replace(/\D+/g, "")));
  return a! < b! ? 1000 + b! - a! : a! - b!;
}

/** The same setup on another network: flows whose ends are not there get those that are. */
export function fitted(setup: Setup, topology: string, size: number): Setup {
  const bounds = SIZES[topology] ?? { least: 1, most: 8 };
  const fits = Math.min(bounds.most, Math.max(bounds.least, Math.round(size) || bounds.least));
  const known = ends(topology, fits);
  const flows = setup.flows.map((flow, n) =>
    known.includes(flow.ends) ? flow : { ...flow, ends: known[n % known.length]! },
  );
  return { ...setup, topology, size: fits, flows };
}

/** A flow beside the others: the next ends that none has yet. */
export function oneMore(setup: Setup): Setup {
  const known = ends(setup.topology, setup.size);
  const free = known.find((one) => !setup.flows.some((flow) => flow.ends === one)) ?? known[0]!;
  const last = setup.flows[setup.flows.length - 1] ?? FLOW;
  return { ...setup, flows: [...setup.flows, { ...last, ends: free }] };
}

/** The scenario, as TOML's keys in JSON. */
export function scenario(setup: Setup): Record<string, unknown> {
  const loss = Number(setup.loss.replace(",", "."));
  const queue: Record<string, unknown> = { kind: setup.queue };
  // Empty: the discipline's own.
  if (setup.limit.trim() !== "") queue["limit"] = setup.limit;
  if (Object.keys(setup.parameters).length)
    queue["parameters"] = Object.fromEntries(
      Object.entries(setup.parameters).map(([key, value]) => [key, parsed(value)]),
    );
  const bottleneck: Record<string, unknown> = { rate: setup.rate, delay: setup.delay, queue };
  // What is no number is the server's to refuse.
  if (loss !== 0) bottleneck["loss"] = { kind: "uniform", rate: Number.isFinite(loss) ? loss / 100 : setup.loss };
  const made: Record<string, unknown> = {
    name: setup.name,
    duration: setup.duration,
    defaults: setup.defaults,
    topology: network(setup, bottleneck),
    flows: setup.flows.map(flow),
  };
  if (setup.seed.trim() !== "") made["seed"] = seedOf(setup.seed.trim());
  return made;
}

function network(setup: Setup, bottleneck: Record<string, unknown>): Record<string, unknown> {
  const delays = setup.accessDelay.split(",").map((one) => one.trim());
  const access = { rate: setup.accessRate, delay: delays[0] };
  switch (setup.topology) {
    case "parking_lot":
      return { kind: "parking_lot", bottlenecks: setup.size, bottleneck, access };
    case "star":
      return { kind: "star", hosts: setup.size, link: bottleneck };
    case "chain":
      return { kind: "chain", nodes: setup.size, link: bottleneck };
    default:
      return { kind: "dumbbell", pairs: setup.size, bottleneck, access, ...(delays.length > 1 ? { delays } : {}) };
  }
}

function flow({ ends: both, tcp, window, start, size }: FlowSetup): Record<string, unknown> {
  const [source, destination] = both.split(" ");
  const [variant, control] = tcp.split(":");
  return {
    source,
    destination,
    tcp: variant,
    ...(control ? { control } : {}),
    ...(window.trim() === "" ? {} : { window }),
    start,
    ...(size.trim() === "" ? {} : { app: { kind: "ftp", size } }),
  };
}

/** A seed, as a number if this language has it exactly. As a text, the server refuses it; rounded, it would be another. */
function seedOf(text: string): unknown {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

/** A number, true or false, or a quantity with its unit. */
function parsed(text: string): unknown {
  const value = text.trim();
  if (value === "true" || value === "false") return value === "true";
  return value !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** Who sends: "reno, vegas", "8 × cubic". */
export function senders(setup: Setup): string {
  const names = setup.flows.map(({ tcp }) => (tcp.split(":")[1] ?? tcp).replaceAll("_", " "));
  const isOne = names.length > 2 && names.every((name) => name === names[0]);
  return isOne ? `${names.length} × ${names[0]}` : names.join(", ");
}

/** What is different from other runs, in a line. */
export function summary(setup: Setup): string {
  const who = senders(setup);
  const loss = Number(setup.loss) ? `, ${setup.loss} % lost` : "";
  const limit = setup.limit.trim() === "" ? "" : `, ${setup.limit}`;
  return `${who} · ${setup.rate}, ${setup.delay} · ${setup.queue.replaceAll("_", " ")}${limit}${loss}`;
}

/** The field of a setup that a scenario's key is about; null if none. */
export function fieldOf(key: string): string | null {
  const flowField = /^flows\.(\d+)\.(\w+)/.exec(key);
  if (flowField) {
    const names: Record<string, string> = {
      source: "ends",
      destination: "ends",
      pair: "ends",
      control: "tcp",
      app: "size",
    };
    return `flows.${flowField[1]}.${names[flowField[2]!] ?? flowField[2]!}`;
  }
  const rules: readonly [RegExp, string][] = [
    [/^topology\.(bottleneck|link)\.queue\.parameters\.(\w+)/, "parameters.$2"],
    [/^topology\.(bottleneck|link)\.queue\.limit/, "limit"],
    [/^topology\.(bottleneck|link)\.queue/, "queue"],
    [/^topology\.(bottleneck|link)\.loss/, "loss"],
    [/^topology\.(bottleneck|link)\.(rate|delay)/, "$2"],
    [/^topology\.access\.rate/, "accessRate"],
    [/^topology\.(access\.delay|delays)/, "accessDelay"],
    [/^topology\.(pairs|hosts|nodes|bottlenecks)/, "size"],
    [/^topology/, "topology"],
  ];
  for (const [rule, field] of rules) {
    const found = rule.exec(key);
    if (found) return field.replace("$2", found[2] ?? "");
  }
  return /^(duration|seed|defaults|name)$/.test(key) ? key : null;
}
