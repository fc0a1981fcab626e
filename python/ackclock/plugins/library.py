"""Congestion controls of shared libraries: `./libmine.so:Mine` means the control `Mine` that the library exports.

The library is written in Rust with the crate `ackclock-control`; `ackclock new control` writes one.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ackclock._native import ControlLibrary

_NAME = re.compile(r"(?P<file>.+\.(?:so|dylib|dll)):(?P<control>[^/\\:]*)", re.DOTALL)


class LibraryError(ValueError):
    """A library that cannot be found or loaded; one line."""


@dataclass(frozen=True)
class Library:
    """A file and the name of a control of it."""

    path: Path
    control: str

    def load(self) -> ControlLibrary:
        """The loaded file: its code runs. `LibraryError` in one line if it cannot be used."""
        try:
            return _loaded(self.path, self.path.stat().st_mtime_ns, self.control)
        except OSError as error:
            raise LibraryError(f"{self.path}: {error.strerror}") from None

    def sha256(self) -> str:
        """sha256 of the file, which identifies results. `LibraryError` if it cannot be read."""
        try:
            return hashlib.sha256(self.path.read_bytes()).hexdigest()
        except OSError as error:
            raise LibraryError(f"{self.path}: {error.strerror}") from None


@cache
def _loaded(path: Path, changed_ns: int, control: str) -> ControlLibrary:
    """The file as it was at `changed_ns`: a process that builds it again loads it again."""
    try:
        return ControlLibrary(str(path), control)
    except ValueError as error:
        raise LibraryError(str(error)) from None


def is_library(text: object) -> bool:
    """Whether a name means a control of a shared library: `./libmine.so:Mine`."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def find(text: str) -> Library:
    """The control that a name means, `./libmine.so:Mine`. Nothing is read. `LibraryError` unless it is such a name."""
    found = _NAME.fullmatch(text)
    if found is None or not found["control"]:
        raise LibraryError("expected FILE:NAME with the name of a control of the library, such as ./libmine.so:Mine")
    return Library(Path(found["file"]), found["control"])


def seen_from_here(text: str, folder: Path) -> str:
    """The name of a control whose file is named as seen from `folder`, as seen from the working directory."""
    file, _, control = text.rpartition(":")
    return f"{folder / file}:{control}"
