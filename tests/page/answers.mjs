// Answers of the engine in WebAssembly: `node answers.mjs ackclock.wasm < requests.json`. The input is a scenario and requests
// about its results, {"scenario": ..., "requests": [...]}; the output the answers, those in bytes as base64.
import { readFileSync } from "node:fs";

const engine = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(process.argv[2])), {}).exports;

function ask(request) {
  const text = new TextEncoder().encode(JSON.stringify(request));
  const at = engine.input(text.length);
  new Uint8Array(engine.memory.buffer, at, text.length).set(text);
  const kind = engine.request();
  const bytes = Buffer.from(new Uint8Array(engine.memory.buffer, engine.output(), engine.output_bytes()));
  if (kind === 0) throw new Error(bytes.toString());
  return kind === 1 ? JSON.parse(bytes.toString()) : bytes.toString("base64");
}

const { scenario, requests } = JSON.parse(readFileSync(0, "utf8"));
ask({ do: "begin", scenario });
while (!ask({ do: "step" }).done);
console.log(JSON.stringify(requests.map(ask)));
