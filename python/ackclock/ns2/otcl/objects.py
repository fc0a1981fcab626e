"""How OTcl's objects are made, and what Tcl has of them.

An object of a library class is made here, in Python, and has no Tcl side until the script calls it: of the thirty
objects behind a flow (connectors, classifiers, routing modules ...) a script names six. A call from one object of the
library to another is a call from Python to Python, and instance variables are a dict until Tcl has to reach them. This
holds only where no script has a say: a class whose `init` a script has written is made by Tcl, and a method that a
script has replaced is called there.
"""

from __future__ import annotations

from ackclock._native import LazyObjects
from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.lazy_objects import Plan
from ackclock.ns2.bindings.tcl_object import EXACT_FLAGS, NsError, TclObject, methods_of
from ackclock.ns2.otcl.calls import Calls
from ackclock.ns2.otcl.tcl_bridge import ScriptError
from ackclock.ns2.otcl.tcl_convert import result, wrong_args
from ackclock.ns2.otcl.values import parse_bool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ackclock.ns2.bindings.lazy_objects import Whole
    from ackclock.ns2.otcl.calls import Native


#: what a boolean begins with that may be a number other than 0 and 1
_ODD_DIGITS = tuple("123456789")


class Objects(Calls):
    """Every object made of the registry's classes."""

    def __init__(self, registry: dict[str, type[TclObject]] | None = None, *, safe: bool = False) -> None:
        super().__init__(registry, safe=safe)
        #: objects with names that the script chose -> the number of the last handle before each was made
        self._named: dict[str, int] = {}
        #: class -> library class that its objects are made from, and its init (None: that of the library class itself)
        self._makings: dict[str, tuple[type[TclObject], Native] | None] = {}
        #: class that Tcl knows -> the command that is init for objects of those below it that Tcl does not know
        self._inits: dict[str, str] = {}
        #: class -> first values of the bound variables of its objects, until a class variable changes
        self._first: dict[str, dict[str, str]] = {}
        #: class -> booleans among these that are numbers other than 0 and 1
        self._odd_flags: dict[str, dict[str, float]] = {}
        #: message of ns-2's for a method that no class has -> what is known of it beyond
        self.advice: dict[str, str] = {}
        #: classes that the script has made an object of, and those of whose objects the extension was told, or need not
        #: be told: a second object is the sign of more
        self._met: set[str] = set()
        self._taught: set[str] = set()
        self._functions["oset"] = plain_set
        commands: dict[str, Callable[..., Any]] = {
            "py_handle": self.next_handle,
            "py_materialize": self._materialize,
            "py_flush_variables": self.flush_variables,
            "py_materialize_class": self._materialize_class,
            "py_in_order": self._in_order,
            "py_changed": self._classes_changed,
            "py_stale": self._values_changed,
            "py_own": self._has_its_own,
            "py_alloc": self._alloc,
            "py_create": self._create,
            "py_free": self._free,
            "py_var": self._variable_for_script,
            "py_get": self._get,
            "py_set": self._set,
            "py_command": self._command,
            "py_lacks": self._lacks,
            "py_is_command": self._is_command,
        }
        for name, function in commands.items():
            self.command(f"::otcl::{name}", function)
        for word, otherwise in (("new", self._new_for_script), ("call", self._call_unmaterialized)):
            name = f"::otcl::py_{word}"
            self.tk.createcommand(name, self.lazy_objects.command(word, self.as_command(name, otherwise)))

    # --- parts of other objects ---

    def plan(self, class_name: str, *args: str, init: Native = None) -> Plan | None:
        """How objects of the class begin, if nobody can notice when one is made; None where a script has a say in it.

        `init` is the library's own, for a class that has one.
        """
        making = self._making(class_name)
        if not self.may_defer or making is None or making[1] is not init:
            return None
        bound: dict[str, float] = {}
        if self.types_of(making[0].ns2_name):
            bound, told = self.defaults_cache.get(class_name, (None, None))
            if bound is None or told:
                return None
        return Plan(class_name, making[0], args, bound)

    def parts(self, whole: Whole, *words: tuple[str, ...]) -> list[str]:
        """`new class args` for each of these words, as promised parts of something where that is possible: handles."""
        plans = self.defaults_cache.get(words)
        if plans is None:
            plans = tuple([self.plan(*each) for each in words])
            if None in plans:
                handles = [self.new(*each) for each in words]
                for place, handle in enumerate(handles):
                    whole.finish(self.peer(handle), place)
                return handles
            self.defaults_cache[words] = plans
        return self.lazy_objects.defer(plans, whole)

    # --- changes ---

    def _classes_changed(self) -> None:
        """The script has written a method of a class, or changed what classes inherit."""
        self._answers.clear()
        self._makings.clear()
        self._inits.clear()
        self._class_vars.clear()
        self.lazy_objects.methods_changed()
        self._values_changed()

    def _has_its_own(self, handle: str) -> None:
        """The script has given this object a method of its own, or another class."""
        peer = self.find_peer(handle)
        if peer is not None:
            peer.is_plain = False
        self.lazy_objects.has_its_own(handle)

    # --- making objects ---

    def new(self, class_name: str, *args: object) -> str:
        """`new class_name args`: the handle."""
        words = tuple([word if type(word) is str else self.word(word) for word in args]) if args else ()
        return self._new(class_name, words) or self.tcl("new", class_name, *args)

    def make(self, class_name: str, *args: object) -> Any:
        """`new class_name args`: the Python object."""
        return self.peer(self.new(class_name, *args))

    def _new_for_script(self, class_name: str, *args: str) -> str:
        handle = self._new(class_name, args)
        if handle and self.may_defer and class_name not in self._taught:
            if class_name not in self._met:
                self._met.add(class_name)
            elif self._peers[handle].register_lazy():
                self._taught.add(class_name)
        return handle

    def _new(self, class_name: str, args: tuple[str, ...]) -> str:
        """An object of a class whose making is the library's alone; empty if Tcl has to make it."""
        making = self._making(class_name)
        if making is None:
            return ""
        made_from, init = making
        handle = self.next_handle()
        peer = self._peers[handle] = made_from(self, handle, class_name)  # type: ignore[arg-type]
        try:
            if init is None:
                self._set_up(peer, args)
            else:
                self._run(init, peer, "init", args)
        except ScriptError as error:
            error.message = f"class {class_name}: constructor failed: {error.message}"
            raise
        except self.plain_errors as error:
            raise NsError(f"class {class_name}: constructor failed: {error}") from None
        return handle

    def _making(self, class_name: str) -> tuple[type[TclObject], Native] | None:
        try:
            return self._makings[class_name]
        except KeyError:
            making = self._makings[class_name] = self._find_making(class_name)
            return making

    def _find_making(self, class_name: str) -> tuple[type[TclObject], Native] | None:
        unmaterialized, above = self.unmaterialized_from(class_name.removeprefix("::"))
        if unmaterialized:
            if above not in self._inits:
                self._inits[above] = str(self.tk.call("::otcl::init_of", above))
            made_from, init = unmaterialized[0].made_from, self._inits[above]
            if made_from is None or not init:
                return None
            for known in unmaterialized:
                if "init" in known.methods:
                    return made_from, known.methods["init"]
        else:
            found = self.split(str(self.tk.call("::otcl::making", class_name)))
            if not found:
                return None
            made_from, init = self.registry[found[0]], found[1]
        if init == "::otcl::split_init":
            return made_from, None
        function = self._functions.get(init)
        return None if function is None else (made_from, function)

    def _alloc(self, handle: str, library_class: str, class_name: str) -> None:
        peer = self._peers[handle] = self.registry[library_class](self, handle, class_name)  # type: ignore[arg-type]
        if not LazyObjects.number(handle):
            self._named[handle] = self.lazy_objects.last
        peer.unmaterialized = False
        peer.vars.lives_in(str(self.tk.call("set", f"::otcl::ns({handle})")))

    def _create(self, handle: str, *args: str) -> None:
        self._set_up(self.peer(handle), args)

    def _set_up(self, peer: TclObject, args: tuple[str, ...]) -> None:
        """The end of the chain of init: the engine's object, and its bound variables' first values."""
        home = type(peer).ns2_name
        peer.lives = self.types_of(home)
        try:
            peer.create(*args)
        except TypeError:
            wrong = wrong_args(f"new {peer.class_name}", type(peer).create, (peer, *args))
            if wrong:
                raise NsError(wrong) from None
            raise
        if peer.lives:
            values = self._first_values(peer.class_name, home)
            peer.init_bound(values)
            if peer.class_name in self._odd_flags:
                peer.odd_flags = self._odd_flags[peer.class_name]
                for name in EXACT_FLAGS.intersection(peer.odd_flags):
                    peer.write_bound(name, 0)

    def _first_values(self, class_name: str, home: str) -> dict[str, str]:
        values = self._first.get(class_name)
        if values is None:
            types = self.types_of(home)
            values = self._first[class_name] = self.nearest_values(class_name, types)
            flags = {name: text for name, text in values.items() if types[name] == "bool" and text[:1] in _ODD_DIGITS}
            odd = {name: float(number) for name, text in flags.items() if (number := parse_bool(text)) != 1}
            if odd:
                self._odd_flags[class_name] = odd
        return values

    def _values_changed(self, *args: str) -> None:
        """A class variable has another value: what objects begin with is to be asked again."""
        self._first.clear()
        self._odd_flags.clear()
        self.defaults_cache.clear()
        self._met.clear()
        self._taught.clear()
        self.lazy_objects.values_changed()

    def _free(self, handle: str) -> None:
        if handle not in self._peers:
            return
        for other in self.lazy_objects.forget(handle):
            self.find_peer(other)
        peer = self._peers.pop(handle, None)
        if peer is not None:
            self._named.pop(handle, None)
            peer.is_plain = False
            peer.destroyed()

    # --- the Tcl side of objects ---

    def flush_variables(self, handle: str) -> None:
        """Tcl has to reach an object's variables: they are Tcl's from now on."""
        self._materialize(handle)
        peer = self.peer(handle)
        words, looks = peer.vars.take()
        arrays = [word for look in looks for word in look]
        peer.vars.lives_in(str(self.tk.call("::otcl::flush_variables", peer.handle, words, arrays)))

    def _materialize_class(self, class_name: str) -> None:
        if class_name == "Class":
            self._define_subclasses("Object")
        found = [handle for handle, peer in self._peers.items() if peer.class_name == class_name]
        for handle in (*found, *self.lazy_objects.of_class(class_name)):
            self._materialize(handle)

    def _in_order(self, *handles: str) -> list[str]:
        """Objects in the order in which they were made."""

        def when(handle: str) -> float:
            named = self._named.get(handle)
            return LazyObjects.number(handle) if named is None else named + 0.5

        return sorted(handles, key=when)

    def _variable_for_script(self, handle: str, name: str | None = None, *value: str) -> str:
        """`$obj set name ?value?` of an object some of whose variables live in the engine."""
        if name is None:
            raise NsError(f'wrong # args: should be "{handle} set name ?value?"')
        peer = self.peer(handle)
        if name in peer.lives:
            if not value:
                return peer.get_bound(name)
            peer.set_bound(name, value[0])
            return value[0]
        if name in peer.obsolete:
            return peer.obsolete[name](peer, *value)
        if peer.vars.are_kept and name in peer.vars:
            return plain_set(peer, name, *value)
        path = peer.vars.path(name)
        try:
            if not value:
                return result(self.tk.globalgetvar(path))
            self.tk.globalsetvar(path, value[0])
            return value[0]
        except self.tcl_error:
            # In Tcl's own words.
            return self.guarded(self.tk.call, "::otcl::oset", path.removesuffix(f"::{name}"), name, *value[:1])

    def _get(self, handle: str, name: str) -> str:
        return self.peer(handle).get_bound(name)

    def _set(self, handle: str, name: str, value: str) -> None:
        self.peer(handle).set_bound(name, value)

    def _command(self, handle: str, name: str, *args: str) -> Any:
        """A method that no class has, or `$obj cmd name`: past every instproc."""
        peer = self.find_peer(handle)
        if peer is not None:
            function = _command_of(type(peer), name)
            if function is not None:
                return self._run(function, peer, name, args)
        class_name = peer.class_name if peer is not None else str(self.tk.call(handle, "info", "class"))
        known = self.split(str(self.tk.call("::otcl::methods", handle)))
        library_class = type(peer).ns2_name if peer is not None else class_name
        advice = catalogue.no_such_method(class_name, library_class, handle, name, known)
        if peer is None or catalogue.has_method(library_class, name):
            raise NsError(advice)
        # What a script may catch and print is in ns-2's words; what ends it says more.
        message = f"error when calling class {class_name}: {self.tk.call('list', name, *args)}"
        self.advice[message] = advice
        raise NsError(message)

    def _lacks(self, handle: str, name: str) -> str:
        """What to say of a method that ns-2 has and the object here has not; empty where ns-2 has none either."""
        peer = self.find_peer(handle)
        library_class = "" if peer is None else type(peer).ns2_name
        if peer is None or not catalogue.has_method(library_class, name):
            return ""
        return catalogue.no_such_method(peer.class_name, library_class, handle, name, [])

    def _is_command(self, name: str, written_in: str, above: str) -> str:
        """Whether `next` in a script's method finds none: ns-2 has what the library has above it in C++ alone."""
        return "1" if catalogue.is_command(name, written_in, self.split(above)) else "0"


def _command_of(made_from: type[TclObject], name: str) -> Native:
    """The function of that ns-2 name, of the class itself or the nearest that it comes from."""
    known = _COMMANDS.setdefault(made_from, {})
    if name not in known:
        bases = (cls for cls in made_from.__mro__ if issubclass(cls, TclObject))
        known[name] = next((own[name] for own in map(methods_of, bases) if name in own), None)
    return known[name]


#: what was found so
_COMMANDS: dict[type[TclObject], dict[str, Native]] = {}


def plain_set(peer: TclObject, name: str, *value: str) -> str:
    """`$obj set name ?value?`."""
    if name in peer.lives:
        if not value:
            return peer.get_bound(name)
        peer.set_bound(name, value[0])
    elif name in peer.obsolete:
        return peer.obsolete[name](peer, *value)
    elif not value:
        if name not in peer.vars:
            raise NsError(f'can\'t read "{name}": no such variable')
        return peer.vars[name]
    else:
        peer.vars[name] = value[0]
    return value[0]
