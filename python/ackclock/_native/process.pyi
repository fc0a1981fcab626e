"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

def abort_silently_without_memory() -> None:
    """From now on a refused allocation ends this process by SIGABRT, without a message."""

def confine(folder: str, readable: list[str], namespace: bool) -> list[str]:
    """Confine this process to `folder`, an absolute path without symbolic links, and to reading the files of
    `readable`; start no program and open no socket from here on. The names of the mechanisms in force: "namespace",
    "landlock", "seccomp".  `namespace` says that `namespace_is_allowed`. Raises `OSError` where the system cannot do
    it; the process should end then.
    """

def namespace_is_allowed() -> bool:
    """Whether this user may have a mount namespace. The process that asks is unusable afterwards: ask after
    `os.fork`.
    """

def die_with_parent() -> None:
    """The system kills this process when its parent ends, however it ends. Without effect where the system is not
    Linux.
    """

def adopt_orphans() -> None:
    """Processes below this one whose parents end become its own children. Without effect where the system is not
    Linux.
    """

def grow_stack(bytes: int) -> None:
    """Let the stack grow to so many bytes, or as far as the system allows; where more is allowed already, that
    stays.
    """

__all__ = [
    "abort_silently_without_memory",
    "adopt_orphans",
    "confine",
    "die_with_parent",
    "grow_stack",
    "namespace_is_allowed",
]
