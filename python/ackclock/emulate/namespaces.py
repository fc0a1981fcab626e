"""Network namespaces with a device each, whose other side is a descriptor that gives and takes IP packets.

Linux only: `ip` (iproute2), /dev/net/tun (Linux, Documentation/networking/tuntap.rst) and the right to use both, which
is root's (CAP_NET_ADMIN, CAP_SYS_ADMIN).
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Sequence
from contextlib import suppress

TUN = "/dev/net/tun"
#: ioctl's number, and the flags for IP packets without anything before them (linux/if_tun.h)
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000

#: packets that the device itself may hold: enough for none to be lost between two looks at it
_DEVICE_PACKETS = 10_000


class NamespaceError(OSError):
    """A namespace or its device cannot be made here; says what is missing."""


def missing() -> str | None:
    """What this machine lacks for namespaces; None where nothing is."""
    if shutil.which("ip") is None:
        return "there is no program `ip` (Debian: apt-get install iproute2)"
    if not os.path.exists(TUN):
        return f"there is no {TUN} (modprobe tun; in a container: --device {TUN})"
    if not os.access(TUN, os.R_OK | os.W_OK) or os.geteuid() != 0:
        return "network namespaces and their devices are root's to make"
    tried = subprocess.run(["ip", "netns", "add", probe := f"ackclock-{os.getpid()}"], capture_output=True, text=True)
    if tried.returncode != 0:
        return f"no network namespace can be made here: {tried.stderr.strip()}"
    subprocess.run(["ip", "netns", "delete", probe], capture_output=True)
    return None


class Namespace:
    """A network namespace with one device, made on the way in and removed on the way out."""

    def __init__(self, name: str, address: str, prefix: int = 24, mtu_bytes: int = 1500) -> None:
        #: its name, as `ip netns` lists it
        self.name = name
        #: the device's address in it
        self.address = address
        self._prefix, self._mtu_bytes = prefix, mtu_bytes
        #: reads and writes one IP packet at a time, without waiting; -1 while there is no device
        self.device = -1
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Namespace:
        _ip("netns", "add", self.name)
        try:
            self._add_device()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _add_device(self) -> None:
        try:
            self.device = os.open(TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            # The kernel numbers it: two emulations may be begun at once.
            asked = struct.pack("16sH22x", b"ackclock%d", _IFF_TUN | _IFF_NO_PI)
            device = fcntl.ioctl(self.device, _TUNSETIFF, asked)[:16].rstrip(b"\0").decode()
        except OSError as error:
            raise NamespaceError(error.errno, f"{TUN}: {error.strerror}") from None
        _ip("link", "set", device, "netns", self.name)
        here = ("-n", self.name)
        _ip(*here, "link", "set", "lo", "up")
        _ip(*here, "address", "add", f"{self.address}/{self._prefix}", "dev", device)
        _ip(*here, "link", "set", device, "mtu", str(self._mtu_bytes), "txqueuelen", str(_DEVICE_PACKETS), "up")

    def start(self, command: Sequence[str], **how: object) -> subprocess.Popen[str]:
        """Start a program in it; `how` is what `subprocess.Popen` takes. It is ended with the namespace."""
        words = ["ip", "netns", "exec", self.name, *command]
        process: subprocess.Popen[str] = subprocess.Popen(words, text=True, **how)  # type: ignore[call-overload]
        self._processes.append(process)
        return process

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.terminate()
        for process in self._processes:
            try:
                process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self.device >= 0:
            with suppress(OSError):
                os.close(self.device)
            self.device = -1
        subprocess.run(["ip", "netns", "delete", self.name], capture_output=True)


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip() or f"exit status {done.returncode}"
        hint = ""
        if words[:2] == ("netns", "add") and "exists" in said:
            hint = f"; an emulation that runs has it, or one that was killed left it: `ip netns delete {words[2]}`"
        raise NamespaceError(f"ip {' '.join(words)}: {said}{hint}")
