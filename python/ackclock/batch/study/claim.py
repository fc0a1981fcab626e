"""What a paper says, as data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

from ackclock.scenario.errors import ScenarioError, choose
from ackclock.scenario.model.typed import Described

#: How much of a study is run: each level contains the one before it.
LEVELS = ("quick", "normal", "full")

#: How a measured value is compared with the published one, never by eye. `rule.py` implements each.
RULES = {
    "digits": "the same characters",
    "rounded": "the same number, rounded to as many decimals as are printed",
    "truncated": "the same number, cut off after as many decimals as are printed",
    "within": "not further from the published number than the tolerance",
    "between": "from the first published number to the second",
    "at_least": "not below the published bound",
    "at_most": "not above the published bound",
    "order": "the named values fall in the published order, from the highest",
    "highest": "of the named values, the published one is the highest",
    "lowest": "of the named values, the published one is the lowest",
    "trend": "the values, one after the other, rise, fall or stay, as published",
    "closest": "of the named settings, the one that comes closest is within the tolerance",
    "undetermined": "no printed value can be checked against a run; the note says why",
}

#: Rules whose published value is one number of the measured quantity's unit.
_ONE_NUMBER = ("digits", "rounded", "truncated", "within", "at_least", "at_most", "closest")

TRENDS = ("rises", "falls", "flat")

#: Where the settings come from that a claim is measured with.
SETTINGS = {
    "printed": "the paper prints every setting that the claim depends on",
    "inferred": "a setting was inferred from the paper's text, its figures or a simulator's defaults",
    "fitted": "a setting was chosen because the published result comes out with it",
}

#: Whose statement a claim is: the paper's, or one that this project adds and the paper does not make.
ORIGINS = ("paper", "ours")

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Verdict(Enum):
    """The verdict of a rule on one claim."""

    REPRODUCED = "reproduced"
    CONTRADICTED = "contradicted"
    DEPENDS = "depends"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, kw_only=True)
class Paper(Described):
    """The paper that is checked. `question` is what it asks, in a sentence or two. `year` if it is known.

    `places` are the paper's sections, figures, tables and equations in its order. If they are given, each claim and
    each unweighed entry has one of them, and each has an entry.
    """

    #: its title
    title: str
    #: its authors
    authors: str
    year: int | None = None
    #: the journal or conference
    venue: str
    question: str
    places: list[str] = field(default_factory=list)

    @property
    def titled(self) -> str:
        """The title, and the year after it."""
        return self.title if self.year is None else f"{self.title} ({self.year})"

    @property
    def appeared(self) -> str:
        """Where, and the year after it."""
        return self.venue if self.year is None else f"{self.venue}, {self.year}"


@dataclass(frozen=True, kw_only=True)
class Reference(Described):
    """The result of another simulator, so that "ours equals the simulator's" is checked separately from "the paper is
    right".

    `value` is what it prints or gives: ours must be the same in all its decimals, or be within `tolerance`. `verdict`
    is the verdict to which it leads. `how` says how it was found.
    """

    #: the simulator and its version
    program: str = "ns-2.35"
    value: str | dict[str, str] | None = None
    tolerance: float | None = None
    verdict: str | None = None
    how: str = ""

    def check(self) -> None:
        """A verdict is one that there is."""
        if self.verdict is not None:
            choose(self.verdict, [verdict.value for verdict in Verdict], "a verdict", "verdict")


@dataclass(frozen=True, kw_only=True)
class Claim(Described):
    """One statement of a paper.

    `id` is also the name under which the study's `measure` returns the measured value. `where` is the place in the
    paper, `words` are its own. `published` is the printed number, as printed, or the bound, name, order or trend that
    the words state. `tolerance` is in the quantity's unit, or relative ("10 %"); `why` is the reason for it, or for the
    bound. `rule` is one of `RULES`.

    `judged` says what decides if there are replications: `each` of them, the `mean`, or the `base` run alone.
    `depends_on` names what differs between the settings of `measure`. `level` is the lowest at which the claim is
    measured. `runs` and `look` lead to it: runs by their ids, and a command that shows it in a run's folder. `group` is
    printed before the quantity. `note` is a remark for the reader, required for rule `undetermined`. `reference` is
    another simulator's result.

    `settings` is one of `SETTINGS`, `origin` one of `ORIGINS`. `deterministic` says that the runs draw no random
    numbers and that no open setting changes the verdict, so that one run is enough.
    """

    id: str
    where: str
    words: str
    quantity: str
    rule: str
    published: str | list[str]
    settings: str
    origin: str = "paper"
    deterministic: bool = False
    group: str = ""
    unit: str = ""
    tolerance: float | str = 0.0
    why: str = ""
    judged: str = "each"
    depends_on: str = "the setting"
    note: str = ""
    level: str = "quick"
    reference: Reference | None = None
    runs: list[str] = field(default_factory=list)
    look: str = ""
    #: table, row and column where the claim is one cell
    cell: list[str] = field(default_factory=list)

    def check(self) -> None:
        """`ScenarioError` unless the published value is of the kind that the rule needs."""
        choose(self.rule, RULES, "a rule", "rule")
        choose(self.judged, ("each", "mean", "base"), "what decides over replications", "judged")
        choose(self.level, LEVELS, "a level", "level")
        choose(self.settings, SETTINGS, "where the settings come from", "settings")
        choose(self.origin, ORIGINS, "whose statement it is", "origin")
        allowed(self.tolerance)
        printed = [self.published] if isinstance(self.published, str) else self.published
        count = 2 if self.rule in ("order", "between") else 1
        if isinstance(self.published, str) != (count == 1) or len(printed) < count:
            expected = "one text" if count == 1 else "a list of texts"
            raise ScenarioError(f"expected {expected} for rule {self.rule}", key="published", value=self.published)
        if self.rule in (*_ONE_NUMBER, "between"):
            for number in printed:
                if not _NUMBER.fullmatch(number):
                    raise ScenarioError("expected a number, as printed", key="published", value=number)
        if self.rule == "trend":
            choose(printed[0], TRENDS, "a trend", "published")
        if self.rule == "undetermined" and not self.note:
            raise ScenarioError("the key is missing; rule undetermined needs it", key="note")


@dataclass(frozen=True, kw_only=True)
class Unweighed(Described):
    """A sentence, figure, table or equation of the paper without a claim.

    `place` is where it is, `words` are the paper's own, `reason` says why no run can be compared with it.
    """

    place: str
    words: str
    reason: str

    def check(self) -> None:
        """`ScenarioError` for an empty text."""
        for key in ("place", "words", "reason"):
            if not getattr(self, key).strip():
                raise ScenarioError("expected a text that is not empty", key=key, value=getattr(self, key))


@dataclass(frozen=True, kw_only=True)
class Cells(Described):
    """What replaces the table's keys for a row, a column, or the cell if both are given."""

    row: str | None = None
    column: str | None = None
    rule: str | None = None
    tolerance: float | str | None = None
    why: str | None = None
    unit: str | None = None
    note: str | None = None
    level: str | None = None
    runs: list[str] | None = None
    look: str | None = None
    settings: str | None = None
    origin: str | None = None
    deterministic: bool | None = None


@dataclass(frozen=True, kw_only=True)
class TableReference(Described):
    """The result of another simulator for each cell; an empty text if it has no number for it."""

    values: list[list[str]]
    program: str = "ns-2.35"
    tolerance: float | None = None
    how: str = ""


@dataclass(frozen=True, kw_only=True)
class Table(Described):
    """A table of the paper: each cell with a number is a claim of id `table/row/column`.

    `title` is its caption and `where` its place. `columns` and `rows` are headings, `corner` the heading of the row
    names. `published` are the printed texts by row; an empty text is a cell without a number. `cell` has exceptions for
    rows, columns and cells. `reference` is another simulator's table. The other keys (`id`, `rule`, `settings`,
    `origin`, `deterministic`, `unit`, `tolerance`, `why`, `depends_on`, `note`, `level`, `runs`, `look`) are those of
    `Claim` for every cell; in `runs` and `look`, `{row}` and `{column}` are the cell's headings. Replications are shown
    beside the base run, which alone is judged unless `judged` says otherwise.
    """

    id: str
    title: str
    where: str
    columns: list[str]
    rows: list[str]
    published: list[list[str]]
    rule: str
    settings: str
    origin: str = "paper"
    deterministic: bool = False
    corner: str = ""
    unit: str = ""
    tolerance: float | str = 0.0
    why: str = ""
    judged: str = "base"
    depends_on: str = "the setting"
    note: str = ""
    level: str = "quick"
    reference: TableReference | None = None
    runs: list[str] = field(default_factory=list)
    look: str = ""
    cell: list[Cells] = field(default_factory=list)

    def check(self) -> None:
        """`ScenarioError` unless there are as many cells as rows and columns, and every exception names an existing
        one.
        """
        _shape(self.published, self.rows, self.columns, "published")
        if self.reference is not None:
            _shape(self.reference.values, self.rows, self.columns, "reference.values")
        for number, cells in enumerate(self.cell):
            if cells.row is not None:
                choose(cells.row, self.rows, "a row of the table", f"cell.{number}.row")
            if cells.column is not None:
                choose(cells.column, self.columns, "a column of the table", f"cell.{number}.column")
        self.claims()

    def claims(self) -> list[Claim]:
        """A claim for each cell with a number, row by row."""
        made = []
        for i, row in enumerate(self.rows):
            for j, column in enumerate(self.columns):
                if self.published[i][j]:
                    made.append(self._claim(i, j, row, column))
        return made

    def _claim(self, i: int, j: int, row: str, column: str) -> Claim:
        given = {name: getattr(self, name) for name in _OF_CELLS}
        for cells in self.cell:
            if cells.row in (None, row) and cells.column in (None, column):
                given |= {name: getattr(cells, name) for name in given if getattr(cells, name) is not None}
        given["runs"] = [_of_cell(text, row, column) for text in given["runs"]]
        given["look"] = _of_cell(given["look"], row, column)
        found = "" if self.reference is None else self.reference.values[i][j]
        reference = None
        if self.reference is not None and found:
            how = self.reference.how
            reference = Reference(
                program=self.reference.program, value=found, tolerance=self.reference.tolerance, how=how
            )
        try:
            return Claim(
                id=f"{self.id}/{row}/{column}",
                where=f"{self.where}, {row}, {column}",
                words=self.published[i][j],
                quantity=f"{row}, {column}",
                published=self.published[i][j],
                group=self.title,
                judged=self.judged,
                depends_on=self.depends_on,
                reference=reference,
                cell=[self.id, row, column],
                **given,
            )
        except ScenarioError as error:
            key = f"published.{i}.{j}" if error.key == "published" else error.key
            raise ScenarioError(error.expected, key=key, value=error.value, nearest=error.nearest) from None


def _of_cell(text: str, row: str, column: str) -> str:
    return text.replace("{row}", row).replace("{column}", column)


#: What `Cells` may set for some cells of a table.
_OF_CELLS = (
    *("rule", "tolerance", "why", "unit", "note", "level", "runs", "look"),
    *("settings", "origin", "deterministic"),
)


def allowed(tolerance: float | str, published: float = 0.0) -> float:
    """A tolerance as a number of the quantity's unit. `ScenarioError` for one that is neither number nor per cent."""
    if not isinstance(tolerance, str):
        return float(tolerance)
    return share(tolerance) * abs(published)


def share(tolerance: float | str) -> float:
    """A relative tolerance as a share of 1: "10 %" is 0.1, and so is 0.1."""
    if not isinstance(tolerance, str):
        return float(tolerance)
    match = re.fullmatch(r"\s*([0-9.]+)\s*%\s*", tolerance)
    if match is None:
        raise ScenarioError(
            "expected a number in the quantity's unit, or one such as 10 %", key="tolerance", value=tolerance
        )
    return float(match[1]) / 100


def _shape(cells: list[list[str]], rows: list[str], columns: list[str], key: str) -> None:
    if len(cells) != len(rows):
        raise ScenarioError(f"there are {len(cells)} rows here and {len(rows)} names of rows", key=key)
    for number, row in enumerate(cells):
        if len(row) != len(columns):
            raise ScenarioError(
                f"there are {len(row)} cells in the row {rows[number]} and {len(columns)} columns",
                key=f"{key}.{number}",
            )
