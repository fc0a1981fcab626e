"""Write the profile for wheels and benchmarks: benches/pgo/rustc-VERSION-llvm-VERSION.profdata.

    python benches/train.py        (make pgo; some four minutes)

An instrumented engine runs typical loads: ns-2's senders and the sender `tcp` through common queues, and scripts
with and without traces. The profile keeps the few functions that ran often; all others are compiled without it.
No result depends on it. Run it again for another rustc, or if `make instructions` shows that functions have left it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from instructions import ROOT, RUNS, WRAPPER, compiler, profile

#: Functions none of whose blocks ran so often are left out: the file would be much larger for nothing measurable.
OFTEN = 50_000
#: Words for the example `dumbbell`, with those whose instructions are counted. Each weighs about the same: what one of
#: them alone runs often makes the others' seem rare.
DUMBBELLS = (
    *RUNS,
    "10 100 250 5 tahoe drop_tail",
    "10 100 250 5 reno red",
    "10 100 250 5 fack drop_tail",
    "10 100 250 5 tcp:cubic drop_tail",
    "10 100 250 5 tcp:cubic fq_codel",
    "10 100 250 5 tcp:bbr3 drop_tail",
)
#: Words for benches/dumbbell.tcl: with nothing traced, all traced, and an animation.
SCRIPTS = (
    "10 100 250 5 0.0 Sack1 DropTail 0",
    "10 100 250 5 0.0 Newreno RED 0",
    "10 100 250 5 0.0 Sack1 DropTail 0.01",
    "10 100 250 2 0.0 Sack1 DropTail 0 out.tr",
    "10 100 250 1 0.0 Sack1 DropTail 0 out.tr out.nam",
)
IN_PROCESS = "import sys; from ackclock.{} import main; sys.exit(main(sys.argv[1:]))"


def said(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def merging_tool() -> str:
    """Rust's own llvm-profdata. `SystemExit` without it."""
    sysroot = Path(said("rustc", "--print", "sysroot").strip())
    tool = sysroot / "lib" / "rustlib" / compiler()["host"] / "bin" / "llvm-profdata"
    if not tool.exists():
        raise SystemExit(f"{tool} is not there: rustup component add llvm-tools")
    return str(tool)


def run_all(seen: Path, scratch: Path) -> None:
    """Build what counts, and run what people run; `seen` gets what it counted."""
    target = scratch / "target"
    env = {
        **os.environ,
        "RUSTC_WRAPPER": str(WRAPPER),
        "ACKCLOCK_TRAIN": str(seen),
        "CARGO_TARGET_DIR": str(target),
        "PYO3_PYTHON": sys.executable,
    }
    build = ["cargo", "build", "--release", "--locked", "--quiet"]
    subprocess.run([*build, "-p", "ackclock-engine", "--examples"], cwd=ROOT, env=env, check=True)
    subprocess.run([*build, "-p", "ackclock-python"], cwd=ROOT, env=env, check=True)
    package = scratch / "package" / "ackclock"
    shutil.copytree(ROOT / "python" / "ackclock", package, ignore=shutil.ignore_patterns("*.so", "static"))
    shutil.copy(target / "release" / "lib_native.so", package / "_native.abi3.so")

    def run(name: str, *command: str) -> None:
        print(f"{name} ...", flush=True)
        # Each leaves what it counted when it ends by itself, not by _exit as the command `ackclock ns2` does, and in a
        # file of its own: in one for all, the targets of calls by address are lost, with a sixth of the gain.
        own = {**os.environ, "PYTHONPATH": str(package.parent), "LLVM_PROFILE_FILE": str(seen / "%p.profraw")}
        subprocess.run(command, cwd=scratch, env=own, stdout=subprocess.DEVNULL, check=True)

    examples = target / "release" / "examples"
    for words in DUMBBELLS:
        run(f"dumbbell {words}", str(examples / "dumbbell"), *words.split())
    benches = ROOT / "benches"
    script = (sys.executable, "-c", IN_PROCESS.format("ns2"), str(benches / "dumbbell.tcl"))
    for words in SCRIPTS:
        run(f"script {words}", *script, *words.split())
    scenario = (sys.executable, "-c", IN_PROCESS.format("cli"), "run", str(benches / "dumbbell.toml"))
    run("a scenario", *scenario, "--set", 'duration="2 s"', "--json")


def frequent(text: str) -> str:
    """The functions of a profile, in the tool's text, that have a block that ran often."""
    head, end, functions = text.partition(":ir\n")
    kept = []
    for function in functions.split("\n\n"):
        _, _, numbers = function.partition("# Counter Values:\n")
        if any(line.isdigit() and int(line) >= OFTEN for line in numbers.partition("#")[0].splitlines()):
            kept.append(function.strip("\n"))
    return head + end + "\n\n".join(kept) + "\n\n"


def main() -> int:
    """Train, and keep what ran often."""
    tool, kept = merging_tool(), profile()
    with tempfile.TemporaryDirectory(prefix="ackclock-train-") as folder:
        scratch = Path(folder)
        seen, text = scratch / "seen", scratch / "profile.txt"
        run_all(seen, scratch)
        text.write_text(frequent(said(tool, "merge", "-text", str(seen), "-o", "-")), encoding="utf-8")
        subprocess.run([tool, "merge", "-sparse", str(text), "-o", str(kept)], check=True)
    print(f"{kept.relative_to(ROOT)}: {kept.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
