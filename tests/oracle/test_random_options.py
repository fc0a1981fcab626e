"""TCP senders with options drawn at random give what living ns-2 gives, byte for byte.

The draws are the same each time; `python tests/oracle/test_random_options.py FIRST COUNT` prints those of other seeds.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "ns2"))

from cases import DELAYED, FACK, NEWRENO, RENO, SACK, SACK_DELAYED, SACK_SINK, SINK, TAHOE, VEGAS, Case
from running import differences, run_case

SEEDS = range(40)

RFC793EDU = "Agent/TCP/RFC793edu"
DOINGS = ("start", "bursts", "writes", "amounts", "reset")
BOTH = ("true", "false")

#: What each variable may be, for every sender.
VARIABLES: dict[str, Sequence[str]] = {
    "window_": ("8", "20", "20.5", "35", "64"),
    "windowInit_": ("1", "2", "2.5", "4"),
    "windowInitOption_": ("1", "2"),
    "windowOption_": ("0", "1", "2", "3", "4", "5"),
    "windowConstant_": ("4", "0.5", "40"),
    "windowThresh_": ("0.002", "0.1"),
    "maxcwnd_": ("0", "12"),
    "max_ssthresh_": ("0", "6"),
    "increase_num_": ("1.0", "2.0"),
    "decrease_num_": ("0.5", "0.7"),
    "syn_": BOTH,
    "delay_growth_": BOTH,
    "max_connects_": ("-1", "2"),
    "overhead_": ("0", "0.001", "0.01"),
    "maxburst_": ("0", "2", "4"),
    "aggressive_maxburst_": BOTH,
    "packetSize_": ("1000", "512", "1460", "2200"),
    "tcpip_base_hdr_size_": ("40", "20"),
    "ts_option_size_": ("10", "12"),
    "useHeaders_": BOTH,
    "tcpTick_": ("0.01", "0.001", "0.1", "0.5"),
    "minrto_": ("0.2", "0", "1"),
    "maxrto_": ("60", "2"),
    "srtt_init_": ("0", "1"),
    "rttvar_init_": ("12", "3"),
    "rtxcur_init_": ("3", "0.5", "6"),
    "T_SRTT_BITS": ("3", "2"),
    "T_RTTVAR_BITS": ("2", "3"),
    "rttvar_exp_": ("2", "1"),
    "rfc2988_": BOTH,
    "timerfix_": BOTH,
    "timestamps_": BOTH,
    "ts_resetRTO_": BOTH,
    "ecn_": BOTH,
    "old_ecn_": BOTH,
    "SetCWRonRetransmit_": BOTH,
    "numdupacks_": ("3", "2", "4"),
    "numdupacksFrac_": ("-1", "3"),
    "singledup_": ("0", "1"),
    "LimTransmitFix_": BOTH,
    "noFastRetrans_": BOTH,
    "exitFastRetrans_": BOTH,
    "bugFix_": BOTH,
    "bugFix_ack_": BOTH,
    "bugFix_ts_": BOTH,
    "bugfix_ss_": BOTH,
    "lessCareful_": BOTH,
    "oldCode_": BOTH,
    "precisionReduce_": BOTH,
    "slow_start_restart_": BOTH,
    "restart_bugfix_": BOTH,
    "control_increase_": ("0", "1"),
    "QOption_": ("0", "1"),
    "EnblRTTCtr_": ("0", "1"),
    "frto_enabled_": BOTH,
    "sfrto_enabled_": BOTH,
    "spurious_response_": ("1", "2", "3"),
    "trace_all_oneline_": BOTH,
}

#: The window options that RFC793edu lacks, with what they need.
LAWS: dict[str, Sequence[str]] = {
    "windowOption_": ("6", "8"),
    "k_parameter_": ("0", "0.5", "1"),
    "l_parameter_": ("1", "0.5"),
    "low_window_": ("5", "38"),
    "high_window_": ("100", "83000"),
    "high_p_": ("0.0001", "0.0000001"),
    "cwnd_range_": ("0", "5"),
}

#: The variables that only one sender has.
OWN: dict[str, dict[str, Sequence[str]]] = {
    TAHOE: {},
    RENO: {},
    NEWRENO: {
        "newreno_changes_": ("0", "1"),
        "newreno_changes1_": ("0", "1"),
        "partial_window_deflation_": ("0", "1"),
        "exit_recovery_fix_": ("0", "1"),
    },
    SACK: {"partial_ack_": BOTH},
    FACK: {"ss-div4_": BOTH, "rampdown_": BOTH},
    VEGAS: {"v_alpha_": ("1", "3"), "v_beta_": ("3", "5"), "v_gamma_": ("1", "2")},
    RFC793EDU: {
        f"add793{what}_": BOTH
        for what in ("expbackoff", "jacobsonrtt", "fastrtx", "slowstart", "additiveinc", "karnrtt", "exponinc")
    },
}


def draw(seed: int) -> Case:
    """The run of a seed."""
    dice = random.Random(seed)
    sender = dice.choice(list(OWN))
    sinks = (SACK_SINK, SACK_DELAYED) if sender in (SACK, FACK) else (SINK, DELAYED, SACK_SINK)
    values = {name: dice.choice(VARIABLES[name]) for name in dice.sample(list(VARIABLES), dice.choice((0, 2, 6, 16)))}
    if sender != RFC793EDU and dice.random() < 0.3:
        values |= {name: dice.choice(choice) for name, choice in LAWS.items()}
    values |= {name: dice.choice(choice) for name, choice in OWN[sender].items() if dice.random() < 0.5}
    early = dice.choice((40, 240))
    lost = sorted(dice.sample(range(early), dice.choice((0, 0, 1, 3, 6, 12))))
    return Case(
        "../random_senders.tcl",
        (
            sender,
            dice.choice(sinks),
            dice.choice(("DropTail", "DropTail", "RED")),
            dice.choice(("4", "6", "10", "25")),
            " ".join(map(str, lost)),
            dice.choice(DOINGS),
            *(word for pair in values.items() for word in pair),
        ),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_living_ns2(seed: int, program: list[str], ns: str, tmp_path: Path) -> None:
    case = draw(seed)
    theirs = run_case(case, [ns], tmp_path / "ns")
    assert theirs.status == 0, theirs.stderr
    found = differences(run_case(case, program, tmp_path / "ours"), theirs)
    assert not found, f"{case.id}\n{found}"


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    for seed in range(first, first + count):
        print(seed, draw(seed).id)
