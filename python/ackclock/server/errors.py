"""What the server says when it cannot."""

from __future__ import annotations


class Refusal(Exception):
    """A request that is answered by an error: an HTTP status and a sentence that says what, where and what to do."""

    def __init__(self, status: int, sentence: str, key: str | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        #: the key of the scenario that is wrong
        self.key = key
        self.sentence = sentence
