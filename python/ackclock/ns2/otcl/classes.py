"""ns-2's classes: those of the registry become Tcl's when a script first names them."""

from __future__ import annotations

from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.tcl_object import REGISTRY, NotYet, TclObject, Vars, load_class, methods_of
from ackclock.ns2.otcl.counts import Count
from ackclock.ns2.otcl.tcl_bridge import TclBridge
from ackclock.ns2.otcl.tcl_convert import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any


class Known:
    """A class of ns-2 as Python knows it; Tcl does not, before a script names it or one of its objects is woken."""

    __slots__ = ("asked", "made_from", "methods", "name", "parents", "types", "values")

    def __init__(self, name: str, parents: list[str], made_from: type[TclObject] | None) -> None:
        self.name = name
        self.parents = parents
        #: None for a class that ns-2 has and ackclock does not
        self.made_from = made_from
        #: its own methods
        self.methods = methods_of(made_from) if made_from is not None else {}
        #: bound variables of its objects, inherited ones included, with their types
        self.types: dict[str, str] = {}
        #: its own class variables with their values
        self.values: dict[str, str] = {}
        #: class variables that it was asked for while Tcl did not know it: Tcl is to tell when one of them changes
        self.asked: set[str] = set()


class Classes(TclBridge):
    """The classes of the registry, their methods as Tcl calls them, their variables."""

    def __init__(self, registry: dict[str, type[TclObject]] | None, *, safe: bool) -> None:
        super().__init__(safe=safe)
        self.registry = REGISTRY if registry is None else registry
        #: every object by its handle
        self._peers: dict[str, TclObject] = {}
        #: classes of the library
        self._known: dict[str, Known] = {}
        #: classes that Tcl knows, and scripts may have changed
        self._defined: set[str] = set()
        #: classes whose subclasses are all defined
        self._with_all_subclasses: set[str] = set()
        #: Tcl command -> the function behind it
        self._functions: dict[str, Callable[..., Any]] = {}
        self._class_vars: dict[str, Vars] = {}
        self._counts: dict[tuple[str, str], Count] = {}
        #: what the library has worked out once for all objects of a class, until a class variable changes
        self.defaults_cache: dict[Any, Any] = {}
        commands: dict[str, Callable[..., Any]] = {
            "py_class": self._define,
            "py_names": catalogue.names,
            "py_subclasses": self._define_subclasses,
            "py_scripts_own": self._is_scripts_own,
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
            self._define(class_name)
            found.lives_in(str(self.tk.call("set", f"::otcl::ns({class_name})")))
        return found

    def class_value(self, class_name: str, name: str) -> str:
        """A class variable of a library class that only scripts change, remembered until they do."""
        key = class_name, name
        value = self.defaults_cache.get(key)
        if value is None:
            unmaterialized = self._unmaterialized(class_name)
            if unmaterialized is not None and name in unmaterialized.values:
                unmaterialized.asked.add(name)
                value = unmaterialized.values[name]
            else:
                found = self.of_class(class_name)
                self.tk.call("::otcl::watch", found.path(name))
                value = found[name]
            self.defaults_cache[key] = value
        text: str = value
        return text

    def nearest_values(self, class_name: str, variables: Iterable[str]) -> dict[str, str]:
        """The nearest class variable's value each, from this class up, of those that there are."""
        unmaterialized, above = self.unmaterialized_from(class_name)
        found: dict[str, str] = {}
        left = list(variables)
        for known in unmaterialized:
            known.asked.update(left)
            found.update((name, known.values[name]) for name in left if name in known.values)
            left = [name for name in left if name not in found]
        if left:
            words = self.split(str(self.tk.call("::otcl::first_values", above, left)))
            found.update(zip(words[::2], words[1::2], strict=True))
        return {name: found[name] for name in variables if name in found}

    def types_of(self, class_name: str) -> dict[str, str]:
        """The bound variables of a library class with their types."""
        return self._known[class_name].types

    def count(self, class_name: str, name: str) -> Count:
        """A class variable that counts what was made."""
        key = class_name, name
        found = self._counts.get(key)
        if found is None:
            found = self._counts[key] = Count(self)  # type: ignore[arg-type]
            unmaterialized = self._unmaterialized(class_name)
            if unmaterialized is not None:
                found.set(int(unmaterialized.values[name]))
            else:
                self._show_count(found, class_name, name)
        return found

    def _show_count(self, count: Count, class_name: str, name: str) -> None:
        count.show(self.of_class(class_name).path(name), f"::otcl::count {class_name} {name}")

    # --- what Python knows of classes ---

    def know(self, name: str) -> Known | None:
        """The library class of this name; None if there is none, or the script has made one in its place."""
        known = self._known.get(name)
        if known is not None or name in self._defined:
            return known
        load_class(name)
        entry = catalogue.lookup(name)
        cls = self.registry.get(name)
        if entry is None and cls is None:
            return None
        own_parent = cls.ns2_parent if cls is not None else None
        parents = [own_parent] if own_parent else entry.parents if entry else ["SplitObject"]
        known = self._known[name] = Known(name, parents, cls)
        for parent in parents:
            above = self.know(parent)
            if above is not None:
                known.types.update(above.types)
        if entry is not None:
            known.types.update(entry.types)
            known.values.update(entry.defaults)
        if cls is not None:
            for variable, described in cls.ns2_bound.items():
                known.types[variable], _, default = described.partition("=")
                if default:
                    known.values[variable] = default
        if len(parents) > 1:
            # In which order its methods are found is Tcl's to say.
            self._define(name)
        return known

    def _unmaterialized(self, class_name: str) -> Known | None:
        known = self.know(class_name)
        return None if class_name in self._defined else known

    def unmaterialized_from(self, class_name: str) -> tuple[list[Known], str]:
        """The classes from this one up that Tcl does not know, so that no script has changed them; the next it does."""
        found = []
        while (known := self._unmaterialized(class_name)) is not None:
            found.append(known)
            class_name = known.parents[0]
        return found, class_name

    # --- what Tcl knows of them ---

    def _define(self, name: str) -> bool:
        """Tell Tcl of the library class `name`; whether there is one of that name that it did not know."""
        if name in self._defined:
            return False
        known = self.know(name)
        if known is None:
            return False
        if name in self._defined:
            return True  # `know` told Tcl of it
        self._defined.add(name)
        for parent in known.parents:
            self._define(parent)
        methods: list[str] = []
        answers: list[str | tuple[str, str]] = []
        for ns2_name, function in known.methods.items():
            command = f"::otcl::m::{name} {ns2_name}"
            self._functions[command] = function
            methods += (ns2_name, "1")
            answers += (f"{name},{ns2_name}", ("py", command))
        is_there = known.made_from is not None
        values = [word for pair in known.values.items() for word in pair]
        types = [word for pair in known.types.items() for word in pair] if is_there else []
        asked = list(known.asked)
        late = [word for variable in catalogue.bound_late(name) & known.types.keys() for word in (variable, "1")]
        self.tk.call(
            "::otcl::library", name, known.parents, int(is_there), methods, answers, values, types, asked, late
        )
        for (class_name, variable), count in self._counts.items():
            if class_name == name:
                self._show_count(count, class_name, variable)
        if known.made_from is not None:
            known.made_from.declared(self)  # type: ignore[arg-type]
        return True

    def _is_scripts_own(self, name: str) -> None:
        """The script makes a class of this name."""
        if name in self._known:
            self._define(name)
        self._defined.add(name)

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
