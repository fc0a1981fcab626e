"""What a run gives: Arrow tables, and a folder that holds them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ackclock._internal.atomic_file import remove_left_of, temporary_path
from ackclock._native import Table, __version__, flow_kind
from ackclock.scenario.errors import RenamedError

# `ackclock run` saves nothing unless it is told to: what that takes is imported where it is done.
if TYPE_CHECKING:
    from ackclock._internal.checksums import Checksums
    from ackclock.analysis.plot.plots import Plots
    from ackclock.scenario.model.scenario import Scenario

#: How tables are kept in a folder.
Form = Literal["parquet", "csv"]

#: The file whose presence makes a folder a result.
RUN_FILE = "run.json"


#: what to do about results of an older version; a folder follows
_ANEW = "run the scenario again: ackclock run SCENARIO.toml --out"


class ExternalFlow(NamedTuple):
    """A flow of the tables whose ends are of another program, such as a QUIC stack: its name, its nodes, what it is."""

    name: str
    source: str
    destination: str
    about: str


class ResultsError(ValueError):
    """A folder without results, with incomplete results, or with a damaged file."""


class Results:
    """The tables of a run.

    - `flows`, `links`: a row for each flow and each direction of a link.
    - `flow_series`, `link_series`: a row for each of them at each sample.
    - `window_changes`, `rtt_changes`, `queue_changes`: a row at each change.
    - `model_changes`: a row at each change of state, and at each round trip, of a control that models its path (BBR).
    - `packets`: a row for each event of a packet on a link.
    - `calls`, `frames`: a row for each call (`Call`), and for each of its frames that arrived whole.
    - `videos`, `segments`: a row for each video (`Video`), and for each of its segments that arrived.

    `results["flows"]` is the same as `results.flows`; a loop goes over the names of the tables. A table that the
    scenario did not record (`Record`) is an `AttributeError` that names the key.

    Each table has Arrow's PyCapsule interface: `polars.DataFrame(r.flows)`, `pyarrow.table(r.flows)`,
    `pandas.DataFrame.from_arrow(r.flows)`, `duckdb.from_arrow(r.flows)`. Without any of these packages,
    `r.flows.column(name)` is a list. Names of columns end with their units: `_s`, `_bps`, `_packets`, `_bytes`.
    docs/guide/scenarios.md defines them.
    """

    def __init__(
        self,
        scenario: Scenario | Callable[[], Scenario],
        nodes: list[str],
        names: dict[str, list[str]],
        tables: Mapping[str, Table],
        own_code: list[dict[str, str | None]] | None = None,
    ) -> None:
        self._scenario = scenario
        #: names of the nodes, by number
        self.nodes = nodes
        #: names of flows and links, in the order of the rows of their tables
        self.names = names
        #: all tables by name
        self.tables = dict(tables)
        #: the version of ackclock that ran it
        self.version = __version__
        #: the user's own Python that took part: `class` (`module:Class`) and `source_sha256` of each; empty without
        self.own_code = list(own_code or [])
        #: flows whose ends are of another program, behind the scenario's own in the tables; usually none
        self.external_flows: list[ExternalFlow] = []
        #: what one should know of the run that its tables do not say, a line each; usually nothing
        self.notes: list[str] = []

    @property
    def scenario(self) -> Scenario:
        """The description that gave these results, nothing left out; `run` gives them again."""
        if callable(self._scenario):
            self._scenario = self._scenario()
        return self._scenario

    @scenario.setter
    def scenario(self, scenario: Scenario) -> None:
        self._scenario = scenario

    def __getattr__(self, name: str) -> Table:
        tables = self.__dict__.get("tables", {})
        if name in tables:
            table: Table = tables[name]
            return table
        changes = ("window_changes", "queue_changes", "model_changes", "own_changes", "frames")
        wanted = {"packets": "packets=True"} | dict.fromkeys(changes, "changes=True")
        hint = f"; Record({wanted[name]}) keeps it" if name in wanted else ""
        raise AttributeError(f"these results have no table {name}; they have {', '.join(tables)}{hint}")

    @property
    def plot(self) -> Plots:
        """Plots, each a matplotlib figure: `results.plot.cwnd()`, `.throughput()`, `.queue()`, `.rtt()`, `.loss()`,
        `.sequence()`, `.fairness()`, `.topology()` (docs/guide/plots-and-reports.md).
        """
        from ackclock.analysis.plot.plots import Plots
        from ackclock.analysis.plot.run import Run

        return Plots(Run(self))

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The `table` of this name as a list of dicts, for a table of few rows. `KeyError` if there is none."""
        found = self.tables[table]
        columns = {name: found.column(name) for name in found.column_names()}
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    def description(self) -> dict[str, Any]:
        """The content of `run.json`."""
        return {
            "ackclock": self.version,
            "seed": self.scenario.seed,
            "scenario": self.scenario.table(),
            **({"own_code": self.own_code} if self.own_code else {}),
            **({"external_flows": [flow._asdict() for flow in self.external_flows]} if self.external_flows else {}),
            **({"notes": self.notes} if self.notes else {}),
            "nodes": self.nodes,
            "flows": self.names["flows"],
            "links": self.names["links"],
            "tables": {name: len(table) for name, table in self.tables.items()},
        }

    def save(self, folder: str | os.PathLike[str], *, replace: bool = False, form: Form = "parquet") -> Path:
        """Write `run.json`, a file for each table and `SHA256SUMS`, their digests, into a new `folder`; returns its
        path.

        - `replace`: replace older results in the folder. Nothing else is ever replaced: `ResultsError`.
        - `form`: "parquet", which `ackclock.open` reads, or "csv".

        The files are written beside the folder first, and get its name when they are complete. A killed process leaves
        nothing that looks like results; the next save to the same folder removes its files. `ackclock check FOLDER` and
        `sha256sum -c SHA256SUMS` check the files. `OSError` if they cannot be written.
        """
        import json
        import shutil

        from ackclock._internal.checksums import write_sums

        target = Path(folder)
        may_save(target, replace)
        target.parent.mkdir(parents=True, exist_ok=True)
        place = os.path.realpath(target)
        remove_left_of(place)
        beside, older = Path(temporary_path(place)), Path(temporary_path(place))
        beside.mkdir()
        try:
            for name, table in self.tables.items():
                write = table.write_csv if form == "csv" else table.write_parquet
                write(str(beside / f"{name}.{form}"))
            with (beside / RUN_FILE).open("w", encoding="utf-8") as file:
                json.dump(self.description(), file, indent=1, ensure_ascii=False)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            write_sums(beside)
            if os.path.exists(place):
                os.rename(place, older)  # in one step: results that are half removed would look damaged
            try:
                beside.rename(place)
            except OSError:
                if older.exists():
                    older.rename(place)
                raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)
            shutil.rmtree(older, ignore_errors=True)
        return target

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __getitem__(self, name: str) -> Table:
        if name not in self.tables:
            raise KeyError(f"these results have no table {name}; they have {', '.join(self.tables)}")
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tables)

    def _repr_html_(self) -> str:
        from ackclock.execution.shown import as_html

        return as_html(self)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {len(table)} rows" for name, table in self.tables.items())
        return f"<Results {self.scenario.name or 'of a run'}: {sizes}>"


def may_save(folder: Path, replace: bool) -> None:
    """Check that results may be saved in a folder. `ResultsError` if it holds something that would be lost."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ResultsError(f"{folder}: this is a file; expected a new folder")
    if (folder / RUN_FILE).is_file():
        if not replace:
            raise ResultsError(f"{folder}: the folder holds results; use --replace (replace=True) to replace them")
    elif any(folder.iterdir()):
        raise ResultsError(f"{folder}: folder is not empty and holds no results; not overwritten")


def open_results(folder: str | os.PathLike[str], *, allow_code: bool = False) -> Results:
    """Read the results that `Results.save` wrote into `folder`.

    Opening never imports the user's own classes that `run.json` names (`module:Class`), and `ackclock.run` refuses to
    run such a description again. With `allow_code` it may be run again and then imports them: read that code first.

    `ResultsError` for a folder without complete results, and for a file whose sha256 differs from `SHA256SUMS`, which
    is named. `FileNotFoundError` if there is no folder, `OSError` if it cannot be read.
    """
    import json

    from ackclock._internal.checksums import SUMS, ChecksumError, Checksums
    from ackclock.scenario.model.scenario import Scenario
    from ackclock.scenario.resolve.plugins import from_disk

    path = Path(folder)
    if not path.is_dir():
        raise FileNotFoundError(f"no such folder of results: {path}")
    file = path / RUN_FILE
    if not file.is_file():
        raise ResultsError(f"{path}: not a complete folder of results: {RUN_FILE} is missing")
    try:
        sums = Checksums(path)
    except FileNotFoundError:
        raise ResultsError(
            f"{path}: {SUMS} is missing: an older ackclock saved this; {_ANEW} {path} --replace"
        ) from None
    except ChecksumError as error:
        raise ResultsError(str(error)) from None
    _verified(sums, RUN_FILE)
    try:
        described = json.loads(file.read_text(encoding="utf-8"))
        rows: dict[str, int] = dict(described["tables"])
        scenario = Scenario.of(from_disk(described["scenario"], allow_code=allow_code))
        names = {"flows": list(described["flows"]), "links": list(described["links"])}
        version, nodes = str(described["ackclock"]), list(described["nodes"])
        own_code = [dict(code) for code in described.get("own_code", [])]
        notes = [str(note) for note in described.get("notes", [])]
        external_flows = [ExternalFlow(**flow) for flow in described.get("external_flows", [])]
    except RenamedError as error:
        raise ResultsError(f"{file}: an older ackclock saved this ({error}); {_ANEW} {path} --replace") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ResultsError(f"{file}: not what a run writes: {error}") from None
    tables = {}
    if rows and all((path / f"{name}.csv").is_file() for name in rows):
        raise ResultsError(f"{path}: the tables are CSV; ackclock opens only tables saved as Parquet")
    for name, count in rows.items():
        table = _verified(sums, f"{name}.parquet")
        try:
            tables[name] = Table.read_parquet(str(table))
        except (FileNotFoundError, ValueError) as error:
            raise ResultsError(f"{path}: the table {name} is missing or cut short: {error}") from None
        if len(tables[name]) != count:
            raise ResultsError(f"{path}: the table {name} has {len(tables[name])} rows; {RUN_FILE} says {count}")
    results = Results(scenario, nodes, names, tables, own_code)
    results.version, results.notes, results.external_flows = version, notes, external_flows
    return results


def _verified(sums: Checksums, name: str) -> Path:
    from ackclock._internal.checksums import ChecksumError

    try:
        return sums.verified(name)
    except ChecksumError as error:
        raise ResultsError(str(error)) from None


def jain_of_lasting(results: Results, rates_bps: Sequence[float]) -> float | None:
    """Jain's index of the rates of the flows that last; `rates_bps` has one for each flow of the run.

    A flow lasts if it is no transfer of `arrivals`, and has not ended with its transfer within the run. A transfer has
    its rate for a short time only, so its share of the link is no share of the run. None for fewer than two flows
    that last, and where none of them has a rate. `stats.jain` names the source.
    """
    from ackclock.scenario.model.typed import plain

    # A flow with arrivals stands for transfers named NAME.1, NAME.2, ...; without a name, after the variant.
    described = (flow for flow in results.scenario.flows if flow.arrivals is not None)
    coming = {(flow.pair != 0 and flow.name) or flow_kind(flow.tcp, plain(flow.control)) for flow in described}
    names = results.names["flows"]
    flows = results.tables.get("flows")
    completions_s = flows.column("completion_s") if flows is not None else [None] * len(names)
    lasting = [
        rate
        for rate, name, took_s in zip(rates_bps, names, completions_s, strict=True)
        if took_s is None and not (coming and name.rpartition(".")[0] in coming)
    ]
    if len(lasting) < 2 or not any(lasting):
        return None
    # Of so few numbers, without arrays.
    return float(sum(lasting) ** 2 / (len(lasting) * sum(rate**2 for rate in lasting)))
