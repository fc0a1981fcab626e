"""What is evaluated: a sender by the name of its variant or control, a queue discipline, or a user-defined class."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ackclock._native import congestion_controls, queue_disciplines, tcp_senders
from ackclock.kernel.folder import KernelError, is_kernel
from ackclock.kernel.folder import find as find_kernel
from ackclock.plugins.classes import Own, is_name
from ackclock.plugins.code import source_sha256
from ackclock.plugins.library import LibraryError, is_library, seen_from_here
from ackclock.plugins.library import find as find_library
from ackclock.scenario.errors import ScenarioError, nearest
from ackclock.scenario.model.constants import WITH_CONTROLS
from ackclock.scenario.resolve.plugins import own_control, own_queue


@dataclass(frozen=True)
class Subject:
    """What is evaluated. `source_sha256` identifies the results of code that is not ackclock's: of a user-defined class
    or of a compiled control.
    """

    #: its name
    name: str
    #: the keys of a flow (`tcp`, `control`) or of a queue (`kind`) that it sets
    settings: Mapping[str, str]
    source_sha256: str | None = None

    @property
    def is_kernel(self) -> bool:
        """Whether it is a compiled congestion control of the Linux kernel."""
        return is_kernel(self.name)

    @property
    def is_library(self) -> bool:
        """Whether it is a congestion control of a user's shared library."""
        return is_library(self.name)

    @property
    def code(self) -> str:
        """Whose code it is, and of what `source_sha256` is the digest; "" for what ackclock has itself."""
        if self.source_sha256 is None:
            return ""
        if self.is_kernel:
            return "a congestion control of the Linux kernel, compiled from its C source; sha256 of the compiled file"
        if self.is_library:
            return "the user's own, in a shared library; sha256 of the file"
        return "the user's own, in Python; sha256 of its source"


def find_subject(name: str, evaluates: str = "variant", *, sender: str = "sack", beside: Path | None = None) -> Subject:
    """The subject called `name`, if a suite `evaluates` a "variant" or a "queue".

    A variant is a sender's id, `sender/control`, a control's own name, which is `tcp`'s if several senders have it
    (as in scenarios), a compiled control of the kernel (`kernel:cubic`), a control of a shared library
    (`./libmine.so:Mine`), or `module:Class`. Libraries are seen from the folder `beside`; modules are imported from
    there first, and a class is the control of `sender`. A queue is a discipline's id or `module:Class`. Dashes,
    underscores and capitals do not matter. `ScenarioError` for an unknown name, with the nearest known one.
    """
    if is_kernel(name) and evaluates != "queue":
        try:
            return Subject(name, {"tcp": name}, find_kernel(name).sha256())
        except KernelError as error:
            raise ScenarioError(str(error), key=evaluates, value=name) from None
    if is_library(name) and evaluates != "queue":
        # Scenarios are written to other folders, so the file is named from the root.
        named = seen_from_here(name, (beside or Path.cwd()).resolve())
        try:
            found_library = find_library(named)
            found_library.load()
            return Subject(name, {"tcp": named}, found_library.sha256())
        except LibraryError as error:
            raise ScenarioError(str(error), key=evaluates, value=name) from None
    if is_name(name):
        if evaluates == "queue":
            return Subject(name, {"kind": name}, _source(own_queue(name, "queue", beside)))
        return Subject(name, {"tcp": sender, "control": name}, _source(own_control(name, "variant", beside)))
    if evaluates == "queue":
        known = {queue: {"kind": queue} for queue, _ in queue_disciplines()}
        expected, listed = "expected a queue discipline", "queues"
    else:
        known = senders()
        expected, listed = "expected a TCP variant", "variants` and `ackclock list controls"
    plain = {_plain(one): one for one in reversed(list(known))}
    if _plain(name) not in plain:
        other = senders() if evaluates == "queue" else dict(queue_disciplines())
        if name in other:
            expected = f"{expected}, and this is a {'variant' if evaluates == 'queue' else 'queue discipline'}"
            raise ScenarioError(expected, key=evaluates, value=name)
        expected += f" (see `ackclock list {listed}`) or module:Class"
        raise ScenarioError(expected, key=evaluates, value=name, nearest=nearest(name, known))
    found = plain[_plain(name)]
    return Subject(found, known[found])


def senders() -> dict[str, dict[str, str]]:
    """All possible senders: senders, `sender/control`, and controls by their own name."""
    known: dict[str, dict[str, str]] = {name: {"tcp": name} for name, _ in tcp_senders()}
    controls = [(sender, name) for sender in WITH_CONTROLS for name, _ in congestion_controls(sender)]
    known |= {f"{sender}/{name}": {"tcp": sender, "control": name} for sender, name in controls}
    # As in scenarios, a name that several senders have means today's.
    for sender, name in sorted(controls, key=lambda control: control[0] != "tcp"):
        known.setdefault(name, {"tcp": sender, "control": name})
    return known


def _source(own: Own | None) -> str | None:
    return None if own is None else source_sha256(own.cls)


def _plain(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).lower()
