"""A study whose script is Python, which the tests of studies change."""

from __future__ import annotations

import sys
from pathlib import Path

from ackclock.batch.study import Outcome, load_study, run_study

CLAIMS = """
[paper]
title = "One <number>"
authors = "A. Author"
year = 1999
venue = "nowhere"
question = "What is said?"

[[run]]
id = "only"
label = "the only run"
script = "script.py"
args = ["7"]

[[run]]
id = "times{factor}"
script = "script.py"
args = ["{factor}", "{seed}"]
over = { factor = [2, 3] }
seed = 1
keep = []
[run.seeds]
quick = 1
normal = 2
full = 4
first = 11

[traces]
"only/out.txt" = "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451"

[[claim]]
id = "value"
group = "first"
quantity = "value"
unit = "packets"
where = "page 1"
words = "seven"
published = "7"
rule = "digits"
settings = "printed"
runs = ["only"]

[[claim]]
id = "bound"
group = "second"
quantity = "value"
unit = "packets"
where = "page 2"
words = "more than eight"
published = "8"
rule = "at_least"
settings = "printed"
deterministic = true
reference = { value = "7", verdict = "contradicted" }

[[claim]]
id = "seeds"
quantity = "product"
where = "page 3"
words = "always more than 23"
published = "23"
rule = "at_least"
settings = "printed"
level = "normal"

[[unweighed]]
place = "Figure 1"
words = "Fig. 1 The network"
reason = "It draws the network."
"""

CODE = """
from __future__ import annotations

from dataclasses import dataclass

from ackclock.batch.study import Figure

@dataclass
class Dot:
    place: float

def measure(runs):
    text = runs["only"].files["out.txt"].read_text()
    return {
        "value": text,
        "bound": float(text),
        "seeds": runs.over("times2", lambda kept: kept.reduced["product"]),
    }

def figures(runs, folder):
    path = folder / "dot.png"
    path.write_bytes(b"not really a picture")
    return [Figure(path, "a < b", runs=["only"])]
"""

REDUCE = """
def reduce(run, result):
    if run.group == "only":
        return {}
    return {"product": float(result.files["out.txt"].read_text())}
"""

SCRIPT = """
import sys
product = 1
for word in sys.argv[1:]:
    product *= int(word)
open('out.txt', 'w').write(str(product))
"""
PROGRAM = [sys.executable]


def study_folder(tmp_path: Path) -> Path:
    """A study whose script is Python."""
    place = tmp_path / "studies" / "007_one_number"
    place.mkdir(parents=True)
    (place / "claims.toml").write_text(CLAIMS)
    (place / "one_number.py").write_text(CODE)
    (place / "reduce.py").write_text(REDUCE)
    (place / "script.py").write_text(SCRIPT)
    return place


def run(folder: Path, out: Path, level: str = "normal") -> Outcome:
    return run_study(load_study(folder), out, program=PROGRAM, level=level)
