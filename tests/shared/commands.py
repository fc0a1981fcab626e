"""The command `ackclock` in a process of its own, as a user starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def ackclock(*words: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `ackclock WORDS...`; what it printed, and its exit status."""
    return subprocess.run(
        [sys.executable, "-m", "ackclock", *map(str, words)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
