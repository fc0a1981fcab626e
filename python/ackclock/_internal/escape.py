"""Names and messages of others, shown so that nothing in them is hidden.

A file name may hold bytes that are not UTF-8 (Python has them as lone surrogates, PEP 383). A name of any kind may hold
characters that a terminal or a browser obeys instead of showing them: control characters, and those that turn the
direction of writing (Unicode Standard Annex #9, section 2), by which `gpj.exe` can look like `exe.jpg`.
"""

from __future__ import annotations

import os
import sys

_BIDIRECTIONAL = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SEPARATORS = (0x2028, 0x2029)
_CONTROL = (*range(0x20), *range(0x7F, 0xA0))
_SURROGATES = range(0xD800, 0xE000)
#: Those that stand for the bytes 0x80 to 0xff.
_BYTES = range(0xDC80, 0xDD00)


def escaped(text: object, *, lines: bool = False) -> str:
    r"""A text with what is hidden in it written out: a byte that is not UTF-8 as `\xff`, a character as `\u202e`.

    With `lines`, ends of lines and tabs stay.
    """
    shown = str(text)
    return shown if shown.isprintable() else shown.translate(_table("lines" if lines else "names"))


def escaped_json(text: str) -> str:
    r"""The same for JSON, whose escapes are all of the form `\u202e`."""
    return text.translate(_table("json"))


def tell(message: str, *, is_error: bool = False) -> None:
    """Print a message of ackclock's on standard error, with what is hidden in it escaped; on a terminal that takes
    colours, an error's first word is red.
    """
    name = "ackclock:"
    if is_error and sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        name = f"\x1b[1;31m{name}\x1b[0m"
    print(f"{name} {escaped(message, lines=True)}", file=sys.stderr)


def escape(letter: str) -> str:
    r"""One character as a Python literal has it; a surrogate that stands for a byte as that byte, `\xff`."""
    number = ord(letter)
    if number in _BYTES:
        return f"\\x{number - 0xDC00:02x}"
    return f"\\u{number:04x}" if number in _SURROGATES else letter.encode("unicode_escape").decode()


_tables: dict[str, dict[int, str]] = {}


def _table(kind: str) -> dict[int, str]:
    """What becomes of each hidden character; made when the first one is met."""
    if kind not in _tables:
        hidden = (*_CONTROL, *_BIDIRECTIONAL, *_SEPARATORS, *_SURROGATES)
        as_json = kind == "json"
        table = {number: f"\\u{number:04x}" if as_json else escape(chr(number)) for number in hidden}
        if kind == "lines":
            del table[ord("\n")], table[ord("\t")]
        _tables[kind] = table
    return _tables[kind]
