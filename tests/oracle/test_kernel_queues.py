"""The facts of tests/oracle/kernel_queues are what a kernel's C does, where its source is there.

The engine is compared with the facts in crates/engine/tests/kernel_queues.rs. Debian: install linux-source-6.12 and
unpack it in /usr/src, or set KERNEL_SOURCE to a source tree of 6.12.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNEL = Path(os.environ.get("KERNEL_SOURCE", "/usr/src/linux-source-6.12"))
CASES = sorted((ROOT / "tests/oracle/kernel_queues").glob("*.txt"))


@pytest.mark.skipif(not (KERNEL / "net/sched").is_dir(), reason="no source of Linux 6.12")
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_facts_are_the_kernels(case: Path) -> None:
    spec = importlib.util.spec_from_file_location("record_kernel_queues", ROOT / "tools/record_kernel_queues.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    found = tool.facts(KERNEL, case)
    if found is None:
        pytest.skip("this kernel has no such discipline")
    assert found.split() == case.read_text(encoding="utf-8").partition("\nfacts\n")[2].split()


def test_each_case_is_compared_with_the_engine() -> None:
    text = (ROOT / "crates/engine/tests/kernel_queues.rs").read_text(encoding="utf-8")
    listed = text.partition("\ncases! {")[2].split()
    assert [case.stem for case in CASES] == sorted(listed[:-1])
