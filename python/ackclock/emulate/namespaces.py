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
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ackclock.emulate.registry import TOKEN_VARIABLE, NamespaceError, Registration, ip

TUN = "/dev/net/tun"
#: ioctl's number, and the flags for IP packets without anything before them (linux/if_tun.h)
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000

#: packets that the device itself may hold: enough for none to be lost between two looks at it
_DEVICE_PACKETS = 10_000

_LAUNCHER = Path(__file__).with_name("launcher.py")


def lacking() -> str | None:
    """What this machine obviously lacks for namespaces; None where nothing is."""
    if shutil.which("ip") is None:
        return "there is no program `ip` (Debian: apt-get install iproute2)"
    if not os.path.exists(TUN):
        return f"there is no {TUN} (modprobe tun; in a container: --device {TUN})"
    if not os.access(TUN, os.R_OK | os.W_OK) or os.geteuid() != 0:
        return "network namespaces and their devices are root's to make"
    return None


def missing() -> str | None:
    """What this machine lacks for namespaces, found by making one; None where nothing is."""
    if (lacks := lacking()) is not None:
        return lacks
    try:
        with Registration() as registration:
            registration.add(f"ackclock-{os.getpid()}")
    except NamespaceError as error:
        return f"no network namespace can be made here: {error}"
    return None


class Namespace:
    """A network namespace with one device. `Registration` removes it and ends its programs."""

    def __init__(self, name: str, address: str, prefix: int = 24, mtu_bytes: int = 1500) -> None:
        #: its name, as `ip netns` lists it
        self.name = name
        #: the device's address in it
        self.address = address
        self._prefix, self._mtu_bytes = prefix, mtu_bytes
        #: reads and writes one IP packet at a time, without waiting; -1 while there is no device
        self.device = -1
        self._processes: list[subprocess.Popen[str]] = []

    def make(self, registration: Registration) -> None:
        """Make it and its device. `NamespaceError` where that fails."""
        registration.add(self.name)
        try:
            self.device = os.open(TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            # The kernel numbers it: two emulations may be begun at once.
            asked = struct.pack("16sH22x", b"ackclock%d", _IFF_TUN | _IFF_NO_PI)
            device = fcntl.ioctl(self.device, _TUNSETIFF, asked)[:16].rstrip(b"\0").decode()
        except OSError as error:
            raise NamespaceError(error.errno, f"{TUN}: {error.strerror}") from None
        ip("link", "set", device, "netns", self.name)
        here = ("-n", self.name)
        ip(*here, "link", "set", "lo", "up")
        ip(*here, "address", "add", f"{self.address}/{self._prefix}", "dev", device)
        ip(*here, "link", "set", device, "mtu", str(self._mtu_bytes), "txqueuelen", str(_DEVICE_PACKETS), "up")

    def start(self, command: Sequence[str], token: str, **how: Any) -> subprocess.Popen[str]:
        """Start a program in it; `how` is what `subprocess.Popen` takes.

        It dies with the thread that calls this, and has the emulation's token in its environment.
        """
        environment: Mapping[str, str] = os.environ if how.get("env") is None else how["env"]
        how["env"] = {**environment, TOKEN_VARIABLE: token}
        launcher = [sys.executable, "-I", "-S", str(_LAUNCHER), str(os.getpid())]
        words = ["ip", "netns", "exec", self.name, *launcher, *command]
        process: subprocess.Popen[str] = subprocess.Popen(words, text=True, **how)
        self._processes.append(process)
        return process

    def release(self) -> None:
        """Close the device, and collect the programs, which have ended."""
        for process in self._processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=1)
        if self.device >= 0:
            with suppress(OSError):
                os.close(self.device)
            self.device = -1
