"""What the running kernel does with a script: its packets and TCP_INFO. Linux, as root.

packetdrill shows a packet only where the script expects one, so the packets are captured beside it, by a socket of the
packet family in the same network namespace.
"""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from tcp_judge.compare import SYN_AT, Answer, Packet

_ETH_P_ALL = 0x0003
_SO_TIMESTAMPNS = 35
_OUTGOING = 4
#: The scripts take a few seconds.
_PATIENCE_S = 50

_INBOUND = re.compile(r"^(\d+\.\d+) <", re.MULTILINE)
_ECN = ("[noecn]", "[ect1]", "[ect0]", "[ce]")
_FLAGS = ((0x01, "F"), (0x02, "S"), (0x04, "R"), (0x08, "P"), (0x10, "."), (0x20, "U"), (0x40, "E"), (0x80, "W"))


def ask(packetdrill: str, text: str) -> Answer:
    """Run a script in a new network namespace; what came out."""
    code = "import sys; sys.path[:0] = sys.argv[1].split(':'); from tcp_judge.kernel import inside; inside(sys.argv[2])"
    words = ["unshare", "-n", sys.executable, "-S", "-E", "-c", code, ":".join(sys.path), packetdrill]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
    return Answer.from_json(done.stdout)


def inside(packetdrill: str) -> None:
    """In the namespace: run the script on standard input, and print what came out as JSON."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    capture = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ETH_P_ALL))
    capture.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    capture.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    capture.setblocking(False)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.pkt"
        script.write_text(text := sys.stdin.read())
        words = [packetdrill, "--ip_version=ipv4", str(script)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
        except subprocess.TimeoutExpired:
            message = f"packetdrill did not end within {_PATIENCE_S} s"
            print(Answer([], [], message, late=_PATIENCE_S * 1_000_000).to_json())
            return
    packets: list[Packet] = []
    due = [round(float(at) * 1e6) for at in _INBOUND.findall(text)]
    late, arrived = 0, []
    base: int | None = None
    local_isn = 0
    while True:
        try:
            data, ancillary, _, address = capture.recvmsg(65536, 1024)
        except BlockingIOError:
            break
        if data[:1] != b"\x45" or data[9] != 6 or address[0] == "lo":
            continue
        at = next(
            _micros(value) for level, kind, value in ancillary if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS)
        )
        is_outbound = address[2] == _OUTGOING
        flags = data[33]
        if base is None:
            base = at - SYN_AT
        if is_outbound and flags & 0x02:
            local_isn = struct.unpack("!I", data[24:28])[0]
        if flags & 0x04 and not is_outbound:
            # packetdrill resets the connection at the end.
            break
        if not is_outbound:
            arrived.append(at - base)
            if len(arrived) <= len(due):
                late = max(late, abs(arrived[-1] - due[len(arrived) - 1]))
        if is_outbound:
            packets.append(Packet(at - base, _text(data, local_isn)))
    error = "" if done.returncode == 0 else done.stderr.strip()
    print(Answer(packets, [line.split() for line in done.stdout.splitlines()], error, late, arrived).to_json())


def _micros(value: bytes) -> int:
    seconds, nanos = struct.unpack("qq", value[:16])
    return int(seconds * 1_000_000 + nanos // 1000)


def _text(data: bytes, local_isn: int) -> str:
    """An IPv4 packet with TCP in packetdrill's notation, without window and values of timestamps."""
    tcp = data[20:]
    sequence, acknowledgement = struct.unpack("!II", tcp[4:12])
    flags = tcp[13] | (tcp[12] & 1) << 8
    length = struct.unpack("!H", data[2:4])[0] - 20 - (tcp[12] >> 4) * 4
    offset = 0 if flags & 0x02 else local_isn
    start = (sequence - offset) % 2**32 if not flags & 0x02 else 0
    letters = "".join(letter for bit, letter in (*_FLAGS, (0x100, "A")) if flags & bit)
    text = f"{_ECN[data[1] & 3]} {letters or '-'} {start}:{start + length}({length})"
    if flags & 0x10:
        text += f" ack {acknowledgement}"
    options = ",".join(_options(tcp[20 : (tcp[12] >> 4) * 4]))
    return f"{text} <{options}>" if options else text


def _options(data: bytes) -> list[str]:
    found = []
    while data:
        kind = data[0]
        if kind in (0, 1):
            found.append("eol" if kind == 0 else "nop")
            data = data[1:]
            continue
        value, data = data[2 : data[1]], data[data[1] :]
        if kind == 2:
            found.append(f"mss {int.from_bytes(value)}")
        elif kind == 3:
            found.append(f"wscale {value[0]}")
        elif kind == 4:
            found.append("sackOK")
        elif kind == 5:
            edges = struct.unpack(f"!{len(value) // 4}I", value)
            found.append(
                "sack " + " ".join(f"{left}:{right}" for left, right in zip(edges[::2], edges[1::2], strict=True))
            )
        elif kind == 8:
            found.append("TS")
        else:
            found.append(f"option {kind}")
    return found


def kernel_version() -> str:
    """The running kernel's version."""
    return os.uname().release
