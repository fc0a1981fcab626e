"""Words and numbers of descriptions, as crates/scenario has them.

Written by tools/write_scenario_types.py; do not edit.
"""

from __future__ import annotations

#: names of the default sets
DEFAULT_SETS = ("ns2_35", "ns2_29", "rfc", "linux", "ns3_25")
#: senders whose congestion control is chosen by name
WITH_CONTROLS = ("linux", "tcp", "ns3")
#: senders whose window a user-defined control can decide
LEAVE_WINDOW = ("reno", "new_reno", "sack", "tcp")
#: the engine's agents that take datagrams
TAKE_DATAGRAMS = ("null", "loss_monitor")
#: the engine's agent that receives the video of a call
CALL_RECEIVER = "rtp_receiver"
#: what a loss can select, and ns-2's numbers for it
PACKET_NUMBERS = {"tcp": 0, "udp": 1, "cbr": 2, "ack": 5, "telnet": 26, "pareto": 28, "exp": 29}
#: one more than the largest hashed seed
SEEDS = 18446744073709551616
#: one more than ns-2's largest seed
NS2_SEEDS = 2147483648
#: a pattern of seeds with ns-2's meaning
NS2_SEED = "^ns2:[1-9][0-9]{0,9}$"
#: units of time, in seconds
TIMES = {"s": 1.0, "ms": 0.001, "us": 1e-06, "µs": 1e-06, "ns": 1e-09, "ps": 1e-12, "min": 60.0}
#: units of rates, in bit/s
RATES = {
    "b/s": 1.0,
    "bit/s": 1.0,
    "bps": 1.0,
    "kb/s": 1000.0,
    "kbit/s": 1000.0,
    "kbps": 1000.0,
    "Mb/s": 1000000.0,
    "Mbit/s": 1000000.0,
    "Mbps": 1000000.0,
    "Gb/s": 1000000000.0,
    "Gbit/s": 1000000000.0,
    "Gbps": 1000000000.0,
    "Tb/s": 1000000000000.0,
    "Tbit/s": 1000000000000.0,
    "Tbps": 1000000000000.0,
}
#: units of rates, in byte/s
BYTE_RATES = {"B/s": 1.0, "kB/s": 1000.0, "MB/s": 1000000.0, "GB/s": 1000000000.0, "TB/s": 1000000000000.0}
#: units of sizes, in bytes
SIZES = {
    "B": 1.0,
    "kB": 1000.0,
    "MB": 1000000.0,
    "GB": 1000000000.0,
    "TB": 1000000000000.0,
    "KiB": 1024.0,
    "MiB": 1048576.0,
}
#: units of packets
PACKETS = ("packets", "packet")
#: what errors say of a wrong quantity, by its kind
EXPECTED = {
    "rate": "a rate such as 10 Mb/s",
    "time": "a time such as 5 ms",
    "size": "a number of bytes such as 1000 B or 64 kB",
    "amount": "an amount such as 50 packets, 64 kB or 1 BDP",
    "data": "an amount of data such as 100 packets or 1 MB",
    "window": "a window such as 20 packets",
}
