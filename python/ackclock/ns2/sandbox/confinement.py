"""The second wall of `ackclock ns2 --safe`: the operating system confines this process to one folder."""

from __future__ import annotations

import os


def confine(script: str, namespace: bool | None = None) -> None:
    """Let the kernel confine this process to its working directory, and to reading the script. No thread may run yet.

    `namespace` says whether this user may have a mount namespace; it is found out unless given. Raises `NsError` where
    the system cannot do it.
    """
    from ackclock import _native
    from ackclock.ns2.bindings.tcl_object import NsError

    folder = os.path.realpath(os.getcwd())
    readable = [os.path.realpath(script)] if script else []
    try:
        _native.confine(folder, readable, namespace_is_allowed() if namespace is None else namespace)
    except OSError as error:
        raise NsError(
            f"--safe: the operating system cannot confine a script here: {error}. "
            "--safe=filter-only runs it behind Tcl's safe interpreter alone"
        ) from None


def namespace_is_allowed() -> bool:
    """Whether this user may have a mount namespace. A copy of this process asks, since it is unusable afterwards."""
    from ackclock import _native

    child = os.fork()
    if child == 0:
        os._exit(0 if _native.namespace_is_allowed() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
