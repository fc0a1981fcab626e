"""Classes of the user's own: their names, where they are, their parameters, their objects."""

from __future__ import annotations

import contextlib
import importlib
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ackclock.plugins.code import PluginCode, source_sha256

Parameter = bool | int | float

T = TypeVar("T")


class OwnError(ValueError):
    """A class of the user's own that cannot be found or instantiated."""


class StoredName(str):
    """A class name (`module:Class`) that was read from a stored run. `find` refuses to import its module.

    It is a `str` everywhere else, so it survives copies of a description and changes of its other keys.
    """

    __slots__ = ()


@dataclass
class Own:
    """A class and the values of its parameters."""

    cls: type[Any]
    parameters: dict[str, Parameter] = field(default_factory=dict)
    #: false where the class was not imported and what it is made from stands for it
    is_there: bool = True
    #: the objects that were made for a run
    made: list[Any] = field(default_factory=list)

    def make(self, name: str, seed: str) -> Any:
        """An object for the flow or link called `name`. `OwnError` if the class cannot be instantiated without
        arguments.

        Its random numbers follow from the text `seed`, which Python hashes with SHA-512.
        """
        from random import Random

        try:
            made = self.cls()
        except TypeError as error:
            raise OwnError(f"{name_of(self.cls)} must be made without arguments: {error}") from error
        made.name, made.random = name, Random(seed)
        for parameter, value in self.parameters.items():
            setattr(made, parameter, value)
        self.made.append(made)
        return made


def is_name(text: str) -> bool:
    """Whether a scenario names a class so: `module:Class`."""
    return ":" in text


def name_of(cls: type) -> str:
    """`module:Class`."""
    return f"{cls.__module__}:{cls.__qualname__}"


def parameters(cls: type) -> dict[str, Parameter]:
    """The parameters of a class and their defaults: attributes that are numbers or flags."""
    found: dict[str, Parameter] = {}
    for one in reversed(cls.__mro__):
        for name, value in vars(one).items():
            if isinstance(value, (bool, int, float)) and not name.startswith("_"):
                found[name] = value
    return found


def find(name: str, base: type[T], beside: Path | None = None) -> type[T]:
    """The class called `module:Class`; its module is imported, from the folder `beside` first.

    `name` is that text, `base` the class that it must be a subclass of. Raises `OwnError` if there is no such class, if
    it is not a subclass of `base`, and for a `StoredName`. Exceptions of the module itself pass through.
    """
    if isinstance(name, StoredName):
        raise OwnError(
            "a stored run names this code, so it is not imported; `ackclock run FOLDER --allow-code` or"
            " ackclock.open(FOLDER, allow_code=True) allows it"
        )
    module_name, _, class_name = name.partition(":")
    module = _module(module_name, beside)
    found: Any = module
    for part in class_name.split("."):
        found = getattr(found, part, None)
    if not (isinstance(found, type) and issubclass(found, base)):
        what = (
            "has no such class" if found is None else f"has this, but it is not a class derived from ac.{base.__name__}"
        )
        raise OwnError(f"{getattr(module, '__file__', None) or module_name} {what}")
    return found


def _module(name: str, beside: Path | None) -> Any:
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:
        # A file of this name would take its place for all that imports it later.
        with contextlib.suppress(ImportError):
            importlib.import_module(top)
    if beside:
        sys.path.insert(0, str(beside))
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        where = f" beside {beside.resolve()}" if beside else ""
        raise OwnError(f"no module {name}{where}; expected module:Class, the module's file {name}.py") from None
    except ValueError:
        raise OwnError("expected module:Class") from None
    finally:
        if beside:
            sys.path.remove(str(beside))
    file = beside / f"{name.replace('.', '/')}.py" if beside else None
    loaded = getattr(module, "__file__", None)
    if file is not None and file.is_file() and (loaded is None or not file.samefile(loaded)):
        raise OwnError(f"{file} cannot be used: another module {name} is loaded, {loaded}; give the file another name")
    return module


def digests(classes: list[type[PluginCode]]) -> list[dict[str, str | None]]:
    """What results say of the classes of a run: `class` and `source_sha256`, each class once."""
    unique = {name_of(cls): cls for cls in classes}
    return [{"class": name, "source_sha256": source_sha256(cls)} for name, cls in unique.items()]
