"""DiffServ code points by name (RFC 2474, 2597, 3246, 5865, 8622)."""

from __future__ import annotations

from ackclock.scenario.errors import ScenarioError, nearest

#: name -> code point. AFxy is 8 x + 2 y, CSx is 8 x.
CODE_POINTS = {
    "DF": 0,
    "LE": 1,
    **{f"CS{number}": 8 * number for number in range(8)},
    **{f"AF{number}{drop}": 8 * number + 2 * drop for number in range(1, 5) for drop in range(1, 4)},
    "VA": 44,
    "EF": 46,
}


def code_point(dscp: int | str) -> int:
    """The code point of a name, or a number from 0 to 63 itself. `ScenarioError` for anything else."""
    if isinstance(dscp, str):
        if dscp not in CODE_POINTS:
            expected = f"expected a DSCP, 0 to 63, or a name: {', '.join(CODE_POINTS)}"
            raise ScenarioError(expected, value=dscp, nearest=nearest(dscp, CODE_POINTS))
        return CODE_POINTS[dscp]
    if not 0 <= dscp < 64:
        raise ScenarioError("expected a DSCP, 0 to 63", value=dscp)
    return dscp
