"""What README.md promises works as it is written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_ten_lines_of_python(tmp_path: Path) -> None:
    match = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert match
    code = match[1].replace('cwd="/tmp"', f'cwd="{tmp_path}"')
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "SACK: 1.101 to 1, 0 packets dropped" in done.stdout
    assert "VEGAS: 1.400 to 1, 0 packets dropped" in done.stdout


def test_links_lead_somewhere() -> None:
    for page in sorted(ROOT.glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (ROOT / re.sub(r"\s", "", target)).exists(), f"{page.name}: {target}"


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"\bmake (run|test|fmt|lint|clean)\b", README))
    assert {"run", "test"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
