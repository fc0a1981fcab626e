"""Transfers over the running kernel's TCP, for programs in an emulation's namespaces.

    python -I -S transfer.py [--epoch S] receive ADDRESS PORT
    python -I -S transfer.py [--epoch S] send ADDRESS PORT CONTROL SECONDS [--spans A-B,...] [--size BYTES] [--info]

The receiver prints how many bytes have come, at most every `EVERY_S`. The sender sends for `SECONDS`, or within the
spans, or `BYTES`; with `--info` it prints its connection's state (Linux's struct tcp_info). Each is a line of JSON with
the time `at_s` since the epoch: a time of the monotonic clock, which all namespaces share, or else the connection's
beginning. The sender connects at the epoch.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import select
import socket
import struct
import time

INFO_EVERY_S, EVERY_S = 0.01, 0.05
CHUNK = b"\0" * 65536
#: What is taken from the socket at once.
RECEIVE_BYTES = 1 << 18
#: What may wait in the socket beyond the window, bytes: little, so that a span ends when it should.
UNSENT_BYTES = 32_768
#: tcp(7), TCP_NOTSENT_LOWAT; Python has no name for it
_NOTSENT_LOWAT = 25
#: Offsets in struct tcp_info (linux/tcp.h).
WORDS = {
    "snd_mss_bytes": 16,
    "lost_packets": 32,
    "rtt_us": 68,
    "ssthresh_packets": 76,
    "cwnd_packets": 80,
    "min_rtt_us": 148,
}


def state(connection: socket.socket) -> dict[str, int]:
    """Some words of the connection's tcp_info."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 152)
    return {name: struct.unpack_from("=I", info, offset)[0] for name, offset in WORDS.items()}


def receive(address: str, port: int, epoch_s: float | None) -> None:
    """Take one connection's bytes until its end, which may be a reset."""
    with socket.create_server((address, port)) as server, contextlib.suppress(ConnectionResetError):
        print(json.dumps({"ready": True}), flush=True)
        connection, _ = server.accept()
        began_s, bytes_in, told_s = time.monotonic() if epoch_s is None else epoch_s, 0, -1.0
        buffer = bytearray(RECEIVE_BYTES)
        with connection:
            while got := connection.recv_into(buffer):
                bytes_in += got
                now_s = time.monotonic() - began_s
                if now_s - told_s >= EVERY_S:
                    told_s = now_s
                    print(json.dumps({"at_s": now_s, "bytes": bytes_in}), flush=True)
            print(json.dumps({"at_s": time.monotonic() - began_s, "bytes": bytes_in}), flush=True)


def send(options: argparse.Namespace) -> None:
    """Send under one congestion control of the kernel's."""
    spans = [tuple(map(float, span.split("-"))) for span in options.spans.split(",")] if options.spans else []
    left = options.size
    if options.epoch is not None:
        time.sleep(max(options.epoch - time.monotonic(), 0.0))
    with socket.socket() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, options.control.encode())
        connection.setsockopt(socket.IPPROTO_TCP, _NOTSENT_LOWAT, UNSENT_BYTES)
        began_s = options.epoch
        if spans and began_s is not None:
            time.sleep(max(began_s + spans[0][0] - time.monotonic(), 0.0))
        connection.connect((options.address, options.port))
        connection.setblocking(False)
        began_s = time.monotonic() if began_s is None else began_s
        told_s = -1.0
        while (now_s := time.monotonic() - began_s) < options.seconds and left != 0:
            if options.info and now_s - told_s >= INFO_EVERY_S:
                told_s = now_s
                print(json.dumps({"at_s": now_s, **state(connection)}), flush=True)
            if spans and not any(start_s <= now_s < stop_s for start_s, stop_s in spans):
                time.sleep(INFO_EVERY_S / 2)
            elif select.select([], [connection], [], INFO_EVERY_S / 2)[1]:
                sent = connection.send(CHUNK if left is None else CHUNK[:left])
                left = None if left is None else left - sent
        if left is None:
            # What waits in the socket is not sent on: the transfer is over.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def main() -> None:
    """Send or receive."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--epoch", type=float)
    kinds = parser.add_subparsers(dest="what", required=True)
    receiver, sender = kinds.add_parser("receive"), kinds.add_parser("send")
    for kind in (receiver, sender):
        kind.add_argument("address")
        kind.add_argument("port", type=int)
    sender.add_argument("control")
    sender.add_argument("seconds", type=float)
    sender.add_argument("--spans", default="")
    sender.add_argument("--size", type=int)
    sender.add_argument("--info", action="store_true")
    options = parser.parse_args()
    if options.what == "receive":
        receive(options.address, options.port, options.epoch)
    else:
        send(options)


if __name__ == "__main__":
    main()
