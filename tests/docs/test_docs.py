"""What the pages say works as it is written, and prints what they show.

Of the fenced blocks of a page, in its order and in one directory of its own:

- one whose info string has a second word (```` ```toml net.toml ````) is written to a file of that name;
- `python` is run, with what the blocks before it left; a `text` block right after it is what it prints;
- `console` has commands after `$ ` and beneath each what it prints.

Others are not run. `...` stands for anything. The cells of a notebook are run in order, and print what it holds.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))
BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block, and what it must print."""

    line: int
    language: str
    file: str
    body: str
    shown: str


def blocks_of(text: str) -> list[Block]:
    found = list(BLOCK.finditer(text))
    blocks = []
    for number, match in enumerate(found):
        language, _, file = match["info"].strip().partition(" ")
        shown = ""
        if number + 1 < len(found):
            following = found[number + 1]
            if following["info"] == "text" and not text[match.end() : following.start()].strip():
                shown = following["body"]
        line = text.count("\n", 0, match.start()) + 2
        blocks.append(Block(line, language, file, match["body"], shown))
    return blocks


def ran(block: Block) -> bool:
    return bool(block.file) or block.language in ("python", "console")


def check(page: str, line: int, shown: str, printed: str) -> None:
    said = printed.rstrip() + "\n" if printed.strip() else ""
    if not doctest.OutputChecker().check_output(shown, said, doctest.ELLIPSIS):
        pytest.fail(f"{page}:{line}: the page shows\n{shown}\nand this was printed\n{said}", pytrace=False)


def run_python(page: str, block: Block, names: dict[str, Any]) -> None:
    # The empty lines before the code give its lines the page's numbers in tracebacks.
    code = compile("\n" * (block.line - 1) + block.body, page, "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    check(page, block.line, block.shown, printed.getvalue())


def run_console(page: str, block: Block) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
        words, _, shown = command.partition("\n")
        done = subprocess.run(
            ["bash", "-c", words],
            env={**os.environ, "PATH": path, "COLUMNS": "120"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        check(page, block.line, shown, done.stdout)


@pytest.mark.parametrize("page", [p for p in PAGES if any(map(ran, blocks_of(p.read_text(encoding="utf-8"))))], ids=str)
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    (tmp_path / "studies").symlink_to(ROOT / "studies")
    monkeypatch.syspath_prepend(str(tmp_path))
    name = str(page.relative_to(ROOT))
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.file:
            Path(block.file).write_text(block.body, encoding="utf-8")
        elif block.language == "python":
            run_python(name, block, names)
        elif block.language == "console":
            run_console(name, block)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_prints_what_it_holds(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] == "code":
            shown = "".join("".join(out["text"]) for out in cell["outputs"] if out["output_type"] == "stream")
            run_python(f"{notebook.name}, cell {number}", Block(1, "python", "", "".join(cell["source"]), shown), names)


def test_a_difference_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    right = blocks_of(
        "```toml a.toml\nx = 1\n```\n\n```console\n$ cat a.toml\nx = 1\n```\n"
        "```python\nprint(2)\n```\n\n```text\n2\n```\n"
    )
    Path("a.toml").write_text(right[0].body, encoding="utf-8")
    run_console("page", right[1])
    run_python("page", right[2], {})
    wrong = blocks_of("```console\n$ echo 1\n2\n```\n```python\nprint(2)\n```\n")
    with pytest.raises(pytest.fail.Exception, match="page:2"):
        run_console("page", wrong[0])
    with pytest.raises(pytest.fail.Exception, match="page:6"):
        run_python("page", wrong[1], {})


def test_links_lead_somewhere() -> None:
    for page in [*sorted(ROOT.glob("*.md")), *PAGES, *sorted(ROOT.glob("studies/*/README.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / re.sub(r"\s", "", target)).exists(), f"{page.name}: {target}"
