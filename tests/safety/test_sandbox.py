"""What the operating system's sandbox leaves to a process that was confined (crates/sandbox): attacks by Python code.

A script that is not trusted never gets so far: Tcl's safe interpreter stands before it (tests/safety/test_ns2_safe.py).
Here is what holds if it does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Each is tried in a process that was confined to its working directory; the answer is the error, or "done".
ATTACKS = {
    "read": "open(f'{above}/secret.txt').read()",
    "read through a link": "open('link.txt').read()",
    "read a parent by its number": "open(f'/proc/{os.getppid()}/environ').read()",
    "read this process": "open('/proc/self/environ').read()",
    "write": "open(f'{above}/new.txt', 'w')",
    "write over": "open(f'{above}/secret.txt', 'a')",
    "write over through a link": "open('link.txt', 'w')",
    "truncate": "os.truncate(f'{above}/secret.txt', 0)",
    "delete": "os.remove(f'{above}/secret.txt')",
    "make a folder": "os.mkdir(f'{above}/new')",
    "move a file in": "os.rename(f'{above}/secret.txt', 'mine')",
    "move a file out": "os.rename('own.txt', f'{above}/new.txt')",
    "a hard link": "os.link(f'{above}/secret.txt', 'mine')",
    "a symbolic link": "os.symlink(f'{above}/secret.txt', 'mine')",
    "list": "os.listdir(above)",
    "change rights": "os.chmod(f'{above}/secret.txt', 0o777)",
    "change the owner": "os.chown(f'{above}/secret.txt', os.getuid(), -1)",
    "change times": "os.utime(f'{above}/secret.txt', (0, 0))",
    "set-user-id by open": "os.open('special', os.O_CREAT | os.O_WRONLY, 0o6777)",
    "set-user-id by fchmod": "os.fchmod(os.open('own.txt', os.O_RDONLY), 0o6777)",
    "a device": "os.mknod('device', 0o20666, os.makedev(1, 1))",
    "a pipe by name": "os.mkfifo('pipe')",
    "a program": "os.execv('/bin/true', ['true'])",
    "a child process": "os.fork()",
    "a child process by spawn": "subprocess.run(['/bin/true'])",
    "a socket": "socket.socket()",
    "a local socket": "socket.socket(socket.AF_UNIX)",
    "a pair of sockets": "socket.socketpair()",
    "a signal to the parent": "os.kill(os.getppid(), 0)",
    "a signal to all": "os.kill(-1, 0)",
    "a key into the terminal": "fcntl.ioctl(2, termios.TIOCSTI, b'x')",
    "another root": "os.chroot('.')",
    "more memory than the limit": "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
    "another priority": "os.nice(-1)",
    "a file without a name": "os.memfd_create('x')",
    "a mount": "call('mount', b'none', b'/', b'tmpfs', 0, 0)",
    "a namespace": "call('unshare', 0x10000000)",
    "another namespace": "call('setns', 0, 0)",
    "tracing": "call('ptrace', 16, os.getppid(), 0, 0)",
    "memory of the parent": "call('process_vm_readv', os.getppid(), 0, 0, 0, 0, 0)",
    "a file by its handle": "call('open_by_handle_at', 0, 0, 0)",
    "io_uring": "call('io_uring_setup', 1, 0)",
    "bpf": "call('bpf', 0, 0, 0)",
    "the kernel's keys": "call('keyctl', 0, 0)",
    "a module of the kernel": "call('init_module', 0, 0, b'')",
    "a new filter": "call('seccomp', 1, 0, 0)",
}
#: What must still work.
USES = {
    "read": "open('own.txt').read()",
    "write": "open('new.txt', 'w').write('x')",
    "a folder": "os.makedirs('a/b')",
    "rename": "os.rename('new.txt', 'a/b/moved.txt')",
    "delete": "os.remove('a/b/moved.txt')",
    "nothing": "open(os.devnull, 'r+b').read()",
    "a thread": "[t.start() or t.join() for t in [threading.Thread(target=int)]]",
    "memory": "bytearray(50_000_000)",
    "time": "time.sleep(0.001)",
    "random numbers": "os.urandom(8)",
}

PROGRAM = """
import ctypes, fcntl, json, os, platform, resource, socket, subprocess, sys, termios, threading, time
import encodings.idna
from ackclock import _native

above, user, namespace, attacks = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "yes", json.loads(sys.argv[4])
NUMBERS = json.loads(sys.argv[5])
libc = ctypes.CDLL(None, use_errno=True)

def call(name, *words):
    # The C library's own type for each argument, and the kernel's answer as an exception.
    if libc.syscall(NUMBERS[name], *words) == -1:
        raise OSError(ctypes.get_errno(), name)

if user:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: /proc/self is this user's again, as after an ordinary login
made = _native.confine(os.getcwd(), [], namespace)
told = {}
for name, attack in attacks.items():
    try:
        eval(attack)
        told[name] = "done"
    except OSError as error:
        told[name] = f"{type(error).__name__} {error.errno}"
    except Exception as error:
        told[name] = f"{type(error).__name__} {error}"
print(json.dumps([made, told]))
sys.stdout.flush()
os._exit(0)
"""

#: Of x86-64 and of the generic table (arm64): asm/unistd.h.
CALLS = "mount unshare setns ptrace process_vm_readv open_by_handle_at io_uring_setup bpf keyctl init_module seccomp"
NUMBERS = {
    "x86_64": dict(zip(CALLS.split(), (165, 272, 308, 101, 310, 304, 425, 321, 250, 175, 317), strict=True)),
    "aarch64": dict(zip(CALLS.split(), (40, 97, 268, 117, 270, 265, 425, 280, 219, 105, 277), strict=True)),
}
NOBODY = 65534

#: How Python tells that the system has refused.
REFUSED = ("PermissionError", "OSError", "FileNotFoundError", "ValueError not allowed to raise maximum limit")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine not in NUMBERS, reason="the sandbox is Linux's"
)


def confined(folder: Path, user: int, namespace: str, attempts: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """The mechanisms in force, and what came of each attempt."""
    numbers = json.dumps(NUMBERS[os.uname().machine])
    line = [sys.executable, "-c", PROGRAM, str(folder.parent), str(user), namespace, json.dumps(attempts), numbers]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    if "no Landlock" in done.stderr:
        pytest.skip("this kernel has no Landlock")
    assert done.returncode == 0, done.stderr
    made, told = json.loads(done.stdout)
    return made, told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the confined process, open to every user, with a secret beside it."""
    (tmp_path / "secret.txt").write_text("secret")
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "own.txt").write_text("own")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    for path in (tmp_path, inside, inside / "own.txt", tmp_path / "secret.txt"):
        path.chmod(0o777)
    # pytest's own folders are closed to others.
    for parent in tmp_path.parents:
        if parent.owner() == tmp_path.owner() and parent.name.startswith(("pytest-", "popen-")):
            parent.chmod(0o755)
    return inside


USER = pytest.mark.parametrize(
    "user", [0, pytest.param(NOBODY, marks=pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user"))]
)
#: Alone, Landlock and seccomp; with a namespace of files, where this user may have one.
NAMESPACE = pytest.mark.parametrize("namespace", ["no", "yes"])


def is_allowed(namespace: str) -> bool:
    """Whether this user may have such a namespace."""
    asked = "from ackclock import _native; import sys; sys.exit(not _native.namespace_is_allowed())"
    return namespace == "no" or subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


@USER
@NAMESPACE
def test_no_attack_succeeds(folder: Path, user: int, namespace: str) -> None:
    if not is_allowed(namespace):
        pytest.skip("this user may have no namespace of files")
    made, told = confined(folder, user, namespace, ATTACKS)
    assert "seccomp" in made and ("namespace" in made) == (namespace == "yes")
    assert {name for name, result in told.items() if not result.startswith(REFUSED)} == set()
    assert sorted(path.name for path in folder.parent.iterdir()) == ["in", "secret.txt"]
    assert (folder.parent / "secret.txt").read_text() == "secret"
    assert (folder.parent / "secret.txt").stat().st_mode & 0o7777 == 0o777
    assert sorted(path.name for path in folder.iterdir()) == ["link.txt", "own.txt"]
    assert not (folder / "own.txt").stat().st_mode & 0o7000


@USER
@NAMESPACE
def test_what_a_script_does_still_works(folder: Path, user: int, namespace: str) -> None:
    if not is_allowed(namespace):
        pytest.skip("this user may have no namespace of files")
    _, told = confined(folder, user, namespace, USES)
    assert {name: result for name, result in told.items() if result != "done"} == {}


@USER
def test_files_outside_are_not_there(folder: Path, user: int) -> None:
    if not is_allowed("yes"):
        pytest.skip("this user may have no namespace of files")
    asks = {
        "exists": "1 / 0 if not os.path.exists(f'{above}/secret.txt') else 1",
        "size": "os.stat(f'{above}/secret.txt')",
    }
    _, told = confined(folder, user, "yes", asks)
    assert told == {"exists": "ZeroDivisionError division by zero", "size": "FileNotFoundError 2"}


def test_a_process_with_threads_is_refused(folder: Path) -> None:
    program = (
        "import threading, os; from ackclock import _native\n"
        "stop = threading.Event(); threading.Thread(target=stop.wait, daemon=True).start()\n"
        "try: _native.confine(os.getcwd(), [], False)\n"
        "except OSError as error: print(error)\n"
        "os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "the process has 2 threads; expected one\n"
