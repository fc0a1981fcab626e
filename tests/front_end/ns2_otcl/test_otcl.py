"""OTcl scripts give here what they give on the real ns-2.

Each script's output on the real ns-2.35 is recorded beside it (`python tests/front_end/ns2_otcl/test_otcl.py` records
again). Where ns is installed, the recording is compared with the living program as well.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.tcl"))
NS = shutil.which("ns")
FIXTURE = Path(__file__).parent / "stand_in.py"


def on_ns2(script: Path) -> str:
    assert NS is not None
    done = subprocess.run([NS, str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def here(script: Path) -> str:
    done = subprocess.run([sys.executable, str(FIXTURE), str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_gives_what_was_recorded(script: Path) -> None:
    assert here(script) == script.with_suffix(".out").read_text(encoding="utf-8")


@pytest.mark.skipif(NS is None, reason="the real ns-2 is not installed (apt-get install ns2)")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_recording_is_what_ns2_gives(script: Path) -> None:
    assert on_ns2(script) == script.with_suffix(".out").read_text(encoding="utf-8")


if __name__ == "__main__":
    for path in SCRIPTS:
        path.with_suffix(".out").write_text(on_ns2(path), encoding="utf-8")
