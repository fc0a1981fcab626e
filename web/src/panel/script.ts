/** A box for one's own ns-2 script. */

import { button, el } from "./element";

const HINT = `set ns [new Simulator]
set nf [open out.nam w]
$ns namtrace-all $nf
...
$ns run
`;

/** `run` is given the script and its arguments. */
export function scriptBox(run: (script: string, given: readonly string[]) => void): HTMLElement {
  const script = el("textarea", {
    class: "code",
    rows: 12,
    spellcheck: "false",
    placeholder: HINT,
    "aria-label": "ns-2 script",
    name: "script",
  });
  const given = el("input", { type: "text", name: "arguments", spellcheck: "false" });
  const file = el("input", { type: "file", accept: ".tcl,.ns,text/*", "aria-label": "Take a script from a file" });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    if (chosen) void chosen.text().then((text) => (script.value = text));
  });
  const go = (): void => {
    if (script.value.trim() === "") script.focus();
    else
      run(
        script.value,
        given.value.split(/\s+/).filter((one) => one !== ""),
      );
  };
  return el(
    "details",
    { class: "script" },
    el("summary", { text: "Your own ns-2 script" }),
    el("p", { class: "soft", text: "It runs in Tcl's safe interpreter, with limits on time, memory and output." }),
    script,
    el("div", { class: "row" }, el("label", { class: "field" }, el("span", { text: "Arguments" }), given), file),
    button("play", "Run the script", go, { class: "primary", "data-test": "run-script" }, "Run the script"),
  );
}
