"""Compare ackclock's TCP socket with the running kernel's, by random packetdrill scripts.

    python tools/judge_tcp.py PACKETDRILL [--controls reno,cubic,bbr] [--scripts 100] [--first 0] [--write] [--show]
    python tools/judge_tcp.py --recorded [--controls reno,cubic,bbr] [--write]

PACKETDRILL is the path of packetdrill's program. Each script is a function of its seed: handshake, writes, ACKs, SACKs,
losses, reordering, timeouts, ECN marks and data of the peer. Packets (sequence, length, order, flags, options, ECN
field) and TCP_INFO after each ACK are compared. `--write` records the kernel's answers in tests/oracle/kernel_tcp, for
machines with another kernel. Linux, as root. A script for which the kernel's runs differ from each other is left out:
microseconds decide what comes of it. `--recorded` takes the recorded answers, on any
system; with `--write` it lists the seeds that differ anew.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

from tcp_judge.compare import Answer, ackclock_answer, first_difference
from tcp_judge.kernel import ask, kernel_version
from tcp_judge.scripts import FIELDS, generate

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "tests" / "oracle" / "kernel_tcp"


def main() -> int:
    """The exit status: 1 if a script differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packetdrill", nargs="?")
    parser.add_argument("--recorded", action="store_true", help="compare with the recorded answers, without a kernel")
    parser.add_argument("--controls", default="reno,cubic,bbr")
    parser.add_argument("--scripts", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--write", action="store_true", help="record the kernel's answers")
    parser.add_argument("--show", action="store_true", help="print scripts that differ")
    options = parser.parse_args()
    if options.recorded == bool(options.packetdrill):
        parser.error("expected PACKETDRILL or --recorded")
    status = 0
    for control in options.controls.split(","):
        if options.recorded:
            status |= judge_recorded(control, options.write)
            continue
        seeds = range(options.first, options.first + options.scripts)
        status |= judge(options.packetdrill, control, seeds, options.write, options.show)
    return status


def judge(packetdrill: str, control: str, seeds: range, writes: bool, shows: bool) -> int:
    """Run the scripts of one control; 1 if one differs."""
    records: list[dict[str, object]] = []
    differs: dict[str, str] = {}
    unsteady = 0
    for seed in seeds:
        text = generate(seed, control)
        answer = steady_answer(packetdrill, text)
        if answer is None:
            unsteady += 1
            print(f"{control} {seed}: the kernel's two runs differ")
            continue
        records.append({"seed": seed, "script": text, "answer": json.loads(answer.to_json())})
        difference = first_difference(text, answer, ackclock_answer(text), FIELDS)
        if difference is not None:
            differs[str(seed)] = difference
            print(f"{control} {seed}: {difference}")
            if shows:
                print(text)
        sys.stdout.flush()
    same = len(records) - len(differs)
    share = 100 * same / len(records) if records else 0
    print(f"{control}: {same} of {len(records)} identical ({share:.0f} %), {unsteady} left out")
    if writes:
        RECORDS.mkdir(parents=True, exist_ok=True)
        whole = {"kernel": kernel_version(), "control": control, "fields": FIELDS, "records": records}
        data = json.dumps(whole, separators=(",", ":")).encode()
        (RECORDS / f"{control}.json.gz").write_bytes(gzip.compress(data, mtime=0))
        list_differences(control, differs)
    return int(same < len(records))


def judge_recorded(control: str, writes: bool) -> int:
    """Compare with the recorded answers; 1 if one differs."""
    whole = json.loads(gzip.decompress((RECORDS / f"{control}.json.gz").read_bytes()))
    differs = {}
    for record in whole["records"]:
        answer = Answer.from_json(json.dumps(record["answer"]))
        text = record["script"]
        difference = first_difference(text, answer, ackclock_answer(text), tuple(whole["fields"]))
        if difference is not None:
            differs[str(record["seed"])] = difference
            print(f"{control} {record['seed']}: {difference}")
    same = len(whole["records"]) - len(differs)
    print(f"{control}: {same} of {len(whole['records'])} identical with Linux {whole['kernel']}")
    if writes:
        list_differences(control, differs)
    return int(bool(differs))


def list_differences(control: str, differs: dict[str, str]) -> None:
    """Write the seeds that differ, for the test that repeats the comparison."""
    listed = RECORDS / "differs.json"
    known = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    known[control] = differs
    listed.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def steady_answer(packetdrill: str, text: str) -> Answer | None:
    """The kernel's answer, if two of three runs give the same."""
    answers: list[Answer] = []
    for _ in range(3):
        answer = ask(packetdrill, text)
        if any(first_difference(text, earlier, answer, FIELDS) is None for earlier in answers):
            return answer
        answers.append(answer)
    return None


if __name__ == "__main__":
    sys.exit(main())
