"""Statistics of runs: intervals, comparisons, fairness, how rates change. Pure functions over sequences of numbers.

| file | content |
|---|---|
| `warm_up` | `mser5`: the length of a run's warm-up |
| `interval` | `student` of replications, `ratio_of_means` of pairs, `replicate` until the interval is narrow |
| `log_scale` | `geometric_mean` and `lognormal_mean` of skewed positive values, `ratio` of pairs |
| `replications` | `replication_means` of runs whose series are known |
| `batches` | `batch_means` and `batch_percentiles` of one long correlated series |
| `difference` | `paired` and `welch` comparisons of two variants, with effect sizes; `holm` for many comparisons |
| `fairness` | `jain`, `epsilon`, `product`, `max_min`, `harm`, `rtt_ratio`, `rtt_exponent` |
| `rates` | `convergence_s`, `variation` over time scales, `loss_events`, `loss_event_rate` |
| `percentile` | `percentiles` with intervals, of independent completion times and delays |
| `ellipse` | `delay_throughput`: an ellipse around a variant's runs |
| `shape` | the tests behind the warnings: skewness, lognormality, correlation |

Each names its source. Wrong input is a `ValueError`. docs/guide/statistics.md shows them with runs, docs/coverage.md
how often the intervals contain the true value.
"""

from __future__ import annotations

from ackclock.analysis.stats.batches import batch_means, batch_percentiles
from ackclock.analysis.stats.difference import Difference, holm, paired, welch
from ackclock.analysis.stats.ellipse import Ellipse, delay_throughput
from ackclock.analysis.stats.fairness import epsilon, harm, jain, max_min, product, rtt_exponent, rtt_ratio
from ackclock.analysis.stats.interval import Interval, ratio_of_means, replicate, stopped, student, student_quantile
from ackclock.analysis.stats.log_scale import geometric_mean, lognormal_mean, ratio
from ackclock.analysis.stats.percentile import Percentile, percentiles
from ackclock.analysis.stats.rates import convergence_s, loss_event_rate, loss_events, variation
from ackclock.analysis.stats.replications import replication_means
from ackclock.analysis.stats.warm_up import WarmUp, mser5

__all__ = [
    "Difference",
    "Ellipse",
    "Interval",
    "Percentile",
    "WarmUp",
    "batch_means",
    "batch_percentiles",
    "convergence_s",
    "delay_throughput",
    "epsilon",
    "geometric_mean",
    "harm",
    "holm",
    "jain",
    "lognormal_mean",
    "loss_event_rate",
    "loss_events",
    "max_min",
    "mser5",
    "paired",
    "percentiles",
    "product",
    "ratio",
    "ratio_of_means",
    "replicate",
    "replication_means",
    "rtt_exponent",
    "rtt_ratio",
    "stopped",
    "student",
    "student_quantile",
    "variation",
    "welch",
]
