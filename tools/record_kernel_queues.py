"""Record what Linux's queue disciplines do with the cases of tests/oracle/kernel_queues, from the kernel's own C.

    python tools/record_kernel_queues.py KERNEL [CASE...]

KERNEL is a kernel's source tree of release 6.12, such as Debian's linux-source-6.12 unpacked; for DualPI2 one of 6.17
or later, which nobody has tried with the whole file. A C compiler is needed. Each discipline is compiled as it is in
that tree, with `kernel_queues/shim.h` in place of the kernel's headers, into a program that is run on the case and
thrown away. What it prints are the facts that crates/engine/tests/kernel_queues.rs compares the engine with: they are
written below the word `facts` of the case.
Nothing of the kernel's source comes into the project.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = HERE.parent / "tests/oracle/kernel_queues"
#: the engine's id -> the files of net/sched, the operations' name, what the shim calls the discipline
QUEUES = {
    "cake": (["sch_cake.c"], "cake_qdisc_ops", "QUEUE_CAKE"),
    "pie": (["sch_pie.c"], "pie_qdisc_ops", "QUEUE_PIE"),
    "fq_pie": (["sch_pie.c", "sch_fq_pie.c"], "fq_pie_qdisc_ops", "QUEUE_FQ_PIE"),
    "codel": (["sch_codel.c"], "codel_qdisc_ops", "QUEUE_CODEL"),
    "fq_codel": (["sch_fq_codel.c"], "fq_codel_qdisc_ops", "QUEUE_FQ_CODEL"),
    "dualpi2": (["sch_dualpi2.c"], "dualpi2_qdisc_ops", "QUEUE_DUALPI2"),
    "linux_fq": (["sch_fq.c"], "fq_qdisc_ops", "QUEUE_FQ"),
}
#: headers that are taken from the tree: the disciplines' structures, and CoDel, which is a header
TAKEN = ["net/codel.h", "net/codel_impl.h", "net/codel_qdisc.h", "net/pie.h"]
INCLUDE = re.compile(r"^#include <([^>]+)>", re.MULTILINE)


def compile_queue(kernel: Path, queue: str, folder: Path) -> Path:
    """The program of a discipline, in `folder`."""
    sources, operations, macro = QUEUES[queue]
    headers = folder / "include"
    texts = [(kernel / "net/sched" / source).read_text(encoding="utf-8") for source in sources]
    texts += [(kernel / "include" / header).read_text(encoding="utf-8") for header in TAKEN]
    for name in {name for text in texts for name in INCLUDE.findall(text)}:
        path = headers / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    for name in TAKEN:
        (headers / name).write_bytes((kernel / "include" / name).read_bytes())
    uapi = (kernel / "include/uapi/linux/pkt_sched.h").read_text(encoding="utf-8")
    (headers / "net").mkdir(parents=True, exist_ok=True)
    (headers / "net/pkt_sched.h").write_text(uapi, encoding="utf-8")
    whole = folder / "queue.c"
    whole.write_text("".join(f'#include "{kernel / "net/sched" / source}"\n' for source in sources), encoding="utf-8")
    program = folder / "program"
    command = ["cc", "-std=gnu11", "-O1", "-w", "-fno-strict-aliasing", "-o", str(program)]
    command += [f"-D{macro}", f"-DOPS={operations}", f'-DQUEUE_FILE="{whole}"']
    command += [f"-I{headers}", f"-I{HERE / 'kernel_queues'}", str(HERE / "kernel_queues/drive.c")]
    subprocess.run([*command, "-static", "-Wl,--unresolved-symbols=ignore-all"], check=True)
    return program


def facts(kernel: Path, case: Path) -> str | None:
    """What a kernel's queue discipline does with a case; `None` if this kernel does not have the discipline."""
    text = case.read_text(encoding="utf-8").partition("\nfacts\n")[0]
    queue = re.search(r"^queue (\S+)$", text, re.MULTILINE)
    if queue is None:
        raise SystemExit(f"{case}: no line `queue ID`")
    if not all((kernel / "net/sched" / source).exists() for source in QUEUES[queue.group(1)][0]):
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = compile_queue(kernel, queue.group(1), Path(folder))
        done = subprocess.run([program], input=text + "\nfacts\n", capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split())


def record(kernel: Path, case: Path) -> None:
    """Write a case's facts."""
    words = facts(kernel, case)
    if words is None:
        print(f"{case.stem}: not recorded, this kernel has no such discipline")
        return
    text = case.read_text(encoding="utf-8").partition("\nfacts\n")[0]
    lines = textwrap.fill(words, 120, break_long_words=False, break_on_hyphens=False)
    case.write_text(f"{text}\nfacts\n{lines}\n", encoding="utf-8")
    counts = ", ".join(
        f"{words.count(letter)} {name}" for letter, name in (("d", "sent"), ("x", "dropped"), ("m", "marked"))
    )
    print(f"{case.stem}: {counts}")


def main() -> None:
    """Record the cases that are named, or all."""
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    kernel = Path(sys.argv[1]).resolve()
    for case in sorted(CASES.glob("*.txt")):
        if len(sys.argv) == 2 or case.stem in sys.argv[2:]:
            record(kernel, case)


if __name__ == "__main__":
    main()
