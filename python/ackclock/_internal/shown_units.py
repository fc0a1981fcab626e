"""In which units people read metrics whose names end with a unit."""

from __future__ import annotations

#: end of a name -> what its values are divided by, and the unit that this gives
UNITS = {"_bps": (1e6, " Mb/s"), "_s": (1e-3, " ms"), "_ratio": (0.01, " %"), "utilisation": (0.01, " %")}

#: end of a metric's name -> what stands before it
_STATISTICS = {
    "_mean": "mean ",
    "_min": "minimum ",
    "_max": "maximum ",
    "_p50": "median ",
    "_p5": "5th percentile of ",
    "_p95": "95th percentile of ",
    "_p99": "99th percentile of ",
}

#: metrics that are called something else, and metrics whose seconds are better as such
_NAMES = {"jain": "Jain's index", "loss": "loss ratio", "rtt": "RTT"}
_SECONDS = ("completion", "duration", "warm_up")


def unit_of(name: str) -> tuple[float, str]:
    """What a table of text divides a metric by, and the unit that this gives: `UNITS`, by the end of its name."""
    stem = name.partition(".")[0]
    return next((unit for end, unit in UNITS.items() if stem.endswith(end)), (1.0, ""))


def axis_of(name: str) -> tuple[float, str]:
    """What an axis divides a metric by, and its label: quantity, of what, and unit."""
    stem, _, of = name.partition(".")
    scale, unit = unit_of(name)
    if unit == " ms" and stem.startswith(_SECONDS):
        scale, unit = 1.0, " s"
    end = next((end for end in UNITS if end.startswith("_") and stem.endswith(end)), "")
    if not unit:
        end = next((end for end in ("_packets", "_bytes") if stem.endswith(end)), "")
        unit = end.replace("_", " ")
    bare = stem.removesuffix(end)
    statistic = next((one for one in _STATISTICS if bare.endswith(one)), "")
    quantity = bare.removesuffix(statistic)
    words = _STATISTICS.get(statistic, "") + _NAMES.get(quantity, quantity.replace("_", " "))
    whose = f" of {f'flow {of}' if of.isdecimal() else of}" if of else ""
    return scale, f"{words}{whose}{f' ({unit.strip()})' if unit else ''}"
