"""Typed descriptions: dataclasses whose fields are checked as they are made, from Python or from tables of a file.

A field's annotation says all: a text with a unit (`Rate`, `Time`, ...), a word, a number, a list, another description,
or one of several that differ in `kind`. Reading, checking and the JSON Schema all go by it.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    NoReturn,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    from typing_extensions import Self

from ackclock.plugins.classes import name_of
from ackclock.scenario.errors import RenamedError, ScenarioError, nearest
from ackclock.scenario.units import CHECKS

#: A text with a unit: the metadata names the kind of quantity.
Rate = Annotated[str, "rate"]
Time = Annotated[str, "time"]
Size = Annotated[str, "size"]
AmountText = Annotated[str, "amount"]
Data = Annotated[str, "data"]
Window = Annotated[str, "window"]

#: Engine parameters by name; those that have a unit are texts.
Parameters = dict[str, bool | int | float | str]

#: The engine's whole numbers have 64 bits with their sign.
WHOLE_NUMBERS = range(-(2**63), 2**63)

T = TypeVar("T", bound="Described")


class Described:
    """A part of a description. Fields are keyword arguments; a wrong one raises `ScenarioError`."""

    #: keys that older versions had, and what they are called now
    renamed: ClassVar[Mapping[str, str]] = {}

    #: keys of other parts that are written here by mistake, and where they belong
    belongs: ClassVar[Mapping[str, str]] = {}

    #: the field that a bare word stands for: `queue = "red"` is `queue = { kind = "red" }`
    short: ClassVar[str] = ""

    def __new__(cls, *values: Any, **fields: Any) -> Self:
        # Python's own TypeError for an unknown argument knows neither the nearest name nor what a name has become.
        for name in fields:
            if name not in hints(cls):
                cls._refuse(name)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        given = self.__dict__  # not through setattr: the class is frozen for all others
        for name, converted, default in _fields_of(type(self)).converters:
            value = given[name]
            if value is default:
                continue
            try:
                given[name] = converted(value)
            except ScenarioError as error:
                raise error.under(name) from None
        self.check()

    def check(self) -> None:
        """What no single field can say."""

    @classmethod
    def of(cls: type[T], table: Mapping[str, Any]) -> T:
        """The description that a table of a file or of a saved run holds."""
        known = hints(cls)
        extra = {"kind"} if "kind" in cls.__dict__ and "kind" not in known else set()
        for key in table:
            if key in cls.renamed or (key not in known and key not in extra):
                cls._refuse(key)
        missing = [name for name in _fields_of(cls).required if name not in table]
        if missing:
            raise ScenarioError(f"the key is missing; {cls.__name__} needs it", key=missing[0])
        return cls(**{key: value for key, value in table.items() if key in known})

    @classmethod
    def _refuse(cls, key: str) -> NoReturn:
        if key in cls.renamed:
            raise RenamedError(f"renamed; the key is now {cls.renamed[key]}", key=key)
        if key in cls.belongs:
            raise ScenarioError(f"unknown key here; {cls.belongs[key]}", key=key)
        known = hints(cls)
        raise ScenarioError(f"unknown key; expected one of {', '.join(known)}", key=key, nearest=nearest(key, known))

    def table(self) -> dict[str, Any]:
        """The description as plain values, every field included, `None` left out."""
        kind = getattr(type(self), "kind", None)
        own = {"kind": kind} if isinstance(kind, str) and "kind" not in hints(type(self)) else {}
        for name in hints(type(self)):
            value = plain(getattr(self, name))
            if value is not None:
                own[name] = value
        return own


def plain(value: Any) -> Any:
    """A value of a description without its types."""
    if isinstance(value, Described):
        return value.table()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, type):
        return name_of(value)
    return value


class _Fields(NamedTuple):
    """What there is to know of a description's fields: annotations and converters by name, names of those required."""

    hints: dict[str, Any]
    #: name, converter, and the default that needs none
    converters: tuple[tuple[str, Callable[[Any], Any], Any], ...]
    required: tuple[str, ...]


_fields: dict[type[Described], _Fields] = {}


def _fields_of(cls: type[Described]) -> _Fields:
    if cls not in _fields:
        found, own = get_type_hints(cls, include_extras=True), dataclasses.fields(cls)  # type: ignore[arg-type]
        hints, missing = {field.name: found[field.name] for field in own}, dataclasses.MISSING
        defaults = {field.name: field.default for field in own}
        converters = tuple(
            (name, convert, defaults[name] if _is_itself(defaults[name], convert) else missing)
            for name, convert in ((name, converter(annotation)) for name, annotation in hints.items())
        )
        required = (field.name for field in own if field.default is missing and field.default_factory is missing)
        _fields[cls] = _Fields(hints, converters, tuple(required))
    return _fields[cls]


def _is_itself(default: Any, convert: Callable[[Any], Any]) -> bool:
    """Whether a field's default needs no conversion: a plain value that is right as it is."""
    try:
        return isinstance(default, (str, int, float, bool, type(None))) and convert(default) is default
    except ScenarioError:
        return False


def hints(cls: type[Described]) -> dict[str, Any]:
    """Annotations of a description's fields, in order."""
    return _fields_of(cls).hints


@cache
def options(annotation: Any) -> tuple[Any, ...]:
    """What a union allows; the annotation itself where it is none."""
    if get_origin(annotation) in (Union, types.UnionType):
        return get_args(annotation)
    return (annotation,)


@cache
def described(annotation: Any) -> tuple[type[Described], ...]:
    """The descriptions among what an annotation allows."""
    return tuple(cls for cls in options(annotation) if isinstance(cls, type) and issubclass(cls, Described))


@cache
def converter(annotation: Any) -> Callable[[Any], Any]:
    """What gives a value as this annotation wants it: `ScenarioError`, with a path below it, where it cannot be that.

    Made once for each annotation: a sweep makes thousands of descriptions.
    """
    allowed = options(annotation)
    classes, may_be_none = described(annotation), type(None) in allowed
    alternatives = [(option, get_origin(option), get_args(option)) for option in allowed if option is not type(None)]
    if any(origin is Annotated and args[1] == "seed" for _, origin, args in alternatives):
        return lambda seed: seed
    plain_types = [option for option in (str, int, float, bool) if option in allowed]
    checks = [CHECKS[args[1]] for _, origin, args in alternatives if origin is Annotated]
    bases = [args for _, origin, args in alternatives if origin is type]
    item = next((converter(args[0]) for _, origin, args in alternatives if origin is list), None)
    entry = next((converter(args[1]) for _, origin, args in alternatives if origin is dict), None)

    def convert(value: Any) -> Any:
        if value is None and may_be_none:
            return None
        if item is not None and isinstance(value, (list, tuple)):
            return [_under(one, item, index) for index, one in enumerate(value)]
        if classes:
            return _convert_described(value, classes)
        if Any in allowed:
            return value
        if checks and isinstance(value, str):
            checks[0](value)
            return value
        if any(_is_plain(value, option) for option in plain_types):
            return value
        if isinstance(value, type) and any(issubclass(value, base) for base in bases):
            return value
        if entry is not None and isinstance(value, Mapping):
            return {str(key): _under(one, entry, key) for key, one in value.items()}
        if checks:
            checks[0](value)
        raise ScenarioError(f"expected {' or '.join(_name(option) for option, _, _ in alternatives)}", value=value)

    return convert


def convert(value: Any, annotation: Any) -> Any:
    """The value as its annotation wants it. `ScenarioError`, with a path below it, where it cannot be that."""
    return converter(annotation)(value)


def _is_plain(value: Any, option: type) -> bool:
    if isinstance(value, int) and value not in WHOLE_NUMBERS:
        return False
    if option is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")
    if option is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, option)


def _under(value: Any, convert: Callable[[Any], Any], key: str | int) -> Any:
    try:
        return convert(value)
    except ScenarioError as error:
        raise error.under(key) from None


def _name(option: Any) -> str:
    if get_origin(option) is list:
        return f"a list ({_name(get_args(option)[0])})"
    if get_origin(option) is dict:
        return "a table"
    if get_origin(option) is type:
        return f"a class derived from ac.{get_args(option)[0].__name__}"
    names = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
    return names.get(option, getattr(option, "__name__", str(option)))


def _convert_described(value: Any, classes: tuple[type[Described], ...]) -> Described:
    if isinstance(value, classes):
        return value
    if isinstance(value, Described):
        names = " or ".join(cls.__name__ for cls in classes)
        raise ScenarioError(f"expected {names}", value=type(value).__name__)
    kinds = {cls.kind: cls for cls in classes if isinstance(getattr(cls, "kind", None), str)}  # type: ignore[attr-defined]
    if len(classes) == 1 and "kind" in hints(classes[0]):
        kinds = {}
    if isinstance(value, (str, type)):
        if kinds:
            value = {"kind": value}
        elif classes[0].short:
            value = {classes[0].short: value}
    if not isinstance(value, Mapping):
        raise ScenarioError(f"expected a table of {classes[0].__name__}", value=value)
    if not kinds:
        return classes[0].of(value)
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        listed = ", ".join(kinds)
        if kind is None:
            raise ScenarioError(f"the key is missing; expected one of {listed}", key="kind")
        raise ScenarioError(f"expected one of {listed}", key="kind", value=kind, nearest=nearest(str(kind), kinds))
    return kinds[kind].of(value)
