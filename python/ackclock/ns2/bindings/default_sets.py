"""What older releases began with, for scripts whose published results are theirs (`ackclock ns2 --defaults`)."""

from __future__ import annotations

from typing import NamedTuple

from ackclock.ns2.bindings.tcl_object import NsError
from ackclock.ns2.otcl.interp import Interpreter


class DefaultSet(NamedTuple):
    """A release: class variables that began with another value, and where it put error models on links."""

    about: str
    #: class -> its variables and their values
    variables: dict[str, dict[str, str]]
    #: the place on the engine's link of `$ns link-lossmodel`
    link_loss: str


SETS = {
    "ns2_35": DefaultSet("ns-2.35", {}, "wire_end"),
    # Source: ns-2.29's tcl/lib/ns-default.tcl and ns-link.tcl. What is not here is alike in both, or of no effect.
    "ns2_29": DefaultSet(
        "ns-2.28 and 2.29, of 2005: windows are cut to whole packets, the first timeout is 6 s",
        {
            "Agent/TCP": {
                "precisionReduce_": "false",
                "rtxcur_init_": "6.0",
                "bugfix_ss_": "0",
                "maxrto_": "100000",
                "SetCWRonRetransmit_": "false",
            }
        },
        "dequeued",
    ),
}


def begin_as(interp: Interpreter, name: str) -> None:
    """Give classes the values of a release. `NsError` for one that is not known."""
    chosen = SETS.get(name)
    if chosen is None:
        raise NsError(f"--defaults {name}: expected one of {', '.join(SETS)}")
    interp.link_loss_place = chosen.link_loss
    for class_name, variables in chosen.variables.items():
        for variable, value in variables.items():
            interp.call(class_name, "set", variable, value)
