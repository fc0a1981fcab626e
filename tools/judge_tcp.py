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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tcp_judge.compare import Answer, ackclock_answer, as_it_was_run, first_difference, windows_agree
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
    differs: dict[str, str] = {}
    near = 0
    seeds = range(options.first, options.first + options.scripts)

    def answered(seed: int) -> tuple[int, str, Answer]:
        return seed, *kernel_answer(options.packetdrill, generate(seed, control))

    with ThreadPoolExecutor(options.jobs) as pool:
        for seed, text, answer in pool.map(answered, seeds):
            actual = ackclock_answer(text)
            records.append({"seed": seed, "script": text, "answer": json.loads(answer.to_json())})
            near += windows_agree(answer, actual, FIELDS)
            difference = first_difference(text, answer, actual, FIELDS)
            if difference is not None:
                differs[str(seed)] = difference
                print(f"{control} {seed}: {difference}")
                if options.show:
                    print(text)
            sys.stdout.flush()
    print(told(control, len(records), len(differs), near, kernel_version()))
    if options.write:
        options.records.mkdir(parents=True, exist_ok=True)
        whole = {"kernel": kernel_version(), "control": control, "fields": FIELDS, "records": records}
        data = json.dumps(whole, separators=(",", ":")).encode()
        (options.records / f"{control}.json.gz").write_bytes(gzip.compress(data, mtime=0))
        list_differences(options.records, control, differs)
    return int(bool(differs))


def judge_recorded(folder: Path, control: str, writes: bool) -> int:
    """Compare with the recorded answers; 1 if one differs."""
    whole = json.loads(gzip.decompress((folder / f"{control}.json.gz").read_bytes()))
    differs, near, fields = {}, 0, tuple(whole["fields"])
    for record in whole["records"]:
        answer = Answer.from_json(json.dumps(record["answer"]))
        text = record["script"]
        actual = ackclock_answer(text)
        near += windows_agree(answer, actual, fields)
        difference = first_difference(text, answer, actual, fields)
        if difference is not None:
            differs[str(record["seed"])] = difference
            print(f"{control} {record['seed']}: {difference}")
    print(told(control, len(whole["records"]), len(differs), near, whole["kernel"]))
    if writes:
        list_differences(folder, control, differs)
    return int(bool(differs))


def list_differences(folder: Path, control: str, differs: dict[str, str]) -> None:
    """Write the seeds that differ, for the test that repeats the comparison."""
    listed = folder / "differs.json"
    known = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    known[control] = differs
    listed.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def told(control: str, count: int, differ: int, near: int, kernel: str) -> str:
    """The last line: how many scripts are identical, and how many have windows that are near after each event."""
    shares = [f"{number} ({100 * number / max(1, count):.1f} %)" for number in (count - differ, near)]
    return (
        f"{control}: of {count} scripts {shares[0]} identical with Linux {kernel}, "
        f"{shares[1]} with windows within a packet"
    )


def kernel_answer(packetdrill: str, text: str) -> tuple[str, Answer]:
    """The script as it was run, and the kernel's answer. `SystemExit` where the machine is too busy."""
    for _ in range(MOST_RUNS):
        answer = ask(packetdrill, text)
        if answer.late <= MOST_LATE_MICROS:
            return as_it_was_run(text, answer), answer
    raise SystemExit(f"packetdrill was late in {MOST_RUNS} runs of a script: the machine is too busy")


if __name__ == "__main__":
    sys.exit(main())
