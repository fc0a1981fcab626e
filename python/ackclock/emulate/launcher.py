"""`python -I -S launcher.py PARENT PROGRAM ARG...` starts a program that the kernel kills when its parent process ends.

PR_SET_PDEATHSIG (prctl(2)) holds for the process that sets it and survives exec. It is set here and not by
`subprocess.Popen(preexec_fn=...)`, which may deadlock in a process with threads, as an emulation is.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    """Become the program. Exit status 127 if it cannot be started, as a shell's."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)  # the emulation was over before
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them; the program shall not
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"ackclock: {command[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
