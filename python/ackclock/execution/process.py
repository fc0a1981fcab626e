"""Run an ns-2 script in a process of its own and collect what it printed and wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

#: What runs a script unless the caller names another program: ackclock itself.
ACKCLOCK: tuple[str, ...] = (sys.executable, "-m", "ackclock", "ns2")


#: The variable that names the process with which `ackclock ns2` is to end.
PARENT = "ACKCLOCK_PARENT"


@dataclass(frozen=True)
class Ns2Result:
    """The outcome of one run of an ns-2 script."""

    #: The command that was run, program first.
    command: tuple[str, ...]
    #: Exit status; 0 is success, a negative number the signal that ended the process.
    status: int
    #: What the script printed; empty when it was not captured.
    stdout: str
    #: What the script printed on stderr; empty when it was not captured.
    stderr: str
    #: The directory the script ran in.
    directory: Path
    #: Files that the run wrote in that directory: relative name to path.
    files: dict[str, Path] = field(default_factory=dict)


class Ns2Error(RuntimeError):
    """A script ended with a status other than 0. The message ends with what it said on stderr."""

    def __init__(self, result: Ns2Result) -> None:
        self.result = result
        said = result.stderr.strip() or "(nothing on stderr)"
        super().__init__(f"{' '.join(result.command)} ended with status {result.status}: {said}")


def run_ns2(
    script: str | os.PathLike[str],
    *args: str | int | float,
    cwd: str | os.PathLike[str] | None = None,
    capture: bool = True,
    check: bool = True,
    program: Sequence[str] = ACKCLOCK,
) -> Ns2Result:
    """Run an ns-2 `script` with its arguments `args`, as `ns SCRIPT ARGS...` would.

    - `cwd`: the working directory, where relative file names lead; the current directory by default.
    - `capture`: if false, the script prints to the caller's own stdout and stderr.
    - `check`: raise `Ns2Error` if the script ends with a status other than 0.
    - `program`: the command that runs the script, for a comparison with another: `("ns",)`.

    `FileNotFoundError` if the script or `cwd` does not exist.
    """
    path = Path(script).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"no such ns-2 script: {script}")
    directory = Path.cwd() if cwd is None else Path(cwd).resolve()
    if not directory.is_dir():
        raise FileNotFoundError(f"no such directory to run the script in: {cwd}")

    command = (*program, str(path), *map(str, args))
    before = _stamps(directory)
    done = subprocess.run(
        command,
        cwd=directory,
        # Our own program ends when this process does, however it ends.
        env={**os.environ, PARENT: str(os.getpid())} if command[: len(ACKCLOCK)] == ACKCLOCK else None,
        stdin=subprocess.DEVNULL,
        capture_output=capture,
        text=True,
        errors="surrogateescape",
        check=False,
    )
    written = {
        name: directory / name for name, stamp in sorted(_stamps(directory).items()) if before.get(name) != stamp
    }
    result = Ns2Result(command, done.returncode, done.stdout or "", done.stderr or "", directory, written)
    if check and result.status != 0:
        raise Ns2Error(result)
    return result


def _stamps(directory: Path) -> dict[str, tuple[int, int, int]]:
    """Every file directly in the directory, with what changes when it is written to."""
    stamps = {}
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_file():
                stat = entry.stat()
                stamps[entry.name] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return stamps
