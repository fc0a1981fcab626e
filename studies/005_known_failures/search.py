"""Finds the known failures anew, from nothing but a control, a property and the kinds of networks.

    python studies/005_known_failures/search.py                  # all, from seeds 1, 2, 3
    python studies/005_known_failures/search.py stall --seeds 7  # one of them, from another seed
    python studies/005_known_failures/search.py --keep           # write the study's witnesses anew

It prints a row a search: its time and its processor time, which other work does not lengthen; the networks it looked
at, the lines of the witness, and whether the study has the same bytes. The exit status is 1 where a search found
nothing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock.batch.attack import Witness, attack

WITNESSES = Path(__file__).resolve().parent / "witnesses"
SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Search:
    """What a search is told. `cause` is the feature that the failure needs; `unlike` has controls that do not fail."""

    control: str
    asked: str
    cause: str
    below: float | None = None
    above: float | None = None
    peer: str = "cubic"
    unlike: tuple[str, ...] = ("cubic",)
    duration_s: float = 20.0
    evaluations: int = 1024
    replications: int = 1

    @property
    def command(self) -> str:
        """The same on the command line, without the seed."""
        words = [f"ackclock attack {self.control} --property {self.asked}"]
        words += [f"--below {self.below:g}"] if self.below is not None else []
        words += [f"--above {self.above:g}"] if self.above is not None else []
        words += [f"--unlike {' '.join(self.unlike)}"] if self.unlike else []
        words += [f"--features {self.cause} --cause {self.cause}"]
        words += [f'--duration "{self.duration_s:g} s"'] if self.duration_s != 20 else []
        words += [f"--replications {self.replications}"] if self.replications > 1 else []
        return " ".join([*words, f"--evaluations {self.evaluations} --witnesses 1"])

    def run(self, seed: int) -> tuple[Witness | None, int]:
        """The first witness from a seed, and how many networks were looked at. Raises as `attack` does."""
        looked = 0

        def count(now: int, most: int, worst: float | None, found: int) -> None:
            nonlocal looked
            looked = now

        found = attack(
            self.control,
            self.asked,
            below=self.below,
            above=self.above,
            features=[self.cause],
            cause=[self.cause],
            peer=self.peer,
            unlike=self.unlike,
            replications=self.replications,
            evaluations=self.evaluations,
            witnesses=1,
            duration_s=self.duration_s,
            seed=seed,
            progress=count,
        )
        return (found[0] if found else None), looked


#: The searches by the name of the result.
SEARCHES: Mapping[str, Search] = {
    "lowrate": Search("reno", "utilisation", "pulses", below=0.3, unlike=(), duration_s=10.0),
    "stall": Search("bbr", "stall", "drops", duration_s=10.0, evaluations=4096, replications=5),
    "vegas": Search("vegas", "starvation", "own_jitter", evaluations=2048, replications=5),
    "copa": Search("copa", "starvation", "own_jitter", evaluations=2048, replications=5),
    "bbr": Search("bbr", "starvation", "own_jitter", evaluations=2048, replications=5),
    "early_loss": Search("cubic", "stall", "drops", below=0.3, unlike=(), evaluations=4096),
    "latecomer": Search("ledbat", "latecomer", "late"),
    "coexistence": Search("dctcp", "share", "marks", above=0.9, replications=5),
}


def main(words: Sequence[str] | None = None) -> int:
    """Search as the arguments say; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SEARCHES)} (default: all)")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS, metavar="N", help="of the searches (1 2 3)")
    parser.add_argument("--keep", action="store_true", help="write the study's witnesses anew")
    options = parser.parse_args(words)
    if unknown := [name for name in options.names if name not in SEARCHES]:
        parser.error(f"no search {', '.join(unknown)}: expected one of {', '.join(SEARCHES)}")
    status = 0
    print("| result | seed | time, s | processor time, s | networks | lines | the study's bytes |", flush=True)
    print("|---|---|---|---|---|---|---|")
    for name in options.names or SEARCHES:
        for seed in options.seeds:
            began_s, worked_s = time.monotonic(), time.process_time()
            witness, looked = SEARCHES[name].run(seed)
            took_s, processor_s = time.monotonic() - began_s, time.process_time() - worked_s
            row = f"| {name} | {seed} | {took_s:.0f} | {processor_s:.0f} | {looked} |"
            if witness is None:
                status = 1
                print(f"{row} not found | |", flush=True)
                continue
            path = WITNESSES / f"{name}-{seed}.toml"
            if options.keep:
                witness.save(path)
            is_same = path.exists() and path.read_text(encoding="utf-8") == witness.text
            print(f"{row} {len(witness.text.splitlines())} | {'yes' if is_same else 'no'} |", flush=True)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
