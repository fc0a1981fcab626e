"""Statistics of runs: intervals, comparisons, fairness, how rates change. Pure functions over sequences of numbers.

| file | what it has |
|---|---|
| `warm_up` | `mser5`: how much of a run's beginning to leave out |
| `interval` | `student` of replications, `batch_means` of one long run, `replicate` until it is narrow |
| `difference` | `paired` and `welch` comparisons of two variants, with effect sizes |
| `fairness` | `jain`, `epsilon`, `product`, `max_min`, `harm`, `rtt_ratio`, `rtt_exponent` |
| `rates` | `convergence_s`, `variation` over time scales, `loss_events`, `loss_event_rate` |
| `percentile` | `percentiles` with intervals, of completion times and delays |
| `ellipse` | `delay_throughput`: where a variant's runs lie |

Each says its source. What comes in wrong is a `ValueError` in words. docs/guide/statistics.md shows them on runs.
"""

from __future__ import annotations

from ackclock.stats.difference import Difference, paired, welch
from ackclock.stats.ellipse import Ellipse, delay_throughput
from ackclock.stats.fairness import epsilon, harm, jain, max_min, product, rtt_exponent, rtt_ratio
from ackclock.stats.interval import Interval, batch_means, replicate, student, student_quantile
from ackclock.stats.percentile import Percentile, percentiles
from ackclock.stats.rates import convergence_s, loss_event_rate, loss_events, variation
from ackclock.stats.warm_up import WarmUp, mser5

__all__ = [
    "Difference",
    "Ellipse",
    "Interval",
    "Percentile",
    "WarmUp",
    "batch_means",
    "convergence_s",
    "delay_throughput",
    "epsilon",
    "harm",
    "jain",
    "loss_event_rate",
    "loss_events",
    "max_min",
    "mser5",
    "paired",
    "percentiles",
    "product",
    "replicate",
    "rtt_exponent",
    "rtt_ratio",
    "student",
    "student_quantile",
    "variation",
    "welch",
]
