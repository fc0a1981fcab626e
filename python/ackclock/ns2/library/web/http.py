"""What web clients, servers and caches have in common: pages by name, and connections to one another.

Source: H. Yu, L. Breslau and S. Shenker, "A scalable Web cache consistency architecture", SIGCOMM 1999, as ns-2.35 has
it. A message between two of them is a command that runs at the other end when all its bytes have come.
"""

from __future__ import annotations

from dataclasses import dataclass

from ackclock._native import format_g
from ackclock.ns2.bindings.tcl_object import NsError, TclObject, method, ns2_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock import _native

#: the flow ids of connections count up in this variable of the class
_LAST_FID = "fid_"
#: segments of the window of who connects
_WINDOW = 100


@dataclass
class WebPage:
    """What is known of a page. Times in s; -1 for what nobody has said."""

    size: int
    changed_at: float
    cached_at: float
    age: float
    may_not_be_cached: bool

    def words(self) -> str:
        """The page as the names and values of its attributes."""
        times = ("modtime", self.changed_at), ("time", self.cached_at), ("age", self.age)
        shown = " ".join(f"{name} {format_g(value, 17)}" for name, value in times)
        return f"size {self.size} {shown}" + (" noc 1" if self.may_not_be_cached else "")


def _bytes_of(message: str, variable: str) -> Callable[..., str]:
    @method(f"get-{message}size")
    def get(self: Http) -> str:
        return self.interp.call("Http", "set", variable)

    get.__doc__ = f"Bytes of such a message: `Http set {variable}`."
    return get


@ns2_class("Http")
class Http(TclObject):
    """One of them, at a node."""

    #: the node's colour in nam
    color = ""
    #: what it counts, as `stat` gives it, and the first values
    counted: tuple[tuple[str, int], ...] = ()

    def create(self, *args: str) -> None:
        super().create(*args)
        self.pages: dict[str, WebPage] = {}
        #: the number of a node -> the application of the connection to it
        self.connections: dict[str, str] = {}
        self._log: _native.Channel | None = None

    @method("init")
    def begin(self, simulator: str, node: str) -> None:
        """`new`: the Simulator, and the node that it is at."""
        self.next_after(Http, "init")
        self.vars["node_"], self.vars["id_"] = node, self.interp.call(node, "id")
        self.vars["ns_"] = simulator
        self.vars["pool_"] = self.call("create-pagepool")
        for name, value in self.counted:
            self.vars[f"stat_({name})"] = str(value)
        if self.color:
            self.interp.call(node, "color", self.color)

    @method("create-pagepool")
    def create_pool(self) -> str:
        """What it keeps its pages in."""
        return self.interp.new("PagePool/Client")

    # --- what the parts of the library ask for ---

    def now(self) -> str:
        """The time, as the script sees it."""
        return self.interp.call(self.vars["ns_"], "now")

    def compute(self, expression: str) -> str:
        """What Tcl makes of an expression: its numbers have the script's `tcl_precision`."""
        return self.interp.call("expr", expression)

    def number_of(self, handle: str) -> str:
        """The number of another one's node."""
        return self.interp.call(handle, "id")

    def count(self, name: str, by: str = "1") -> None:
        """Add to what is counted."""
        self.vars[f"stat_({name})"] = self.compute(f"{self.vars[f'stat_({name})']} + {by}")

    def at(self, time: str, command: str) -> str:
        """Run a command at a time; the event."""
        return self.interp.call(self.vars["ns_"], "at", time, command)

    def tell(self, *words: object) -> None:
        """Write a line to the log."""
        self.call("evTrace", *words)

    def attributes(self, words: tuple[str, ...]) -> dict[str, str]:
        """A message's names and values."""
        if len(words) % 2:
            raise NsError("list must have an even number of elements")
        return dict(zip(words[::2], words[1::2], strict=True))

    def attribute(self, words: tuple[str, ...], name: str) -> str:
        """One of a message's values."""
        try:
            return self.attributes(words)[name]
        except KeyError:
            raise NsError(f'can\'t read "data({name})": no such element in array') from None

    def forget(self, variable: str) -> None:
        """Unset a variable that is to be there."""
        if variable not in self.vars:
            raise NsError(f'can\'t unset "{variable}": no such element in array')
        del self.vars[variable]

    # --- connections ---

    @method()
    def id(self) -> str:
        """The number of its node."""
        return self.vars["id_"]

    @method()
    def addr(self) -> str:
        """The address of its node."""
        return self.interp.call(self.vars["node_"], "node-addr")

    @method()
    def getfid(self) -> str:
        """A flow id that no connection has yet."""
        fid = self.compute(f"{self.interp.call('Http', 'set', _LAST_FID)} + 1")
        self.interp.call("Http", "set", _LAST_FID, fid)
        self.vars["fid_"] = fid
        return fid

    def make_agent(self, fid: str) -> str:
        """An end of a connection at its node."""
        agent = self.interp.new(f"Agent/TCP/{self.interp.call('Http', 'set', 'TRANSPORT_')}")
        self.interp.call(agent, "set", "fid_", fid)
        self.interp.call(self.vars["ns_"], "attach-agent", self.vars["node_"], agent)
        return agent

    @method()
    def connect(self, server: str) -> None:
        """Connect to a server or a cache."""
        self.vars.append("slist_", server)
        fid = self.call("getfid")
        agent = self.make_agent(fid)
        self.interp.call(agent, "set", "window_", str(_WINDOW))
        theirs = self.interp.call(server, "alloc-connection", self.handle, fid)
        self.interp.call(self.vars["ns_"], "connect", agent, self.interp.call(theirs, "agent"))
        own = self.interp.new("Application/TcpApp", agent)
        self.interp.call(own, "connect", theirs)
        self.connections.setdefault(self.number_of(server), own)

    def accept(self, client: str, fid: str) -> str:
        """The other end of a client's connection."""
        self.vars.append("clist_", client)
        agent = self.make_agent(fid)
        self.interp.call(agent, "listen")
        own = self.interp.new("Application/TcpApp", agent)
        self.connections.setdefault(self.number_of(client), own)
        return own

    def agent_to(self, other: str) -> str:
        """The agent of the connection to another one, which is to be closed."""
        agent = self.interp.call(self.call("get-cnc", other), "agent")
        del self.connections[self.number_of(other)]
        return agent

    def close(self, agent: str) -> None:
        """Close a connection; the node lets the agent go when that is done."""
        command = f"{self.vars['ns_']} detach-agent {self.vars['node_']} {agent}"
        self.interp.call(agent, "proc", "done", "", command)
        self.interp.call(agent, "close")

    def is_connected(self, other: str) -> bool:
        """Whether there is a connection to another one."""
        return self.number_of(other) in self.connections

    @method("is-connected")
    def tell_connected(self, other: str) -> str:
        """Whether there is a connection to another one."""
        return str(int(self.is_connected(other)))

    @method("get-cnc")
    def get_connection(self, other: str) -> str:
        """The application of the connection to another one; empty where there is none."""
        return self.connections.get(self.number_of(other), "")

    @method()
    def send(self, other: str, count: str, command: str) -> None:
        """Send this many bytes to another one, which runs the command when it has them."""
        app = self.connections.get(self.number_of(other))
        if app is not None:
            self.interp.call(app, "send", count, command)

    # --- pages ---

    def page(self, asked: str, name: str) -> WebPage:
        """The page of this name; `asked` is the method that wants it."""
        found = self.pages.get(name)
        if found is None:
            if self.interp.find_peer(name.partition(":")[0]) is None:
                raise NsError(f"unknown server of the page {name}; ns-2 ends here")
            raise NsError(f"error when calling class {self.class_name}: {asked} {name}")
        return found

    @method("enter-page")
    def enter_page(self, name: str, *words: str) -> None:
        """The page is here from now on, with the attributes named."""
        said = self.attributes(words)
        size, changed_at, age = (float(said.get(key, "-1")) for key in ("size", "modtime", "age"))
        may_not = "noc" in said
        self.pages[name] = WebPage(int(size), changed_at, float(self.now()), age, may_not)

    @method("exist-page")
    def has_page(self, name: str) -> str:
        """Whether the page is here."""
        return str(int(name in self.pages))

    @method("get-page")
    def get_page(self, name: str) -> str:
        """The page's attributes."""
        return self.page("get-page", name).words()

    @method("get-size")
    def get_size(self, name: str) -> str:
        """The page's size, bytes."""
        return str(self.page("get-size", name).size)

    @method("get-modtime")
    def get_change(self, name: str) -> str:
        """When the page was changed, s."""
        return format_g(self.page("get-modtime", name).changed_at, 17)

    @method("set-modtime")
    def set_change(self, name: str, time: str) -> None:
        """When the page was changed, s."""
        self.page("set-modtime", name).changed_at = float(time)

    @method("get-cachetime")
    def get_arrival(self, name: str) -> str:
        """When the page came here, s."""
        return format_g(self.page("get-cachetime", name).cached_at, 17)

    @method("set-cachetime")
    def set_arrival(self, name: str, time: str) -> None:
        """The page came here now, whatever is said, as in ns-2."""
        self.page("set-cachetime", name).cached_at = float(self.now())

    @method("get-age")
    def get_age(self, name: str) -> str:
        """How long after its change the page changes again, s."""
        return format_g(self.page("get-age", name).age, 17)

    @method("is-valid")
    def is_valid(self, name: str) -> str:
        """Whether the page is as good as its server's, as far as is known: no cache here hears otherwise."""
        self.page("is-valid", name)
        return "1"

    @method("get-pagetype")
    def get_type(self, name: str) -> str:
        """What kind of page it is."""
        self.page("get-pagetype", name)
        return "HTML"

    @method("set-cachesize")
    def set_cache_size(self, count: str) -> str:
        """A variable of the pool's, without effect, as in ns-2."""
        return self.interp.call(self.vars["pool_"], "set", "max_size_", count)

    @method("get-cachesize")
    def get_cache_size(self) -> str:
        """The same, read."""
        return self.interp.call(self.vars["pool_"], "set", "max_size_")

    # --- what it tells ---

    @method()
    def stat(self, name: str) -> str:
        """What was counted under this name."""
        return self.vars[f"stat_({name})"]

    @method()
    def log(self, file: str) -> None:
        """Write what happens to this file."""
        self._log = self.interp.channels.attach(file)

    @method("evTrace")
    def trace_event(self, *words: str) -> None:
        """Write a line to the log: the time in whole microseconds, the node's number, the words."""
        if self._log is not None:
            # In C's arithmetic, so that the last digits are ns-2's.
            time = format_g(int(float(self.now()) * 1e6 + 0.5) / 1e6, 15)
            self._log.write(f"{time} i {self.vars['id_']} {' '.join(words)} \n".encode())

    get_request_size = _bytes_of("req", "REQSize_")
    get_refresh_size = _bytes_of("ref", "REFSize_")
    get_if_modified_size = _bytes_of("ims", "IMSSize_")
    get_invalid_size = _bytes_of("inv", "INVSize_")
    get_push_size = _bytes_of("mpu", "MPUSize_")
    get_heartbeat_size = _bytes_of("hb", "HBSize_")
    get_join_size = _bytes_of("join", "JOINSize_")
    get_proforma_size = _bytes_of("pf", "PFSize_")
    get_notice_size = _bytes_of("ntf", "NTFSize_")
