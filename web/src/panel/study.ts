/** One paper: its tables and figures published beside measured, its claims with their verdicts. */

import { IS_STATIC } from "../recording/here";
import { cancel } from "../recording/runs";
import { follow } from "../recording/server";
import { MOST_TOGETHER, openRun } from "../recording/studies";
import type { Cell, Claim, Comparison, Counts, Figure, Study, StudyRun, StudyTable } from "../recording/studies";
import { el, scroller } from "./element";
import { failed } from "./notice";
import { progress } from "./progress";
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
  private async open(run: StudyRun): Promise<void> {
    this.unfollow();
    const { label } = run;
    const words = el("p", { class: "soft", text: `Making the run ${label} again` });
    this.said.replaceChildren(words);
    this.said.scrollIntoView({ block: "nearest" });
    const go = (recording: string): void => void (location.hash = `#/view/${encodeURIComponent(recording)}`);
    try {
      const id = await openRun(this.study.id, run);
      const leave = (): void => {
        this.unfollow();
        this.said.replaceChildren();
        cancel(id).catch(() => undefined);
      };
      const shown = progress(leave);
      this.said.replaceChildren(words, shown.element);
      this.unfollow = follow(id, {
        ...shown.listener,
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
    const runs = this.known(claim.runs ?? []);
    const chips = runs.map((run) => this.runChip(run));
    const here = this.hereLink(runs, "Run it here");
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
        chips.length
          ? el("p", { class: "runs-of" }, el("span", { class: "soft", text: "Runs " }), ...chips, here)
          : null,
      ),
    );
  }

  private known(runs: readonly string[]): StudyRun[] {
    return runs.flatMap((run) => this.study.runs.filter(({ id }) => id === run));
  }

  /** A run's name; where it can be run, it opens the packets. */
  private runChip(run: StudyRun): HTMLElement {
    if (!canRun(run)) return el("span", { class: "small chip", text: run.label });
    return el("button", {
      type: "button",
      class: "small chip",
      text: run.label,
      title: "Show the packets of this run",
      on: { click: () => void this.open(run) },
    });
  }

  /** To the playground with the runs of a claim side by side, if they are of scenarios; it can be copied and mailed. */
  private hereLink(runs: readonly StudyRun[], text: string, given: { class?: string } = {}): HTMLElement | null {
    const some = runs.filter(({ scenario }) => scenario).slice(0, MOST_TOGETHER);
    if (some.length === 0) return null;
    const query = new URLSearchParams([["study", this.study.id], ...some.map(({ id }) => ["run", id])]);
    const title =
      some.length < runs.length
        ? `The first ${some.length} of ${runs.length} runs`
        : some.map(({ label }) => label).join(", ");
    return el("a", { ...given, href: `#/play?${query.toString()}`, text, title: `Run in the playground: ${title}` });
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
    const [run] = this.known(cell.run ? [cell.run] : []);
    const place =
      run && canRun(run)
        ? el("button", {
            type: "button",
            class: "plain number",
            text: measured,
            title: "Show the packets of this run",
            on: { click: () => void this.open(run) },
          })
        : (this.hereLink(this.known(cell.runs ?? []), cell.measured ?? "run", { class: "number" }) ??
          el("span", { text: measured }));
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

/** Whether there is what runs it: scripts need a server. */
function canRun(run: StudyRun): boolean {
  return run.scenario || !IS_STATIC;
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
