"""The interpreter of the ns-2 front end: a real Tcl, OTcl's objects, and classes written in Python.

A class of ns-2 is a Python class with its ns-2 name, and its methods with theirs::

    from ackclock.ns2.bindings.tcl_object import NotYet, NsError, TclObject, method, ns2_class

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

from ackclock._internal.escape import tell
from ackclock.ns2.bindings import catalogue
from ackclock.ns2.bindings.tcl_object import NsError, TclObject
from ackclock.ns2.otcl.file_names import file_first, path_of, relative
from ackclock.ns2.otcl.objects import Objects
from ackclock.ns2.otcl.tcl_bridge import ScriptError, ScriptExit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ackclock._native import Simulation
    from ackclock.ns2.library.core.scheduler import EventQueue
    from ackclock.ns2.library.multicast.groups import Groups
    from ackclock.ns2.library.routing.hierarchy import Levels
    from ackclock.ns2.otcl.channels import Channels
    from ackclock.ns2.otcl.stdio import Stdio
    from ackclock.ns2.sandbox.filter import SafeFilter

__all__ = ["Interpreter", "ScriptError", "ScriptExit"]


class Interpreter(Objects):
    """One Tcl interpreter with OTcl, the classes of the registry, and a simulation."""

    #: the simulation, for the classes of the library
    engine: Simulation
    #: what the script and the library have put into the engine's list
    event_queue: EventQueue
    #: what ns-2's C++ code prints, once it does
    stdio: Stdio | None = None
    #: where on a link `link-lossmodel` puts an error model
    link_loss_place = "wire_end"
    #: how addresses are laid out in levels; None where nodes have their numbers for addresses
    levels: Levels | None = None
    #: the last Simulator made
    simulator: TclObject | None = None

    def __init__(self, registry: dict[str, type[TclObject]] | None = None, *, safe_script: str | None = None) -> None:
        """`safe_script` is the script if it is to run in a safe interpreter."""
        super().__init__(registry, safe=safe_script is not None)
        #: what lets it use files, in a safe interpreter
        self.safe_filter: SafeFilter | None = None
        #: agent number -> who is told what happens to it: "idle", "done", "received", "lost"
        self.listeners: dict[int, Callable[[str], None]] = {}
        #: tables of flows that the engine fills
        self.flow_tables: list[Any] = []
        #: traces whose lines the script gets, by the numbers of their places
        self.told_traces: dict[int, str] = {}
        self._warned: set[str] = set()
        self._channels: Channels | None = None
        self._node_module = "Base"
        #: last words of the classes of the routing modules that new nodes get after that one
        self.further_modules: list[str] = []
        self._groups: Groups | None = None
        #: called before another program reads what was written
        self.before_program: list[Callable[[], None]] = []
        #: called at the end
        self.at_flush: list[Callable[[], None]] = []
        #: what is to be done when the script's own output is out
        self.at_exit: list[Callable[[], None]] = []
        self.command("::otcl::py_hint", catalogue.hint)
        self.command("::otcl::py_order", catalogue.newest_first)
        self.command("::exit", self._exit)
        if safe_script is not None:
            from ackclock.ns2.sandbox.filter import SafeFilter

            self.safe_filter = SafeFilter(self, safe_script)
        for part in ("otcl", "builtins", "tclcl", "prelude"):
            self.tk.eval(catalogue.beside(f"otcl/{part}.tcl"))
        self._defined.update(("Object", "Class", "InitObject", "SplitObject"))
        self.tk.eval("set ::otcl::lazy 1")

    @property
    def channels(self) -> Channels:
        """Files that the script and the engine write to together."""
        if self._channels is None:
            from ackclock.ns2.otcl.channels import Channels

            self._channels = Channels(self, self.engine)
        return self._channels

    @channels.setter
    def channels(self, channels: Channels) -> None:
        self._channels = channels

    @property
    def groups(self) -> Groups:
        """What multicast has beside its objects."""
        if self._groups is None:
            from ackclock.ns2.library.multicast.groups import Groups

            self._groups = Groups(self)
        return self._groups

    def settle_groups(self) -> None:
        """After an agent or an application was made to send: copies for groups are passed on at once."""
        if self._groups is not None:
            self._groups.settle()

    def enable_module(self, name: str) -> None:
        """New nodes have this routing module, too."""
        if name not in ("Base", "Mcast", "VC"):
            raise NsError(f"ns-2 has the node module {name}; ackclock does not have it yet")
        if name != "Base" and name not in self.further_modules:
            self.further_modules.append(name)
            self.lazy_objects.methods_changed()

    def array_order(self, keys: Iterable[str]) -> list[str]:
        """These words in the order in which Tcl lists the elements of an array that were added in this one."""
        script = "args {foreach key $args {set array($key) 1}; array names array}"
        return self.split(self.call("apply", script, *keys))

    @property
    def node_module(self) -> str:
        """Last word of the class of the routing module that new nodes get."""
        return self._node_module

    @node_module.setter
    def node_module(self, name: str) -> None:
        self._node_module = name
        # What addresses mean may have changed, too.
        self.lazy_objects.methods_changed()

    def event_failed(self, script: str, error: ScriptError) -> None:
        """As ns-2 does, print the error with Tcl's trace of it on standard output."""
        if getattr(self, "engine", None) is None:  # OTcl alone has nothing that prints
            return
        from ackclock.ns2.otcl.stdio import stdio

        stdio(self).print(f"ns: {script}: {self._otcl_trace(error.trace)}")

    def _otcl_trace(self, trace: str) -> str:
        """Tcl's trace of an error as OTcl has it: a method is a procedure of its object, as far as that can be told."""
        trace = _of_program(_of_no_method(trace))
        # The step through this front end's own `unknown` is not to be seen.
        head, step, tail = trace.partition('"::otcl::tcl_unknown ')
        trace = head + tail.partition("    invoked from within\n")[2] if step else trace
        lines = trace.replace('(procedure "::otcl::tcl_unknown"', '(procedure "::unknown"').split("\n")
        for place, line in enumerate(lines):
            if line.startswith('    (procedure "::otcl::m::') and line.endswith(")"):
                name, _, number = line.removeprefix('    (procedure "::otcl::m::')[:-1].rpartition('" line ')
                caller = lines[place + 2] if len(lines) > place + 2 else ""
                words = caller.lstrip('"').split()
                is_object = bool(words) and (
                    self.find_peer(words[0]) is not None
                    or self.tk.call("info", "exists", f"::otcl::cls({words[0]})") == "1"
                )
                of_object = f'    (procedure "{words[0]}" line {number})\n' if is_object else ""
                lines[place] = f"{of_object}    ({name.removesuffix(' (proc)')} line {number})"
        return "\n".join(lines)

    def told(self, what: str, agent: int) -> None:
        """The engine says that something happened to an agent that is listened to."""
        if agent not in self.listeners:
            self.find_peer(self.lazy_objects.agent(agent) or "")
        listener = self.listeners.get(agent)
        if listener is not None:
            listener(what)

    def warn(self, message: str) -> None:
        """Say something on standard error, once."""
        if message not in self._warned:
            self._warned.add(message)
            tell(f"warning: {message}")

    def file(self, name: str) -> str:
        """The file of this name, if the script may use it; `NsError` if not."""
        return name if self.safe_filter is None else self.safe_filter.inside(name)

    def sourced(self) -> list[str]:
        """The files that the script has sourced, as far as they may be read for a message."""
        names = super().sourced()
        return names if self.safe_filter is None else [name for name in names if self.safe_filter.may_read(name)]

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
            failed.append(f"{relative(error.filename)}: {error.strerror}" if error.filename else str(error))
        self.settle()
        failed += self._close_all()
        for leave in self.at_exit:
            leave()
        return "; ".join(part for part in failed if part)

    def _close_all(self) -> list[str]:
        """Close every channel of the script: its files are whole, programs behind its pipes finish. What went wrong.

        By the commands that `chan` stands for: those of files' own names may be the script's by now (`proc close ...`).
        """
        failed = []
        try:
            for channel in self.split(self.tcl("::tcl::chan::names")):
                file = path_of(channel)  # while it is open
                try:
                    if channel in ("stdout", "stderr"):
                        self.tcl("::tcl::chan::flush", channel)
                    elif channel != "stdin":
                        self.tcl("::tcl::chan::close", channel)
                except ScriptError as error:
                    if not (self.get_variable("::errorCode") or "").startswith("CHILD"):
                        told = file_first(error.message)
                        failed.append(told if told.startswith(file) else f"{file}: {told}")
        except ScriptError as error:
            failed.append(error.message)
        return failed

    def _exit(self, status: str = "0") -> None:
        try:
            code = int(status, 0)
        except ValueError:
            raise NsError(f'expected integer but got "{status}"') from None
        raise ScriptExit(code & 0xFF)


def _of_no_method(trace: str) -> str:
    """Tcl's trace of an error in a command that no class of an object has, with the steps that ns-2 takes there."""
    head, step, tail = trace.partition('\n"::otcl::py_command ')
    if not step or head.count("\n") != 3 or not head.startswith("error when calling class "):
        return trace
    call, end, tail = tail.partition("\n")
    handle, _, words = call.removesuffix('"').partition(" ")
    return f"""
    ({handle} cmd line 1)
    invoked from within
"{handle} cmd {words}"
    invoked from within
"catch "$self cmd $args" ret"
    invoked from within
"if [catch "$self cmd $args" ret] {{
set cls [$self info class]
global errorInfo
set savedInfo $errorInfo
error "error when calling class $cls: $args" $..."
    (procedure "{handle}" line 2)
    (SplitObject unknown line 2){end}{tail}"""


def _of_program(trace: str) -> str:
    """Tcl's trace of an error in `exec` or `open`, without the step that asks whether a program may run."""
    head, step, tail = trace.partition('"::otcl::py_may_run ')
    message, executing, _ = head.rpartition("    while executing\n")
    return message + executing + tail.partition("    invoked from within\n")[2] if step and executing else trace
