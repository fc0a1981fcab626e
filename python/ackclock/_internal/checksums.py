"""The digests of stored files: a file `SHA256SUMS` in each stored folder, which `sha256sum -c SHA256SUMS` checks too.

A file is hashed when it is first read, and again only when its identity on the disk has changed.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ackclock._internal.atomic_file import atomic_write

#: The file of digests. A folder that has one is complete.
SUMS = "SHA256SUMS"

#: The digests that a merge is about to put in place of `SUMS`.
NEXT = "SHA256SUMS.new"

#: A file that changed less than this before it was hashed, ns, is hashed again when it is read again: within a tick of
#: the file system's clock a second change leaves no mark.
SETTLED_NS = 2_000_000_000

#: How many identities are remembered.
REMEMBERED = 100_000

_LINE = re.compile(rb"(\\?)([0-9a-f]{64})  ([^\n\0]+)")
_ESCAPES = {b"\\": b"\\\\", b"\n": b"\\n", b"\r": b"\\r"}
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)

_known: dict[tuple[int, ...], str] = {}


class ChecksumError(ValueError):
    """A stored file that is damaged, missing or not listed. The message names it."""


def sha256(path: str | os.PathLike[str]) -> str:
    """The sha256 of a file's bytes, in hexadecimal; read once in this process while its identity stays the same.

    `OSError` when it cannot be read, `ChecksumError` for what is not a regular file.
    """
    # A pipe must not wait for a writer. Windows has no such flag, and reads text unless it is told otherwise.
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        begun_ns, before = time.time_ns(), os.fstat(file)
        if not stat.S_ISREG(before.st_mode):
            raise ChecksumError(f"{os.fspath(path)}: not a regular file")
        identity = _identity(before)
        if identity in _known:
            return _known[identity]
        import hashlib  # a run without --out needs none

        digest = hashlib.sha256()
        while block := os.read(file, 1 << 20):
            digest.update(block)
        if _identity(os.fstat(file)) == identity and begun_ns - max(identity[-2:]) > SETTLED_NS:
            if len(_known) >= REMEMBERED:
                _known.clear()
            _known[identity] = digest.hexdigest()
        return digest.hexdigest()
    finally:
        os.close(file)


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class Checksums:
    """The digests of a folder's files, by their names below it.

    A store's merge replaces files one by one. If it is killed, `NEXT` stays beside `SUMS`, and each file has the digest
    that one of them gives.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """`FileNotFoundError` for a folder without `SUMS`, `ChecksumError` for one that is not in its format."""
        self.folder = Path(folder)
        self.digests = _parsed(self.folder / SUMS)
        try:
            self._next: Mapping[str, str] = _parsed(self.folder / NEXT)
        except FileNotFoundError:
            self._next = {}

    def names(self) -> list[str]:
        """The files that are listed."""
        return sorted({*self.digests, *self._next})

    def verified(self, name: str) -> Path:
        """The path of a file whose digest is the one that is listed. `ChecksumError` otherwise, which names it."""
        wrong = self.problem(name)
        if wrong:
            raise ChecksumError(f"{self.folder / name}: {wrong}")
        return self.folder / name

    def problem(self, name: str) -> str:
        """What is wrong with a file; "" if nothing is."""
        allowed = {listed[name] for listed in (self.digests, self._next) if name in listed}
        if not allowed:
            return f"not listed in {SUMS}"
        try:
            found = sha256(self.folder / name)
        except (FileNotFoundError, NotADirectoryError):
            return "" if self._next and name not in self.digests else f"missing; {SUMS} lists it"
        except ChecksumError:
            return "damaged: not a regular file"
        return "" if found in allowed else f"damaged: its sha256 is not the one in {SUMS}"

    def settled(self) -> dict[str, str]:
        """The digests of the files as they are, also after a merge was killed. `ChecksumError` for a damaged one."""
        if not self._next:
            return dict(self.digests)
        there = (self.verified(name) for name in self.names())
        return {str(path.relative_to(self.folder)): sha256(path) for path in there if path.exists()}


def verify_all(folder: str | os.PathLike[str]) -> None:
    """Check every file that a folder's `SUMS` lists. `ChecksumError` names the first that is damaged or missing."""
    sums = Checksums(folder)
    for name in sums.names():
        sums.verified(name)


def write_sums(folder: str | os.PathLike[str], digests: Mapping[str, str] | None = None, *, name: str = SUMS) -> None:
    """Write a folder's digests, of all files below it unless given. It is on the disk when this returns."""
    if digests is None:
        digests = {below: sha256(Path(folder, below)) for below in files_below(folder) if below != SUMS}
    with atomic_write(Path(folder, name)) as part, open(part, "wb") as file:
        file.writelines(_line(below, digests[below]) for below in sorted(digests))
        file.flush()
        os.fsync(file.fileno())


def files_below(folder: str | os.PathLike[str]) -> Iterator[str]:
    """The names of all regular files below a folder, at any depth."""
    for here, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            path = os.path.join(here, file)
            if os.path.isfile(path):
                yield os.path.relpath(path, folder)


def unlisted(folder: Path, names: Iterable[str]) -> list[str]:
    """The files below a folder that are not among these, not part of the format and not hidden."""
    known = {*names, SUMS, NEXT}
    return [name for name in files_below(folder) if name not in known and not re.search(r"(?:^|/)\.", name)]


def _line(name: str, digest: str) -> bytes:
    """A line as GNU coreutils write it: a name with a backslash or an end of line is escaped, and begins with one."""
    plain = os.fsencode(name)
    escaped = re.sub(rb"[\\\n\r]", lambda found: _ESCAPES[found[0]], plain)
    return (b"\\" if escaped != plain else b"") + digest.encode() + b"  " + escaped + b"\n"


def _parsed(path: Path) -> dict[str, str]:
    *lines, last = path.read_bytes().split(b"\n")
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        name = os.fsdecode(_plain(match[3]) if match[1] else match[3]) if match else ""
        if match is None or name in found or name.startswith("/") or ".." in name.split("/"):
            raise ChecksumError(f"{path}:{number}: damaged: expected a sha256, two blanks and a file's name, each once")
        found[name] = match[2].decode()
    if last or not found:
        raise ChecksumError(f"{path}: damaged: the end is missing")
    return found


def _plain(name: bytes) -> bytes:
    letters = {escaped[1:]: letter for letter, escaped in _ESCAPES.items()}
    return _ESCAPED.sub(lambda found: letters.get(found[1], found[0]), name)
