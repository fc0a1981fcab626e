"""Records what Sabre answers: the bitrates that BOLA-BASIC chooses, levels of the buffer, and rebuffering.

    git clone https://github.com/UMass-LIDS/sabre && git -C sabre checkout 09b03bb
    python tests/oracle/sabre/record.py sabre

Sabre is the simulator of K. Spiteri, R. Sitaraman and D. Sparacio, "From theory to practice: improving bitrate
adaptation in the DASH reference player", MMSys 2018, written by BOLA's first author. Its class `Bola` adds rules
against oscillations to the choice. The plug-in below makes the choice alone, by Sabre's own `Bola.quality_from_buffer`,
which is BOLA-BASIC. Nothing is abandoned or replaced.

`sessions.txt` has a block a session. Its first line names Sabre's arguments, its second line has the totals:
rebuffering, ms, how often, and the sum of the changes of the bitrate, kb/s. A line a segment follows: how long its
download took, ms, the level of the buffer when it was requested, ms, and the number of its bitrate.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLUGIN = """
import __main__ as sabre

class BolaBasic(sabre.Bola):
    levels = []

    def get_quality_delay(self, segment_index):
        if segment_index == 1:
            print("segment", repr(float(sabre.total_play_time)), 0.0, 0)
        self.levels.append(sabre.get_buffer_level())
        return self.quality_from_buffer(), 0

    def report_download(self, metrics, is_replacement):
        print("segment", repr(float(metrics.time)), repr(float(self.levels.pop())), metrics.quality)
"""
#: The film, 10 bitrates and segments of 3 s; a recorded 3G network, the buffer and gamma p.
FILM = "bbb.json"
SESSIONS = (
    ("3Glogs/report.2010-09-13_1003CEST.json", 25, 5),
    ("3Glogs/report.2010-09-14_1038CEST.json", 12, 5),
    ("3Glogs/report.2010-09-29_0702CEST.json", 40, 2),
)


def session(sabre: Path, network: str, buffer_s: float, gamma_p: float) -> str:
    """The block of a session."""
    data = sabre / "example" / "mmsys18"
    with tempfile.TemporaryDirectory() as folder:
        plugin = Path(folder) / "BolaBasic.py"
        plugin.write_text(PLUGIN, encoding="ascii")
        words = ["-a", str(plugin), "-b", str(buffer_s), "-gp", str(gamma_p), "-noa", "-ab"]
        words += ["-m", str(data / FILM), "-n", str(data / network)]
        done = subprocess.run(
            [sys.executable, str(sabre / "src" / "sabre.py"), *words], capture_output=True, text=True, check=True
        )
    totals = dict(re.findall(r"^(total [a-z ]+): ([\d.]+)$", done.stdout, re.MULTILINE))
    events = float(totals["total rebuffer events"])
    lines = [
        f"session {FILM} {network} buffer {buffer_s} gamma_p {gamma_p}",
        f"totals {1000 * float(totals['total rebuffer']):.3f} {events:g} {totals['total bitrate change']}",
        *re.findall(r"^segment (.*)$", done.stdout, re.MULTILINE),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the sessions again."""
    sabre = Path(sys.argv[1])
    blocks = [session(sabre, *each) for each in SESSIONS]
    (HERE / "sessions.txt").write_text("\n".join(blocks), encoding="ascii")


if __name__ == "__main__":
    main()
