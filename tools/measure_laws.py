"""Measure the windows that `tcp` senders hold under losses, beside what their laws say.

    python tools/measure_laws.py [--quick] [CONTROL...]

Every n-th packet is lost, for loss ratios 1/n from 1e-5 to 1e-1. Printed is the mean window of each beside the law's,
and how far the two are apart; docs/guide/congestion-controls.md shows the table. `tests/spec/test_tcp_laws.py`
holds the quick part to 10 %.

The law is the one that RFC 5681 and RFC 9438 write, over a cycle of exactly n packets: the round trip of the recovery
at what is left of the window, then growth until the loss. Without that round trip it would be the 1.22/sqrt(p) and the
figure 6 of RFC 9438 that are usually printed; from p = 0.03 on that makes a difference of more than 10 %.
"""

from __future__ import annotations

import sys

import ackclock as ac
from ackclock.analysis.models import cubic, square_root

LOSS_RATIOS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
RTT_S = 0.1
#: cycles of growth and loss that are looked at, after a few that are not
CYCLES, WARM_UP = 20, 8


def cycle(top: float, control: str, rtt_s: float) -> tuple[float, float]:
    """Packets and round trips of a cycle that ends with a window of `top`."""
    beta, alpha = (0.5, 1.0) if control == "reno" else (0.7, 3 * (1 - 0.7) / (1 + 0.7))
    window = beta * top
    packets, trips = window, 1.0
    flat_s = ((top - window) / 0.4) ** (1 / 3)
    # RFC 9438, 4.7: in equilibrium the window comes back to where it was cut; growth is followed in small steps.
    step, reno, grown_s = 0.02, window, 0.0
    while window < top - 1e-9:
        grown_s += step * rtt_s
        reno += alpha * step
        curve = 0.4 * (grown_s - flat_s) ** 3 + top if control == "cubic" else 0.0
        window = min(max(reno, curve), top)
        packets += window * step
        trips += step
    return packets, trips


def law(control: str, loss_ratio: float, rtt_s: float) -> float:
    """The mean window, packets, with one loss in 1/`loss_ratio` packets."""
    low, high, top = 2.0, 1e6, 2.0
    for _ in range(60):
        top = float((low * high) ** 0.5)
        packets, trips = cycle(top, control, rtt_s)
        low, high = (top, high) if packets < 1 / loss_ratio else (low, top)
    return packets / trips


def measured(control: str, loss_ratio: float, rtt_s: float) -> float:
    """The mean window, packets, of a sender whose every n-th packet is lost."""
    period = round(1 / loss_ratio)
    cycle_s = period / law(control, loss_ratio, rtt_s) * rtt_s
    loss = ac.Loss(kind="periodic", period=period, offset=round(0.4 * period))
    queue = ac.Queue(limit="100000 packets")
    line = ac.Link(
        rate="10 Gb/s", delay=f"{rtt_s / 2 * 1e3!r} ms", queue=queue, loss=[loss], reverse=ac.Reverse(loss=[])
    )
    # Packets are acknowledged one by one, as the laws' texts count them, and the application is never short.
    flow = ac.Flow(
        source="node1", destination="node2", tcp=control,
        parameters={"hystart": False, "quickack": True, "rmem_max": "2000000000 B", "wmem_max": "2000000000 B"},
    )  # fmt: skip
    scenario = ac.Scenario(
        topology=ac.Chain(nodes=2, link=line),
        flows=[flow],
        duration=f"{(WARM_UP + CYCLES) * cycle_s!r} s",
        defaults="linux",
        record=ac.Record(sample=f"{rtt_s} s"),
    )
    windows = [float(row["cwnd_packets"]) for row in ac.run(scenario).rows("flow_series")]
    late = windows[len(windows) * WARM_UP // (WARM_UP + CYCLES) :]
    return sum(late) / len(late)


def main() -> None:
    """Print the table."""
    quick = "--quick" in sys.argv[1:]
    controls = [word for word in sys.argv[1:] if not word.startswith("-")] or ["reno", "cubic"]
    print("| control | loss ratio | measured | law | apart | usual formula |\n|---|---|---|---|---|---|")
    for control in controls:
        for loss_ratio in LOSS_RATIOS:
            if quick and loss_ratio < 1e-4:
                continue
            found, expected = measured(control, loss_ratio, RTT_S), law(control, loss_ratio, RTT_S)
            usual = (
                square_root.packets_per_s(loss_ratio, rtt_s=RTT_S) * RTT_S
                if control == "reno"
                else cubic.window_packets(loss_ratio, rtt_s=RTT_S)
            )
            apart = (found / expected - 1) * 100
            print(f"| {control} | {loss_ratio:g} | {found:.2f} | {expected:.2f} | {apart:+.1f} % | {usual:.2f} |")


if __name__ == "__main__":
    main()
