"""The engine in WebAssembly: the digests of a native run with portable mathematics, for each control and each queue."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "scenario"))

from variants import cases  # noqa: E402

ENGINE = ROOT / "out" / "play" / "ackclock.wasm"


def wasm() -> Path:
    """The built engine; the test is skipped, with the reason, where there is none."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not ENGINE.is_file():
        pytest.skip(
            "the page without a server has not been built (make site; rustup target add wasm32-unknown-unknown)"
        )
    return ENGINE


def test_browser_and_native_have_equal_digests() -> None:
    engine = wasm()
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    asked = cases()
    lines = "".join(json.dumps(one) + "\n" for one in asked.values())
    native = ["cargo", "run", "--quiet", "--locked", "-p", "ackclock-wasm", "--features", "portable-math"]
    found = [
        subprocess.run(words, input=lines, capture_output=True, text=True, check=True, cwd=ROOT).stdout.splitlines()
        for words in (
            [*native, "--example", "scenario_digests"],
            ["node", str(ROOT / "tests" / "page" / "digests.mjs"), str(engine)],
        )
    ]
    assert len(found[0]) == len(asked) > 90
    digests = dict(zip(asked, found[0], strict=True))
    assert {name: digest for name, digest in digests.items() if not re.fullmatch("[0-9a-f]{16}", digest)} == {}
    # Scenarios that differ have digests that differ.
    assert len(set(digests.values())) > 0.8 * len(digests)
    assert dict(zip(asked, found[1], strict=True)) == digests
