"""What is measured of a scenario's run unless the sweep says otherwise."""

from __future__ import annotations

from ackclock.results import Results
from ackclock.stats.fairness import jain


def figures(results: Results) -> dict[str, float]:
    """A run in numbers, of the tables `flows` and `links`.

    `goodput_bps` of all flows together, and of each of up to eight: `goodput_bps.1`, ...; `jain` of their goodputs;
    `delay_mean_s`, of all packets received; `loss_ratio`, dropped over sent; `utilisation` of the busiest link;
    `completion_mean_s` of the transfers that ended. What a run has none of is left out.
    """
    flows, links = results.rows("flows"), results.rows("links")
    goodputs = [row["goodput_bps"] or 0.0 for row in flows]
    found = {"goodput_bps": sum(goodputs)}
    if len(flows) > 1 and any(goodputs):
        found["jain"] = jain(goodputs)
    received = [(row["delay_mean_s"], row["received_packets"]) for row in flows if row["delay_mean_s"] is not None]
    if received:
        found["delay_mean_s"] = sum(d * n for d, n in received) / sum(n for _, n in received)
    sent = sum(row["sent_packets"] for row in flows)
    if sent:
        found["loss_ratio"] = sum(row["dropped_packets"] for row in flows) / sent
    found["utilisation"] = max(row["utilisation"] for row in links)
    completed = [row["completion_s"] for row in flows if row["completion_s"] is not None]
    if completed:
        found["completion_mean_s"] = sum(completed) / len(completed)
    if 1 < len(flows) <= 8:
        for number, goodput in enumerate(goodputs, 1):
            found[f"goodput_bps.{number}"] = goodput
    return found
