"""Run what the pages of the documentation show, and write what it prints into them where it differs.

    python tools/update_docs.py [PAGE...]

For a change that alters results on purpose. Read the difference before you commit it: tests/docs/test_docs.py only
holds that pages and output are the same. Outputs with `...` are left alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "docs"))

import test_docs  # noqa: E402


def main(words: list[str]) -> int:
    """Update these pages, or all; the exit status."""
    os.environ["MPLBACKEND"] = "agg"
    pages = [Path(word).resolve() for word in words] or [*test_docs.PAGES, *test_docs.NOTEBOOKS]
    for page in pages:
        update = update_notebook if page.suffix == ".ipynb" else update_page
        if update(page):
            print(page.relative_to(ROOT))
    return 0


@contextlib.contextmanager
def in_a_folder() -> Any:
    """The working directory of a page: empty but for the studies."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "studies", Path(folder, "studies"))
        sys.path.insert(0, folder)
        with contextlib.chdir(folder):
            yield
        sys.path.remove(folder)


def recorded(run: Any, *words: Any) -> list[tuple[str, str]]:
    """What a block shows and prints, where the two differ."""
    found: list[tuple[str, str]] = []

    def check(page: str, line: int, shown: str, printed: str) -> None:
        said = printed.rstrip() + "\n" if printed.strip() else ""
        if shown != said and "..." not in shown:
            found.append((shown, said))

    test_docs.check = check
    run(*words)
    return found


def update_page(page: Path) -> bool:
    """Whether a page has changed."""
    text = before = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    with in_a_folder():
        for block in test_docs.blocks_of(before):
            found: list[tuple[str, str]] = []
            if block.file:
                Path(block.file).write_text(block.body, encoding="utf-8")
            elif block.language == "python":
                found = recorded(test_docs.run_python, page.name, block, names)
            elif block.language == "console":
                found = recorded(test_docs.run_console, page.name, block)
            for shown, printed in found:
                at = text.index(block.body)
                text = text[:at] + text[at:].replace(shown, printed, 1)
    page.write_text(text, encoding="utf-8")
    return text != before


def update_notebook(notebook: Path) -> bool:
    """Whether a notebook has changed."""
    before = notebook.read_text(encoding="utf-8")
    told = json.loads(before)
    names: dict[str, Any] = {"__name__": "__main__"}
    with in_a_folder():
        for cell in told["cells"]:
            streams = [out for out in cell.get("outputs", []) if out["output_type"] == "stream"]
            if cell["cell_type"] == "code":
                shown = "".join("".join(out["text"]) for out in streams)
                block = test_docs.Block(1, "python", "", "".join(cell["source"]), shown)
                for _, printed in recorded(test_docs.run_python, notebook.name, block, names):
                    streams[0]["text"] = printed.splitlines(keepends=True)
    text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
    if text != before:
        notebook.write_text(text, encoding="utf-8")
    return text != before


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
