"""What a notebook shows and completes, and tables as other libraries take them."""

from __future__ import annotations

import pytest

import ackclock as ac

LINK = ac.Link(rate="2 Mb/s", delay="5 ms", queue=ac.Queue(limit="20 packets"))
SCENARIO = ac.Scenario(
    topology=ac.Dumbbell(pairs=1, bottleneck=LINK, access=ac.Link(rate="10 Mb/s", delay="1 ms")),
    flows=[ac.Flow(pair=1, tcp="reno", name="a<b"), ac.Flow(pair=1, tcp="vegas")],
    duration="3 s",
    name="two & two",
)


@pytest.fixture(scope="module")
def results() -> ac.Results:
    return ac.run(SCENARIO)


def test_all_that_is_public_is_completed(results: ac.Results) -> None:
    assert set(ac.__all__) <= set(dir(ac)) and not any(
        name.startswith("_") for name in dir(ac) if name not in ac.__all__
    )
    assert {"flows", "links", "flow_series", "plot", "save"} <= set(dir(results))
    assert results._ipython_key_completions_() == list(results.tables)
    assert "goodput_bps" in results.flows._ipython_key_completions_()


def test_a_table_is_indexed_and_iterated(results: ac.Results) -> None:
    flows = results.flows
    assert flows["goodput_bps"] == flows.column("goodput_bps") and flows[0] == results.rows("flows")[0]
    assert flows[-1] == list(flows)[1] == flows.rows()[1] and len(flows[1:]) == 1
    assert len(flows[:0]) == 0 and flows[:0].column_names() == flows.column_names()
    series = results.flow_series
    assert series[3:7].rows() == results.rows("flow_series")[3:7]
    assert "goodput_bps" in flows and "goodput" not in flows
    for wrong, error in ((2, IndexError), ("goodput", KeyError), (1.5, TypeError), (slice(0, 2, 2), IndexError)):
        with pytest.raises(error):
            flows[wrong]


def test_a_table_becomes_a_data_frame(results: ac.Results) -> None:
    import pandas  # type: ignore[import-untyped]
    import polars

    for name in ("flows", "flow_series"):
        table = results[name]
        frame = table.to_polars()
        assert isinstance(frame, polars.DataFrame) and frame.equals(polars.DataFrame(table))
        assert frame.columns == table.column_names() and frame.height == len(table)
        other = table.to_pandas()
        assert isinstance(other, pandas.DataFrame) and list(other.columns) == table.column_names()
        # What many try first: pandas takes rows.
        assert pandas.DataFrame(table).shape == other.shape
    assert results.flows.to_polars()["goodput_bps"].to_list() == results.flows["goodput_bps"]


def test_everything_has_html_and_escapes_names(results: ac.Results) -> None:
    html = results._repr_html_()
    assert "a&lt;b" in html and "a<b" not in html and "two &amp; two" in html and "vegas-2" in html
    assert "bottleneck.rate" in SCENARIO._repr_html_() and "a&lt;b" in SCENARIO._repr_html_()
    table = results.flows._repr_html_()
    assert table.count("<tr>") == 3 and "<th>goodput_bps</th>" in table
    assert "and " in results.flow_series._repr_html_() and results.flow_series._repr_html_().count("<tr>") == 21
    assert (
        "±" in str(ac.stats.student([1.0, 2.0, 4.0])) and "<table>" in ac.stats.student([1.0, 2.0, 4.0])._repr_html_()
    )


def test_a_table_says_its_columns(results: ac.Results) -> None:
    lines = repr(results.flows).splitlines()
    assert lines[0] == f"<Table of 2 rows and {len(results.flows.column_names())} columns>"
    assert all(len(line) <= 100 for line in lines)
    assert len(lines) == len(results.flows.column_names()) + 1
