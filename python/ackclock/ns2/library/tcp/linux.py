"""Agent/TCP/Linux: the sender with Linux's congestion controls, and what ns-2 prints about them.

One line of ns-2's is missing: the address of the sender whose table of sending times grows. No two runs print the same.
"""

from __future__ import annotations

from ackclock._native import SimulationError, congestion_controls
from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.tcp.agents import Tcp
from ackclock.ns2.otcl.stdio import stdio

#: Every congestion control, in the order in which ns-2 lists them.
LAWS = tuple(law for law, _ in congestion_controls("linux"))

#: Tunables of each, in the order in which ns-2 lists them, and what it says about them.
TUNABLES = {
    "naive_reno": {
        "beta": "MD decrement portion of window: every loss the window is reduced by a proportion of 1/beta",
        "alpha": "AI increment size of window (in unit of pkt/round trip time)",
    },
    "bic": {
        "smooth_part": "log(B/(B*Smin))/log(B/(B-1))+B, # of RTT from Wmax-B to Wmax",
        "initial_ssthresh": "initial value of slow start threshold",
        "beta": "beta for multiplicative increase",
        "low_window": "lower bound on congestion window (for TCP friendliness)",
        "max_increment": "Limit on increment allowed during binary search",
        "fast_convergence": "turn on/off fast convergence",
    },
    "cubic": {
        "tcp_friendliness": "turn on/off tcp friendliness",
        "bic_scale": "scale (scaled by 1024) value for bic function (bic_scale/1024)",
        "initial_ssthresh": "initial value of slow start threshold",
        "beta": "beta for multiplicative increase",
        "max_increment": "Limit on increment allowed during binary search",
        "fast_convergence": "turn on/off fast convergence",
    },
    "htcp": {
        "use_bandwidth_switch": "turn on/off bandwidth switcher",
        "use_rtt_scaling": "turn on/off RTT scaling",
    },
    "hybla": {"rtt0": "reference rout trip time (ms)"},
    "vegas": {
        "gamma": "limit on increase (scale by 2)",
        "beta": "upper bound of packets in network (scale by 2)",
        "alpha": "lower bound of packets in network (scale by 2)",
    },
    "illinois": {
        "theta": "# of fast RTT's before full growth",
        "win_thresh": "Window threshold for starting adaptive sizing",
    },
    "linux": {
        "debug_level": "The debug level: 0: INFO; <=1: NOTICE; <=2: ERROR",
        "tcp_max_burst": "the maximum burst size of a TCP",
        "sysctl_tcp_abc": "whether we needs ABC or not",
    },
}


def c_integer(text: str) -> int:
    """What C's atoi makes of a text."""
    digits = text.strip()
    end = 1 if digits[:1] in ("+", "-") else 0
    while digits[end : end + 1].isdecimal() and digits[end : end + 1].isascii():
        end += 1
    try:
        return (int(digits[:end]) + 2**31) % 2**32 - 2**31
    except ValueError:
        return 0


@ns2_class("Agent/TCP/Linux")
class Linux(Tcp):
    """A TCP sender with one of Linux's congestion controls. As in ns-2, a wrong name is told on standard output."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self.native.watch_output(stdio(self.interp).channel)

    def _command(self, name: str, *arguments: str) -> str:
        return self.native.command(name, list(arguments))

    def _echo(self, *words: str) -> None:
        stdio(self.interp).print(" ".join(("cmd", *words)))

    def _complain(self, what: str) -> None:
        stdio(self.interp).print(f"Error: {what}")

    @method("select_ca")
    def select(self, law: str, *_: str) -> None:
        """Take a congestion control."""
        self._echo("select_ca", law)
        if law in LAWS:
            self._command("congestion_control", law)
            return
        self._complain(f"do not find {law} as a congestion control algorithm")
        stdio(self.interp).print(f"List of cc (total {len(LAWS)}) : {' '.join(LAWS)}")

    @method()
    def set_ca_param(self, law: str, tunable: str, value: str, *_: str) -> None:
        """Set a tunable of this sender."""
        self._set("set_ca_param", "own_tunable", law, tunable, value)

    @method()
    def set_ca_default_param(self, law: str, tunable: str, value: str, *_: str) -> None:
        """Set a tunable of all senders that have none of their own."""
        self._set("set_ca_default_param", "tunable", law, tunable, value)

    @method()
    def get_ca_param(self, law: str, tunable: str | None = None, *_: str) -> None:
        """Print a tunable of this sender, or all of a congestion control."""
        if tunable is not None:
            self._get("get_ca_param", "own_tunable", law, tunable)
            return
        self._echo("get_ca_param", law)
        if law not in TUNABLES:
            stdio(self.interp).print(f"{law} has no parameter registered")
            self._complain(f"{law} is not a congestion control algorithm or has no parameter")
            return
        stdio(self.interp).print(f"Parameter list for {law}:")
        for name, meaning in TUNABLES[law].items():
            stdio(self.interp).print(f" {name} = {self._command('tunable', law, name)} ({meaning})")

    @method()
    def get_ca_default_param(self, law: str, tunable: str, *_: str) -> None:
        """Print a tunable of all senders."""
        self._get("get_ca_default_param", "tunable", law, tunable)

    def _set(self, method_name: str, command: str, law: str, tunable: str, value: str) -> None:
        self._echo(method_name, law, tunable, value)
        if tunable not in TUNABLES.get(law, {}):
            self._complain(f"do not find {tunable} as a parameter for congestion control algorithm {law}")
            return
        try:
            self._command(command, law, tunable, str(c_integer(value)))
        except SimulationError as error:
            raise NsError(str(error)) from None

    def _get(self, method_name: str, command: str, law: str, tunable: str) -> None:
        self._echo(method_name, law, tunable)
        if tunable not in TUNABLES.get(law, {}):
            self._complain(f"do not find {tunable} as a parameter for congestion control algorithm {law}")
            return
        stdio(self.interp).print(f"tcp_{law}.{tunable} = {self._command(command, law, tunable)}")
