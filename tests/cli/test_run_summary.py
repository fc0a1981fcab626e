"""What `ackclock run` prints of its tables."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCENARIO = """\
duration = "2 s"
seed = 1

[topology]
kind = "dumbbell"
pairs = {pairs}
bottleneck = {{ rate = "50 Mb/s", delay = "5 ms", queue = {{ limit = "60 packets" }} }}

[[flows]]
pair = 0
tcp = "sack"
app = {{ kind = "ftp", size = "20 packets" }}
"""


def printed(folder: Path, pairs: int, *options: str) -> str:
    file = folder / "net.toml"
    file.write_text(SCENARIO.format(pairs=pairs))
    command = [sys.executable, "-m", "ackclock", "run", str(file), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def test_a_short_table_has_all_rows(tmp_path: Path) -> None:
    flows, links = printed(tmp_path, 3).split("\n\n")
    assert len(flows.splitlines()) == 1 + 3
    assert len(links.splitlines()) == 1 + 2 * (1 + 2 * 3)


# The totals are those of the rows in the JSON.
def test_a_long_table_is_totals_and_its_first_rows(tmp_path: Path) -> None:
    told = json.loads(printed(tmp_path, 101, "--json"))
    totals, flows, of_links, links = printed(tmp_path, 101).split("\n\n")
    # Bytes over the run's two seconds. Each flow's own goodput is over its own time: their sum is another figure.
    goodput = 8 * sum(row["delivered_bytes"] for row in told["flows"]) / 2 / 1e6
    assert sum(row["goodput_bps"] for row in told["flows"]) / 1e6 > 2 * goodput
    sent, dropped = (sum(row[f"{what}_packets"] for row in told["flows"]) for what in ("sent", "dropped"))
    ended = sum(row["completion_s"] is not None for row in told["flows"])
    assert totals.startswith(f"101 flows: goodput {goodput:.3f} Mb/s, ")
    assert f"sent {sent:,} packets, dropped {dropped:,};" in totals and totals.endswith(f"{ended:,} completed")
    assert len(flows.splitlines()) == 1 + 20 + 1
    assert flows.splitlines()[-1] == "and 81 more; --out DIR or --csv DIR writes all"
    busy = [row for row in told["links"] if row["offered_packets"]]
    assert of_links.startswith(f"{len(busy):,} busy links: ") and len(links.splitlines()) == 1 + 20 + 1


# Samples are stops of the simulation: a run without them comes to the same numbers.
def test_a_run_that_keeps_no_series_prints_the_same(tmp_path: Path) -> None:
    assert printed(tmp_path, 7, "--out", str(tmp_path / "kept")) == printed(tmp_path, 7)
    assert (tmp_path / "kept" / "link_series.parquet").stat().st_size > 0
    kept, alone = (json.loads(printed(tmp_path, 7, "--json", *more)) for more in (["--csv", str(tmp_path / "csv")], []))
    assert (kept["flows"], kept["links"]) == (alone["flows"], alone["links"])
    assert kept["tables"]["flow_series"] > 0 and "flow_series" not in alone["tables"]
