"""`ackclock completion`: what a shell needs to complete ackclock's command lines.

The shell then asks ackclock itself what may come next, so that the names of variants and studies are today's.
"""

from __future__ import annotations

import argparse

#: shell -> how its users switch it on
SHELLS = {
    "bash": 'eval "$(ackclock completion bash)"      # in ~/.bashrc',
    "zsh": 'eval "$(ackclock completion zsh)"       # in ~/.zshrc, after compinit',
    "fish": "ackclock completion fish | source       # in ~/.config/fish/config.fish",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("shell", choices=list(SHELLS), help="which shell")
    parser.epilog = "\n".join(["switch it on with one of", *(f"  {line}" for line in SHELLS.values())])


def run(options: argparse.Namespace) -> int:
    """Print the shell's code; the exit status."""
    from argcomplete.shell_integration import shellcode

    print(shellcode(["ackclock"], shell=options.shell))
    return 0
