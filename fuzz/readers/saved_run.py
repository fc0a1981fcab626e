"""Folders of saved runs: opened, read, shown as the page shows them. An input is all files of a folder in one.

An input without digests gets those of its files: whoever writes a hostile folder writes them too.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from ackclock._internal.checksums import SUMS, write_sums
from ackclock.execution.results import Results, ResultsError, open_results
from ackclock.server.errors import Refusal
from ackclock.server.saved import RunRecording
from fuzz.reading import Offer, kind_of

WHAT = "folders of saved runs (run.json and its Parquet tables): opened, read, shown by the page"
WORDS = b'null true false [] {} "parquet" "packets" "flows" "links" "scenario" "tables" PAR1'.split()

#: What stands in front of each file of a folder, with its name and the end of a line behind it.
MARK = b"\0file "


def packed(folder: Path) -> bytes:
    """A folder as an input."""
    files = sorted(folder.iterdir(), key=lambda path: (path.name != "run.json", path.name))
    return b"".join(MARK + path.name.encode() + b"\n" + path.read_bytes() for path in files)


def prepared(scratch: Path) -> Offer:
    """The way to offer it an input."""
    folder = scratch / "run"
    written: dict[str, bytes] = {}

    def unpack(data: bytes) -> None:
        files = {}
        for part in data.split(MARK)[1:]:
            name, _, content = part.partition(b"\n")
            plain = "".join(letter for letter in name.decode("latin-1")[:60] if letter.isalnum() or letter in "._-")
            if plain.strip("."):
                files[plain] = content
        if written.keys() - files.keys():
            shutil.rmtree(folder)
            written.clear()
        folder.mkdir(exist_ok=True)
        for plain, content in files.items():
            if written.get(plain) != content:
                (folder / plain).write_bytes(content)
                written[plain] = content
        if SUMS not in files:
            write_sums(folder)

    def offer(data: bytes) -> str:
        unpack(data)
        try:
            results = open_results(folder)
            for name in results.tables:
                _read(results, name)
        except ResultsError as error:
            return kind_of(str(error).replace(str(folder), ""))
        except OSError as error:
            return kind_of(error.strerror)
        if "packets" not in results.tables:
            return f"good: {sorted(results.tables)}"
        try:
            recording = RunRecording("it", "run", folder)
        except Refusal as refusal:
            return kind_of(refusal.sentence)
        try:
            json.dumps(recording.head(), allow_nan=False)
            for what in recording.series_names():
                json.dumps(recording.series(what, None, None, 50), allow_nan=False)
        except Refusal as refusal:
            return kind_of(refusal.sentence)
        finally:
            recording.close()
        return "good: it has packets"

    return offer


def _read(results: Results, name: str) -> None:
    table = results.tables[name]
    for column in table.column_names():
        table.column(column)
