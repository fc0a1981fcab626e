"""Bound variables: the text a script writes and reads, and the number the engine holds.

ns-2's layer between OTcl and C++ has one class of variable for each type. What each of them takes and
gives back was found by writing to variables of the real program and reading them again:

========== ============================================= =======================
type       takes                                         reads back as
========== ============================================= =======================
int        a C integer, 0x and 0 prefixes, 32 bits wrap  ``%d``
double     what C's strtod takes                         ``%.17g``
bool       a leading t or T, or digits (kept as they are) ``%d``
bandwidth  ``1.5Mb``, ``10kB`` (bytes), ``1G``           ``%.17g``
time       ``10ms``, ``1us``                             ``%.17g``
========== ============================================= =======================

A traced double reads back as ``%g``. Text behind the number is dropped, as there. For text without any number, which
ns-2 takes for 0 or false, the functions raise `ValueError`: whoever calls them warns the script's author.
"""

from __future__ import annotations

from ackclock._native import format_g

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match
    from typing import TypeVar

    V = TypeVar("V")

_INT = r"\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)"
_DOUBLE = r"(?i)\s*[+-]?(?:0[xX][0-9a-fA-F]+|inf(?:inity)?|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_DIGITS = r"[0-9]+"
_DECIMAL = r"\s*([+-]?)([0-9]+)"
#: digits that are more than C's long holds
_MOST_DIGITS = 30
#: words that mean to their author what ns-2 takes them for
_FALSE = {"false", "f", "no", "n", "off"}
_BANDWIDTH = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
_TIME = {"m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12}

#: texts whose meaning is remembered
_MOST_TEXTS = 1000


def remembered(function: Callable[[str], V]) -> Callable[[str], V]:
    """Work out what a text means once, and not again for each object. (To load `functools` is a tenth of a start.)"""
    known: dict[str, V] = {}

    def asked(text: str) -> V:
        try:
            return known[text]
        except KeyError:
            if len(known) >= _MOST_TEXTS:
                known.clear()
            value = known[text] = function(text)
            return value

    return asked


@remembered
def _matching(pattern: str) -> Callable[[str], Match[str] | None]:
    import re

    return re.compile(pattern).match


def parse_int(text: str) -> int:
    """C's strtol with base 0, kept to 32 bits."""
    digits = text[1:] if text[:1] == "-" else text
    if digits.isdecimal() and digits.isascii() and (digits[0] != "0" or digits == "0") and len(digits) < 10:
        return int(text)
    if digits[:2] == "0x" and len(digits) > 2 and not digits[2:].strip("0123456789abcdef"):
        return as_c_int(int(text, 16))
    match = _matching(_INT)(text)
    if match is None:
        raise ValueError(text)
    sign, digits = match.groups()
    if digits[:2] in ("0x", "0X"):
        value = int(digits, 16)
    elif digits[0] == "0" and len(digits) > 1:
        value = _counted(digits, 8)
    else:
        value = _counted(digits)
    value = -value if sign == "-" else value
    return as_c_int(value)


def parse_decimal(text: str) -> int:
    """C's atoi, but not kept to 32 bits. `ValueError` for a text without a number."""
    digits = text[1:] if text[:1] == "-" else text
    if digits.isdecimal() and digits.isascii() and len(digits) < _MOST_DIGITS:
        return int(text)
    match = _matching(_DECIMAL)(text)
    if match is None:
        raise ValueError(text)
    sign, digits = match.groups()
    value = _counted(digits)
    return -value if sign == "-" else value


def _counted(digits: str, base: int = 10) -> int:
    """The number that digits are. Python refuses thousands of them; more than 30 are past C's long in any case."""
    digits = digits.lstrip("0")
    return int(digits or "0", base) if len(digits) < _MOST_DIGITS else 2**64


def as_c_int(value: int) -> int:
    """What C's long makes of a number, and an int of that."""
    value = max(-(2**63), min(2**63 - 1, value))
    return (value + 2**31) % 2**32 - 2**31


def parse_double(text: str) -> float:
    """C's strtod."""
    plain = _plain(text)
    if plain is not None:
        return plain
    match = _matching(_DOUBLE)(text)
    if match is None:
        raise ValueError(text)
    number = match.group()
    if "x" not in number.lower():
        return float(number)
    try:
        return float(int(number, 16))
    except OverflowError:
        return float("-inf" if "-" in number else "inf")


def _plain(text: str) -> float | None:
    """A number in no other letters than a number's; None where it takes a closer look."""
    if text.strip("0123456789.+-eE"):
        return None
    try:
        return float(text)
    except ValueError:
        return None


def parse_bool(text: str) -> int:
    """1 for a leading t, else the leading digits."""
    if text[:1] in ("t", "T"):
        return 1
    if text in ("0", "1", "false"):
        return int(text == "1")
    if "0" <= text[:1] <= "9":
        digits = _matching(_DIGITS)(text)
        assert digits is not None
        return as_c_int(_counted(digits.group()))
    if text.lower() not in _FALSE:
        raise ValueError(text)
    return 0


def _number_and_unit(text: str) -> tuple[float, str]:
    unit = text.lstrip("0123456789+-.e")
    span = text[: len(text) - len(unit)]
    plain = _plain(span)
    if plain is not None:
        return plain, unit
    number = _matching(_DOUBLE)(span)
    if number is None:
        if not any(c.isdigit() for c in span):
            raise ValueError(text)
        return 0.0, ""
    return float(number.group()), unit


@remembered
def parse_bandwidth(text: str) -> float:
    """Bits per second: k, M, G, T, P in either case, then B for bytes."""
    number, unit = _number_and_unit(text)
    factor = _BANDWIDTH.get(unit[:1].lower())
    if factor is None:
        return number
    number *= factor
    return number * 8 if unit[1:2] == "B" else number


@remembered
def parse_time(text: str) -> float:
    """Seconds: m, u, n, p; anything else is seconds. Units multiply, as in ns-2."""
    number, unit = _number_and_unit(text)
    return number * _TIME.get(unit[:1], 1.0)


def double_text(value: float) -> str:
    """How ns-2 shows a double: all 17 digits."""
    return format_g(value, 17)  # a third of the time of Python's own


def traced_text(value: float) -> str:
    """How ns-2 shows a traced double: six digits."""
    return f"{value:g}"


def int_text(value: float) -> str:
    """How ns-2 shows an integer."""
    return str(int(value))


def unsigned_text(value: float) -> str:
    """How ns-2 shows an integer without a sign."""
    return str(int(value) % 2**32)


#: type -> (from text, to text)
TYPES: dict[str, tuple[Callable[[str], float], Callable[[float], str]]] = {
    "int": (parse_int, int_text),
    "unsigned": (parse_int, unsigned_text),
    "traced_int": (parse_int, int_text),
    "bool": (parse_bool, int_text),
    "double": (parse_double, double_text),
    "traced_double": (parse_double, traced_text),
    "bandwidth": (parse_bandwidth, double_text),
    "time": (parse_time, double_text),
}
