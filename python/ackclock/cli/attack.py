"""`ackclock attack`: networks in which a congestion control fails."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock._internal.escape import tell
from ackclock.cli.batch_options import add_jobs, add_limits_of_many, check_jobs
from ackclock.cli.print_error import print_error, show

if TYPE_CHECKING:
    from ackclock.batch.attack import Witness

_EXAMPLES = """\
examples:
  ackclock attack bbr --property utilisation --unlike cubic
  ackclock attack vegas --property starvation --features own_jitter --cause own_jitter
  ackclock attack mine:Control --property 'rtt_p95_s.subject1 / rtt_min_s.subject1' --above 5
  ackclock attack ledbat --property share --above 0.9 --peer cubic

Each witness is a scenario file: `ackclock run`, `plot` and `view` take it. The same command goes on where it was ended.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    from ackclock.batch.attack.properties import PROPERTIES
    from ackclock.batch.attack.space import FEATURES

    parser.epilog = _EXAMPLES
    parser.add_argument(
        "control", metavar="CONTROL", help="as for `ackclock evaluate`: a name, module:Class or FILE.so:NAME"
    )
    parser.add_argument(
        "--property",
        default="utilisation",
        metavar="PROPERTY",
        help=f"{', '.join(PROPERTIES)}, or an expression over metrics and columns of flows (default: utilisation)",
    )
    parser.add_argument("--below", type=float, metavar="X", help="it fails below this (default: the property's bound)")
    parser.add_argument("--above", type=float, metavar="X", help="it fails above this")
    parser.add_argument(
        "--features",
        nargs="+",
        metavar="NAME",
        help=f"what networks may have besides the path: {', '.join(name for name in FEATURES if name != 'path')}",
    )
    parser.add_argument(
        "--peer", default="cubic", metavar="CONTROL", help="beside the subject for `share` (default: cubic)"
    )
    parser.add_argument(
        "--unlike",
        nargs="+",
        default=[],
        metavar="CONTROL",
        help="only networks in which these controls keep the property",
    )
    parser.add_argument(
        "--cause",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only networks with these features in which the control keeps the property without them",
    )
    parser.add_argument(
        "--replications",
        type=int,
        default=1,
        metavar="N",
        help="only networks in which it fails with each of N seeds (default: 1)",
    )
    parser.add_argument(
        "--evaluations", type=int, default=2000, metavar="N", help="networks to look at (default: 2000)"
    )
    parser.add_argument("--witnesses", type=int, default=3, metavar="N", help="end when N are found (default: 3)")
    parser.add_argument("--duration", default="20 s", metavar="TIME", help="of each run, simulated (default: 20 s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the search and of its runs (default: 1)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of the witnesses (default: out/attack/CONTROL-PROPERTY-SEED)"
    )
    parser.add_argument(
        "--confirm",
        action="store_true",
        help="run each witness in real time with the kernel's own control (`ackclock emulate`: Linux, root)",
    )
    add_jobs(parser)
    add_limits_of_many(parser, lambda options: f"attack on {options.control}")


def run(options: argparse.Namespace) -> int:
    """Search, and write a file a witness; the exit status: 0 whether or not something was found.

    1 for an error, and where `--confirm` could not confirm a witness.
    """
    from ackclock.batch.attack import attack, confirm
    from ackclock.batch.attack.evaluate import AttackError
    from ackclock.scenario import ScenarioError
    from ackclock.scenario.units import time_s

    folder = options.out or Path("out", "attack", _name(options))
    line = _Line() if sys.stderr.isatty() else None
    try:
        check_jobs(options)
        if options.confirm:
            confirm.check(options.control)
        found = attack(
            options.control,
            options.property,
            below=options.below,
            above=options.above,
            features=options.features,
            peer=options.peer,
            unlike=options.unlike,
            cause=options.cause,
            replications=options.replications,
            evaluations=options.evaluations,
            witnesses=options.witnesses,
            duration_s=time_s(options.duration),
            seed=options.seed,
            folder=folder,
            jobs=options.jobs,
            progress=line,
        )
    except (ScenarioError, OSError) as error:
        print_error(error)
        return 1
    except (AttackError, confirm.ConfirmError) as error:
        tell(str(error))
        return 1
    finally:
        if line is not None:
            line.clear()
    status = 0
    for number, witness in enumerate(found, 1):
        path = folder / f"witness-{number}.toml"
        if options.confirm:
            witness = _confirmed(witness, path)
            status |= not witness.confirmed
        show(f"{path}:")
        show("\n".join(text[2:] for text in witness.text.splitlines() if text.startswith("# ")))
    if not found:
        show(f"{options.evaluations} networks, and {options.control} fails in none of them")
    return status


def _confirmed(witness: Witness, path: Path) -> Witness:
    """The witness with what the kernel's control does there; unchanged, with the reason on stderr, where that fails."""
    from ackclock.batch.attack.confirm import ConfirmError, confirm
    from ackclock.emulate.registry import NamespaceError

    try:
        confirmed = replace(witness, confirmed=confirm(witness).text)
        confirmed.save(path)
    except (ConfirmError, NamespaceError) as error:
        tell(f"{path}: not confirmed: {error}")
        return witness
    return confirmed


def _name(options: argparse.Namespace) -> str:
    words = [options.control, options.property, str(options.seed)]
    name = "-".join("".join(letter if letter.isalnum() or letter in "._" else "_" for letter in word) for word in words)
    # The path of a library may begin with a dot, which would hide the folder.
    return name.lstrip("._")


class _Line:
    """One line on the terminal that says how far the search is."""

    def __call__(self, looked: int, most: int, worst: float | None, found: int) -> None:
        told = "" if worst is None else f", worst {worst:.3g}"
        print(f"\r\x1b[K{looked} of {most} networks{told}, {found} found", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the line."""
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
