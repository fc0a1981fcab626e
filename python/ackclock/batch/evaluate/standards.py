"""The standards beside which a subject is measured, on the subject's own stack.

A comparison of two congestion controls is one only where all else is alike: loss recovery, timers, ACKs. So the
standards are those of the sender that carries the subject.
"""

from __future__ import annotations

from collections.abc import Sequence

from ackclock.batch.evaluate.subject import Subject
from ackclock.scenario.errors import ScenarioError, choose

#: The standards that a suite may name, and where each is written.
STANDARDS = {"reno": "RFC 5681", "cubic": "RFC 9438"}

#: Stack, as `tcp` names it -> standard -> the congestion control that has it there. ns-3.25 has no CUBIC.
_CONTROLS = {
    "tcp": {"reno": "reno", "cubic": "cubic"},
    "linux": {"reno": "reno", "cubic": "cubic"},
    "ns3": {"reno": "new_reno"},
}

#: ns-2's senders that are RFC 5681 without SACK: each is its own standard.
_WITHOUT_SACK = {"reno": "reno", "tahoe": "reno", "reno_rbp": "reno", "new_reno": "new_reno"}


def stack_of(subject: Subject) -> str:
    """The sender that carries a variant: `tcp`, `linux`, `ns3`, or one of ns-2's (`sack`, `reno`, ...)."""
    return subject.settings["tcp"]


def standard_of(subject: Subject, role: str) -> Subject:
    """This standard on the subject's stack, or where that has none, TCP-Linux's."""
    stack = stack_of(subject)
    if role not in _CONTROLS.get(stack, {role: ""}):
        return Subject(f"linux/{role}", {"tcp": "linux", "control": role})
    return standards_of(subject, [role])[0]


def standards_of(subject: Subject, roles: Sequence[str]) -> list[Subject]:
    """The standards of these names on the subject's stack, without those that the stack does not have.

    Among ns-2's senders, Reno's window is that of `sack`, or of `reno` and `new_reno` for senders without SACK, and
    CUBIC that of TCP-Linux, which has ns-2's SACK recovery. `ScenarioError` for a name that is no standard.
    """
    stack = stack_of(subject)
    found = []
    for role in roles:
        choose(role, STANDARDS, "a standard", "standards")
        if stack in _CONTROLS:
            control = _CONTROLS[stack].get(role)
            if control is not None:
                found.append(Subject(f"{stack}/{control}", {"tcp": stack, "control": control}))
        elif role == "cubic":
            found.append(Subject("linux/cubic", {"tcp": "linux", "control": "cubic"}))
        else:
            name = _WITHOUT_SACK.get(stack, "sack")
            found.append(Subject(name, {"tcp": name}))
    if not found:
        raise ScenarioError(f"{stack} has none of the standards {', '.join(roles)}", key="standards")
    return found
