"""ns-2 classes written in Python: how they are declared and what an object of one can do.

See the example at the head of interp.py.
"""

from __future__ import annotations

from ackclock._native import MANY_VARIABLES, TclHashOrder
from ackclock.ns2.otcl.values import TYPES

# Here and in the whole room: `typing`, `re` and `pathlib` take as long to load as everything else that a start needs.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, ClassVar, TypeVar, overload

    from ackclock.ns2.otcl.interp import Interpreter

    F = TypeVar("F", bound=Callable[..., Any])
    C = TypeVar("C", bound="type[TclObject]")


class NsError(Exception):
    """An error of the script, in words for its author."""


class NotYet(NsError):
    """ns-2 has it and ackclock does not have it yet."""


class NoVariable(NsError, KeyError):
    """An object has no instance variable of that name, or an array of it no such element: in Tcl's words."""

    def __str__(self) -> str:
        return str(self.args[0])


#: what variables of a type are, for messages
_WHAT = {
    "int": "a whole number",
    "unsigned": "a whole number",
    "traced_int": "a whole number",
    "bool": "true or false",
    "bandwidth": "a bandwidth",
    "time": "a time",
}

#: defaults that were converted before: (type, text) -> number
_CONVERTED: dict[tuple[str, str], float] = {}

#: ns-2 class name -> the Python class that implements it.
REGISTRY: dict[str, type[TclObject]] = {}

#: ns-2 class name -> what declares it, for classes that are declared when one of them is first named: making a class
#: costs Python more than all else that it takes, and a script names thirty of three hundred.
DEFERRED: dict[str, Callable[[], object]] = {}


def load_class(name: str) -> None:
    """Declare the ns-2 class `name` if that was put off. Its module may put it off once more (`variant`)."""
    while (declare := DEFERRED.get(name)) is not None:
        declare()
        if DEFERRED.get(name) is declare:
            del DEFERRED[name]


def ns2_class(name: str, parent: str | None = None, **bound: str) -> Callable[[C], C]:
    """Declare a Python class as the ns-2 class `name`.

    Its superclass, class variables and bound variables are ns-2's (ns2_35.tsv); `parent`, and bound variables with
    their types and defaults (`"int=5"`), are needed only for a class that ns-2 does not have.
    """

    def declare(cls: C) -> C:
        cls.ns2_name = name
        cls.ns2_parent = parent
        cls.ns2_bound = bound
        REGISTRY[name] = cls
        return cls

    return declare


def variant(name: str, parent: type[TclObject], **attributes: object) -> None:
    """Declare the ns-2 class `name`, which is like `parent` but for these attributes."""
    about = {"__doc__": f"{name}.", "__module__": parent.__module__}
    DEFERRED[name] = lambda: ns2_class(name)(type(name.rpartition("/")[2], (parent,), about | attributes))


def method(*names: str) -> Callable[[F], F]:
    """Declare a Python function as a method with these ns-2 names (its own name where none is given)."""

    def declare(function: F) -> F:
        function.ns2_names = names or (function.__name__,)  # type: ignore[attr-defined]
        return function

    return declare


def methods_of(cls: type[TclObject]) -> dict[str, Callable[..., Any]]:
    """ns-2 name -> function, for the methods that this class itself, its plain mixins and its lazy parts declare."""
    found: dict[str, Callable[..., Any]] = {}
    for part, names in vars(cls).get("lazy_parts", {}).items():
        for name in names.split():
            found[name] = _lazy_method(f"ackclock.ns2.library.{part}", name)
    mixins = [base for base in cls.__bases__ if not issubclass(base, TclObject)]
    for part in (*mixins, cls):
        found.update(declared_in(part))
    return found


def declared_in(part: type) -> dict[str, Callable[..., Any]]:
    """ns-2 name -> function, for the methods that are written in this class, which may be a part of others."""
    return {name: f for f in vars(part).values() for name in getattr(f, "ns2_names", ())}


def _lazy_method(part: str, name: str) -> Callable[..., Any]:
    """A method of a class's lazy part, whose module is loaded when the method is first called."""

    def call(peer: TclObject, *args: str) -> Any:
        function = getattr(call, "__wrapped__", None)
        if function is None:
            module, _, last = part.rpartition(".")
            function = declared_in(getattr(__import__(module, fromlist=[last]), last))[name]
            # Who asks for the signature, to say what is wrong with the arguments, gets that of the method itself.
            call.__wrapped__ = function  # type: ignore[attr-defined]
        return function(peer, *args)

    return call


#: flags that ns-2 compares with 1, so that another number is none
EXACT_FLAGS = frozenset(("useHeaders_", "ss-div4_"))


class TclObject:
    """The Python side of one object of the script. Made when the object is, before its init runs."""

    ns2_name: str = "SplitObject"
    ns2_parent: str | None = None
    ns2_bound: ClassVar[dict[str, str]] = {}
    #: parts of this very class that are in modules beside its own, and the methods that they declare; unlike a mixin's,
    #: such a module is loaded when a script first calls one of them
    lazy_parts: ClassVar[dict[str, str]] = {}

    #: whether the object has no methods of its own from the script, and the class it was made with
    is_plain = True
    #: whether it has no Tcl side yet
    unmaterialized = True
    #: how often the script has called it while it had no Tcl side
    calls = 0
    #: whether somebody is to hear of bound variables that the script sets
    is_traced = False
    #: booleans that the script has set to a number other than 0 and 1, which ns-2 gives back as it is
    odd_flags: dict[str, float] | None = None
    #: variables that are none any more -> what `$obj set name ?value?` does instead
    obsolete: ClassVar[dict[str, Callable[..., str]]] = {}
    #: bound variables with their types, from the end of the chain of init on
    lives: dict[str, str] = {}  # noqa: RUF012  (each object gets its class's)

    def __init__(self, interp: Interpreter, handle: str, class_name: str) -> None:
        self.interp = interp
        #: the object's name in the script, such as _o12
        self.handle = handle
        #: the class it was made from, which may be a class of the script
        self.class_name = class_name
        #: values of the bound variables, unless read_bound and write_bound are overridden
        self.bound: dict[str, float] = {}
        #: the object's OTcl instance variables (not the bound ones), as a mapping of text
        self.vars = Vars(interp, handle)

    # --- what a class of the library may override ---

    @classmethod
    def declared(cls, interp: Interpreter) -> None:
        """The class has come to be in the script's world; procs of the class itself are written here."""

    def create(self, *args: str) -> None:
        """Make the engine's object: what ns-2's C++ constructor does. Runs at the end of the init chain.

        The bound variables get their defaults right after it.
        """
        if args:
            raise NsError(f'wrong # args: should be "new {self.class_name}"')

    def read_bound(self, name: str) -> float:
        """The engine's value of a bound variable."""
        return self.bound.get(name, 0)

    def write_bound(self, name: str, value: float) -> None:
        """Give the engine a new value of a bound variable."""
        self.bound[name] = value

    def init_bound(self, defaults: dict[str, str]) -> None:
        """Give every bound variable its first value; override to hand them over all at once."""
        for name, text in defaults.items():
            self.write_bound(name, self.first_value(name, text))

    def first_value(self, name: str, text: str) -> float:
        """The number that a class variable's text means for this variable."""
        key = (self.lives[name], text)
        value = _CONVERTED.get(key)
        if value is None:
            value = _CONVERTED[key] = self.convert_bound(name, text)
        return value

    def variable_was_set(self, name: str, value: float) -> None:
        """The script has given a bound variable another value, of an object that `is_traced`."""

    def destroyed(self) -> None:
        """The script has deleted the object."""

    def register_lazy(self) -> bool:
        """Tell the extension how others of the class are made, if it is to make them. False: not known yet."""
        return True

    # --- bound variables as text ---

    def convert_bound(self, name: str, text: str) -> float:
        """The number that `text` means for this variable; for text that is none, what ns-2 takes it for, and a warning.

        `NsError` that names object, variable and value for "nan", with which nothing can be computed.
        """
        kind = self.lives[name]
        try:
            value = TYPES[kind][0](text)
        except ValueError:
            what = _WHAT.get(kind, "a number")
            taken = "false" if kind == "bool" else "0"
            self.interp.warn(f'{self.class_name}: {name} is {what}; "{text}" counts as {taken}, as in ns-2')
            return 0
        if value == value:
            return value
        raise NsError(f'{self.class_name} {self.handle}: {name} needs a number, not "{text}"')

    def get_bound(self, name: str) -> str:
        """What `$obj set name` gives."""
        value = self.read_bound(name)
        if self.odd_flags and name in self.odd_flags and (value or name in EXACT_FLAGS):
            value = self.odd_flags[name]
        return TYPES[self.lives[name]][1](value)

    def set_bound(self, name: str, text: str) -> None:
        """What `$obj set name text` does."""
        value = self.convert_bound(name, text)
        if self.lives[name] == "bool":
            if value not in (0, 1):
                self.odd_flags = {**(self.odd_flags or {}), name: value}
                if name in EXACT_FLAGS:
                    value = 0
            elif self.odd_flags:
                self.odd_flags = {known: odd for known, odd in self.odd_flags.items() if known != name}
        before = self.read_bound(name) if self.is_traced else value
        self.write_bound(name, value)
        if value != before:
            self.variable_was_set(name, value)

    # --- the script's side of the object ---

    def call(self, name: str, *args: object) -> str:
        """Call a method the way a script does, so that the script's overrides are honoured."""
        return self.interp.send(self, name, args)

    def next_after(self, declared_in: type[TclObject], name: str, *args: object) -> str:
        """From a method declared in that class: the next one up the hierarchy, as `$self next` finds it."""
        return self.interp.call_next(self.handle, declared_in.ns2_name, name, *args)

    def has(self, name: str) -> bool:
        """Whether the object has this method, from Python or from the script."""
        return self.interp.has_method(self.handle, name)

    def __str__(self) -> str:
        return self.handle


class Vars:
    """An object's OTcl instance variables; `link_(0:1)` names an element of an array.

    They are kept here until Tcl itself has to reach them (`instvar`, a method that the script has written ...), and are
    Tcl's from then on.
    """

    __slots__ = ("_arrays", "_handle", "_interp", "_kept", "_looked", "_space", "are_kept")

    def __init__(self, interp: Interpreter, handle: str) -> None:
        self._interp = interp
        self._handle = handle
        self._kept: dict[str, str] = {}
        #: where elements of arrays were looked for in vain: how many variables there were, the element, and so on
        self._looked: list[Any] | None = None
        #: which of them are arrays' elements, once somebody has asked
        self._arrays: TclHashOrder | None = None
        self._space = ""
        #: whether they are kept here
        self.are_kept = True

    def lives_in(self, space: str) -> None:
        """From now on they are Tcl's, in this namespace."""
        self._space = space
        self.are_kept = False

    def shared(self) -> tuple[dict[str, str], list[Any]]:
        """The variables while they are kept here, and what was looked for in vain, for the extension to add to."""
        if self._looked is None:
            self._looked = []
        return self._kept, self._looked

    def take(self) -> tuple[list[str], list[tuple[str, list[int]]]]:
        """What was kept here, for Tcl: names and values, and at how many elements an array is to be looked into."""
        words = [word for pair in self._kept.items() for word in pair]
        looks = self._follow().looks()
        self._kept.clear()
        self._arrays = None
        return words, looks

    def _follow(self) -> TclHashOrder:
        if self._arrays is None:
            self._arrays = TclHashOrder()
        self._arrays.follow(self._kept, self._looked or [])
        return self._arrays

    def _look(self, name: str) -> None:
        """Tcl makes room for an element of an array while it looks for it; nobody notices while arrays are small."""
        if len(self._kept) >= MANY_VARIABLES:
            if self._looked is None:
                self._looked = []
            self._looked += (len(self._kept), name)

    def path(self, name: str) -> str:
        """The variable's full name in Tcl."""
        if self.are_kept:
            self._interp.flush_variables(self._handle)
        return f"{self._space}::{name}"

    def __getitem__(self, name: str) -> str:
        if self.are_kept and name in self._kept:
            return self._kept[name]
        value = self.get(name)
        if value is None:
            array, is_element, _ = name.partition("(")
            what = "element in array" if is_element and self.names(array) else "variable"
            raise NoVariable(f'can\'t read "{name}": no such {what}')
        return value

    def __setitem__(self, name: str, value: object) -> None:
        if self.are_kept:
            self._kept[name] = value if type(value) is str else self._interp.word(value)
        else:
            self._interp.set_variable(f"{self._space}::{name}", value)

    def append(self, name: str, element: str) -> None:
        """Append an element to a list, which stays Tcl's own: a copy for each element would cost the square of them."""
        if self.are_kept and element.isidentifier():
            kept = self._kept.get(name)
            if kept:
                # Nobody else has the text while it grows, so Python need not copy it.
                self._kept[name] = ""
                kept += f" {element}"
            self._kept[name] = kept or element
        else:
            self._interp.tk.call("lappend", self.path(name), element)

    if TYPE_CHECKING:

        @overload
        def get(self, name: str) -> str | None: ...
        @overload
        def get(self, name: str, default: str) -> str: ...

    def get(self, name: str, default: str | None = None) -> str | None:
        """The variable, or something else where there is none."""
        if self.are_kept:
            value = self._kept.get(name)
            if value is None and name[-1:] == ")":
                self._look(name)
        else:
            value = self._interp.get_variable(f"{self._space}::{name}")
        return default if value is None else value

    def pop(self, name: str) -> str | None:
        """The variable, which is no more; None where there was none."""
        value = self.get(name)
        if value is not None:
            del self[name]
        return value

    def setdefault(self, name: str, value: str = "") -> str:
        """The variable, set to this value where there was none."""
        found = self.get(name)
        if found is None:
            found = self[name] = value
        return found

    def begin(self, values: dict[str, str]) -> None:
        """Give variables their first values."""
        if self.are_kept:
            self._kept.update(values)
        else:
            for name, value in values.items():
                self[name] = value

    def __delitem__(self, name: str) -> None:
        # The order of an array's elements follows from what has been in it, too.
        self._interp.call("unset", self.path(name))

    def __contains__(self, name: object) -> bool:
        if self.are_kept:
            if name in self._kept:
                return True
            if isinstance(name, str) and name[-1:] == ")":
                self._look(name)
            return False
        return bool(self._interp.tk.call("info", "exists", f"{self._space}::{name}") == "1")

    def __iter__(self) -> Iterator[str]:
        space = self.path("")
        return iter(
            [name.removeprefix(space) for name in self._interp.split(self._interp.call("info", "vars", f"{space}*"))]
        )

    def __len__(self) -> int:
        return len(list(iter(self)))

    def names(self, array: str) -> list[str]:
        """Keys of an array in Tcl's own order, which ns-2's loops over `array names` depend on."""
        if self.are_kept:
            return self._follow().names(array)
        return self._interp.split(self._interp.call("array", "names", self.path(array)))

    def elements(self, array: str) -> list[str]:
        """The elements of an array in that order."""
        if self.are_kept:
            return self._follow().elements(array, self._kept)
        return [self[f"{array}({name})"] for name in self.names(array)]
