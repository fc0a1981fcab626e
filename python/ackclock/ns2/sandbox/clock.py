"""Tcl's `clock` for a script that is not trusted.

Tcl's own takes abbreviated subcommands, and reads files whose names follow from a locale or a time zone. Here is what
scripts need of it, in Python: `seconds`, `clicks`, `milliseconds`, `microseconds`, and `format` with `-format` and
`-gmt`, each by its full name. Source: Tcl 8.6's clock(n), for the locale C.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from ackclock.ns2.bindings.tcl_object import NsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
#: What `clock format` gives without `-format`.
_USUAL = "%a %b %d %H:%M:%S %Z %Y"
#: The years that `clock format` takes here: all that any system's time functions take.
_FIRST_S, _LAST_S = -62_135_596_800, 253_402_300_799
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
#: Letters that may follow %E and %O, a locale's own eras and digits. C has the usual ones, digits in pairs.
_OTHER_ERAS, _OTHER_DIGITS = frozenset("cCxXyY"), frozenset("deHIklmMSuwy")
#: Characters of a result; `%c` and the like make a format grow.
_MAX_LENGTH = 1 << 20


def clock(what: str = "", *args: str) -> str | int:
    """The result of the Tcl command. `NsError` for what is not among the above."""
    if what == "format":
        return _format(*args)
    if what in ("seconds", "milliseconds", "microseconds") and not args:
        return time.time_ns() // {"seconds": 1_000_000_000, "milliseconds": 1_000_000, "microseconds": 1_000}[what]
    if what == "clicks" and args in ((), ("-microseconds",), ("-milliseconds",)):
        return time.time_ns() // (1_000_000 if args == ("-milliseconds",) else 1_000)
    raise NsError(
        "of clock a script may use seconds, clicks, milliseconds, microseconds, and format with -format and -gmt"
        " (--safe)"
    )


def _format(number: str = "", *options: str) -> str:
    try:
        at_s = int(number)
    except ValueError:
        raise NsError(f'expected integer but got "{number[:40]}"') from None
    if not _FIRST_S <= at_s <= _LAST_S:
        raise NsError(f"clock format {at_s}: expected a time in the years 1 to 9999")
    template, gmt = _USUAL, False
    if len(options) % 2:
        raise NsError('wrong # args: should be "clock format clockval ?-format string? ?-gmt boolean?"')
    for option, value in zip(options[::2], options[1::2], strict=True):
        if option == "-format":
            template = value
        elif option == "-gmt" and value.lower() in (*_TRUE, *_FALSE):
            gmt = value.lower() in _TRUE
        else:
            raise NsError(f"clock format takes -format and -gmt with a boolean here, not {option[:40]} {value[:40]}")
    t = time.gmtime(at_s) if gmt else time.localtime(at_s)
    if len(template) > _MAX_LENGTH:
        raise NsError(f"clock format: the format has more than {_MAX_LENGTH} characters")
    return _filled(template, _Moment(t, at_s, "GMT" if gmt else t.tm_zone))


class _Moment(NamedTuple):
    """A time as a calendar has it and in seconds since 1970, and the name of its zone."""

    t: time.struct_time
    at_s: int
    zone: str


def _filled(template: str, moment: _Moment) -> str:
    parts = template.split("%")
    found = [parts[0]]
    rest = iter(parts[1:])
    for part in rest:
        if not part:
            # %% is a percent sign; a % at the end stays.
            following = next(rest, None)
            found.append("%" if following is None else f"%{following}")
            continue
        letter, after = part[0], part[1:]
        digits = letter == "O" and after[:1] in _OTHER_DIGITS
        if after and (digits or (letter == "E" and after[0] in _OTHER_ERAS)):
            letter, after = after[0], after[1:]
        field = _FIELDS.get(letter)
        value = field(moment) if field is not None else f"%{letter}"
        found.append((value.strip().zfill(2) if digits else value) + after)
    return "".join(found)


def _hour12(t: time.struct_time) -> int:
    return (t.tm_hour + 11) % 12 + 1


def _offset(t: time.struct_time) -> str:
    minutes = abs(t.tm_gmtoff) // 60
    return f"{'-' if t.tm_gmtoff < 0 else '+'}{minutes // 60:02d}{minutes % 60:02d}"


def _strftime(directive: str) -> Callable[[_Moment], str]:
    return lambda moment: time.strftime(directive, moment.t)


def _of(template: str) -> Callable[[_Moment], str]:
    return lambda moment: _filled(template, moment)


#: Each letter of a format, by what it gives.
_FIELDS: dict[str, Callable[[_Moment], str]] = {
    "a": lambda m: _DAYS[(m.t.tm_wday + 1) % 7][:3],
    "A": lambda m: _DAYS[(m.t.tm_wday + 1) % 7],
    "b": lambda m: _MONTHS[m.t.tm_mon - 1][:3],
    "B": lambda m: _MONTHS[m.t.tm_mon - 1],
    "c": _of("%a %b %e %H:%M:%S %Y"),
    "C": lambda m: f"{m.t.tm_year // 100:02d}",
    "d": lambda m: f"{m.t.tm_mday:02d}",
    "D": _of("%m/%d/%Y"),
    "e": lambda m: f"{m.t.tm_mday:2d}",
    "g": _strftime("%g"),
    "G": _strftime("%G"),
    "h": lambda m: _MONTHS[m.t.tm_mon - 1][:3],
    "H": lambda m: f"{m.t.tm_hour:02d}",
    "I": lambda m: f"{_hour12(m.t):02d}",
    "j": lambda m: f"{m.t.tm_yday:03d}",
    "J": lambda m: f"{(m.at_s + m.t.tm_gmtoff) // 86_400 + 2_440_588:07d}",
    "k": lambda m: f"{m.t.tm_hour:2d}",
    "l": lambda m: f"{_hour12(m.t):2d}",
    "m": lambda m: f"{m.t.tm_mon:02d}",
    "M": lambda m: f"{m.t.tm_min:02d}",
    "n": lambda _: "\n",
    "N": lambda m: f"{m.t.tm_mon:2d}",
    "p": lambda m: "AM" if m.t.tm_hour < 12 else "PM",
    "P": lambda m: "am" if m.t.tm_hour < 12 else "pm",
    "r": _of("%I:%M:%S %P"),
    "R": _of("%H:%M"),
    "s": lambda m: str(m.at_s),
    "S": lambda m: f"{m.t.tm_sec:02d}",
    "t": lambda _: "\t",
    "T": _of("%H:%M:%S"),
    "u": lambda m: str(m.t.tm_wday + 1),
    "U": _strftime("%U"),
    "V": _strftime("%V"),
    "w": lambda m: str((m.t.tm_wday + 1) % 7),
    "W": _strftime("%W"),
    "x": _of("%m/%d/%Y"),
    "X": _of("%H:%M:%S"),
    "y": lambda m: f"{m.t.tm_year % 100:02d}",
    "Y": lambda m: str(m.t.tm_year),
    "z": lambda m: _offset(m.t),
    "Z": lambda m: m.zone,
    "+": _of("%a %b %e %H:%M:%S %Z %Y"),
}
