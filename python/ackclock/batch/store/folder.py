"""Folders by key: whole or not there."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ackclock._internal.atomic_file import remove_left, temporary_path
from ackclock._internal.checksums import SUMS, ChecksumError, verify_all, write_sums

#: Says what made a folder. It is written when all else is there.
MARKER = "key.json"


class StoreError(RuntimeError):
    """A store that is damaged or of another format. The message names the file or folder."""


def digest_of(path: str | os.PathLike[str]) -> str:
    """The sha256 of the file `path`, in hexadecimal; of a gzipped one (`.gz`) that of its content. `OSError` if
    unreadable.
    """
    digest = hashlib.sha256()
    with gzip.open(path) if Path(path).suffix == ".gz" else Path(path).open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


class Store:
    """Folders found by a `key`: a table of plain values on which a folder's content depends.

    A folder is filled under another name and renamed when it is complete, so a killed process leaves nothing that looks
    complete. Several processes and threads may share a store. If two create the same folder, the first one counts, and
    the other's is dropped.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        #: where the folders are
        self.root = Path(root)
        self._swept = False

    def place(self, key: Mapping[str, Any]) -> Path:
        """The path of this key's folder, whether it exists or not."""
        text = json.dumps(key, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        name = hashlib.sha256(text.encode()).hexdigest()[:32]
        return self.root.absolute() / name[:2] / name[2:]

    def find(self, key: Mapping[str, Any]) -> Path | None:
        """The folder of this key, after its files' digests are checked; None if there is no complete one.

        `StoreError` for a damaged file, which is named, and if the folder belongs to another key.
        """
        place = self.place(key)
        if not (place / MARKER).exists():
            return None
        try:
            verify_all(place)
        except FileNotFoundError:
            raise StoreError(
                f"{place}: {SUMS} is missing: an older ackclock wrote this; remove the folder to rebuild it"
            ) from None
        except ChecksumError as error:
            raise StoreError(f"{error}; remove {place} to rebuild it") from None
        try:
            found = json.loads((place / MARKER).read_text(encoding="utf-8"))
        except ValueError as error:
            raise StoreError(f"{place / MARKER}: not what a store writes ({error}); remove the folder") from None
        if found != json.loads(json.dumps(key)):
            raise StoreError(f"{place}: holds another run than its name says; remove the folder")
        return place

    def make(self, key: Mapping[str, Any], fill: Callable[[Path], None]) -> Path:
        """The folder of this key: the existing one, or a new one that `fill` has filled.

        Exceptions of `fill` are passed on, and nothing is kept. `OSError` if the folder cannot be written.
        """
        found = self.find(key)
        if found is not None:
            return found
        place = self.place(key)
        place.parent.mkdir(parents=True, exist_ok=True)
        self._sweep()
        part = Path(temporary_path(place))
        part.mkdir()
        try:
            fill(part)
            with (part / MARKER).open("w", encoding="utf-8") as file:
                json.dump(key, file, indent=1, sort_keys=True, ensure_ascii=False)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            write_sums(part)
            try:
                part.rename(place)
            except OSError:
                # Another process was first; what it has made is the same.
                if self.find(key) is None:
                    raise
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return place

    def _sweep(self) -> None:
        """Remove, once, what processes of this machine that are gone have left unfinished."""
        if self._swept:
            return
        self._swept = True
        remove_left(self.root.glob("*/.*.part"))
