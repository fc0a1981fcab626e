"""ns-2's classes: those of the registry become Tcl's when a script first names them."""

from __future__ import annotations

from ackclock.ns2 import catalogue
from ackclock.ns2.counts import Count
from ackclock.ns2.crossing import Crossing
from ackclock.ns2.peers import REGISTRY, NotYet, TclObject, Vars, load_class, methods_of
from ackclock.ns2.words import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class Classes(Crossing):
    """The classes of the registry, their methods as Tcl calls them, their variables."""

    def __init__(self, registry: dict[str, type[TclObject]] | None, *, safe: bool) -> None:
        super().__init__(safe=safe)
        self.registry = REGISTRY if registry is None else registry
        #: every object by its handle
        self._peers: dict[str, TclObject] = {}
        self._defined: set[str] = set()
        #: classes whose subclasses are all defined
        self._with_all_subclasses: set[str] = set()
        #: library class -> its bound variables, inherited ones included, with their types
        self._bound: dict[str, dict[str, str]] = {}
        #: Tcl command -> the function behind it
        self._functions: dict[str, Callable[..., Any]] = {}
        self._class_vars: dict[str, Vars] = {}
        self._counts: dict[tuple[str, str], Count] = {}
        #: what the library has worked out once for all objects of a class, until a class variable changes
        self.worked_out: dict[Any, Any] = {}
        commands: dict[str, Callable[..., Any]] = {
            "py_class": self._define,
            "py_names": catalogue.names,
            "py_subclasses": self._define_subclasses,
            "py_method": self._method,
            "py_missing": self._missing,
        }
        for name, function in commands.items():
            self.command(f"::otcl::{name}", function)

    # --- class variables ---

    def of_class(self, class_name: str) -> Vars:
        """The class variables of a library class."""
        found = self._class_vars.get(class_name)
        if found is None:
            found = self._class_vars[class_name] = Vars(self, class_name)  # type: ignore[arg-type]
            self.tcl("::otcl::is_class", class_name)
            found.lives_in(str(self.tk.call("set", f"::otcl::ns({class_name})")))
        return found

    def class_value(self, class_name: str, name: str) -> str:
        """A class variable of a library class that only scripts change, remembered until they do."""
        key = class_name, name
        value = self.worked_out.get(key)
        if value is None:
            found = self.of_class(class_name)
            self.tk.call("::otcl::watch", found.path(name))
            value = self.worked_out[key] = found[name]
        text: str = value
        return text

    def types_of(self, class_name: str) -> dict[str, str]:
        """The bound variables of a library class with their types."""
        return self._bound[class_name]

    def count(self, class_name: str, name: str) -> Count:
        """A class variable that counts what was made."""
        key = class_name, name
        found = self._counts.get(key)
        if found is None:
            found = self._counts[key] = Count(self, class_name, name)  # type: ignore[arg-type]
        return found

    # --- definitions ---

    def _define(self, name: str) -> bool:
        """Define the library class `name` if there is one of that name."""
        if name in self._defined:
            return False
        load_class(name)
        entry = catalogue.lookup(name)
        cls = self.registry.get(name)
        if entry is None and cls is None:
            return False
        self._defined.add(name)
        own_parent = cls.ns2_parent if cls is not None else None
        parents = [own_parent] if own_parent else entry.parents if entry else ["SplitObject"]
        for parent in parents:
            if parent not in self._defined:
                self._define(parent)
        defaults: list[str] = []
        types: dict[str, str] = {}
        for parent in parents:
            types.update(self._bound.get(parent, {}))
        if entry is not None:
            types.update(entry.types)
            for pair in entry.defaults.items():
                defaults.extend(pair)
        if cls is not None:
            for variable, described in cls.ns2_bound.items():
                types[variable], _, default = described.partition("=")
                if default:
                    defaults += [variable, default]
        self._bound[name] = types
        methods: list[str] = []
        answers: list[str | tuple[str, str]] = []
        bound: list[str] = []
        if cls is not None:
            for ns2_name, function in methods_of(cls).items():
                command = f"::otcl::m::{name} {ns2_name}"
                self._functions[command] = function
                methods += (ns2_name, "1")
                answers += (f"{name},{ns2_name}", ("py", command))
            bound += [word for pair in types.items() for word in pair]
        self.tk.call("::otcl::library", name, parents, int(cls is not None), methods, answers, defaults, bound)
        if cls is not None:
            cls.declared(self)  # type: ignore[arg-type]
        return True

    def _method(self, command: str) -> None:
        self.tk.createcommand(command, self._for_tcl(command, self._functions[command]))

    def answered_by(self, class_name: str, commands: Mapping[str, Callable[..., Any]]) -> None:
        """Native code answers Tcl's calls of these methods."""
        for name, command in commands.items():
            self.tk.createcommand(f"::otcl::m::{class_name} {name}", command)

    def answer_to_tcl(self, class_name: str, name: str) -> Callable[..., Any]:
        """How Python answers Tcl's calls of a method."""
        command = f"::otcl::m::{class_name} {name}"
        return self._for_tcl(command, self._functions[command])

    def _for_tcl(self, command: str, function: Callable[..., Any]) -> Callable[..., Any]:
        peers = self._peers

        def run(handle: str, *args: str) -> Any:
            if self._abort is not None:
                raise self._abort
            try:
                value = function(peers[handle], *args)
                return value if type(value) is str else text(value)
            except BaseException as error:
                name = f"{handle} {command.rpartition(' ')[2]}"
                self._fail(error, name, function, (handle, *args))
                raise

        return run

    def _define_subclasses(self, name: str) -> None:
        if name in self._with_all_subclasses:
            return
        self._with_all_subclasses.add(name)
        for sub in catalogue.names():
            if sub not in self._defined and name in catalogue.ancestry(sub):
                self._define(sub)

    def _missing(self, class_name: str) -> None:
        raise NotYet(f"ns-2 has {class_name}; ackclock does not have it yet")
