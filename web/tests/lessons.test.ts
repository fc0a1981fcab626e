import { expect, test } from "vitest";
import { route } from "../src/app/route";
import { LessonError, lessonOf, lessonsOf, merged, setupOf } from "../src/model/lesson";
import { LESSONS } from "../src/model/lessons";
import { scenario, senders } from "../src/model/setup";
import { packed, unpacked } from "../src/model/share";

const SCENARIO = {
  duration: "10 s",
  topology: {
    kind: "dumbbell",
    pairs: 1,
    bottleneck: { rate: "10 Mb/s", delay: "10 ms", queue: { kind: "red", parameters: { linterm: 50 } } },
  },
  flows: [{ pair: 1, tcp: "tcp", control: "reno", app: { kind: "ftp", size: "64 kB" } }],
};
const TABLE = {
  title: "A title",
  summary: "A summary",
  text: "One.\nThe same.\n\nTwo.\n",
  question: "Why?",
  task: "Change it.",
  answer: "Because.",
  sources: [{ text: "RFC 5681", url: "https://www.rfc-editor.org/rfc/rfc5681" }],
  scenario: SCENARIO,
  change: { flows: { 0: { control: "cubic" } } },
};

test("the page has the files in their order, under names without numbers", () => {
  expect(LESSONS.map(({ id }) => id).slice(0, 3)).toEqual(["slow-start", "aimd", "reno-vegas"]);
  expect(new Set(LESSONS.map(({ id }) => id)).size).toBe(LESSONS.length);
  for (const { setup, changed } of LESSONS) expect(changed).not.toEqual(setup);
});

test("addresses name a lesson or the list", () => {
  expect(route("#/lessons")).toEqual({ at: "lessons" });
  expect(route("#/lessons/slow-start")).toEqual({ at: "lesson", id: "slow-start" });
});

test("a file becomes paragraphs, a set-up and the same with the change", () => {
  const lesson = lessonOf("one", TABLE);
  expect(lesson.text).toEqual(["One. The same.", "Two."]);
  expect(lesson.setup.flows[0]!.tcp).toBe("tcp:reno");
  expect(lesson.changed).toEqual({ ...lesson.setup, flows: [{ ...lesson.setup.flows[0]!, tcp: "tcp:cubic" }] });
});

test("a scenario comes through the form as it was, with what it leaves out", () => {
  expect(scenario(setupOf(SCENARIO))).toEqual({
    ...SCENARIO,
    name: "",
    defaults: "ns2_35",
    topology: { ...SCENARIO.topology, access: { rate: "100 Mb/s", delay: "1 ms" } },
    flows: [
      {
        source: "left1",
        destination: "right1",
        tcp: "tcp",
        control: "reno",
        start: "0 s",
        app: { kind: "ftp", size: "64 kB" },
      },
    ],
  });
});

test.each([
  [{ topology: { bottleneck: { reverse: { delay: "5 ms" } } } }, "topology.bottleneck.reverse"],
  [{ flows: { 0: { parameters: { ecn: true } } } }, "flows.0.parameters"],
  [{ topology: { bottleneck: { loss: [{ rate: 0.1 }] } } }, "topology.bottleneck.loss"],
  [{ record: { packets: true } }, "record"],
])("a key without a field in the form is named: %j", (more, key) => {
  expect(() => setupOf(merged(SCENARIO, more) as typeof SCENARIO)).toThrow(`${key}`);
});

test("a file that is not whole is said with its name and key", () => {
  const { answer: _, ...rest } = TABLE;
  expect(() => lessonsOf({ "../lessons/03-three.toml": rest })).toThrow(LessonError);
  expect(() => lessonsOf({ "../lessons/03-three.toml": rest })).toThrow("03-three.toml: answer: expected a text");
  expect(() => lessonOf("x", { ...TABLE, sources: [] })).toThrow("sources");
  expect(() => lessonOf("x", { ...TABLE, change: { flows: { 3: { tcp: "vegas" } } } })).toThrow("below 1, not 3");
});

test("a flow's size is in the link, and eight equal senders are counted", async () => {
  const incast = LESSONS.find(({ id }) => id === "incast")!.setup;
  expect(await unpacked(await packed([incast]))).toEqual([incast]);
  expect(senders(incast)).toBe("8 × cubic");
});
