/** One paper: its tables and figures published beside measured, its claims with their verdicts. */

import { follow } from "../recording/runs";
import { openRun } from "../recording/studies";
import type { Cell, Claim, Comparison, Counts, Figure, Study, StudyTable } from "../recording/studies";
import { el, scroller } from "./element";
import { failed } from "./notice";
import { verdictCounts, verdictMark, verdictSign } from "./verdict";

export class StudyPage {
  readonly element: HTMLElement;
  private readonly study: Study;
  private readonly said = el("div", { class: "said", role: "status" });
  private unfollow: () => void = () => undefined;

  constructor(study: Study) {
    this.study = study;
    this.element = el(
      "div",
      { class: "page study" },
      el("p", {}, el("a", { href: "#/studies", text: "All studies" })),
      el(
        "header",
        {},
        el("h1", { text: study.title }),
        el("p", { class: "soft", text: [study.authors, study.venue, study.year].filter(Boolean).join(", ") }),
        el("p", { class: "lead", text: study.question }),
      ),
      study.measured
        ? null
        : el(
            "div",
            { class: "notice" },
            el("p", { text: "This study has not been run yet: only the paper's claims are shown. Run it with" }),
            el("pre", {}, el("code", { text: study.command })),
          ),
      this.said,
      study.counts ? counted(study.counts) : null,
      this.claims(),
      ...study.tables.map((table) => this.table(table)),
      ...study.comparisons.map(comparison),
      ...study.figures.map((figure) => this.figure(figure)),
      this.unweighed(),
    );
  }

  stop(): void {
    this.unfollow();
  }

  /** Open a run in the player; where it has to be made first, wait for it. */
  private async open(run: string): Promise<void> {
    this.unfollow();
    const label = this.study.runs.find(({ id }) => id === run)?.label ?? run;
    const words = el("p", { class: "soft", text: `Opening the run ${label} …` });
    this.said.replaceChildren(words);
    this.said.scrollIntoView({ block: "nearest" });
    const go = (recording: string): void => void (location.hash = `#/view/${encodeURIComponent(recording)}`);
    try {
      const { recording, id } = await openRun(this.study.id, run);
      if (recording !== undefined) return go(recording);
      this.unfollow = follow(id!, {
        waiting: (place) => (words.textContent = `The run ${label} waits for its turn: place ${place} in the queue`),
        progress: (fraction) => (words.textContent = `Making the run ${label}: ${Math.floor(100 * fraction)} %`),
        done: go,
        failed: (error) => this.said.replaceChildren(failed(new Error(error))),
      });
    } catch (error) {
      this.said.replaceChildren(failed(error, () => void this.open(run)));
    }
  }

  private claims(): HTMLElement | null {
    if (this.study.claims.length === 0) return null;
    return el(
      "section",
      { class: "card block" },
      el("h2", { text: "Claims" }),
      el("ol", { class: "claims" }, ...this.study.claims.map((claim) => this.claim(claim))),
    );
  }

  private claim(claim: Claim): HTMLElement {
    const runs = (claim.runs ?? []).map((run) => this.runButton(run));
    return el(
      "li",
      {},
      verdictMark(claim.verdict),
      el(
        "div",
        {},
        el("blockquote", { text: claim.words }),
        el("p", { class: "soft" }, claim.where),
        claim.why ? el("p", { text: claim.why }) : null,
        runs.length ? el("p", { class: "runs-of" }, el("span", { class: "soft", text: "Runs " }), ...runs) : null,
      ),
    );
  }

  private runButton(run: string): HTMLElement {
    const label = this.study.runs.find(({ id }) => id === run)?.label ?? run;
    return el("button", {
      type: "button",
      class: "small chip",
      text: label,
      title: "Show the packets of this run",
      on: { click: () => void this.open(run) },
    });
  }

  private table(table: StudyTable): HTMLElement {
    const head = el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col", text: table.corner ?? "" }),
        ...table.columns.map((column) => el("th", { scope: "col", class: "number", text: column })),
      ),
    );
    const rows = table.rows.map((row, r) =>
      el("tr", {}, el("th", { scope: "row", text: row }), ...(table.cells[r] ?? []).map((cell) => this.cell(cell))),
    );
    return el(
      "section",
      { class: "card block" },
      el("h2", { text: table.title }),
      el("p", {
        class: "soft",
        text: [table.where, table.unit, "published above, measured below", table.settings?.join(" / ")]
          .filter(Boolean)
          .join(" · "),
      }),
      scroller(table.title, el("table", { class: "figures study-table" }, head, el("tbody", {}, ...rows))),
    );
  }

  private cell(cell: Cell): HTMLElement {
    const measured = cell.measured ?? "–";
    const place = cell.run
      ? el("button", {
          type: "button",
          class: "plain number",
          text: measured,
          title: "Show the packets of this run",
          on: { click: () => void this.open(cell.run!) },
        })
      : el("span", { text: measured });
    return el(
      "td",
      { class: "number", title: cell.note || null },
      el("span", { class: "published", text: cell.published ?? "–" }),
      el(
        "span",
        { class: "measured" },
        place,
        cell.verdict ? verdictSign(cell.verdict) : el("span", { class: "sign" }),
      ),
      // How far it is off stands in the title; what has words is for everybody.
      cell.note && /[a-z]{3}/i.test(cell.note) ? el("span", { class: "published", text: cell.note }) : null,
    );
  }

  private unweighed(): HTMLElement | null {
    if (this.study.unweighed.length === 0) return null;
    return el(
      "section",
      { class: "card block" },
      el("h2", { text: "Not weighed" }),
      el("p", { class: "soft", text: "What stands in the paper and no claim weighs, with the reason." }),
      el(
        "ul",
        { class: "claims unweighed" },
        ...this.study.unweighed.map(({ place, words, reason }) =>
          el(
            "li",
            {},
            el("span", { class: "soft", text: place }),
            el("div", {}, el("blockquote", { text: words }), el("p", { text: reason })),
          ),
        ),
      ),
    );
  }

  private figure(figure: Figure): HTMLElement {
    return el(
      "section",
      { class: "card block" },
      el(
        "figure",
        {},
        el("img", { src: figure.svg, alt: figure.words ?? figure.title, loading: "lazy" }),
        el("figcaption", { text: [figure.title, figure.where].filter(Boolean).join(" · ") }),
      ),
    );
  }
}

function comparison(table: Comparison): HTMLElement {
  const heads = table.columns.map((name, n) => el("th", { scope: "col", class: n ? "number" : "", text: name }));
  const rows = table.groups.flatMap(({ name, rows: lines }) => [
    el("tr", {}, el("th", { scope: "rowgroup", colspan: table.columns.length, text: name })),
    ...lines.map((line) =>
      el(
        "tr",
        {},
        el("th", { scope: "row", text: line.name }),
        ...line.cells.map((text) => el("td", { class: "number", text })),
      ),
    ),
  ]);
  return el(
    "section",
    { class: "card block" },
    el("p", { class: "soft", text: table.caption }),
    scroller(
      table.caption,
      el("table", { class: "figures" }, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows)),
    ),
  );
}

/** Verdicts by where the settings come from: what was fitted is no prediction. */
function counted(counts: Counts): HTMLElement {
  const heads = [...counts.settings, "all"];
  const rows = counts.rows.map(({ verdict, counts: numbers }) =>
    el(
      "tr",
      {},
      verdict ? el("th", { scope: "row" }, verdictMark(verdict)) : el("th", { scope: "row", text: "all" }),
      ...numbers.map((n) => el("td", { class: "number", text: String(n) })),
    ),
  );
  const ours = Object.keys(counts.ours).length > 0;
  return el(
    "section",
    { class: "card block" },
    el("h2", { text: "Verdicts" }),
    el("p", { class: "soft", text: "The paper's claims, by where the settings of their runs come from" }),
    scroller(
      "Verdicts",
      el(
        "table",
        { class: "figures verdicts-by-settings" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col", text: "claims" }),
            ...heads.map((text) => el("th", { scope: "col", class: "number", text })),
          ),
        ),
        el("tbody", {}, ...rows),
      ),
    ),
    ours ? el("p", { class: "soft", text: "Statements of our own, which the paper does not make:" }) : null,
    ours ? verdictCounts(counts.ours) : null,
    counts.left_out > 0
      ? el("p", { class: "soft", text: `Left out at the level of this run: ${counts.left_out}` })
      : null,
  );
}
