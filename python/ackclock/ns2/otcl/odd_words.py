"""What is said of words that are no numbers, which ns-2 takes without a word."""

from __future__ import annotations

from ackclock._internal.escape import tell


def warn_of_word(what: str, expected: str, text: str, taken: str) -> None:
    """Say on standard error what ns-2 makes of a word of the script."""
    tell(f'warning: {what} needs {expected}; "{text}" counts as {taken}, as in ns-2')
