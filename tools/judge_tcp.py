"""Compare ackclock's TCP socket with the running kernel's, by random packetdrill scripts.

    python tools/judge_tcp.py PACKETDRILL [--controls reno,cubic,bbr] [--scripts 100] [--first 0] [--jobs 1]
        [--write] [--records FOLDER] [--show]
    python tools/judge_tcp.py --recorded [--controls reno,cubic,bbr] [--records FOLDER] [--write]

PACKETDRILL is the path of packetdrill's program. Each script is a function of its seed: handshake, writes, ACKs,
SACKs, losses, reordering, timeouts, ECN marks and data of the peer. Packets (sequence, length, order, flags, options,
ECN field) and TCP_INFO after each ACK are compared. `--write` records the kernel's answers in
tests/oracle/kernel_tcp, for machines with another kernel. Linux, as root.

The kernel runs a script once. packetdrill's packets come some microseconds late, and microseconds decide what becomes
of some scripts, so ackclock gets each packet when the kernel got it. A run in which one came a millisecond late is
repeated, since the machine was too busy. `--jobs` runs as many scripts at a time; they mostly wait.

`--recorded` takes the recorded answers, on any system; with `--write` it lists the seeds that differ anew.
`--records` names another folder.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tcp_judge.compare import Answer, Comparison, as_it_was_run, compare
from tcp_judge.kernel import ask, kernel_version
from tcp_judge.scripts import FIELDS, generate

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "tests" / "oracle" / "kernel_tcp"
#: How late packetdrill may be with a packet, microseconds, and runs that are later, at most.
MOST_LATE_MICROS = 1_000
MOST_RUNS = 50


def main() -> int:
    """The exit status: 1 if a script differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packetdrill", nargs="?")
    parser.add_argument("--recorded", action="store_true", help="compare with the recorded answers, without a kernel")
    parser.add_argument("--controls", default="reno,cubic,bbr")
    parser.add_argument("--scripts", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=1, help="scripts that run at a time")
    parser.add_argument("--write", action="store_true", help="record the kernel's answers")
    parser.add_argument("--records", type=Path, default=RECORDS, help="where the records are")
    parser.add_argument("--show", action="store_true", help="print scripts that differ")
    options = parser.parse_args()
    if options.recorded == bool(options.packetdrill):
        parser.error("expected PACKETDRILL or --recorded")
    status = 0
    for control in options.controls.split(","):
        if options.recorded:
            status |= judge_recorded(options.records, control, options.write)
        else:
            status |= judge(control, options)
    return status


def judge(control: str, options: argparse.Namespace) -> int:
    """Run the scripts of one control; 1 if one differs."""
    records: list[dict[str, object]] = []
    found: dict[str, Comparison] = {}
    seeds = range(options.first, options.first + options.scripts)

    def answered(seed: int) -> tuple[int, str, Answer]:
        return seed, *kernel_answer(options.packetdrill, generate(seed, control))

    with ThreadPoolExecutor(options.jobs) as pool:
        for seed, text, answer in pool.map(answered, seeds):
            records.append({"seed": seed, "script": text, "answer": json.loads(answer.to_json())})
            found[str(seed)] = one = compare(text, control, answer, FIELDS)
            if one.difference is not None:
                print(f"{control} {seed}: {one.difference}", flush=True)
                if options.show:
                    print(text)
    tell(control, found, kernel_version())
    if options.write:
        options.records.mkdir(parents=True, exist_ok=True)
        whole = {"kernel": kernel_version(), "control": control, "fields": FIELDS, "records": records}
        data = json.dumps(whole, separators=(",", ":")).encode()
        (options.records / f"{control}.json.gz").write_bytes(gzip.compress(data, mtime=0))
        list_differences(options.records, control, found)
    return int(any(one.difference is not None for one in found.values()))


def judge_recorded(folder: Path, control: str, writes: bool) -> int:
    """Compare with the recorded answers; 1 if one differs."""
    whole = json.loads(gzip.decompress((folder / f"{control}.json.gz").read_bytes()))
    found = {}
    for record in whole["records"]:
        answer = Answer.from_json(json.dumps(record["answer"]))
        one = compare(record["script"], control, answer, tuple(whole["fields"]))
        found[str(record["seed"])] = one
        if one.difference is not None:
            print(f"{control} {record['seed']}: {one.difference}")
    tell(control, found, whole["kernel"])
    if writes:
        list_differences(folder, control, found)
    return int(any(one.difference is not None for one in found.values()))


def list_differences(folder: Path, control: str, found: dict[str, Comparison]) -> None:
    """Write the seeds that differ, for the test that repeats the comparison."""
    listed = folder / "differs.json"
    known = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    known[control] = {seed: one.difference for seed, one in found.items() if one.difference is not None}
    listed.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def tell(control: str, found: dict[str, Comparison], kernel: str) -> None:
    """Print how many scripts are identical, and how many have windows that are near."""

    def share(counted: Iterable[bool]) -> str:
        number = sum(counted)
        return f"{number} ({100 * number / max(1, len(found)):.1f} %)"

    print(f"{control}: of {len(found)} scripts on Linux {kernel}:")
    print(f"  identical: {share(one.difference is None for one in found.values())}")
    print(f"  window within a packet after each event: {share(one.near_at_events for one in found.values())}")
    print(f"  ... at the end of each round trip: {share(one.near_at_rounds for one in found.values())}", flush=True)


def kernel_answer(packetdrill: str, text: str) -> tuple[str, Answer]:
    """The script as it was run, and the kernel's answer. `SystemExit` where the machine is too busy."""
    for _ in range(MOST_RUNS):
        answer = ask(packetdrill, text)
        if answer.late <= MOST_LATE_MICROS:
            return as_it_was_run(text, answer), answer
    raise SystemExit(f"packetdrill was late in {MOST_RUNS} runs of a script: the machine is too busy")


if __name__ == "__main__":
    sys.exit(main())
