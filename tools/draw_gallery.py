"""The pictures of docs/guide/gallery.md, made by running the page: `python tools/draw_gallery.py`."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guide" / "gallery.md"
IMAGES = ROOT / "docs" / "images" / "gallery"
sys.path.insert(0, str(ROOT / "tests" / "docs"))

import test_docs  # noqa: E402


def main() -> int:
    """Run the page in a folder of its own, and keep the pictures that it names; 1 where one was not made."""
    os.environ["MPLBACKEND"] = "agg"
    text = PAGE.read_text(encoding="utf-8")
    IMAGES.mkdir(parents=True, exist_ok=True)
    missing = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in test_docs.blocks_of(text):
            if block.file:
                Path(block.file).write_text(block.body, encoding="utf-8")
            elif block.language == "console":
                test_docs.run_console(PAGE.name, block)
        for name in re.findall(r"images/gallery/([\w.-]+)", text):
            if Path(name).is_file():
                shutil.copy(name, IMAGES / name)
            else:
                print(f"{name}: no command of the page makes it", file=sys.stderr)
                missing = 1
    return missing


if __name__ == "__main__":
    sys.exit(main())
