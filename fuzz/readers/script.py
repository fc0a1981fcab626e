"""ns-2 scripts, as `ackclock ns2 --safe` runs them: each in a process with limits, in a folder of its own.

Half of them run behind the filter alone, so that the sandbox hides no mistake of it; the other half behind both.
"""

from __future__ import annotations

import gc
import os
import resource
import shutil
import signal
import sys
from pathlib import Path

from ackclock._native import grow_stack
from ackclock.ns2 import main
from ackclock.ns2.otcl.interp import Interpreter
from ackclock.ns2.sandbox.confinement import confine, namespace_is_allowed
from ackclock.ns2.sandbox.launch import preload
from ackclock.ns2.session import STACK_BYTES, new_interpreter
from ackclock.server.run import NO_MEMORY
from fuzz.reading import Offer, Violation, kind_of

WHAT = "ns-2 scripts under `--safe`, each in a process with limits"
WORDS = b"""
    $ns $n0 $n1 $tcp new Simulator Agent/TCP Agent/TCP/Sack1 Agent/TCP/FullTcp Agent/TCPSink Agent/UDP
    Agent/Null Application/FTP Application/Traffic/CBR DropTail RED SFQ DRR FQ CBQ ErrorModel
    RandomVariable/Uniform at after run now cancel node duplex-link simplex-link attach-agent connect
    queue-limit trace-all namtrace-all rtmodel-at lossmodel set expr proc foreach while if open close puts exec
    source eval uplevel upvar rename interp info array string instproc instvar superclass info destroy exit 0Mb
    -1ms 1e300 {} "" [] $self _o1 finish window_ fid_
    clock fo format seconds -locale -timezone -gmt ../beside beside file exists copy rename delete mkdir size channels
    fconfigure -encoding -translation chan pipe create push names configure vwait fileevent interp alias expose
    invokehidden namespace import export trace variable coroutine zlib binary encoding glob pwd cd load socket
""".split()

#: A script may take so much processor time (s) and memory, write so much, and take so long by the clock (s).
TIME_S, MEMORY_BYTES, WRITTEN_BYTES, CLOCK_S = 1, 1 << 30, 4 << 20, 60
#: What is said where ackclock is at fault itself.
OWN_FAULT = ("internal error: ", "Traceback", "panicked", "thread '")
#: What ends a script that takes more.
LIMITS = (-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGXFSZ, -signal.SIGALRM)


def prepared(scratch: Path) -> Offer:
    """The way to offer it an input: in a copy of this process, which has read all that a script needs."""
    folder, said = scratch / "in", scratch / "said"
    (scratch / "beside").write_text("not for scripts")
    folder.mkdir()
    os.chdir(folder)
    # Made once: each copy of this process has its own. What is frozen is not written to by the copies' collector.
    interpreter = new_interpreter("script.tcl")
    preload()
    # A process that is confined may not raise its limits any more.
    grow_stack(STACK_BYTES)
    namespace = namespace_is_allowed()
    gc.freeze()

    def offer(data: bytes) -> str:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "script.tcl").write_bytes(data)
        child = os.fork()
        if child == 0:
            _run(folder, said, interpreter, namespace if len(data) % 2 else None)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        text = said.read_text(encoding="utf-8", errors="replace")
        if sorted(os.listdir(scratch)) != ["beside", "in", "said"]:
            raise Violation("the script wrote outside its folder")
        if status in LIMITS or any(words in text for words in NO_MEMORY):
            return "good: ended by a limit"
        if is_own_fault(status, text):
            raise RuntimeError(f"status {status}: {text[-3000:]}")
        lines = text.strip().splitlines()
        if status != 0 and "ackclock: " in text:
            return kind_of(lines[-1].partition(": ")[2])
        return "good: it came to its end" if status == 0 else "good: it chose its status"

    return offer


def is_own_fault(status: int, text: str) -> bool:
    """Whether a run that ended with this status, and said this on standard error, shows a defect of ackclock."""
    return status < 0 or any(words in text for words in OWN_FAULT)


def _run(folder: Path, said: Path, interpreter: Interpreter, namespace: bool | None) -> None:
    """Run the script here, and be gone; in the sandbox unless `namespace` is None."""
    status = 70
    try:
        os.chdir(folder)
        with said.open("wb") as file:
            os.dup2(file.fileno(), 2)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(CLOCK_S)
        resource.setrlimit(resource.RLIMIT_CPU, (TIME_S, TIME_S + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (WRITTEN_BYTES, WRITTEN_BYTES))
        if namespace is not None:
            confine("script.tcl", namespace)
        status = main(["script.tcl"], lambda: interpreter)
        sys.stdout.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status & 0xFF)
