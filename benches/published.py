"""Published ns-2 scripts as a workload: which they are a manifest says, where they are a folder of repositories.

A line of the manifest is JSON: `repo` ("owner/name"), `commit`, `dir`, `script`, `args`, and `mkdirs`, folders that
the script expects. The repositories are snapshots, DIR/OWNER+NAME/repo. Each script is run in a copy of its own
folder, with stand-ins for viewers first on PATH, as nobody looks.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VIEWERS = ("nam", "xgraph", "gnuplot", "gedit", "firefox", "xterm", "konsole", "wish", "R", "octave", "matlab")
#: what a run leaves, which is no input
LEFT = {".tr", ".nam", ".png", ".pdf", ".jpg", ".gif", ".zip", ".gz", ".out", ".xg", ".eps", ".ps", ".doc", ".docx"}
LARGEST_BYTES = 1_000_000


def entries(manifest: Path) -> Iterator[dict[str, Any]]:
    """The lines of a manifest."""
    for line in manifest.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _git(mirror: Path, *words: str) -> bytes:
    return subprocess.run(["git", "-C", str(mirror), *words], check=True, capture_output=True).stdout


def lay_out(entry: dict[str, Any], repositories: Path, folder: Path) -> None:
    """Copy the script's folder, as it stood at the commit, into `folder`."""
    mirror = repositories / entry["repo"].replace("/", "+") / "repo"
    listing = _git(mirror, "ls-tree", "-r", "-l", "-z", f"{entry['commit']}:{entry['dir']}")
    for row in filter(None, listing.split(b"\0")):
        about, name = row.split(b"\t", 1)
        _, kind, blob, size = about.decode().split()
        path = name.decode("utf8", "surrogateescape")
        if kind != "blob" or (Path(path).suffix.lower() in LEFT and path != entry["script"]) or path.count("/") > 3:
            continue
        if int(size) <= LARGEST_BYTES or path == entry["script"]:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(_git(mirror, "cat-file", "blob", blob))
    for extra in entry["mkdirs"]:
        (folder / extra).mkdir(parents=True, exist_ok=True)


def stand_ins(folder: Path) -> dict[str, str]:
    """Programs that do nothing, under the viewers' names; the environment that finds them first."""
    folder.mkdir()
    for name in VIEWERS:
        (folder / name).write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}


def digest(folder: Path) -> str:
    """One digest of all files below a folder."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            found.update(f"{path.relative_to(folder)}\0".encode())
            found.update(file_digest(path).encode())
    return found.hexdigest()


def file_digest(path: Path) -> str:
    """sha256 of a file, a part at a time: the most memory this process has held is charged to its children, too."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            found.update(part)
    return found.hexdigest()
