"""No source file is longer than CONTRIBUTING.md allows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

MOST_LINES = 500

SOURCES = ("*.rs", "*.py", "*.pyi", "*.ts", "*.tcl", "*.css")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no git checkout: nothing tells which files are tracked")
def test_no_source_file_is_too_long() -> None:
    assert f"A file has at most {MOST_LINES} lines." in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = subprocess.run(["git", "ls-files", "-z", *SOURCES], cwd=ROOT, check=True, capture_output=True, text=True)
    files = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    assert "tests/docs/test_architecture.py" in files
    lengths = {name: (ROOT / name).read_bytes().count(b"\n") for name in files}
    long = {name: count for name, count in lengths.items() if count > MOST_LINES}
    assert not long
