"""`ackclock kernel`: compiles congestion controls of the Linux kernel, and lists those that are there."""

from __future__ import annotations

import argparse
from pathlib import Path

from ackclock.cli.print_error import print_error, show

_EXAMPLES = """\
examples:
  ackclock kernel build linux-source-6.12/net/ipv4/tcp_cubic.c
  ackclock kernel build --hz 1000 net/ipv4/tcp_bbr.c net/ipv4/tcp_cong.c
  ackclock kernel build --kernel linux-source-6.12 my/tcp_mine.c
  ackclock kernel list

A scenario runs a compiled control with tcp = "kernel:NAME", where NAME is its name in the kernel: cubic, bbr, reno
(tcp_cong.c). Parameters of the module are parameters of the flow.

A compiled control is native code with all rights of the process that runs it. Build only source that you trust.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.epilog = _EXAMPLES
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    build = verbs.add_parser("build", help="compile controls of a kernel tree", epilog=_EXAMPLES)
    build.add_argument("sources", type=Path, nargs="+", metavar="FILE", help="a file such as net/ipv4/tcp_cubic.c")
    build.add_argument("--kernel", type=Path, metavar="FOLDER", help="root of a kernel tree, for a file outside of one")
    build.add_argument("--hz", type=int, default=250, metavar="HZ", help="ticks per second of jiffies (default: 250)")
    build.add_argument("--out", type=Path, metavar="FOLDER", help="where to put the shared objects")
    verbs.add_parser("list", help="list compiled controls and their parameters", epilog=_EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Build or list; the exit status."""
    return _build(options) if options.verb == "build" else _list()


def _build(options: argparse.Namespace) -> int:
    from ackclock.kernel.build import build
    from ackclock.kernel.folder import KernelError

    status = 0
    for source in options.sources:
        try:
            made = build(source, kernel=options.kernel, out=options.out, hz=options.hz)
        except (KernelError, OSError) as error:
            print_error(error)
            status = 1
            continue
        show(f"kernel:{made.name}  {made.path}")
    return status


def _list() -> int:
    from ackclock.kernel.folder import KernelError, built, folder

    found, status = built(), 0
    if not found:
        show(f"no compiled controls in {folder()}")
    for one in found:
        try:
            module = one.module()
        except (KernelError, OSError) as error:
            print_error(error)
            status = 1
            continue
        show(f"kernel:{one.name}  HZ {module.hz}  {one.path}")
        for name, about, default in module.parameters:
            show(f"  {name} = {default}  {about}".rstrip())
    return status
