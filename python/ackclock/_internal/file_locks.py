"""Locks on whole files, which the system releases when the process ends.

`flock` where there is one. Windows has only exclusive locks on ranges of bytes, so
readers wait for one another there.
"""

from __future__ import annotations

import os
import sys
import time

#: Seconds between two attempts where the system does not wait itself.
_EVERY_S = 0.05

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def lock(file: int, *, shared: bool = False, wait: bool = True) -> None:
        """Lock the file of this descriptor until it is closed.

        Several processes can have a lock with `shared` at once. Without `wait`, `BlockingIOError`
        where another process has a lock that excludes this one. `OSError` where the file system has no locks.
        """
        del shared
        while True:
            os.lseek(file, 0, os.SEEK_SET)
            try:
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
                return
            except PermissionError as error:
                if not wait:
                    raise BlockingIOError(*error.args) from None
                time.sleep(_EVERY_S)

else:
    import fcntl

    def lock(file: int, *, shared: bool = False, wait: bool = True) -> None:
        """Lock the file of this descriptor until it is closed.

        Several processes can have a lock with `shared` at once. Without `wait`, `BlockingIOError`
        where another process has a lock that excludes this one. `OSError` where the file system has no locks.
        """
        how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(file, how if wait else how | fcntl.LOCK_NB)
