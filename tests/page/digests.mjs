// Digests of runs in WebAssembly: `node digests.mjs ackclock.wasm < scenarios.jsonl`, a line for each scenario in JSON.
// The counterpart of crates/wasm/examples/scenario_digests.rs.
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));

function digest(scenario) {
  const engine = new WebAssembly.Instance(module, {}).exports;
  const ask = (request) => {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const at = engine.input(text.length);
    new Uint8Array(engine.memory.buffer, at, text.length).set(text);
    const isRefused = engine.request() === 0;
    const bytes = new Uint8Array(engine.memory.buffer, engine.output(), engine.output_bytes());
    return { isRefused, told: JSON.parse(new TextDecoder().decode(bytes)) };
  };
  let step = ask({ do: "begin", scenario });
  while (!step.isRefused && !step.told.done) step = ask({ do: "step" });
  if (!step.isRefused) step = ask({ do: "digest" });
  return step.isRefused ? step.told.error : step.told.digest;
}

for (const line of readFileSync(0, "utf8").split("\n").filter((one) => one !== "")) console.log(digest(JSON.parse(line)));
