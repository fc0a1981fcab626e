"""Runs and sweeps as other libraries read them. Each gives the numbers of our own reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ackclock as ac

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = ac.Scenario(
    topology=ac.Dumbbell(pairs=2, bottleneck=ac.Link(rate="2 Mb/s", delay="5 ms", loss=ac.Loss(rate=0.01))),
    flows=[ac.Flow(pair=1, tcp="reno"), ac.Flow(pair=2, app=ac.Cbr(rate="100 kb/s", packet_size="200 B"))],
    duration="3 s",
    record=ac.Record(packets=True, changes=True),
)


@pytest.fixture(scope="module")
def results() -> ac.Results:
    return ac.run(SCENARIO)


@pytest.fixture(scope="module")
def saved(results: ac.Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "run"
    results.save(folder)
    return folder


def test_duckdb_queries_tables_and_files(results: ac.Results, saved: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    flows = results.flows
    assert duckdb.sql("SELECT flow, goodput_bps FROM flows ORDER BY flow").fetchall() == [
        (row["flow"], row["goodput_bps"]) for row in results.rows("flows")
    ]
    assert duckdb.from_arrow(flows).fetchall() == [tuple(row.values()) for row in flows]
    files = sorted(saved.glob("*.parquet"))
    assert {path.stem for path in files} == set(results.tables)
    for path in files:
        assert duckdb.sql(f"SELECT count(*) FROM '{path}'").fetchall() == [(len(results[path.stem]),)]


def test_duckdb_queries_a_sweep_as_the_guide_does(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    store = tmp_path / "store"
    vary = {"flows.0.tcp": ["reno", "vegas"]}
    done = ac.sweep(SCENARIO, vary=vary, replications=3, store=store)
    guide = (ROOT / "docs/guide/sweeps.md").read_text(encoding="utf-8")
    query = re.search(r"^ +(SELECT description .*?;)$", guide, re.DOTALL | re.MULTILINE)
    assert query is not None
    rows = duckdb.sql(query[1].replace("out/store", str(store))).fetchall()
    found = {tcp: (n, mean) for tcp, n, mean in rows}
    for cell in done:
        n, mean = found[cell.point.settings["flows.0.tcp"]]
        values = cell.values("goodput_bps.1")
        assert n == 3 == len(values) and mean == pytest.approx(sum(values) / 3)


def test_polars_scans_what_was_saved(results: ac.Results, saved: Path) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    for name in results.tables:
        assert polars.scan_parquet(saved / f"{name}.parquet").collect().equals(results[name].to_polars())
    trace = saved / "out.tr"
    ac.run(SCENARIO, trace=trace)
    packets = polars.DataFrame(ac.trace.read(trace))
    assert packets.height == sum(not line.startswith("#") for line in trace.read_text().splitlines())


def test_pyarrow_takes_a_table_as_it_is(results: ac.Results) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed (make interop)")
    for name in results.tables:
        table = pyarrow.table(results[name])
        assert table.column_names == results[name].column_names() and table.to_pylist() == results.rows(name)


def test_xarray_has_a_dimension_for_flow_and_time(results: ac.Results) -> None:
    pytest.importorskip("xarray", reason="xarray is not installed (make interop)")
    pytest.importorskip("pandas", reason="pandas is not installed")
    series = results.flow_series.to_pandas().set_index(["flow", "time_s"]).to_xarray()
    window = series["cwnd_packets"].sel(flow=1).values.tolist()
    assert window == [row["cwnd_packets"] for row in results.rows("flow_series") if row["flow"] == 1]
