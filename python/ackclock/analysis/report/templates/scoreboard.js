"use strict";
// Filters of the matrix, and the conditions of a chosen cell. Texts are set as text: names are others'.
const data = JSON.parse(document.getElementById("data").textContent);
const field = { control: 0, criterion: 1, condition: 2, queue: 3, traffic: 4, standard: 5, verdict: 6, n: 7, mean: 8, low: 9, high: 10,
                p: 11, p_holm: 12, by: 13, subject: 14, baseline: 15, note: 16 };
const chosen = { criterion: document.getElementById("of-criterion"), queue: document.getElementById("of-queue"),
                 verdict: document.getElementById("of-verdict") };
const criterionIds = [...document.querySelectorAll(".criterion-of")].map((one) => one.dataset.criterion);
const queueIds = data.queues.map(([id]) => id);
const details = document.getElementById("details");

function element(name, options = {}, children = []) {
  const { text, ...attributes } = options;
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function filter() {
  const { criterion, queue, verdict } = chosen;
  for (const one of document.querySelectorAll(".board [data-criterion]")) {
    const there = !criterion.value || one.dataset.criterion === criterion.value;
    one.hidden = !there || Boolean(one.dataset.queue && queue.value && one.dataset.queue !== queue.value);
  }
  for (const head of document.querySelectorAll(".criterion-of")) {
    const its = [...document.querySelectorAll(`.queue-of[data-criterion="${head.dataset.criterion}"]`)];
    const shown = its.filter((one) => !one.hidden).length;
    head.hidden = shown === 0;
    head.colSpan = Math.max(shown, 1);
  }
  const number = data.words.findIndex(([word]) => word === verdict.value);
  for (const button of document.querySelectorAll(".board button")) {
    const label = button.firstElementChild;
    button.dataset.look ??= button.className;
    button.dataset.shown ??= label.textContent;
    const count = number < 0 ? null : Number(button.dataset.counts.split(",")[number]);
    button.className = number < 0 ? button.dataset.look : data.words[number][1] + (count ? "" : " faded");
    label.textContent = count ?? button.dataset.shown;
    // The name has what is shown: the place, and the counts of all verdicts (the title) or of one.
    button.dataset.name ??= button.getAttribute("aria-label");
    const place = button.dataset.name.slice(0, -button.title.length);
    button.setAttribute("aria-label", count === null ? button.dataset.name : `${place}${count} ${verdict.value}`);
  }
  if (!details.hidden) show(...details.dataset.of.split(" ").map(Number), false);
}

const shown = (value, per = 1) => (value === null ? "" : String(Number((value / per).toPrecision(4))));

function probability(value) {
  if (value === null) return "";
  return value >= 0.001 ? value.toPrecision(2) : value.toExponential(1);
}

// An interval on the scale of all rows, with the bound.
function picture(cell, scale, bounds) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 192 20");
  svg.setAttribute("aria-hidden", "true");
  const at = (value) => 6 + (180 * (value - scale[0])) / (scale[1] - scale[0]);
  const draw = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    svg.append(made);
  };
  for (const bound of bounds) draw("line", { class: "bound", x1: at(bound), x2: at(bound), y1: 1, y2: 19 });
  if (cell[field.mean] !== null) {
    if (cell[field.low] !== null)
      draw("line", { class: "interval", x1: at(cell[field.low]), x2: at(cell[field.high]), y1: 10, y2: 10 });
    draw("circle", { class: "mean", cx: at(cell[field.mean]), cy: 10, r: 3.2 });
  }
  return svg;
}

function row(cell, scale, criterion) {
  const [word, look, sign] = data.words[cell[field.verdict]];
  const [condition, title] = data.conditions[cell[field.condition]];
  const standard = data.standards[cell[field.standard]];
  const half = cell[field.high] === null ? "" : ` ± ${((cell[field.high] - cell[field.mean]) / criterion.per).toPrecision(2)}`;
  const beside = standard ? `-${standard.replaceAll("/", "_")}` : "";
  const name = `${condition}_${queueIds[cell[field.queue]]}-${data.traffic[cell[field.traffic]]}${beside}.toml`;
  const path = `scenarios/${data.folders[cell[field.control]]}/${name}`;
  const place = element("th", { scope: "row", text: title + (standard ? `, beside ${standard}` : "") });
  const mean = cell[field.mean] === null ? "" : shown(cell[field.mean], criterion.per) + half;
  const link = word === "not evaluated" ? [] : [element("a", { href: path, text: name.replace(".toml", "") })];
  const verdict = [element("span", { class: `chip ${look}`, text: `${sign} ${word}` })];
  if (cell[field.note]) verdict.push(element("br"), element("span", { class: "note", text: cell[field.note] }));
  return element("tr", {}, [
    place,
    element("td", { class: look }, [picture(cell, scale, criterion.bounds)]),
    element("td", { class: "number", text: mean }),
    element("td", {}, verdict),
    element("td", { class: "number", text: probability(cell[field.p_holm]) }),
    element("td", { text: data.standards[cell[field.by]] }),
    element("td", { class: "number", text: String(cell[field.n]) }),
    element("td", { class: "name" }, link),
  ]);
}

// The conditions of a control, a criterion and a queue, by their numbers.
function show(control, criterionNumber, queue, scrolls = true) {
  const criterion = data.criteria[criterionNumber];
  const wanted = (cell) => cell[field.control] === control && cell[field.criterion] === criterionNumber && cell[field.queue] === queue;
  let cells = data.cells.filter(wanted);
  if (chosen.verdict.value) cells = cells.filter((cell) => data.words[cell[field.verdict]][0] === chosen.verdict.value);
  const numbers = cells.flatMap((cell) => [cell[field.mean], cell[field.low], cell[field.high]]).filter((one) => one !== null);
  numbers.push(...criterion.bounds);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const scale = low < high ? [low, high] : [low - 1, high + 1];
  const heads = ["condition", "95 % interval", `mean (${criterion.unit || "judged"})`, "verdict", "p (Holm)", "compared with", "n", "scenario"];
  const head = element("tr", {}, heads.map((text) => element("th", { scope: "col", text })));
  const table = element("table", {}, [element("thead", {}, [head]), element("tbody", {}, cells.map((cell) => row(cell, scale, criterion)))]);
  const title = `${data.controls[control]}: ${criterion.title}, ${data.queues[queue][1]}`;
  const folder = `scenarios/${data.folders[control]}/`;
  details.replaceChildren(
    element("h2", { text: title }),
    element("p", { class: "note", text: `Bound (dotted): ${criterion.says}` }),
    element("div", { class: "wide", role: "region", "aria-label": title, tabindex: "0" }, [table]),
    element("p", { class: "note" }, ["A scenario in the player: ", element("code", { text: `ackclock view ${folder}SCENARIO.toml` })]),
  );
  details.dataset.of = `${control} ${criterionNumber} ${queue}`;
  details.hidden = false;
  for (const button of document.querySelectorAll(".board button")) {
    const { criterion: of, queue: through } = button.parentElement.dataset;
    const is = Number(button.dataset.control) === control && of === criterionIds[criterionNumber] && through === queueIds[queue];
    button.setAttribute("aria-pressed", String(is));
  }
  if (scrolls) {
    history.replaceState(null, "", `#cell=${control},${criterionNumber},${queue}`);
    details.scrollIntoView({ block: "nearest" });
  }
}

document.querySelector(".board").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { criterion, queue } = button.parentElement.dataset;
  show(Number(button.dataset.control), criterionIds.indexOf(criterion), queueIds.indexOf(queue));
});
for (const select of Object.values(chosen)) select.addEventListener("change", filter);
const linked = /^#cell=(\d+),(\d+),(\d+)$/.exec(location.hash);
const isThere = linked && data.controls[linked[1]] && data.criteria[linked[2]] && data.queues[linked[3]];
// On a narrow screen one criterion fits.
if (window.innerWidth < 640) chosen.criterion.value = criterionIds[isThere ? linked[2] : 0];
filter();
if (isThere) show(...linked.slice(1).map(Number));
