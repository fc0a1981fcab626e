import { expect, test } from "vitest";
import {
  changed,
  ends,
  fieldOf,
  FIRST,
  fitted,
  oneMore,
  PRESETS,
  scenario,
  SIZES,
  withFlows,
  withQueue,
} from "../src/model/setup";
import { packed, ShareError, unpacked } from "../src/model/share";

test("a set-up comes to a scenario by the guide's keys", () => {
  const made = scenario({
    ...FIRST,
    queue: "red",
    parameters: { thresh: "5", setbit: "true" },
    loss: "1.5",
    accessDelay: "2 ms, 40 ms",
    flows: [{ ...FIRST.flows[0]!, tcp: "linux:cubic" }],
  });
  expect(made).toEqual({
    name: "Vegas beside Reno",
    duration: "40 s",
    defaults: "ns2_35",
    seed: "ns2:1",
    topology: {
      kind: "dumbbell",
      pairs: 2,
      bottleneck: {
        rate: "2 Mb/s",
        delay: "20 ms",
        queue: { kind: "red", limit: "30 packets", parameters: { thresh: 5, setbit: true } },
        loss: { kind: "uniform", rate: 0.015 },
      },
      access: { rate: "20 Mb/s", delay: "2 ms" },
      delays: ["2 ms", "40 ms"],
    },
    flows: [
      { source: "left1", destination: "right1", tcp: "linux", control: "cubic", window: "1000 packets", start: "0 s" },
    ],
  });
});

test("a seed is a whole number, ns-2's, or none", () => {
  const seed = (text: string): unknown => scenario({ ...FIRST, seed: text })["seed"];
  expect([" 7 ", "0", "ns2:7", "", "9007199254740991"].map(seed)).toEqual([7, 0, "ns2:7", undefined, 2 ** 53 - 1]);
  // 2 ** 53 + 1 would be rounded.
  expect(["9007199254740993", "1.5", "-1"].map(seed)).toEqual(["9007199254740993", "1.5", "-1"]);
});

test("other networks keep the flows, between ends that they have", () => {
  const chain = fitted(FIRST, "chain", 3);
  expect(chain.flows.map((flow) => flow.ends)).toEqual(["node1 node3", "node1 node2"]);
  expect(ends("parking_lot", 2)).toEqual(["source0 sink0", "source1 sink1", "source2 sink2"]);
  expect(fitted(FIRST, "star", 99).size).toBe(12);
  expect(oneMore(fitted(FIRST, "dumbbell", 3)).flows[2]!.ends).toBe("left3 right3");
});

test("a key that the server refuses is the field that shows it", () => {
  expect(fieldOf("flows.1.tcp")).toBe("flows.1.tcp");
  expect(fieldOf("flows.0.control")).toBe("flows.0.tcp");
  expect(fieldOf("topology.bottleneck.queue.parameters.thresh")).toBe("parameters.thresh");
  expect(fieldOf("topology.bottleneck.rate")).toBe("rate");
  expect(fieldOf("topology.delays")).toBe("accessDelay");
  expect(fieldOf("routing")).toBe(null);
});

test("a link holds all of it, and its letters need no escape", async () => {
  const setups = PRESETS.map(({ setup }) => setup);
  const text = await packed(setups);
  expect(text).toMatch(/^[\w-]+$/);
  expect(await unpacked(text)).toEqual(setups);
});

test.each(["", "not a link", "AAAA"])("a link that was cut is refused in words: %s", async (text) => {
  await expect(unpacked(text)).rejects.toThrow(ShareError);
});

test("what a link says beside a set-up is left out", async () => {
  const [read] = await unpacked(
    await packed([{ ...FIRST, rate: 5, evil: "<script>", flows: [{ tcp: ["sack"] }] } as never]),
  );
  expect(read).toEqual({ ...FIRST, flows: [FIRST.flows[0]] });
});

test("a preset's name does not stay on another set-up", () => {
  expect(changed(FIRST, { rate: "5 Mb/s" }).name).toBe("");
  expect(changed(FIRST, { seed: "7" }).name).toBe(FIRST.name);
  expect(changed(FIRST, { name: "Mine" }).name).toBe("Mine");
  expect(changed({ ...FIRST, name: "Mine" }, { rate: "5 Mb/s" }).name).toBe("Mine");
});

test("a queue that does not count packets has its own buffer", () => {
  const cake = withQueue(FIRST, "cake", false);
  expect(scenario(cake)["topology"]).toMatchObject({ bottleneck: { queue: { kind: "cake" } } });
  expect(JSON.stringify(scenario(cake))).not.toContain("limit");
  expect(withQueue(FIRST, "red", true).limit).toBe(FIRST.limit);
});

test("today's senders have today's defaults, unless another set was chosen", () => {
  const today = FIRST.flows.map((flow) => ({ ...flow, tcp: "tcp:cubic" }));
  expect(withFlows(FIRST, today).defaults).toBe("linux");
  expect(withFlows(withFlows(FIRST, today), FIRST.flows).defaults).toBe("ns2_35");
  expect(withFlows({ ...FIRST, defaults: "rfc" }, today).defaults).toBe("rfc");
});

/** What a link holds, made of anything. */
async function deflated(told: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(told)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

test("a link of another form is said to be from another version, and lists alone are still read", async () => {
  await expect(unpacked(await deflated({ form: 2, setups: [FIRST] }))).rejects.toThrow("from another version");
  expect(await unpacked(await deflated([FIRST]))).toEqual([FIRST]);
});

test("a link without bounds is bounded: nodes by the form, its text by a mebibyte", async () => {
  const [big] = await unpacked(await deflated([{ ...FIRST, size: 1e12 }]));
  expect(big!.size).toBe(SIZES["dumbbell"]!.most);
  const [odd] = await unpacked(await deflated([{ ...FIRST, topology: "star", size: -0.5 }]));
  expect([odd!.size, odd!.flows[0]!.ends]).toEqual([SIZES["star"]!.least, "host1 host2"]);
  await expect(unpacked(await deflated([{ ...FIRST, name: "a".repeat(2 << 20) }]))).rejects.toThrow(ShareError);
});
