"""Compare ackclock's TCP socket with the running kernel's, by random packetdrill scripts.

    python tools/judge_tcp.py PACKETDRILL [--controls reno,cubic,bbr] [--scripts 100] [--first 0] [--jobs 1]
        [--write] [--records FOLDER] [--show]
    python tools/judge_tcp.py --recorded [--controls reno,cubic,bbr] [--records FOLDER] [--write]

PACKETDRILL is the path of packetdrill's program. Each script is a function of its seed: handshake, writes, ACKs,
SACKs, losses, reordering, timeouts, ECN marks and data of the peer. Packets (sequence, length, order, flags, options,
ECN field) and TCP_INFO after each ACK are compared. `--write` records the kernel's answers in
tests/oracle/kernel_tcp, for machines with another kernel. Linux, as root. A run in which packetdrill was late by a
millisecond does not count, since the machine was too busy. A script for which the kernel's runs differ from each
other is left out: microseconds decide what comes of it. `--jobs` runs as many scripts at a time; they mostly wait.
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

from tcp_judge.compare import Answer, ackclock_answer, first_difference, windows_agree
from tcp_judge.kernel import ask, kernel_version
from tcp_judge.scripts import FIELDS, generate

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "tests" / "oracle" / "kernel_tcp"
#: Runs of a script on the kernel, at most; and how late packetdrill may be with a packet, microseconds.
RUNS = 6
MOST_LATE_MICROS = 1_000


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
    unsteady = 0
    seeds = range(options.first, options.first + options.scripts)

    def answered(seed: int) -> tuple[int, str, Answer | None, str | None]:
        text = generate(seed, control)
        answer = steady_answer(options.packetdrill, text)
        difference = None if answer is None else first_difference(text, answer, ackclock_answer(text), FIELDS)
        if answer is not None and difference is not None and not is_steady(options.packetdrill, text, answer):
            answer = None
        return seed, text, answer, difference

    with ThreadPoolExecutor(options.jobs) as pool:
        for seed, text, answer, difference in pool.map(answered, seeds):
            if answer is None:
                unsteady += 1
                print(f"{control} {seed}: the kernel's runs differ")
                continue
            records.append({"seed": seed, "script": text, "answer": json.loads(answer.to_json())})
            if difference is not None:
                differs[str(seed)] = difference
                print(f"{control} {seed}: {difference}")
                if options.show:
                    print(text)
            sys.stdout.flush()
    same = len(records) - len(differs)
    share = 100 * same / len(records) if records else 0
    print(f"{control}: {same} of {len(records)} identical ({share:.1f} %), {unsteady} left out")
    # Further runs are asked for only where ackclock differs, so the share of those that count is the upper bound.
    print(
        f"{control}: {same} of {len(seeds)} ({100 * same / len(seeds):.1f} %) if what is left out counts as different"
    )
    if options.write:
        options.records.mkdir(parents=True, exist_ok=True)
        whole = {"kernel": kernel_version(), "control": control, "fields": FIELDS, "records": records}
        data = json.dumps(whole, separators=(",", ":")).encode()
        (options.records / f"{control}.json.gz").write_bytes(gzip.compress(data, mtime=0))
        list_differences(options.records, control, differs)
    return int(same < len(records))


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
    same = len(whole["records"]) - len(differs)
    count, kernel = len(whole["records"]), whole["kernel"]
    print(f"{control}: {same} of {count} identical with Linux {kernel}, {near} with windows within a packet")
    if writes:
        list_differences(folder, control, differs)
    return int(bool(differs))


def list_differences(folder: Path, control: str, differs: dict[str, str]) -> None:
    """Write the seeds that differ, for the test that repeats the comparison."""
    listed = folder / "differs.json"
    known = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    known[control] = differs
    listed.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def steady_answer(packetdrill: str, text: str) -> Answer | None:
    """The kernel's answer, if two of the runs give the same. A run whose packets came too late does not count."""
    answers: list[Answer] = []
    for _ in range(RUNS):
        answer = ask(packetdrill, text)
        if answer.late > MOST_LATE_MICROS:
            continue
        if any(first_difference(text, earlier, answer, FIELDS) is None for earlier in answers):
            return answer
        answers.append(answer)
    return None


def is_steady(packetdrill: str, text: str, answer: Answer) -> bool:
    """Whether further runs give the same answer. Asked where ackclock's answer is another one."""
    again = (ask(packetdrill, text) for _ in range(RUNS))
    return all(run.late > MOST_LATE_MICROS or first_difference(text, answer, run, FIELDS) is None for run in again)


if __name__ == "__main__":
    sys.exit(main())
