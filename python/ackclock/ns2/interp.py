"""The interpreter of the ns-2 front end: a real Tcl, OTcl's objects, and classes written in Python.

A class of ns-2 is a Python class with its ns-2 name, and its methods with theirs::

    from ackclock.ns2.peers import NotYet, NsError, TclObject, method, ns2_class

    @ns2_class("Agent/TCP")
    class Tcp(Agent):
        def create(self) -> None:                        # what ns-2's C++ constructor does
            self.agent = self.interp.engine.tcp("tahoe")

        def read_bound(self, name: str) -> float:        # $tcp set cwnd_
            return self.agent.get(name)

        def write_bound(self, name: str, value: float) -> None:    # $tcp set window_ 30
            self.agent.set(name, value)

        @method()                                        # $tcp advance 5
        def advance(self, packets: str) -> None:
            self.agent.advance(int(packets))

        @method("attach-source")                         # [$tcp attach-source FTP]
        def attach_source(self, kind: str) -> str:
            return self.interp.new(f"Source/{kind}")     # a handle; peers and numbers may be returned too

What happens, in order, at `set tcp [new My/TCP args]`: the handle is taken; the Python object of the nearest
library class is made (``__init__``; do not touch the engine there); the chain of `init` runs, the script's
first; where it ends, ``create(*args)`` is called, then ``init_bound`` with the class variables' values.
A method named "init" may be declared like any other; it must go on with
``self.next_after(Tcp, "init", ...)``.

Arguments arrive as text. A result may be None, text, bool, int, float (shown as %.17g), a peer (its handle), or
a list or tuple of these. ``raise NsError("...")`` is an error of the script; ``NotYet`` says what ackclock lacks.
Scripts may override any method in a subclass or on the class itself and call ``$self next``; so Python calls its own
methods that scripts override through ``self.call("get-link", a, b)``. ``self.vars["link_(0:1)"]`` are the
instance variables that scripts see. ``interp.peer(handle)`` finds the Python object of a handle.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.ns2 import catalogue
from ackclock.ns2.peers import REGISTRY, NotYet, NsError, TclObject, methods_of
from ackclock.ns2.words import result, text, wrong_args

if TYPE_CHECKING:
    from ackclock._native import Simulation
    from ackclock.ns2.channels import Channels
    from ackclock.ns2.safe import Fence
    from ackclock.ns2.stdio import Stdio

_HERE = Path(__file__).parent


class ScriptExit(BaseException):
    """The script said `exit`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class ScriptError(Exception):
    """An error that nothing in the script caught."""

    def __init__(self, message: str, trace: str, event: str = "") -> None:
        super().__init__(message)
        self.message = message
        #: the scheduled event it happened in, such as: in at 1.5: "finish"
        self.event = event
        #: files that the script had sourced
        self.files: list[str] = []
        #: Tcl's errorInfo
        self.trace = trace


def _tcl() -> Any:
    """A Tcl interpreter without a display.

    Made by the extension module itself: tkinter.Tcl() would also run the user's profile files, and
    importing tkinter costs more than everything else here.
    """
    try:
        import _tkinter
    except ImportError:
        raise NsError(
            "this Python has no Tcl: install python3-tk (Debian, Ubuntu), python3-tkinter (Fedora) or tk (conda)"
        ) from None
    tk = _tkinter.create(None, "ackclock", "Tk", False, False, False, False, None)
    if not str(tk.eval("info patchlevel")).startswith("8."):
        raise NsError("this Python has Tcl 9, whose numbers print differently: a Python with Tcl 8.6 is needed")
    return tk


class Interpreter:
    """One Tcl interpreter with OTcl and the classes of the registry."""

    #: the simulation, for the classes of the library
    engine: Simulation
    #: files that the script and the engine write to together
    channels: Channels
    #: what ns-2's C++ code prints, once it does
    stdio: Stdio | None = None
    #: where on a link `link-lossmodel` puts an error model
    link_loss_place = "wire_end"
    #: the last Simulator made
    simulator: TclObject | None = None

    def __init__(self, registry: dict[str, type[TclObject]] | None = None, *, safe_script: str | None = None) -> None:
        """`safe_script` is the script if it is to run in a safe interpreter."""
        self.tk = _tcl()
        self.tk.eval("set tcl_precision 17")
        #: what lets it use files, in a safe interpreter
        self.fence: Fence | None = None
        if safe_script is not None:
            from ackclock.ns2.safe import SafeTcl

            self.tk = SafeTcl(self.tk)
        #: exceptions whose text is meant for the script's author
        self.plain_errors: tuple[type[Exception], ...] = (NsError, ValueError, OSError)
        #: agent number -> who is told what happens to it: "idle", "done", "received", "lost"
        self.listeners: dict[int, Callable[[str], None]] = {}
        #: tables of flows that the engine fills
        self.flow_tables: list[Any] = []
        self.registry = REGISTRY if registry is None else registry
        self._peers: dict[str, TclObject] = {}
        self._defined: set[str] = set()
        self._bound: dict[str, dict[str, str]] = {}
        self._abort: BaseException | None = None
        self._broken: BaseException | None = None
        self._warned: set[str] = set()
        #: called before another program reads what was written
        self.before_program: list[Callable[[], None]] = []
        #: called at the end
        self.at_flush: list[Callable[[], None]] = []
        #: what is to be done when the script's own output is out
        self.at_exit: list[Callable[[], None]] = []
        commands: dict[str, Callable[..., Any]] = {
            "py_class": self._define,
            "py_subclasses": self._define_subclasses,
            "py_alloc": self._alloc,
            "py_create": self._create,
            "py_free": self._free,
            "py_get": self._get,
            "py_set": self._set,
            "py_command": self._command,
            "py_missing": self._missing,
            "py_hint": catalogue.hint,
            "py_order": catalogue.newest_first,
        }
        for name, function in commands.items():
            self.command(f"::otcl::{name}", function)
        self.command("::exit", self._exit)
        if safe_script is not None:
            from ackclock.ns2.safe import Fence

            self.fence = Fence(self, safe_script)
        for part in ("otcl.tcl", "builtins.tcl", "tclcl.tcl", "prelude.tcl"):
            self.tk.eval((_HERE / part).read_text(encoding="utf-8"))
        self._defined.update(("Object", "Class", "SplitObject"))
        self.tk.eval("set ::otcl::lazy 1")

    def told(self, what: str, agent: int) -> None:
        """The engine says that something happened to an agent that is listened to."""
        listener = self.listeners.get(agent)
        if listener is not None:
            listener(what)

    def warn(self, message: str) -> None:
        """Say something on standard error, once."""
        if message not in self._warned:
            self._warned.add(message)
            print(f"ackclock: warning: {message}", file=sys.stderr)

    # --- Python to Tcl ---

    def eval(self, script: str) -> str:
        """Evaluate a script at the top level."""
        return self.guarded(self.tk.eval, script)

    def at_event(self, time: float, script: str) -> None:
        """Evaluate the script of a scheduled event. As in ns-2, an error in it ends the whole run."""
        try:
            self.eval(script)
        except ScriptError as error:
            error.event = error.event or f'in at {time:.15g}: "{script}"'
            self.abort(error)
            raise

    def call(self, *words: object) -> str:
        """Run one command, each argument one word."""
        return self.guarded(self.tk.call, *[text(word) for word in words])

    def guarded(self, function: Callable[..., Any], *args: object) -> str:
        """The result of a call of Tcl; an error of it is a `ScriptError`, or why everything ends."""
        import _tkinter

        try:
            return result(function(*args))
        except _tkinter.TclError as error:
            if self._abort is not None:
                raise self._abort from None
            if str(error) == "eval unwound":
                raise KeyboardInterrupt from None
            trace = str(self.tk.eval("set ::errorInfo"))
            found = ScriptError(str(error), trace)
            found.files = self.split(str(self.tk.eval("set ::otcl::sourced")))
            raise found from self._broken

    def call_next(self, handle: str, class_name: str, name: str, *args: object) -> str:
        """Call method `name` of the classes that come after `class_name` in the object's order."""
        prefix = self.tk.splitlist(self.tk.call("::otcl::find_after", handle, class_name, name))
        return self.call(*prefix, *args)

    def new(self, class_name: str, *args: object) -> str:
        """`new class_name args`: the handle."""
        return self.call("new", class_name, *args)

    def make(self, class_name: str, *args: object) -> Any:
        """`new class_name args`: the Python object."""
        return self._peers[self.new(class_name, *args)]

    def peer(self, handle: str) -> TclObject:
        """The Python object of a handle."""
        try:
            return self._peers[handle.removeprefix("::")]
        except KeyError:
            raise NsError(f'no such object: "{handle}"') from None

    def find_peer(self, handle: str) -> TclObject | None:
        """The Python object of a handle, or None."""
        return self._peers.get(handle.removeprefix("::"))

    def skip_handles(self, count: int) -> None:
        """Take `count` handles as ns-2 does for objects that do not exist here."""
        self.tk.eval(f"incr ::otcl::handle {count}")

    def namespace(self, handle: str) -> str:
        """Where an object's instance variables live."""
        return str(self.tk.call("set", f"::otcl::ns({handle})"))

    def has_method(self, handle: str, name: str) -> bool:
        """Whether the object has this method."""
        return str(self.tk.call("::otcl::find", handle, name)) != ""

    def get_variable(self, name: str) -> str | None:
        """A Tcl variable by its full name, or None."""
        import _tkinter

        try:
            return result(self.tk.call("set", name))
        except _tkinter.TclError:
            return None

    def set_variable(self, name: str, value: object) -> None:
        """Set a Tcl variable by its full name."""
        self.tk.call("set", name, text(value))

    def split(self, tcl_list: str) -> list[str]:
        """The elements of a Tcl list."""
        return [str(item) for item in self.tk.splitlist(tcl_list)]

    # --- Tcl to Python ---

    def command(self, name: str, function: Callable[..., Any]) -> None:
        """Make a Tcl command of a Python function; what it raises becomes a Tcl error."""

        def run(*args: str) -> Any:
            if self._abort is not None:
                raise self._abort
            try:
                return text(function(*args))
            except BaseException as error:
                self._fail(error, name, function, args)
                raise

        self.tk.createcommand(name, run)

    def _fail(self, error: BaseException, name: str, function: Callable[..., Any], args: tuple[str, ...]) -> None:
        """Leave the right result in the Tcl interpreter for an exception that is on its way out."""
        import _tkinter

        if not isinstance(error, Exception):
            self.abort(error)
            return
        if isinstance(error, ScriptError):
            message, trace = error.message, error.trace
        else:
            trace = ""
            message = str(error)
            if isinstance(error, TypeError):
                message = wrong_args(name, function, args) or message
            if not isinstance(error, self.plain_errors) and message == str(error):
                self._broken = error
                message = f"internal error: {type(error).__name__}: {error}"
        with contextlib.suppress(_tkinter.TclError):
            self.tk.call("error", message, trace)

    def file(self, name: str) -> str:
        """The file of this name, if the script may use it; `NsError` if not."""
        return name if self.fence is None else self.fence.inside(name)

    def settle_files(self) -> None:
        """Another program is about to read what was written."""
        for settle in self.before_program:
            settle()

    def flush_engine(self) -> None:
        """Whatever the engine has buffered goes to its files."""
        for flush in self.at_flush:
            flush()

    def finish(self) -> str:
        """Flush and close everything the script wrote; what went wrong, or ""."""
        failed = []
        try:
            self.flush_engine()
        except OSError as error:
            failed.append(error.strerror or str(error))
        self._abort = None
        self._settle()
        failed.append(str(self.tk.call("::otcl::finish")))
        for leave in self.at_exit:
            leave()
        return "; ".join(part for part in failed if part)

    def _settle(self) -> None:
        """Take back an unwinding that has nothing left to unwind."""
        import _tkinter

        for _ in range(2):
            with contextlib.suppress(_tkinter.TclError):
                self.tk.call("set", "::errorInfo", "")

    def abort(self, reason: BaseException) -> None:
        """Unwind the script; `catch` does not stop it. The call from Python that started it raises `reason`."""
        self._abort = reason
        self.tk.eval("interp cancel -unwind")

    def _exit(self, status: str = "0") -> None:
        try:
            code = int(status, 0)
        except ValueError:
            raise NsError(f'expected integer but got "{status}"') from None
        raise ScriptExit(code & 0xFF)

    # --- classes ---

    def _define(self, name: str) -> bool:
        """Define the library class `name` if there is one of that name."""
        if name in self._defined:
            return False
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
        methods = methods_of(cls) if cls is not None else {}
        for ns2_name, function in methods.items():
            self._method(f"::otcl::m::{name} {ns2_name}", function)
        bound = [word for pair in types.items() for word in pair]
        self.tk.call(
            "::otcl::library", name, tuple(parents), int(cls is not None), tuple(methods), tuple(defaults),
            tuple(bound) if cls is not None else (),
        )  # fmt: skip
        return True

    def _method(self, command: str, function: Callable[..., Any]) -> None:
        peers = self._peers

        def run(handle: str, *args: str) -> Any:
            if self._abort is not None:
                raise self._abort
            try:
                return text(function(peers[handle], *args))
            except BaseException as error:
                name = f"{handle} {command.rpartition(' ')[2]}"
                self._fail(error, name, function, (handle, *args))
                raise

        self.tk.createcommand(command, run)

    def _define_subclasses(self, name: str) -> None:
        for sub in catalogue.names():
            if sub not in self._defined and name in catalogue.ancestry(sub):
                self._define(sub)

    def bound_types(self, class_name: str) -> dict[str, str]:
        """Bound variables of a library class, inherited ones included, with their types."""
        return self._bound[class_name]

    def _missing(self, class_name: str) -> None:
        raise NotYet(f"ns-2 has {class_name}; ackclock does not have it yet")

    # --- objects ---

    def _alloc(self, handle: str, library_class: str, class_name: str) -> None:
        self._peers[handle] = self.registry[library_class](self, handle, class_name)

    def _create(self, handle: str, *args: str) -> None:
        peer = self._peers[handle]
        try:
            peer.create(*args)
        except TypeError:
            if wrong_args("", type(peer).create, (handle, *args)):
                raise NsError(wrong_args(f"new {peer.class_name}", type(peer).create, (handle, *args))) from None
            raise
        if self._bound[type(peer).ns2_name]:
            words = self.tk.splitlist(self.tk.call("::otcl::first_values", handle, type(peer).ns2_name))
            peer.init_bound(dict(zip(map(str, words[::2]), map(str, words[1::2]), strict=True)))

    def _free(self, handle: str) -> None:
        peer = self._peers.pop(handle, None)
        if peer is not None:
            peer.destroyed()

    def _get(self, handle: str, name: str) -> str:
        return self._peers[handle].get_bound(name)

    def _set(self, handle: str, name: str, value: str) -> None:
        self._peers[handle].set_bound(name, value)

    def _command(self, handle: str, name: str, *args: str) -> Any:
        """A method that no class has, or `$obj cmd name`: past every instproc."""
        peer = self._peers.get(handle)
        for cls in type(peer).__mro__ if peer is not None else ():
            for ns2_name, function in methods_of(cls).items() if issubclass(cls, TclObject) else ():
                if ns2_name == name:
                    return function(peer, *args)
        class_name = peer.class_name if peer is not None else str(self.tk.call(handle, "info", "class"))
        known = self.split(str(self.tk.call("::otcl::methods", handle)))
        library_class = type(peer).ns2_name if peer is not None else class_name
        raise NsError(catalogue.no_such_method(class_name, library_class, handle, name, known))
