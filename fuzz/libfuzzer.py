"""The readers of crates/trace under libFuzzer: `python -m fuzz.libfuzzer TARGET INPUTS`; the last line is a `Row`.

libFuzzer sees which branches an input takes and builds on those that take new ones, and ends at whatever panics, takes
over 10 s or over 2 GiB. The compiler's flags that tell it so are those of cargo-fuzz without a sanitizer, which stable
Rust has, too; unlike a release, what is built checks arithmetic for overflow.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

from fuzz.reading import CORPUS, FOUND
from fuzz.row import HERE, Row

#: Each target, in words, and the folders of its seeds.
TARGETS = {
    "tr": ("packet traces (.tr) by the trace tools and into captures, with libFuzzer", ("tr",)),
    "table": ("tables of saved runs (Parquet), with libFuzzer", ("table",)),
    "nam": ("animations (.nam) and traces as the page plays them, with libFuzzer", ("nam", "tr")),
}
FLAGS = (
    "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 "
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
)
TIME_OUT, NO_MEMORY = 70, 71


def built(target: str) -> str:
    """The program of a target."""
    host = re.search(r"host: (\S+)", subprocess.check_output(["rustc", "-vV"], text=True))
    assert host is not None
    # Flags for a named target are not those of build scripts, which could not be linked with them.
    line = ["cargo", "build", "--release", "--locked", "--target", host[1], "--bin", target]
    folder = os.path.join(os.environ.get("CARGO_TARGET_DIR", str(HERE.parent / "target")), "libfuzzer")
    set_up = {**os.environ, "RUSTFLAGS": FLAGS, "CARGO_TARGET_DIR": folder}
    subprocess.run([*line, "--manifest-path", str(HERE / "Cargo.toml")], check=True, env=set_up)
    return os.path.join(folder, host[1], "release", target)


def main(target: str, inputs: int) -> int:
    """Build a target, give it so many inputs, say what came of it; 1 when something gave way."""
    what, seeds = TARGETS[target]
    program = built(target)
    grown = FOUND.parent / "corpus" / target
    grown.mkdir(parents=True, exist_ok=True)
    FOUND.mkdir(exist_ok=True)
    limits = ["-max_len=16384", "-timeout=10", "-rss_limit_mb=2048"]
    options = [f"-runs={inputs}", *limits, f"-artifact_prefix={FOUND}/{target}-"]
    began, tried = time.monotonic(), 0
    line = [program, *options, str(grown), *(str(CORPUS / name) for name in seeds)]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        assert process.stderr is not None
        for said in process.stderr:
            number = re.match(r"#(\d+)\s|Done (\d+) runs", said)
            tried = int(number[1] or number[2]) if number else tried
            if not re.match(r"#\d+\s+(NEW|REDUCE|RELOAD)", said):
                print(said, end="", file=sys.stderr, flush=True)
    hung = process.returncode == TIME_OUT
    crashed = process.returncode != 0 and not hung
    print(Row(what, tried, int(crashed), int(hung), 0, time.monotonic() - began).line())
    return int(hung or crashed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
