"""What is measured of a scenario's run unless the sweep says otherwise."""

from __future__ import annotations

from ackclock.results import Results


def figures(results: Results) -> dict[str, float]:
    """A run in numbers, of the tables `flows` and `links`.

    `goodput_bps` of all flows together, and of each of up to eight: `goodput_bps.1`, ...; `jain` of their goodputs;
    `delay_mean_s`, of all packets received; `loss_ratio`, dropped over sent; `utilisation` of the busiest link;
    `completion_mean_s` of the transfers that ended. What a run has none of is left out.
    """
    flows, links = results.tables["flows"], results.tables["links"]
    goodputs = [goodput or 0.0 for goodput in flows.column("goodput_bps")]
    found = {"goodput_bps": sum(goodputs)}
    if len(goodputs) > 1 and any(goodputs):
        # Jain's index, as `stats.jain` has it; of so few numbers, without arrays.
        found["jain"] = sum(goodputs) ** 2 / (len(goodputs) * sum(goodput**2 for goodput in goodputs))
    delays = zip(flows.column("delay_mean_s"), flows.column("received_packets"), strict=True)
    received = [(delay_s, packets) for delay_s, packets in delays if delay_s is not None]
    if received:
        found["delay_mean_s"] = sum(d * n for d, n in received) / sum(n for _, n in received)
    sent = sum(flows.column("sent_packets"))
    if sent:
        found["loss_ratio"] = sum(flows.column("dropped_packets")) / sent
    found["utilisation"] = max(links.column("utilisation"))
    completed = [time_s for time_s in flows.column("completion_s") if time_s is not None]
    if completed:
        found["completion_mean_s"] = sum(completed) / len(completed)
    if 1 < len(goodputs) <= 8:
        for number, goodput in enumerate(goodputs, 1):
            found[f"goodput_bps.{number}"] = goodput
    return found
