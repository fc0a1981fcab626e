"""Compiles a congestion control of the kernel to a shared object.

The file is compiled unmodified, against the headers beside this module. All headers that it includes in angle brackets
stand for them. Functions that it needs from other files of the kernel (`tcp_slow_start` of tcp_cong.c, `tcp_vegas_init`
of tcp_vegas.c) come from those files: they are looked for beside it and in the kernel's net/ipv4.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ackclock._native import KernelModule
from ackclock.kernel.folder import Kernel, KernelError, folder

#: ticks per second of the clock `jiffies`, as Debian's kernels have it
HZ = 250

_HEADERS = Path(__file__).parent / "headers" / "ackclock"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)
#: a function of the kernel that other modules may call
_EXPORT = re.compile(r"^EXPORT_SYMBOL(?:_GPL)?\((\w+)\)", re.MULTILINE)
_LINE = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<what>.*)$", re.MULTILINE)
_UNDEFINED = re.compile(r"undefined reference to [`']?(?P<name>\w+)")
_UNDEFINED_LINE = re.compile(r"(?P<file>[^\s:()]+):(?P<line>\d+):.*undefined reference to [`']?(?P<name>\w+)")
_FLAGS = (
    *("-std=gnu11", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-fwrapv", "-nostdinc"),
    *("-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types", "-Werror=implicit-int"),
    *("-Werror=int-conversion", "-ffp-contract=off"),
)


def build(
    source: Path,
    *,
    kernel: Path | None = None,
    out: Path | None = None,
    hz: int = HZ,
    compiler: Sequence[str] | None = None,
) -> Kernel:
    """Compile `source`, and put the shared object into the folder `out`, by default that of compiled controls.

    `kernel` is the root of a kernel tree, for a source outside of one. `hz` is the frequency of `jiffies`: 100, 250,
    300 or 1000 in kernels. `compiler` is a command; by default `$CC`, or `cc`. `KernelError` in one line, with the file
    and its line, for a source that cannot be compiled; for a compiler that is not there; for a result without a
    control.
    """
    if not source.is_file():
        raise KernelError(f"{source}: no such file")
    if not 1 <= hz <= 1_000_000 or 1_000_000 % hz:
        raise KernelError(f"HZ must divide 1,000,000, not {hz}")
    command = tuple(compiler or shlex.split(os.environ.get("CC") or "cc"))
    places = [source.resolve().parent, *([kernel / "net" / "ipv4"] if kernel is not None else [])]
    with tempfile.TemporaryDirectory(prefix="ackclock-kernel-") as made:
        work = _Work(Path(made), (*command, *_FLAGS, f"-DHZ={hz}"), command, places)
        shared = work.link(source.resolve())
        try:
            module = KernelModule(str(shared))
        except ValueError as error:
            raise KernelError(str(error).replace(str(shared), source.name)) from None
        target = (folder() if out is None else out) / f"{module.control}.so"
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(f".part{os.getpid()}")
        part.write_bytes(shared.read_bytes())
        part.replace(target)
    return Kernel(module.control, target)


class _Work:
    """A folder in which a control is compiled."""

    def __init__(self, made: Path, flags: tuple[str, ...], command: tuple[str, ...], places: list[Path]) -> None:
        self.made, self.flags, self.command, self.places = made, flags, command, places
        (made / "include").mkdir()

    def link(self, source: Path) -> Path:
        """The shared object: the source, the files of the kernel that it needs, and the shim."""
        objects = [self.compile(source, "-DACKCLOCK_MAIN"), self.compile(_HEADERS / "shim.c")]
        used, shared = {source}, self.made / "control.so"
        while True:
            options = ("-shared", "-Wl,-s") if sys.platform != "darwin" else ("-shared",)
            undefined = () if sys.platform == "darwin" else ("-Wl,-z,defs",)
            words = (*self.command, *options, *undefined, "-o", str(shared), *map(str, objects))
            found = self.run(words)
            if found is None:
                return shared
            missing = list(dict.fromkeys(match["name"] for match in _UNDEFINED.finditer(found)))
            files = [file for file in map(self.defining, missing) if file is not None and file not in used]
            if not files:
                raise KernelError(_not_linked(found, missing))
            for file in dict.fromkeys(files):
                used.add(file)
                objects.append(self.compile(file))

    def compile(self, source: Path, *options: str) -> Path:
        """The object of a source file."""
        self.forward(source)
        made = self.made / f"{source.stem}.o"
        words = (*self.flags, *options, f"-I{self.made / 'include'}", f"-I{_HEADERS}")
        found = self.run((*words, "-c", str(source), "-o", str(made)))
        if found is not None:
            raise KernelError(_not_compiled(found, source))
        return made

    def forward(self, source: Path) -> None:
        """A header for each one that the source includes in angle brackets: all lead to ackclock's."""
        try:
            text = source.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise KernelError(f"{source}: {error.strerror}") from None
        for system, local in _INCLUDE.findall(text):
            if local and (source.parent / local).is_file() and source.parent != _HEADERS:
                self.forward(source.parent / local)
            elif system and ".." not in Path(system).parts and not Path(system).is_absolute():
                header = self.made / "include" / system
                header.parent.mkdir(parents=True, exist_ok=True)
                header.write_text('#include "all.h"\n')

    def defining(self, name: str) -> Path | None:
        """The file of the kernel, beside the source, that has this function for other modules."""
        for place in self.places:
            for file in sorted(place.glob("tcp_*.c")):
                text = file.read_text(encoding="utf-8", errors="replace")
                if name in _EXPORT.findall(text) or re.search(rf"^struct tcp_congestion_ops {name} = ", text, re.M):
                    return file
        return None

    def run(self, words: tuple[str, ...]) -> str | None:
        """The compiler's messages; `None` if it succeeds."""
        try:
            done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, check=False)
        except OSError as error:
            expected = "a C compiler is needed: install gcc or clang, or name one with CC"
            raise KernelError(f"{words[0]}: {error.strerror}; {expected}") from None
        return None if done.returncode == 0 else done.stderr


def _not_compiled(found: str, source: Path) -> str:
    """The compiler's first error, in one line."""
    match = _LINE.search(found)
    if match is None:
        lines = found.strip().splitlines() or ["the compiler failed without a message"]
        return f"{source.name}: {lines[0]}"
    at, what = f"{Path(match['file']).name}:{match['line']}", match["what"].partition(" [-W")[0]
    name = re.search(r"(?:implicit declaration of|call to undeclared) function [`']?(\w+)", what)
    if name:
        return f"{at}: ackclock's headers have no function {name[1]}()"
    return f"{at}: {what}"


def _not_linked(found: str, missing: list[str]) -> str:
    """The first function that no file has, in one line."""
    match = _UNDEFINED_LINE.search(found)
    if match is None:
        return f"the linker failed: {missing[0] if missing else found.strip().splitlines()[0]}"
    at = f"{Path(match['file']).name}:{match['line']}"
    hint = "; pass --kernel with the root of a kernel tree" if match["name"].startswith("tcp_") else ""
    return f"{at}: no file of the kernel beside it has {match['name']}(){hint}"
