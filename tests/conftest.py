"""Shared fixtures: what is tested, and the oracle it is held against.

The oracle is the real ns-2 where it is on the PATH, and everywhere the record of what it wrote
(oracle/ns2/recorded.json). A test that needs the living one is skipped, with the reason, where it is not.
"""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "oracle" / "ns2"), str(HERE / "shared")]

from cases import Case  # noqa: E402
from running import Left, run_case  # noqa: E402

# A shell starts what it runs in the background with Ctrl-C ignored, and programs hand that on: those that the tests
# interrupt would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--program",
        help="what is held against ns-2, to test the tests (default: ackclock itself)",
    )


@pytest.fixture(scope="session")
def program(request: pytest.FixtureRequest) -> list[str]:
    """The program under test: it takes ns's arguments."""
    named = request.config.getoption("--program")
    return shlex.split(named) if named else [sys.executable, "-m", "ackclock", "ns2"]


@pytest.fixture(scope="session")
def ours(program: list[str], tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Left]:
    """Run a case with the program under test, once in a session."""
    return _once(program, tmp_path_factory.mktemp("ours"))


@pytest.fixture(scope="session")
def theirs(ns: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Left]:
    """Run a case with the real ns-2, once in a session."""
    return _once([ns], tmp_path_factory.mktemp("theirs"))


def _once(program: list[str], scratch: Path) -> Callable[[Case], Left]:
    left: dict[Case, Left] = {}

    def run(case: Case) -> Left:
        if case not in left:
            left[case] = run_case(case, program, scratch / str(len(left)))
        return left[case]

    return run


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A real browser, with the page built."""
    # Only here: whoever runs another test does not load Playwright.
    from chromium import launched

    yield from launched()


@pytest.fixture(scope="session")
def ns() -> str:
    """The real ns-2's program."""
    found = shutil.which("ns")
    if found is None:
        pytest.skip("ns-2 is not installed (Debian: apt-get install ns2)")
    return found


@pytest.fixture(scope="session")
def recorded() -> dict[str, dict[str, Any]]:
    """What ns-2 left of each case when it was recorded."""
    file = HERE / "oracle" / "ns2" / "recorded.json"
    record: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return record
