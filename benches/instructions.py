"""Count the engine's instructions under valgrind and hold them against what is recorded.

    python benches/instructions.py [--record]        (make instructions)

Each line of benches/instructions.tsv is a run of crates/engine/examples/dumbbell.rs: its words, and how many
instructions it took, which says more about a change than seconds do on a shared machine. A count more than 3 % above
its record fails; one more than 3 % below asks to be recorded anew. Other compilers give other counts: the file names
its own. Without valgrind nothing is compared, and that is said; so it is when there is no profile for this compiler
(benches/train.py).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Builds with the profile, in a folder of their own: cargo does not see that a wrapper came or went, and would take
#: what the other build left.
WRAPPER = ROOT / "benches" / "pgo" / "rustc"
TARGET = ROOT / "target" / "pgo"
RECORD = ROOT / "benches" / "instructions.tsv"
TOLERANCE = 0.03
#: words of the example: flows, Mb/s, queue limit, seconds, sender, queue; spread, threads, the part that is lost, and
#: whether links and flows are measured, as for a scenario's tables
RUNS = (
    "10 100 250 5 sack drop_tail",
    "10 100 250 20 sack drop_tail 1 1 0.01",
    "10 100 250 5 new_reno red",
    "10 100 250 5 vegas drop_tail",
    "10 100 250 5 sack drop_tail 1 1 0 1",
    "10 100 250 5 tcp:cubic drop_tail",
    "10 100 250 5 tcp:bbr drop_tail",
    "1 10 250 50 sack drop_tail",
    "1000 1000 2500 1.5 sack drop_tail",
    "20000 1000 1000 0 sack drop_tail",
)


def build() -> Path:
    """Compile the example, optimised and with the profile."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "-p", "ackclock-engine", "--example", "dumbbell"]
    env = {**os.environ, "RUSTC_WRAPPER": str(WRAPPER), "CARGO_TARGET_DIR": str(TARGET)}
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    return TARGET / "release" / "examples" / "dumbbell"


def profile() -> Path:
    """Where the profile for this rustc is, if there is one (benches/pgo/rustc, benches/train.py)."""
    facts = compiler()
    return WRAPPER.parent / f"rustc-{facts['release']}-llvm-{facts['LLVM version']}.profdata"


def compiler() -> dict[str, str]:
    """What rustc says of itself: release, host, LLVM version."""
    said = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    return dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)


def count(program: Path, words: str) -> int:
    """Instructions of one run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), *words.split()]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    collected = re.search(r"Collected : (\d+)", said)
    if collected is None:
        raise SystemExit(f"valgrind did not say how many instructions it counted:\n{said}")
    return int(collected[1])


def main() -> int:
    """Compare, or record."""
    if shutil.which("valgrind") is None:
        print(f"skipped: {len(RUNS)} counts were not compared, valgrind is not installed")
        return 0
    if not profile().exists():
        print(f"there is no {profile().name} in benches/pgo: make pgo")
    program = build()
    counts = {words: count(program, words) for words in RUNS}
    if sys.argv[1:] == ["--record"]:
        version = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()
        lines = [f"# {version}", *(f"{words}\t{number}" for words, number in counts.items())]
        RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    lines = RECORD.read_text(encoding="utf-8").splitlines()
    recorded = dict(line.split("\t") for line in lines if not line.startswith("#"))
    slower = 0
    for words, number in counts.items():
        if words not in recorded:
            print(f"{words:40} {number:>13,}  not recorded: python benches/instructions.py --record")
            continue
        change = number / int(recorded[words]) - 1
        verdict = "slower" if change > TOLERANCE else "quicker: record it" if change < -TOLERANCE else "as recorded"
        slower += change > TOLERANCE
        print(f"{words:40} {number:>13,}  {change:+7.2%}  {verdict}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
