"""Real packets through a simulated network: held to arithmetic, and to what the sockets say."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock as ac
from ackclock.cli import main
from ackclock.emulate import Emulation, EmulationError, NamespaceError
from ackclock.emulate.namespaces import missing

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import kernel_transfers

pytestmark = pytest.mark.serial

REASON = missing()
needs_namespaces = pytest.mark.skipif(REASON is not None, reason=f"no network namespaces: {REASON}")

#: Datagrams to an address, numbered, of so many bytes of IP packet (28 are its headers), with a type of service.
SEND = """
import socket, sys
address, count, packet_bytes, service = sys.argv[1], *map(int, sys.argv[2:])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
    out.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, service)
    for number in range(count):
        out.sendto(number.to_bytes(4, "big").ljust(packet_bytes - 28, b"."), (address, 5000))
"""

#: Datagrams until none comes for two seconds: of each its number, when the kernel got it, and ECN's bits.
RECEIVE = """
import json, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inlet:
    inlet.setsockopt(socket.IPPROTO_IP, 13, 1)  # IP_RECVTOS
    inlet.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS
    inlet.bind((sys.argv[1], 5000))
    inlet.settimeout(20)
    print("ready", flush=True)
    got = []
    try:
        while True:
            data, extra, _, _ = inlet.recvmsg(2000, 100)
            told = {(level, kind): value for level, kind, value in extra}
            seconds, nanoseconds = struct.unpack("ll", told[socket.SOL_SOCKET, 35])
            service = told[socket.IPPROTO_IP, 1][0]
            got.append((int.from_bytes(data[:4], "big"), seconds + nanoseconds / 1e9, service & 3))
            inlet.settimeout(2)
    except TimeoutError:
        print(json.dumps(got))
"""

#: Takes a connection's bytes, and says their sha256.
TAKE = """
import hashlib, socket, sys
with socket.create_server((sys.argv[1], 5001)) as server:
    print("ready", flush=True)
    connection, _ = server.accept()
    seen = hashlib.sha256()
    while data := connection.recv(65536):
        seen.update(data)
print(seen.hexdigest())
"""

GIVE = """
import socket, sys
with socket.create_connection((sys.argv[1], 5001)) as connection:
    connection.sendall(bytes(range(256)) * 2000)
"""


def between(bottleneck: ac.Link, **other: object) -> ac.Scenario:
    """Two nodes, a link, and real packets at both ends."""
    nodes = ac.Chain(nodes=2, link=bottleneck)
    return ac.Scenario(topology=nodes, duration="60 s", external_nodes=["node1", "node2"], **other)  # type: ignore[arg-type]


def datagrams(
    scenario: ac.Scenario, count: int, packet_bytes: int, service: int = 0
) -> tuple[Emulation, list[list[float]]]:
    """Send datagrams from one end to the other; the emulation, and what came."""
    with Emulation(scenario) as network:
        there = network.address("node2")
        receiver = network.start("node2", [sys.executable, "-c", RECEIVE, there], stdout=subprocess.PIPE)
        assert receiver.stdout is not None and receiver.stdout.readline() == "ready\n"
        words = [there, str(count), str(packet_bytes), str(service)]
        assert network.start("node1", [sys.executable, "-c", SEND, *words]).wait() == 0
        got: list[list[float]] = json.loads(receiver.communicate()[0])
    return network, got


@needs_namespaces
def test_rate_delay_and_limit() -> None:
    # 1250 bytes at 1 Mb/s take 10 ms each; of a burst of 30, one is sent and 19 wait (ns-2 counts a limit of 20 so).
    scenario = between(ac.Link(rate="1 Mb/s", delay="5 ms", queue=ac.Queue(kind="drop_tail", limit="20 packets")))
    network, got = datagrams(scenario, 30, 1250)
    numbers = [row[0] for row in got]
    assert numbers == sorted(numbers) and len(numbers) >= 20
    took = got[19][1] - got[0][1]
    assert took >= 19 * 0.01 - 0.005 - network.seen["latest_s"]
    links = network.results.rows("links")
    assert links[0]["dropped_packets"] == 30 - len(got)
    assert network.seen["came_in"] - network.seen["went_out"] == 30 - len(got)
    assert (network.flows[0].source, network.flows[0].destination_port) == ("10.77.0.1", 5000)


@needs_namespaces
def test_marks_are_in_the_ip_header() -> None:
    # A queue that marks the more the longer it is, and does not drop instead; type of service 2
    # is ECT(0), 3 is CE (RFC 3168 section 5).
    queue = ac.Queue(
        kind="red",
        limit="100 packets",
        parameters={
            "thresh": "1 packets",
            "maxthresh": "21 packets",
            "q_weight": 1.0,
            "linterm": 1.0,
            "setbit": True,
            "mark_p": 1.0,
        },
    )
    link = ac.Link(rate="1 Mb/s", delay="1 ms", queue=queue)
    network, got = datagrams(between(link), 20, 1250, service=2)
    marks = [row[2] for row in got]
    assert marks[0] == 2 and 3 in marks
    assert (
        marks.count(3) == network.seen["marked"] == sum(row["marked_packets"] for row in network.results.rows("links"))
    )


@needs_namespaces
def test_the_kernels_tcp_gets_all_bytes_through_losses() -> None:
    loss = ac.Loss(kind="uniform", rate=0.02)
    scenario = between(ac.Link(rate="20 Mb/s", delay="5 ms", loss=loss), seed=5)
    with Emulation(scenario) as network:
        there = network.address("node2")
        taker = network.start("node2", [sys.executable, "-c", TAKE, there], stdout=subprocess.PIPE)
        assert taker.stdout is not None and taker.stdout.readline() == "ready\n"
        assert network.start("node1", [sys.executable, "-c", GIVE, there]).wait() == 0
        digest = taker.communicate()[0].strip()
    assert digest == hashlib.sha256(bytes(range(256)) * 2000).hexdigest()
    assert sum(row["lost_packets"] for row in network.results.rows("links")) > 0


@needs_namespaces
def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.toml"
    file.write_text(
        'duration = "30 s"\n[topology]\nkind = "chain"\nnodes = 2\nlink = { rate = "1 Mb/s", delay = "2 ms" }\n'
    )
    (tmp_path / "send.py").write_text(SEND)
    program = f"{sys.executable} {tmp_path / 'send.py'} {{node2}} 5 500 0"
    words = [
        "emulate",
        str(file),
        "--between",
        "node1",
        "node2",
        "--at",
        "node1",
        program,
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(words) == 0
    said = capfd.readouterr().out
    assert "packets came in" in said and "node1->node2" in said
    assert sum(row["arrived_packets"] for row in ac.open(tmp_path / "out").rows("links")) >= 5
    assert main([*words[:-2], "--at", "n7", "true"]) == 1
    assert "--at 2" in capfd.readouterr().err


@needs_namespaces
def test_the_duration_ends_it_and_the_programs() -> None:
    scenario = ac.Scenario(
        topology=ac.Chain(nodes=2, link=ac.Link(rate="1 Mb/s", delay="1 ms")),
        duration="0.3 s",
        external_nodes=["node1", "node2"],
    )
    with Emulation(scenario) as network:
        sleeper = network.start("node1", ["sleep", "60"])
        with pytest.raises(EmulationError, match="not over"):
            _ = network.results
        assert network.wait(20)
    assert sleeper.returncode is not None and network.results.scenario == scenario
    with pytest.raises(EmulationError, match="is over"):
        network.start("node1", ["true"])


@needs_namespaces
def test_a_namespace_that_is_there_is_left_alone() -> None:
    scenario = between(ac.Link(rate="1 Mb/s", delay="1 ms"))
    with (
        Emulation(scenario),
        pytest.raises(NamespaceError, match="ip netns delete ackclock-node1"),
        Emulation(scenario),
    ):
        pass


def test_bad_descriptions() -> None:
    link = ac.Link(rate="1 Mb/s", delay="1 ms")
    with pytest.raises(ac.ScenarioError, match=r"external_nodes = .*two nodes or more"):
        ac.Scenario(topology=ac.Chain(nodes=2, link=link), duration="1 s", external_nodes=["node1"])
    with pytest.raises(ac.ScenarioError, match=r'external_nodes\.1.*"n9".*expected a node.*node2'):
        Emulation(ac.Scenario(topology=ac.Chain(nodes=2, link=link), duration="1 s", external_nodes=["node1", "n9"]))
    with pytest.raises(ac.ScenarioError, match="ackclock emulate"):
        ac.run(between(link))
    with pytest.raises(ac.ScenarioError, match="external_nodes: expected the nodes"):
        Emulation(
            ac.Scenario(topology=ac.Dumbbell(bottleneck=link), flows=[ac.Flow(pair=1, tcp="reno")], duration="1 s")
        )


@needs_namespaces
# BBR's wait also depends on how often the machine stalls (docs/kernel.md).
@pytest.mark.parametrize(("control", "wait"), [("reno", 0.25), ("cubic", 0.25), ("bbr", 0.6)])
def test_the_engines_window_is_the_kernels(control: str, wait: float) -> None:
    if control not in kernel_transfers.KERNELS.read_text().split():
        pytest.skip(f"the running kernel has no {control}")
    case = kernel_transfers.Case(kernel_transfers.Way("10 Mb/s", 40, 1.0), (control,))
    [kernel] = kernel_transfers.of_kernel([case])
    if kernel.lateness_ms[-1] > 25:
        pytest.skip(f"the machine is too busy to keep pace: {kernel.lateness_ms[-1]:.0f} ms late")
    engine = kernel_transfers.of_engine(case, kernel_transfers.detour([kernel]))
    assert engine.goodputs_mbps == pytest.approx(kernel.goodputs_mbps, rel=0.05)
    assert engine.cwnds_packets == pytest.approx(kernel.cwnds_packets, rel=0.15)
    assert engine.wait_ms == pytest.approx(kernel.wait_ms, rel=wait)
