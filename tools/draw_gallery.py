"""The pictures of pages of docs/guide, made by running the pages: `python tools/draw_gallery.py [PAGE...]`.

A page names its pictures as `images/PAGE/NAME`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "docs" / "guide"
PAGES = ("gallery", "which-queue")
sys.path.insert(0, str(ROOT / "tests" / "docs"))

import test_docs  # noqa: E402


def main() -> int:
    """Draw the pictures of the pages named, or of all; 1 where one was not made."""
    os.environ["MPLBACKEND"] = "agg"
    return max(draw(page) for page in sys.argv[1:] or PAGES)


def draw(page: str) -> int:
    """Run a page in a folder of its own, and keep the pictures that it names; 1 where one was not made."""
    text = (GUIDE / f"{page}.md").read_text(encoding="utf-8")
    images = ROOT / "docs" / "images" / page
    images.mkdir(parents=True, exist_ok=True)
    missing = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in test_docs.blocks_of(text):
            if block.file:
                Path(block.file).write_text(block.body, encoding="utf-8")
            elif block.language == "console":
                test_docs.run_console(f"{page}.md", block)
        for name in re.findall(rf"images/{page}/([\w.-]+)", text):
            if Path(name).is_file():
                shutil.copy(name, images / name)
            else:
                print(f"{name}: no command of the page makes it", file=sys.stderr)
                missing = 1
    return missing


if __name__ == "__main__":
    sys.exit(main())
