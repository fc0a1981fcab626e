"""What can be opened: files and folders by id. No path is ever taken from a request."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ackclock._internal.scratch import Scratch
from ackclock.execution.results import RUN_FILE
from ackclock.server.errors import Refusal
from ackclock.server.files import is_regular, shown
from ackclock.server.recording import Recording
from ackclock.server.run import size
from ackclock.server.saved import RunRecording
from ackclock.server.workers import Limits, Workers

#: Endings of trace files, and the kind of each.
TRACES = {".tr": "ns2", ".tr.gz": "ns2", ".nam": "nam", ".nam.gz": "nam"}
#: A folder is looked through so deep, and no further than so many files.
MOST_DEEP = 4
MOST_FILES = 2000
#: So many recordings stay open; the one that was asked for longest ago is closed first.
MOST_OPEN = 8


@dataclass(frozen=True)
class Item:
    """Something that can be opened."""

    id: str
    name: str
    path: Path
    #: ns2, nam or run
    kind: str

    def described(self) -> dict[str, object]:
        """As /api/about says it."""
        return {"id": self.id, "name": self.name, "kind": self.kind, "bytes": size(self.path)}


class Catalog:
    """Items by id, and the recordings of those that are open."""

    def __init__(self, items: Iterable[Item] = (), folder: Path | None = None) -> None:
        self._own = {item.id: item for item in items}
        #: where `ackclock serve` looks for more
        self.folder = folder
        #: what a saved run may take that has to be run again
        self.limits = Limits()
        #: the processes of this server
        self.workers = Workers()
        self._scratch: Scratch | None = None
        self._open: dict[str, Recording] = {}
        self._lock = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}

    @property
    def scratch(self) -> Path:
        """The server's folder for temporary files, made when it is first asked for."""
        with self._lock:
            if self._scratch is None:
                self._scratch = Scratch()
            return self._scratch.folder

    @classmethod
    def of_files(cls, paths: Iterable[str | os.PathLike[str]]) -> Catalog:
        """Trace files, and folders of runs or with trace files in them.

        Raises `FileNotFoundError` for what is not there, `OSError` for what is neither a regular file nor a folder.
        """
        items: list[Item] = []
        for path in map(Path, paths):
            if not path.exists():
                raise FileNotFoundError(f"no such file or folder: {path}")
            if not path.is_dir() and not is_regular(path):
                raise OSError(f"{shown(path)}: expected a regular file or a folder")
            items += within(path) if path.is_dir() and not is_regular(path / RUN_FILE) else [item(path, path.name)]
        return cls(items)

    def items(self) -> list[Item]:
        """Everything, by name; a folder is looked through again each time."""
        found = dict(self._own)
        if self.folder is not None:
            found.update((one.id, one) for one in within(self.folder))
        return sorted(found.values(), key=lambda one: one.name)

    def add(self, one: Item) -> None:
        """Put something into the catalog."""
        self._own[one.id] = one

    def remove(self, id: str) -> None:
        """Take something out of the catalog."""
        self._own.pop(id, None)
        with self._lock:
            recording = self._open.pop(id, None)
        if recording is not None:
            recording.close()

    def item(self, id: str) -> Item:
        """What has this id. `Refusal` where nothing has."""
        for one in self.items():
            if one.id == id:
                return one
        raise Refusal(404, f"unknown recording {id!r}: it was removed, or the server was restarted")

    def recording(self, id: str) -> Recording:
        """The recording of an item, opened when it is first asked for. `Refusal` when it cannot be."""
        one = self.item(id)
        with self._lock:
            opening = self._opening.setdefault(id, threading.Lock())
        with opening:
            with self._lock:
                recording = self._open.pop(id, None)
                if recording is not None and recording.is_of(one.path):
                    self._open[id] = recording
                    return recording
            if recording is not None:
                recording.close()
            try:
                if one.kind == "run":
                    recording = RunRecording(one.id, one.name, one.path, self.scratch, self.limits, self.workers)
                else:
                    recording = Recording(one.id, one.name, one.path, self.scratch)
            except OSError as error:
                raise Refusal(422, f"{one.name}: {error.strerror or error}") from None
        with self._lock:
            self._open[id] = recording
            old = [self._open.pop(id) for id in list(self._open)[:-MOST_OPEN]]
        for other in old:
            other.close()
        return recording

    def stop(self) -> None:
        """End all processes, and read no further in any recording."""
        self.workers.close()
        with self._lock:
            while self._open:
                self._open.popitem()[1].close()

    def close(self) -> None:
        """Stop, and remove the temporary files."""
        self.stop()
        with self._lock:
            if self._scratch is not None:
                self._scratch.close()
                self._scratch = None


def item(path: Path, name: str) -> Item:
    """A file or folder as something to open. What a file is, its name tells here and its lines later.

    A name that is not UTF-8 is shown as well as it can be; the id is made of its bytes.
    """
    path = path.resolve()
    kind = "run" if path.is_dir() else kind_of(path.name) or "ns2"
    return Item(hashlib.sha256(os.fsencode(path)).hexdigest()[:12], shown(name), path, kind)


def kind_of(name: str) -> str | None:
    """What a file of this name is, if a trace."""
    return next((kind for ending, kind in TRACES.items() if name.lower().endswith(ending)), None)


def within(folder: Path) -> list[Item]:
    """Traces and runs in a folder. Left out: targets of links outside the folder, and what is not a regular file."""
    root = folder.resolve()
    found: list[Item] = []
    for path in _paths(root, MOST_DEEP):
        if len(found) == MOST_FILES:
            break
        if path.resolve().is_relative_to(root):
            found.append(item(path, str(path.relative_to(root)) if path != root else path.name))
    return found


def _paths(folder: Path, deep: int) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    if any(entry.name == RUN_FILE and is_regular(entry) for entry in entries):
        yield folder
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if deep:
                yield from _paths(Path(entry.path), deep - 1)
        elif kind_of(entry.name) is not None and is_regular(entry):
            yield Path(entry.path)
