"""Between Python's values and Tcl's words."""

from __future__ import annotations

from ackclock.ns2.otcl.values import double_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def result(value: Any) -> str:
    """What a Tcl command gave, as text."""
    return value if isinstance(value, str) else str(value)


def text(value: object) -> Any:
    """What a Tcl command is given or gives back for a Python value."""
    kind = type(value)
    if kind is str:
        return value
    if kind is float:
        return double_text(value)  # type: ignore[arg-type]
    if value is None:
        return ""
    if kind is bool:
        return "1" if value else "0"
    if isinstance(value, (list, tuple)):
        return tuple([text(item) for item in value])
    return str(value)


def wrong_args(name: str, function: Callable[..., Any], args: Iterable[object]) -> str:
    """Tcl's message for a wrong number of arguments, or "" if that is not what is wrong."""
    import inspect

    signature = inspect.signature(function)
    try:
        signature.bind(*args)
    except TypeError:
        words = [name]
        for parameter in signature.parameters.values():
            if parameter.name == "self":
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                words.append("?arg ...?")
            elif parameter.default is not parameter.empty:
                words.append(f"?{parameter.name}?")
            else:
                words.append(parameter.name)
        return f'wrong # args: should be "{" ".join(words)}"'
    return ""
