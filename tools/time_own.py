"""What a congestion control and a queue discipline in Python cost: the table of docs/guide/own.md.

    python tools/time_own.py [ROUNDS]

Medians of CPU time; the cases take turns, so that a busy machine is busy for all of them.
"""

from __future__ import annotations

import statistics
import sys
import time

import ackclock as ac


def scenario(control: type[ac.CongestionControl] | None, queue: ac.Queue) -> ac.Scenario:
    """Two SACK flows over a link of 10 Mb/s."""
    topology = ac.Dumbbell(
        pairs=2,
        bottleneck=ac.Link(rate="10 Mb/s", delay="10 ms", queue=queue),
        access=ac.Link(rate="100 Mb/s", delay="1 ms"),
    )
    flows = [ac.Flow(pair=0, tcp="sack", control=control, window="1000 packets")]
    return ac.Scenario(topology=topology, flows=flows, duration="200 s", record=ac.Record(sample="0 s"))


def main() -> None:
    """Time all cases and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    native, own = ac.Queue(limit="100 packets"), ac.Queue(kind=ac.QueueDiscipline, limit="100 packets")
    cases = {
        "all of the engine's": scenario(None, native),
        "both controls in Python": scenario(ac.CongestionControl, native),
        "the link's two queues in Python": scenario(None, own),
        "all of that in Python": scenario(ac.CongestionControl, own),
    }
    times_s: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            began_s = time.process_time()
            ac.run(case)
            times_s[name].append(time.process_time() - began_s)
    medians_s = {name: statistics.median(times) for name, times in times_s.items()}
    first_s = next(iter(medians_s.values()))
    for name, median_s in medians_s.items():
        print(f"| {name} | {median_s:.2f} s | {f'{median_s / first_s:.1f} times |' if median_s != first_s else '|'}")


if __name__ == "__main__":
    main()
