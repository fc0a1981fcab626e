"""Packs stored results with their description into one file for a paper's artefact: an RO-Crate.

An RO-Crate is a folder or a zip with `ro-crate-metadata.json`, which lists the files and says in the terms of
schema.org what made them (RO-Crate 1.1, https://w3id.org/ro/crate/1.1). The JSON is written here: the library for it,
ro-crate-py, brings an HTTP client to read crates from elsewhere.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ackclock._internal.atomic_file import atomic_write
from ackclock._internal.checksums import sha256
from ackclock._native import __version__
from ackclock.batch.check import check
from ackclock.batch.store.segments import LOCK

METADATA = "ro-crate-metadata.json"
#: Media types by suffix; every other file is of bytes.
_MEDIA_TYPES = {
    ".arrow": "application/vnd.apache.arrow.file",
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pcapng": "application/x-pcapng",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".tcl": "text/x-tcl",
    ".toml": "application/toml",
    ".tr": "text/plain",
    ".txt": "text/plain",
}
#: A zip has the date of each file; this one for all, so that the same results give the same bytes.
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


class PackError(Exception):
    """Results that cannot be packed: none, damaged, or two files of one name."""


def pack(
    folder: Path,
    crate: Path,
    *,
    inputs: Sequence[Path] = (),
    name: str | None = None,
    authors: Sequence[str] = (),
    licence: str | None = None,
    date: datetime.date | None = None,
) -> int:
    """Write the results of a folder, and `inputs` beside them, as the RO-Crate `crate`, a zip; how many files it has.

    `inputs` are the files that the results came from: scenario, grid, script. `licence` is a URL or any text; `date` is
    the date of publication (today). Raises `PackError`, and `OSError` where a file cannot be read or written.
    """
    checked = check(folder)
    if checked.damaged:
        raise PackError(f"{folder}: {len(checked.damaged)} damaged or missing files; see `ackclock check {folder}`")
    if not checked.files:
        raise PackError(f"{folder}: no saved run, store or study found")
    files = {f"results/{path.relative_to(folder).as_posix()}": path for path in _files(folder)}
    for path in inputs:
        if not path.is_file():
            raise FileNotFoundError(f"no such file: {path}")
        if files.setdefault(f"inputs/{path.name}", path) != path:
            raise PackError(f"{path}: another input has the name {path.name}")
    metadata = _metadata(files, name or folder.resolve().name, authors, licence, date or datetime.date.today())
    with atomic_write(crate) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        text = json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"
        archive.writestr(zipfile.ZipInfo(METADATA, _ZIP_DATE), text, zipfile.ZIP_DEFLATED)
        for name, path in files.items():
            with (
                path.open("rb") as source,
                archive.open(zipfile.ZipInfo(name, _ZIP_DATE), "w", force_zip64=True) as copy,
            ):
                while block := source.read(1 << 20):
                    copy.write(block)
    return len(files)


def _files(folder: Path) -> list[Path]:
    found = []
    for here, folders, names in os.walk(folder):
        folders.sort()
        found += [Path(here, name) for name in sorted(names) if not name.endswith(".part") and name != LOCK]
    return found


def _metadata(
    files: dict[str, Path], name: str, authors: Sequence[str], licence: str | None, date: datetime.date
) -> dict[str, Any]:
    people = [{"@id": f"#author-{number}", "@type": "Person", "name": each} for number, each in enumerate(authors, 1)]
    inputs = [{"@id": each} for each in files if each.startswith("inputs/")]
    results = [{"@id": each} for each in files if each.startswith("results/")]
    software = {
        "@id": "#ackclock",
        "@type": "SoftwareApplication",
        "name": "ackclock",
        "url": "https://github.com/ackclock/ackclock",
        "softwareVersion": __version__,
        "operatingSystem": platform.platform(),
    }
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": name,
        "description": f"Simulations by ackclock {__version__}: {name}",
        "datePublished": date.isoformat(),
        "license": licence or "not stated",
        "hasPart": inputs + results,
        "mentions": {"@id": "#simulation"},
    }
    if people:
        root["author"] = [{"@id": each["@id"]} for each in people]
    action = {
        "@id": "#simulation",
        "@type": "CreateAction",
        "name": "Simulation",
        "instrument": {"@id": "#ackclock"},
        "object": inputs,
        "result": results,
    }
    entries = [
        {
            "@id": each,
            "@type": "File",
            "name": Path(each).name,
            "contentSize": str(path.stat().st_size),
            "encodingFormat": _MEDIA_TYPES.get(path.suffix, "application/octet-stream"),
            "sha256": sha256(path),
        }
        for each, path in files.items()
    ]
    about = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    # RO-Crate's own context has no `sha256`; schema.org has.
    context = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "https://schema.org/sha256"}]
    return {"@context": context, "@graph": [about, root, action, software, *people, *entries]}
