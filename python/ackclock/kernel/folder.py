"""Where compiled controls are, and which there are."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ackclock._native import KernelModule

#: how scenarios and commands name a control of the kernel
PREFIX = "kernel:"

_NAME = re.compile(r"[A-Za-z0-9_-]{1,15}")


class KernelError(ValueError):
    """A control of the kernel that cannot be built, found or loaded; one line."""


@dataclass(frozen=True)
class Kernel:
    """A compiled control: its name without `kernel:`, and its file."""

    name: str
    path: Path

    def module(self) -> KernelModule:
        """The loaded file: its code runs. `KernelError` in one line if it cannot be used."""
        return _loaded(self.path, self.path.stat().st_mtime_ns, self.name)

    def sha256(self) -> str:
        """sha256 of the file, which identifies results."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


@cache
def _loaded(path: Path, changed_ns: int, name: str) -> KernelModule:
    """The file as it was at `changed_ns`: a process that builds it again loads it again."""
    try:
        return KernelModule(str(path), name)
    except ValueError as error:
        raise KernelError(str(error)) from None


def folder() -> Path:
    """The folder of compiled controls: `$ACKCLOCK_KERNEL`, or `ackclock/kernel` in the user's folder for data."""
    given = os.environ.get("ACKCLOCK_KERNEL")
    if given:
        return Path(given)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "ackclock" / "kernel"


def is_kernel(text: object) -> bool:
    """Whether a name means a control of the kernel: `kernel:cubic`."""
    return isinstance(text, str) and text.startswith(PREFIX)


def built() -> list[Kernel]:
    """The compiled controls, by name. Nothing is loaded."""
    return [Kernel(path.stem, path) for path in sorted(folder().glob("*.so")) if _NAME.fullmatch(path.stem)]


def find(text: str) -> Kernel:
    """The control that `kernel:NAME` means. `KernelError` if it is not built."""
    name = text.removeprefix(PREFIX)
    if not _NAME.fullmatch(name):
        raise KernelError(f"expected {PREFIX}NAME with the name of a control, such as {PREFIX}cubic")
    path = folder() / f"{name}.so"
    if not path.is_file():
        there = ", ".join(one.name for one in built()) or "nothing"
        raise KernelError(f"{name} is not built; {folder()} has {there} (see `ackclock kernel build --help`)")
    return Kernel(name, path)
