"""What is said of words that are no numbers, which ns-2 takes without a word."""

from __future__ import annotations

from ackclock._internal.escape import tell

#: what was said already; a process runs one script
_said: set[str] = set()

#: how much of a word is shown
_MOST_SHOWN = 60


def warn_of_word(what: str, expected: str, text: str, taken: str) -> None:
    """Say on standard error what ns-2 makes of a word of the script, once for each word."""
    shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
    message = f'warning: {what} needs {expected}; "{shown}" counts as {taken}, as in ns-2'
    if message not in _said:
        _said.add(message)
        tell(message)
