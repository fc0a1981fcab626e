"""The rules: they compare a measurement with the published value and give a verdict with its reason."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal
from itertools import pairwise

from ackclock.batch.study.claim import Claim, Verdict, allowed, share
from ackclock.batch.study.measured import (
    Measured,
    Replications,
    Settings,
    Spread,
    Undetermined,
    Value,
    number,
    spread,
)

#: Rules that ask for the digits of one run, the paper's own. They need no replications.
EXACT = ("digits", "rounded", "truncated")

#: As many runs that agree decide. A claim that holds in half of all runs passes five of them in 3 % of the cases.
ENOUGH_RUNS = 5


@dataclass(frozen=True)
class Judged:
    """A verdict and its reason."""

    #: the verdict
    verdict: Verdict
    #: the reason, as a message
    says: str = ""
    #: Whether more replications could decide it.
    too_few: bool = False


def judge(claim: Claim, measured: Measured) -> Judged:
    """The verdict on a `claim` from what was `measured`.

    `depends` needs a difference that was shown: a setting or run that holds and one that does not. The words say on
    what it depends, and where it holds. Settings that agree as far as they can be determined, beside others that
    cannot, give `undetermined`. So do fewer than `ENOUGH_RUNS` runs that agree, unless the claim is deterministic or
    its rule is one of `EXACT`. Raises `ValueError` where the rule cannot take such a measurement, and where the
    replications of a deterministic claim differ.
    """
    if isinstance(measured, Undetermined):
        return Judged(Verdict.UNDETERMINED, measured.reason)
    if claim.rule == "undetermined":
        return Judged(Verdict.UNDETERMINED, claim.note)
    if isinstance(measured, Settings):
        return _over_settings(claim, {name: judge(claim, value) for name, value in measured.values.items()})
    if isinstance(measured, Replications):
        return _over_replications(claim, measured)
    return _by_one_run(claim, measured)


def _by_one_run(claim: Claim, value: Value) -> Judged:
    """What a single run decides: everything where nothing is random, otherwise only whether its digits are printed."""
    held = holds(claim, value)
    if claim.deterministic or claim.rule in EXACT:
        return Judged(_verdict(held))
    word = "holds" if held else "does not hold"
    says = f"it {word} in the one run, and no replication says whether by chance"
    return Judged(Verdict.UNDETERMINED, says, too_few=True)


def holds(claim: Claim, value: Value) -> bool:
    """Whether one measurement bears the claim out by its rule. `ValueError` where the rule needs another kind."""
    try:
        return _holds(claim, value)
    except (TypeError, ValueError, KeyError) as error:
        raise ValueError(f"claim {claim.id}: rule {claim.rule} cannot judge {value!r}: {error}") from None


def _verdict(held: bool) -> Verdict:
    return Verdict.REPRODUCED if held else Verdict.CONTRADICTED


def _holds(claim: Claim, value: Value) -> bool:
    published = claim.published
    match claim.rule:
        case "digits":
            return value == published
        case "rounded" | "truncated":
            return shortened(number(value), str(published), claim.rule) == Decimal(str(published))
        case "order":
            return _in_order(list(published), _named(value), share(claim.tolerance))
        case "highest" | "lowest":
            return _is_extreme(str(published), _named(value), share(claim.tolerance), claim.rule == "highest")
        case "trend":
            return _follows(str(published), _numbers(value), share(claim.tolerance))
        case "closest":
            wanted = float(str(published))
            nearest = min(_named(value).values(), key=lambda found: abs(found - wanted))
            return abs(nearest - wanted) <= allowed(claim.tolerance, wanted)
        case _:
            least, most = acceptance(claim)
            return least <= number(value) <= most


def acceptance(claim: Claim) -> tuple[float, float]:
    """The least and the largest number that bears the claim out, for rules about one number."""
    printed = claim.published
    if claim.rule == "between":
        return float(printed[0]), float(printed[1])
    bound = float(str(printed))
    if claim.rule == "at_least":
        return bound, math.inf
    if claim.rule == "at_most":
        return -math.inf, bound
    if claim.rule == "within":
        tolerance = allowed(claim.tolerance, bound)
        # What is printed is a decimal, and its distance is not to be judged by a last bit.
        slack = 1e-12 * max(abs(bound), tolerance)
        return bound - tolerance - slack, bound + tolerance + slack
    raise ValueError(f"rule {claim.rule} is not about a range of numbers")


def shortened(found: float, printed: str, how: str) -> Decimal:
    """A number with as many decimals as a printed one has, `rounded` or `truncated`."""
    exponent = Decimal(printed).as_tuple().exponent
    step = Decimal(1).scaleb(int(exponent))
    return Decimal(repr(float(found))).quantize(step, ROUND_DOWN if how == "truncated" else ROUND_HALF_EVEN)


def _in_order(names: list[str], found: Mapping[str, float], gap: float) -> bool:
    """Each is above the next; with a gap, each is at least not further below it than that share."""
    pairs = [(found[name], found[after]) for name, after in pairwise(names)]
    if gap == 0:
        return all(first > second for first, second in pairs)
    return all(first >= second * (1 - gap) for first, second in pairs)


def _is_extreme(name: str, found: Mapping[str, float], gap: float, highest: bool) -> bool:
    own, others = found[name], [value for other, value in found.items() if other != name]
    if gap == 0:
        return own > max(others) if highest else own < min(others)
    return own >= max(others) * (1 - gap) if highest else own <= min(others) * (1 + gap)


def _follows(trend: str, values: Sequence[float], slack: float) -> bool:
    """Steps against the trend are allowed up to `slack`, a share of the value before; what is flat stays within it."""
    if len(values) < 2:
        raise ValueError("a trend needs two values")
    if trend == "flat":
        return max(values) <= min(values) * (1 + slack)
    if trend == "falls":
        values = [-value for value in values]
    steps = pairwise(values)
    return values[-1] > values[0] and all(after >= before - slack * abs(before) for before, after in steps)


def _named(value: Value) -> Mapping[str, float]:
    if not isinstance(value, Mapping):
        raise TypeError("expected numbers by name")
    return value


def _numbers(value: Value) -> Sequence[float]:
    if isinstance(value, (str, float, int, Mapping)):
        raise TypeError("expected numbers, one after the other")
    return value


def _over_settings(claim: Claim, judged: Mapping[str, Judged]) -> Judged:
    """One verdict over several settings.

    Dependence is a difference that was shown: one setting holds and another does not, or one depends by itself. A
    setting that cannot be determined may be as the others are, so beside settings that agree it leaves the claim open.
    """
    if not judged:
        return Judged(Verdict.UNDETERMINED, "no setting was measured")
    names = {verdict: [name for name, one in judged.items() if one.verdict is verdict] for verdict in Verdict}
    found = {verdict for verdict in Verdict if names[verdict]}
    too_few = any(one.too_few for one in judged.values())
    reasons = {judged[name].says for name in names[Verdict.UNDETERMINED]}
    why = f": {reasons.pop()}" if len(reasons) == 1 else ""
    if len(found) == 1 and Verdict.DEPENDS not in found:
        return Judged(found.pop(), f"with each: {', '.join(judged)}{why}", too_few)
    parts = [
        f"{word} with {', '.join(names[verdict])}"
        for verdict, word in ((Verdict.REPRODUCED, "holds"), (Verdict.CONTRADICTED, "does not hold"))
        if names[verdict]
    ]
    parts += [f"with {name} {judged[name].says}" for name in names[Verdict.DEPENDS]]
    if names[Verdict.UNDETERMINED]:
        parts.append(f"cannot be determined with {', '.join(names[Verdict.UNDETERMINED])}")
    if Verdict.DEPENDS in found or {Verdict.REPRODUCED, Verdict.CONTRADICTED} <= found:
        return Judged(Verdict.DEPENDS, f"on {claim.depends_on}: {'; '.join(parts)}", too_few)
    return Judged(Verdict.UNDETERMINED, f"{'; '.join(parts)}{why}", too_few)


def _over_replications(claim: Claim, measured: Replications) -> Judged:
    base, values = measured.base, measured.values
    if claim.deterministic and base is not None and any(value != base for value in values):
        raise ValueError(f"claim {claim.id}: it is said to be deterministic, but its replications differ")
    if claim.judged == "base" or not values:
        if base is None:
            return Judged(Verdict.UNDETERMINED, "the base run was not measured")
        return _by_one_run(claim, base)
    if claim.judged == "mean":
        return _by_mean(claim, values)
    held = sum(holds(claim, value) for value in values)
    count = len(values)
    based = None if base is None else holds(claim, base)
    runs = count + (based is not None)
    for agreed, verdict, word in (
        (held == count and based is not False, Verdict.REPRODUCED, "holds"),
        (held == 0 and based is not True, Verdict.CONTRADICTED, "does not hold"),
    ):
        if agreed and runs < ENOUGH_RUNS and not claim.deterministic:
            says = f"it {word} in each of {runs} runs, and fewer than {ENOUGH_RUNS} do not decide"
            return Judged(Verdict.UNDETERMINED, says, too_few=True)
        if agreed:
            return Judged(verdict, f"in each of {runs} runs")
    if based is None:
        return Judged(Verdict.DEPENDS, f"on the seed: holds in {held} of {count}")
    first = "holds in the base run and in" if based else "does not hold in the base run; holds in"
    return Judged(Verdict.DEPENDS, f"on the seed: {first} {held} of {count} others")


def _by_mean(claim: Claim, values: Sequence[Value]) -> Judged:
    """By Student's 95 % interval of the mean: inside what the claim accepts, outside, or across its edge."""
    found: Spread | None = spread(values)
    if found is None or found.n < 2:
        raise ValueError(f"claim {claim.id}: a mean needs at least two numbers")
    least, most = acceptance(claim)
    half = found.half or 0.0  # none where all seeds give the same
    low, high = found.mean - half, found.mean + half
    says = f"mean {found.mean:.5g} ± {half:.3g} of {found.n} seeds"
    if found.half is None:
        says = f"{found.mean:.5g} with each of {found.n} seeds"
    if least <= low and high <= most:
        return Judged(Verdict.REPRODUCED, says)
    if high < least or low > most:
        return Judged(Verdict.CONTRADICTED, says)
    return Judged(Verdict.UNDETERMINED, f"{says}: the interval crosses what the claim accepts")


def as_referred(claim: Claim, measured: Measured, judged: Judged) -> bool | None:
    """Whether value and verdict are those of the claim's reference; None where it has none.

    A verdict that more replications could change is not compared.
    """
    reference = claim.reference
    if reference is None or (reference.value is None and judged.too_few):
        return None
    base = measured.base if isinstance(measured, Replications) else measured
    same = True
    if reference.verdict is not None and not judged.too_few:
        same = judged.verdict.value == reference.verdict
    if reference.value is None:
        return same
    if isinstance(reference.value, dict):
        if not isinstance(base, Mapping):
            return False
        pairs = [(base[name], printed) for name, printed in reference.value.items()]
    elif base is None or isinstance(base, (Settings, Undetermined)):
        return False
    elif isinstance(base, str):
        return same and base == reference.value
    else:
        pairs = [(number(base), reference.value)]
    return same and all(_is(found, printed, reference.tolerance) for found, printed in pairs)


def _is(found: float, printed: str, tolerance: float | None) -> bool:
    if tolerance is not None:
        return abs(found - float(printed)) <= tolerance
    return shortened(found, printed, "rounded") == Decimal(printed)
