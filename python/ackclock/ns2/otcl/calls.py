"""OTcl's objects by their handles, and calls of their methods: from Python to Python where no script has a say."""

from __future__ import annotations

from ackclock._native import LazyObjects
from ackclock.ns2.bindings.tcl_object import NsError, TclObject
from ackclock.ns2.otcl.classes import Classes
from ackclock.ns2.otcl.tcl_convert import text, wrong_args

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from ackclock.ns2.bindings.lazy_objects import Kind, Plan, Whole

    P = TypeVar("P", bound=TclObject)

    #: a method of the library, or None where only Tcl can tell what is to be done
    Native = Callable[..., Any] | None

#: so often a script calls an object before Tcl is to know it: a Tcl side costs as much as some calls round it
CALLS_BEFORE_MATERIALIZED = 8

#: what Tcl is told where Python does not answer a call
ELSEWHERE = "::otcl::elsewhere"


class Calls(Classes):
    """The objects that there are, and what answers their methods."""

    def __init__(self, registry: dict[str, type[TclObject]] | None = None, *, safe: bool = False) -> None:
        super().__init__(registry, safe=safe)
        #: all handles, and the objects that are there and not made yet
        self.lazy_objects = LazyObjects()
        #: whether objects may be made later than the script says; if not, the extension answers for none
        self.may_defer = True
        #: class, method -> what answers it; class, method, class behind which it is looked for -> the same
        self._answers: dict[tuple[str, ...], Native] = {}

    # --- handles ---

    def next_handle(self) -> str:
        """The next handle, such as _o12."""
        return self.lazy_objects.next_handle()

    def skip_handles(self, count: int) -> None:
        """Take `count` handles as ns-2 does for objects that do not exist here."""
        self.lazy_objects.skip(count)

    def peer(self, handle: str) -> TclObject:
        """The Python object of a handle."""
        found = self._peers.get(handle) or self.find_peer(handle)
        if found is None:
            raise NsError(f'no such object: "{handle.removeprefix("::")}"')
        return found

    def peer_of(self, handle: str, kind: type[P], what: str) -> P:
        """The Python object of a handle, which is to be of this kind; `NsError` that says what it is instead."""
        found = self.find_peer(handle)
        if found is None:
            raise NsError(f'unknown {what} "{handle}"')
        if not isinstance(found, kind):
            raise NsError(f"{handle} is no {what}: its class is {found.class_name}")
        return found

    def find_peer(self, handle: str) -> TclObject | None:
        """The Python object of a handle, or None."""
        found = self._peers.get(handle)
        if found is None:
            if handle[:2] == "::":
                return self.find_peer(handle[2:])
            promised = self.lazy_objects.of(handle)
            if promised is not None:
                found = self._keep(handle, *promised)  # type: ignore[arg-type]
        return found

    def _keep(self, handle: str, plan: Plan, whole: Whole | Kind, place: int, facts: tuple[Any, ...]) -> TclObject:
        if plan.made_from is None:
            self.know(plan.class_name)
            plan.made_from = self.registry[plan.class_name]
        peer = self._peers[handle] = plan.made_from(self, handle, plan.class_name)  # type: ignore[arg-type]
        peer.lives = self.types_of(plan.made_from.ns2_name)
        if plan.args is not None:
            peer.create(*plan.args)
        peer.bound = plan.bound.copy()
        whole.finish(peer, place, *facts)
        return peer

    def _materialize(self, handle: str) -> bool:
        """Give an object its Tcl side; whether it had none."""
        peer = self.find_peer(handle)
        if peer is None or not peer.unmaterialized:
            return False
        peer.unmaterialized = False
        self._define(peer.class_name)
        self.tk.call("::otcl::materialize", peer.handle, peer.class_name, type(peer).ns2_name, int(bool(peer.lives)))
        return True

    # --- calls ---

    def call(self, *words: Any) -> str:
        """Run one command, each argument one word; a method of the library is called past Tcl."""
        if len(words) > 1:
            peer = self.find_peer(words[0])
            if peer is not None:
                return self.send(peer, words[1], words[2:])
        return self.tcl(*words)

    def send(self, peer: TclObject, name: str, args: tuple[Any, ...]) -> str:
        """Call a method of an object: the library's own at once, a script's through Tcl."""
        function = None
        if peer.is_plain:
            try:
                function = self._answers[peer.class_name, name]
            except KeyError:
                function = self._ask(peer.class_name, name)
        if function is None:
            return self.guarded(self.tk.call, peer.handle, name, *[text(word) for word in args])
        return self._run(function, peer, name, args)

    def call_each(self, handles: Sequence[str], name: str) -> list[str]:
        """Call a method of several objects, one after the other: what each gives."""
        results = []
        asked, function = "", None
        for handle in handles:
            peer = self._peers.get(handle) or self.peer(handle)
            if peer.class_name != asked:
                asked = peer.class_name
                function = self._ask(asked, name)
            if function is None or not peer.is_plain:
                value = self.send(peer, name, ())
                asked = ""  # a script may have changed anything
            else:
                value = function(peer)
            results.append(value if type(value) is str else "" if value is None else self.word(value))
        return results

    def _call_unmaterialized(self, name: str, method: str = "", *args: str) -> Any:
        """Tcl does not know this command. If it is an object whose method is the library's, what that gives."""
        peer = self.find_peer(name)
        if peer is None or not peer.unmaterialized:
            return ELSEWHERE
        peer.calls += 1
        function = self.answer(peer, method) if peer.calls < CALLS_BEFORE_MATERIALIZED else None
        if function is None:
            return ELSEWHERE
        try:
            return function(peer, *args)
        except TypeError:
            wrong = wrong_args(f"{peer.handle} {method}", function, (peer, *args))
            if wrong:
                raise NsError(wrong) from None
            raise

    def call_next(self, handle: str, class_name: str, name: str, *args: object) -> str:
        """Call method `name` of the classes that come after `class_name` in the object's order."""
        peer = self.peer(handle)
        function = self._ask(peer.class_name, name, class_name) if peer.is_plain else None
        if function is not None:
            return self._run(function, peer, name, args)
        self._materialize(handle)
        prefix = self.split(str(self.tk.call("::otcl::find_after", handle, class_name, name)))
        return self.tcl(*prefix, *args)

    def _run(self, function: Callable[..., Any], peer: TclObject, name: str, args: tuple[object, ...]) -> str:
        for word in args:
            if type(word) is not str:
                args = tuple([self.word(word) for word in args])
                break
        try:
            value = function(peer, *args)
        except TypeError:
            wrong = wrong_args(f"{peer.handle} {name}", function, (peer, *args))
            if wrong:
                raise NsError(wrong) from None
            raise
        return value if type(value) is str else "" if value is None else self.word(value)

    def answer(self, peer: TclObject, name: str) -> Native:
        """The library's function that answers this method of the object; None where a script or Tcl does."""
        return self._ask(peer.class_name, name) if peer.is_plain else None

    def _ask(self, *question: str) -> Native:
        try:
            return self._answers[question]
        except KeyError:
            function = self._answers[question] = self._find_answer(*question)
            return function

    def _find_answer(self, class_name: str, name: str, *after: str) -> Native:
        unmaterialized, above = self.unmaterialized_from(class_name)
        if after:
            path = [known.name for known in unmaterialized]
            if after[0] in path:
                unmaterialized, after = unmaterialized[path.index(after[0]) + 1 :], ()
            else:
                unmaterialized = []
        for known in unmaterialized:
            if name in known.methods:
                return known.methods[name]
        entry = self.split(str(self.tk.call("::otcl::entry", above, name, *after)))
        # A script's method has the name of the one it replaces.
        native = len(entry) == 2 and entry[0] != "proc"
        return self._functions.get(entry[1]) if native else None

    def answer_of(self, class_name: str, name: str) -> Native:
        """The same for all plain objects of a class."""
        return self._ask(class_name, name)

    def has_method(self, handle: str, name: str) -> bool:
        """Whether the object has this method."""
        peer = self.peer(handle)
        if self.answer(peer, name) is not None:
            return True
        return str(self.tk.call("::otcl::entry", self.unmaterialized_from(peer.class_name)[1], name)) != ""
