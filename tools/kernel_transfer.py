"""One transfer over the running kernel's TCP: `receive ADDRESS PORT`, or `send ADDRESS PORT CONTROL SECONDS`.

The sender prints its connection's state (Linux's struct tcp_info) every 10 ms, the receiver how many bytes have come
every 200 ms (few enough lines to wait in a pipe until the transfer is over), each a line of JSON. It is for
compare_with_kernel.py, which starts both in namespaces of their own.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import struct
import sys
import time

EVERY_S, TELLS_EVERY_S = 0.01, 0.2
CHUNK = b"\0" * 65536
#: offsets in struct tcp_info (linux/tcp.h)
WORDS = {"snd_mss_bytes": 16, "lost_packets": 32, "rtt_us": 68, "ssthresh_packets": 76, "cwnd_packets": 80}


def state(connection: socket.socket) -> dict[str, int]:
    """The words of the connection's tcp_info that are compared."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    return {name: struct.unpack_from("=I", info, offset)[0] for name, offset in WORDS.items()}


def receive(address: str, port: int) -> None:
    """Take one connection's bytes until its end, which the sender makes by a reset."""
    with socket.create_server((address, port)) as server, contextlib.suppress(ConnectionResetError):
        print(json.dumps({"ready": True}), flush=True)
        connection, _ = server.accept()
        began, bytes_in, told = time.monotonic(), 0, 0.0
        with connection:
            while got := connection.recv(1 << 20):
                bytes_in += len(got)
                now = time.monotonic() - began
                if now - told >= TELLS_EVERY_S:
                    told = now
                    print(json.dumps({"at_s": now, "bytes": bytes_in}), flush=True)


def send(address: str, port: int, control: str, seconds: float) -> None:
    """Send without end for so long, under one congestion control of the kernel's."""
    with socket.socket() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        connection.connect((address, port))
        connection.setblocking(False)
        began = time.monotonic()
        told = -1.0
        while (now := time.monotonic() - began) < seconds:
            if now - told >= EVERY_S:
                told = now
                print(json.dumps({"at_s": now, **state(connection)}), flush=True)
            if select.select([], [connection], [], EVERY_S / 2)[1]:
                connection.send(CHUNK)
        # What waits in the socket is not sent on: the transfer is over.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


if __name__ == "__main__":
    what, host, number, *rest = sys.argv[1:]
    if what == "receive":
        receive(host, int(number))
    else:
        send(host, int(number), rest[0], float(rest[1]))
