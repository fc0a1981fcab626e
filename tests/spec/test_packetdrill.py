"""The runner of packetdrill scripts: scripts that follow the RFCs pass, and what is changed in them is found.

The scripts in tests/spec/packetdrill pass with packetdrill itself on Linux 6.18, where their notation and times were
checked. Each names the text that it follows.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ackclock._native import run_packetdrill

FOLDER = Path(__file__).with_name("packetdrill")
SCRIPTS = sorted(FOLDER.glob("*.pkt"))

SERVER = """\
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+.01 < S 0:0(0) win 65535 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss 1460>
+.01 < . 1:1(0) ack 1 win 65535
+0 accept(3, ..., ...) = 4
"""


def run(text: str, *options: tuple[str, str], definitions: list[tuple[str, str]] | None = None) -> tuple[str, str]:
    """Verdict and message."""
    verdict, message, _, _ = run_packetdrill("x.pkt", text, list(options), definitions or [])
    return verdict, message


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_that_follow_the_rfcs_pass(script: Path) -> None:
    assert run(script.read_text(encoding="utf-8")) == ("passes", "")


#: what is replaced in a script, by what, and how the message begins
CHANGES = [
    ("handshake", "nop,wscale 7>\n+.02", "nop,wscale 8>\n+.02", "bad value in outbound TCP option"),
    ("handshake", "ack 124 <mss 1460,sackOK", "ack 125 <mss 1460,sackOK", "live packet field tcp_ack_seq"),
    ("handshake", "sackOK,TS val 100 ecr 700", "nop,nop,TS val 100 ecr 700", "bad outbound TCP options"),
    (
        "handshake",
        "ecr 700,nop,wscale 7>",
        "ecr 700>",
        "live packet field tcp_data_offset: expected: 9 (0x9) vs actual: 10",
    ),
    ("handshake", "-1 EAGAIN (R", "-1 EINVAL (R", "Expected errno EINVAL but got EAGAIN"),
    ("close", "+0 > P. 1:101(100) ack 2", "+0 > . 1:101(100) ack 2", "live packet field tcp_psh"),
    ("close", "read(4, ..., 100) = 0", "read(4, ..., 100) = 1", "Expected result 1 but got 0"),
    ("ecn", "+0 > [ect0] PW.", "+0 > [ect1] PW.", "live packet field ip_ecn: expected: 1 (0x1) vs actual: 2 (0x2)"),
    ("ecn", "* > [noecn] E. 1:1", "* > [noecn] . 1:1", "live packet field tcp_ece"),
    ("timeout", "+.3~+.34 > P.", "+.1~+.12 > P.", "timing error: expected outbound packet in relative time range"),
    ("timeout", "tcpi_backoff == 2", "tcpi_backoff == 3", "AssertionError: 2 in: assert tcpi_backoff == 3"),
    ("initial_window", "9001:10001(1000)", "9001:10002(1001)", "live packet payload: expected 1001 bytes"),
    ("refused", "+0...0.020", "+0...0.120", "timing error: expected system call return at 0.120000 sec"),
]


@pytest.mark.parametrize(("script", "old", "new", "message"), CHANGES)
def test_a_changed_script_differs_at_its_line(script: str, old: str, new: str, message: str) -> None:
    text = (FOLDER / f"{script}.pkt").read_text(encoding="utf-8")
    assert text.count(old) == 1
    changed = text.replace(old, new)
    verdict, found = run(changed)
    assert verdict == "differs"
    line = changed[: changed.index(new)].count("\n") + 1 + (new.count("\n") if new.startswith("tcpi") else 0)
    assert found.startswith(f"x.pkt:{line}: "), found
    assert message in found


def test_an_unexpected_packet_and_a_missing_one() -> None:
    verdict, message = run(
        SERVER + "+0 write(4, ..., 100) = 100\n+.1 write(4, ..., 100) = 100\n+0 > P. 101:201(100) ack 1\n"
    )
    assert verdict == "differs"
    assert (
        "x.pkt:10: error handling packet: live packet field tcp_seq: expected: 101 (0x65) vs actual: 1 (0x1)" in message
    )
    verdict, message = run(SERVER + "+0 > . 1:1(0) ack 1\n")
    assert verdict == "differs"
    assert message.startswith(
        "x.pkt:8: error handling packet: Timed out waiting for packet\nscript packet:  0.020000 . 1:1(0)"
    )


def test_nothing_is_checked_after_the_last_event() -> None:
    assert run(SERVER + "+0 write(4, ..., 100) = 100\n") == ("passes", "")


def test_segments_are_joined_unless_told_otherwise() -> None:
    text = (
        "`ip link set dev tun0 gso_max_segs 1`\n"
        + SERVER
        + "+0 write(4, ..., 2000) = 2000\n+0 > P. 1:2001(2000) ack 1\n"
    )
    assert run(text)[0] == "passes"
    verdict, message = run(text, ("strict_segments", ""))
    assert verdict == "differs"
    assert "live packet payload: expected 2000 bytes vs actual 1000 bytes" in message


@pytest.mark.parametrize(
    ("line", "feature"),
    [
        ("+0 < icmp unreachable mtu 1400 [1:1(0)]", "ICMP"),
        ("+0 < U. 1:2(1) ack 1 win 100 urg 1", "urgent data"),
        ("+0 setsockopt(4, SOL_SOCKET, SO_ZEROCOPY, [1], 4) = 0", "zero copy"),
        ("+0 epoll_create(1) = 5", "epoll"),
        ("+0 `nstat -n`", "the program nstat"),
        ("+0 `sysctl -q net.ipv4.tcp_mtu_probing=2`", "the sysctl tcp_mtu_probing=2"),
        ("+0 %{ import os }%", "the statement 'import os' in a code block"),
        ("+0 < S 0:0(0) win 100 <mss 100,FO,nop,nop>", "fast open"),
        ("+0 < . 1:1(0) ack 1 win 100 <nop,nop,md5 00000000000000000000000000000000>", "MD5 signatures"),
    ],
)
def test_what_a_simulation_has_not_is_named(line: str, feature: str) -> None:
    verdict, message = run(SERVER + line + "\n")
    assert (verdict, message) == ("not applicable", f"{feature} (line 8)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: expected an event, found the end of the script"),
        ("0 socket(..., SOCK_STREAM, IPPROTO_TCP = 3", "1:40: expected ',' or ')', found '='"),
        ("0 < S 0:0(0) <mss 1000>", "1:14: expected 'win' and a window, as the packet is inbound, found '<'"),
        ("0 > Z 0:0(0)", "1:5: invalid TCP flag 'Z' in 'Z'"),
        ("0 > . 1:3(1) ack 1", "1:7: 1:3(1): expected 1 + 1 to be 3"),
        ("0 > . 1:1(0) ack 1 <nop>", "1:20: TCP options of 1 bytes; expected a multiple of 4, at most 40"),
        ("0 > S 0:0(0) <mss MSS>", "1:19: expected an MSS, found 'MSS'"),
        ("1 `true`", "1:1: the first event must be at time 0"),
        ("0 `true`\n1 `true`\n.5 `true`", "3:1: time goes back, from 1.000000 s to 0.500000 s"),
        ("* `true`", "1:1: the time '*' is for outbound packets only"),
        ("0 %{ print(1)", "1:3: code block without an end: expected '}%'"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^x\.pkt:") as error:
        run(text)
    assert str(error.value) == f"x.pkt:{message}"


def test_bytes_without_acknowledgement() -> None:
    # tcp(7): SIOCOUTQ is the amount of unsent data in the socket send queue, which in Linux includes data in flight.
    text = SERVER + "+0 write(4, ..., 100) = 100\n+0 ioctl(4, SIOCOUTQ, [100]) = 0\n"
    assert run(text + "+.01 < . 1:1(0) ack 61 win 65535\n+0 ioctl(4, SIOCOUTQ, [40]) = 0\n") == ("passes", "")


def test_symbols_are_replaced() -> None:
    text = SERVER.replace("mss 1460", "mss MSS")
    assert run(text, definitions=[("MSS", "1460")])[0] == "passes"
    assert run("--define=MSS=1460\n" + text)[0] == "passes"


def test_ipv6_headers_are_longer() -> None:
    assert run(SERVER.replace("mss 1460", "mss 1440"), ("ip_version", "ipv6"))[0] == "passes"
    assert run("--ip_version=ipv6\n--mtu=1520\n" + SERVER)[0] == "passes"


def test_a_script_that_never_ends_is_given_up() -> None:
    verdict, message = run(SERVER + "* > R. 1:1(0) ack 1\n")
    assert verdict == "differs"
    assert "Timed out waiting for packet" in message


def test_mutilated_scripts_are_read_or_refused() -> None:
    draws = random.Random(1)
    pieces = ["0", "-1", "4294967296", "<", ">", "(", "]", "...", "*", "+9.9", "%{", "}%", "`", '"', "\\", "é"]
    texts = [path.read_text(encoding="utf-8") for path in SCRIPTS]
    verdicts = set()
    for _ in range(1000):
        text = draws.choice(texts)
        for _ in range(draws.choice([1, 3])):
            at = draws.randrange(len(text) + 1)
            text = text[:at] + draws.choice(pieces) + text[at + draws.choice([0, 1, 40]) :]
        try:
            verdicts.add(run(text)[0])
        except ValueError:
            verdicts.add("unreadable")
    assert verdicts == {"passes", "differs", "not applicable", "unreadable"}


def test_packets_and_prints_are_returned() -> None:
    text = SERVER + "+0 %{ cwnd = tcpi_snd_cwnd; print(cwnd, 'of', 10) }%\n"
    verdict, _, packets, printed = run_packetdrill("x", text, [], [])
    assert verdict == "passes"
    assert printed == ["10 of 10"]
    assert packets[0] == (10_000, False, "[noecn] S 0:0(0) win 65535 <mss 1000>")
    assert packets[1][:2] == (10_000, True)
    assert packets[1][2].startswith("[noecn] S. 0:0(0) ack 1 win ")


#: Linux cuts these segments itself, before they reach the interface, and PSH is on the last packet of each: so
#: google/packetdrill's nagle/https_client and Linux's tcp_accecn_2nd_data_as_first_connect.
OFFLOADS_OFF = f"""\
`ethtool -K tun0 tso off gso off`
{SERVER}+0 setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0
+0 write(4, ..., 2200) = 2200
+0 > . 1:1001(1000) ack 1
+0 > P. 1001:2001(1000) ack 1
+0 > P. 2001:2201(200) ack 1
"""
ACC_ECN = """\
`sysctl -q net.ipv4.tcp_ecn=3`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0...0.05 connect(3, ..., ...) = 0
+0 > [noecn] SEWA 0:0(0) <...>
+.05 < [noecn] SW. 0:0(0) ack 1 win 32767 <mss 1016,ECN e0b 1 ceb 0 e1b 1,nop,nop,nop,sackOK,nop,wscale 8>
+0 > [ect0] W. 1:1(0) ack 1 <ECN e1b 1 ceb 0 e0b 1,nop>
+.01 write(3, ..., 2000) = 2000
+0 > [ect0] .5 1:1005(1004) ack 1 <ECN e1b 1 ceb 0 e0b 1,nop>
+0 > [ect0] P.5 1005:2001(996) ack 1 <ECN e1b 1 ceb 0 e0b 1,nop>
"""


@pytest.mark.parametrize("text", [OFFLOADS_OFF, ACC_ECN])
def test_segments_that_no_interface_cuts_are_packets(text: str) -> None:
    assert run(text, ("strict_segments", "")) == ("passes", "")
    if text is OFFLOADS_OFF:
        assert run(text.partition("\n")[2], ("strict_segments", ""))[0] == "differs"


def test_a_sysctl_of_acc_ecn_concerns_the_sockets_that_there_are() -> None:
    # Linux reads tcp_ecn_option for each segment: its tcp_accecn_delivered_falseoverflow_detect.
    sent = "+.01 write(3, ..., 500) = 500\n+0 > [ect0] P.5 2001:2501(500) ack 1"
    option = " <ECN e1b 1 ceb 0 e0b 1,nop>"
    acked = f"{ACC_ECN}+.05 < [ect0] .5 1:1(0) ack 2001 win 264 <ECN e0b 2001 ceb 0 e1b 1,nop>\n"
    turned_off = "+0 `sysctl -q net.ipv4.tcp_ecn_option=0`\n"
    for text, verdict in ((turned_off + sent, "passes"), (turned_off + sent + option, "differs")):
        assert run(f"{acked}{text}\n")[0] == verdict
    assert run(f"{acked}{sent}{option}\n")[0] == "passes"


def test_timers_expire_at_ticks_if_that_is_asked_for() -> None:
    # Linux 6.18 with 250 ticks per second retransmits at 235.8 ms: at the first tick after the RTO, 212 ms, has passed
    # (kernel/time/timer.c), and not at 232.0 ms.
    text = f"{SERVER}+0 write(4, ..., 100) = 100\n+0 > P. 1:101(100) ack 1\n0.2356 > P. 1:101(100) ack 1\n"
    tolerance = ("tolerance_usecs", "200"), ("tolerance_percent", "0")
    assert run(text, ("tick_phase_usecs", "3600"), *tolerance) == ("passes", "")
    assert run(text.replace("0.2356", "0.2320"), *tolerance) == ("passes", "")
    assert run(text, *tolerance)[0] == "differs"


@pytest.mark.parametrize(("window", "at"), [(65535, "0.245"), (60000, "0.235")])
def test_an_ack_that_is_owed_waits_while_predicted_acks_come(window: int, at: str) -> None:
    # Linux 6.18, with this script: the ACK of 200 bytes is due at 240 ms. An ACK at 235 ms that changes nothing but
    # SND.UNA is taken by the fast path of tcp_rcv_established, which sends nothing. One with another window is not, and
    # an ACK that is due within a quarter of its delay then goes out at once (tcp_send_delayed_ack).
    text = f"""{SERVER}0.10 < P. 1:101(100) ack 1 win 65535
+0 > . 1:1(0) ack 101
0.101 write(4, ..., 100) = 100
+0 > P. 1:101(100) ack 101
0.2 < P. 101:201(100) ack 1 win 65535
0.235 < . 201:201(0) ack 101 win {window}
{at} > . 101:101(0) ack 201
"""
    assert run(text, ("tolerance_usecs", "6000"), ("tolerance_percent", "0")) == ("passes", "")
