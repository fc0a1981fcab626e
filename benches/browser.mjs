// Processor time of a scenario in the page's engine, s, twice: `node browser.mjs ackclock.wasm scenario.toml`.
import { readFileSync } from "node:fs";

const [, , engineFile, scenarioFile] = process.argv;
const module = new WebAssembly.Module(readFileSync(engineFile));
const toml = readFileSync(scenarioFile, "utf8");

function run() {
  const engine = new WebAssembly.Instance(module, {}).exports;
  const ask = (request) => {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const at = engine.input(text.length);
    new Uint8Array(engine.memory.buffer, at, text.length).set(text);
    const isRefused = engine.request() === 0;
    const bytes = new Uint8Array(engine.memory.buffer, engine.output(), engine.output_bytes());
    const told = JSON.parse(new TextDecoder().decode(bytes));
    if (isRefused) throw new Error(told.error);
    return told;
  };
  const began = process.cpuUsage();
  // `plain`: with the tables of the scenario, as the native engine, and without packets.
  ask({ do: "begin", toml, plain: true });
  while (!ask({ do: "step" }).done);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

console.log(run());
console.log(run());
