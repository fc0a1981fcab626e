"""Web caches: `Http/Cache`, and those that ask the server again when a page is old (`Http/Cache/TTL`)."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.web.http import Http


@ns2_class("Http/Cache")
class HttpCache(Http):
    """Answers with the pages that it has, as old as they are, and gets the others from its parent or their server."""

    color = "yellow"
    counted = (("hit-num", 0), ("barrival", 0), ("ims-num", 0))

    @method("set-parent")
    def set_parent(self, server: str) -> str:
        """Whom it asks: a cache, or the server."""
        self.vars["parent_"] = server
        return server

    def above(self, page: str) -> str:
        """Whom it asks for a page."""
        return self.vars.get("parent_", page.partition(":")[0])

    @method("alloc-connection")
    def accept_connection(self, client: str, fid: str) -> str:
        """A client or a cache connects."""
        return self.accept(client, fid)

    @method()
    def disconnect(self, other: str) -> None:
        """A connection ends."""
        peer = self.interp.find_peer(other)
        if peer is None:
            raise NsError(f'invalid command name "{other}"')
        if isinstance(peer, HttpCache):
            raise NsError("Cannot disconnect a cache from another cache")
        if other in self.interp.split(self.vars["slist_"]):
            self.call("disconnect-server", other)
        elif other in self.interp.split(self.vars.get("clist_", "")):
            self.call("disconnect-client", other)
        else:
            # ns-2's own message names a variable that does not exist, so its error is this one.
            raise NsError('can\'t read "server": no such variable')

    @method("disconnect-server")
    def disconnect_server(self, server: str) -> None:
        """Close the connection to a server."""
        agent = self.agent_to(server)
        self.interp.call(server, "disconnect", self.handle)
        self.close(agent)

    @method("disconnect-client")
    def disconnect_client(self, client: str) -> None:
        """A client has closed its connection."""
        self.close(self.agent_to(client))

    # --- requests ---

    @method("get-request")
    def get_request(self, client: str, kind: str, page: str, *args: str) -> None:
        """A request has come."""
        self.count("hit-num")
        self.call("cache-hit" if self.call("exist-page", page) == "1" else "cache-miss", client, kind, page)

    @method("cache-miss")
    def miss(self, client: str, kind: str, page: str) -> None:
        """The page is not here: ask for it, unless it was asked for."""
        self._keep_request(client, kind, page)
        if f"pending_({page})" in self.vars:
            return
        size, server = self.call("get-reqsize"), self.above(page)
        self.tell("E", "MISS", "p", page, "c", self.number_of(client), "s", self.number_of(server), "z", size)
        self.call("send-request", server, kind, page, size)

    def _keep_request(self, client: str, kind: str, page: str) -> None:
        self.vars.append(f"creq_({page})", f"{client}/{kind}")

    @method("cache-hit")
    def hit(self, client: str, kind: str, page: str) -> None:
        """The page is here: answer with it, or ask whether it is still good."""
        if self.compute(f"!{self.call('is-consistent', client, kind, page)}") == "1":
            if self.call("refetch-pending", client, kind, page) != "1":
                self.call("refetch", client, kind, page)
            return
        origin = page.partition(":")[0]
        self.tell("E", "HIT", "p", page, "c", self.number_of(client), "s", self.number_of(origin))
        words = self.call("get-page", page)
        self.call(f"answer-request-{kind}", client, page, *words.split())

    @method("is-consistent")
    def is_consistent(self, client: str, kind: str, page: str) -> str:
        """Whether the page may be given away: here always."""
        return "1"

    @method("refetch")
    def refetch(self, client: str, kind: str, page: str) -> str:
        """Ask whether a page is still good: here never."""
        return ""

    @method("refetch-pending")
    def is_refetched(self, client: str, kind: str, page: str) -> str:
        """Whether somebody has asked whether the page is still good."""
        return "0"

    @method("send-request")
    def send_request(self, server: str, kind: str, page: str, size: str, *args: str) -> None:
        """Ask a cache or a server for a page."""
        if self.call("is-connected", server) != "1":
            return
        self.vars[f"pending_({page})"] = self.now()
        words = " ".join(args)
        self.call("send", server, size, f"{server} get-request {self.handle} {kind} {page} size {size} {words}")

    # --- answers ---

    @method("answer-request-GET")
    def answer(self, client: str, page: str, *args: str) -> None:
        """Send a client the page."""
        size = self.attribute(args, "size")
        words = " ".join(args)
        self.call("send", client, size, f"{client} get-response-GET {self.handle} {page} {words}")
        self.tell("E", "SND", "c", self.number_of(client), "p", page, "z", size)

    @method("answer-pending-requests")
    def answer_all(self, page: str, *args: str) -> None:
        """Answer all who asked for a page."""
        asked = f"creq_({page})"
        if asked in self.vars:
            for request in self.interp.split(self.vars[asked]):
                client, _, kind = request.partition("/")
                self.call(f"answer-request-{kind}", client, page, *args)
            del self.vars[asked]
        self.forget(f"pending_({page})")

    @method("get-response-GET")
    def get_response(self, server: str, page: str, *args: str) -> str:
        """A page has come: keep it, and answer all who asked for it."""
        size = self.attribute(args, "size")
        if self.call("exist-page", page) != "1":
            self.call("enter-page", page, *args)
            changed_at = self.attribute(args, "modtime")
            self.tell("E", "ENT", "p", page, "m", changed_at, "z", size, "s", self.number_of(server))
        else:
            said = f"At {self.now()}, cache {self.vars['id_']} has requested a page which it already has."
            self.interp.call("puts", "stderr", said)
        self.call("answer-pending-requests", page, *args)
        self.count("barrival", size)
        return self.interp.call(self.vars["node_"], "color", "blue")


@ns2_class("Http/Cache/TTL")
class TtlCache(HttpCache):
    """Takes a page for good for a part of its age (the protocol of Alex), and asks its server then."""

    @method("init")
    def begin(self, simulator: str, node: str) -> None:
        """`new`: the Simulator, and the node that it is at."""
        self.next_after(TtlCache, "init", simulator, node)
        self.call("set-thresh", self.interp.call("Http/Cache/TTL", "set", "updateThreshold_"))

    @method("set-thresh")
    def set_threshold(self, threshold: str) -> str:
        """The part of a page's age, or a time in s, after which the server is asked."""
        self.vars["thresh_"] = threshold
        return threshold

    @method("is-expired")
    def is_expired(self, page: str) -> str:
        """Whether the server is to be asked."""
        cached_at, changed_at = self.call("get-cachetime", page), self.call("get-modtime", page)
        now = self.now()
        return self.compute(f"({now} - {cached_at}) > (({now} - {changed_at}) * {self.vars['thresh_']})")

    @method("is-consistent")
    def is_consistent(self, client: str, kind: str, page: str) -> str:
        """Whether the page may be given away."""
        return f"!{self.call('is-expired', page)}"

    @method("refetch-pending")
    def is_refetched(self, client: str, kind: str, page: str) -> str:
        """Whether the server was asked and has not answered; if so, its answer is for this client, too."""
        if f"pending_({page})" not in self.vars:
            return "0"
        self._keep_request(client, kind, page)
        return "1"

    @method("refetch")
    def refetch(self, client: str, kind: str, page: str) -> str:
        """Ask whether the page has changed."""
        self.count("ims-num")
        self._keep_request(client, kind, page)
        size, server = self.call("get-imssize"), self.above(page)
        numbers = "c", self.number_of(client), "s", self.number_of(server), "z", size
        times = "t", self.call("get-cachetime", page), "m", self.call("get-modtime", page)
        self.tell("E", "IMS", "p", page, *numbers, *times)
        self.call("send-request", server, "IMS", page, size, "modtime", self.call("get-modtime", page))
        return "0"

    @method("get-response-IMS")
    def get_answer(self, server: str, page: str, *args: str) -> str:
        """The page has changed, or it has not."""
        changed_at = self.attribute(args, "modtime")
        if float(changed_at) > float(self.call("get-modtime", page)):
            self.call("enter-page", page, *args)
            about = "m", self.call("get-modtime", page), "z", self.call("get-size", page)
            self.tell("E", "ENT", "p", page, *about, "s", self.number_of(server))
            self.call("set-cachetime", page, self.attribute(args, "time"))
        else:
            self.call("set-cachetime", page, self.now())
        words = self.call("get-page", page)
        self.call("answer-pending-requests", page, *words.split())
        self.count("barrival", self.attribute(args, "size"))
        return self.vars["stat_(barrival)"]

    @method("answer-request-IMS")
    def answer_if_modified(self, client: str, page: str, *args: str) -> None:
        """Tell a cache whether its page has changed."""
        if self.call("exist-page", page) != "1":
            raise NsError(f"{self.handle} is asked whether {page} has changed, which it has not got")
        changed_at = self.call("get-modtime", page)
        has_it = self.interp.call(client, "exist-page", page) == "1"
        if has_it and float(self.interp.call(client, "get-modtime", page)) >= float(changed_at):
            size = self.call("get-invsize")
            words = f"size {size} modtime {changed_at} time {self.call('get-cachetime', page)}"
        else:
            words, size = self.call("get-page", page), self.call("get-size", page)
        self.tell("E", "SND", "c", self.number_of(client), "t", "IMS", "z", size)
        self.call("send", client, size, f"{client} get-response-IMS {self.handle} {page} {words}")


@ns2_class("Http/Cache/TTL/Plain")
class PlainTtlCache(TtlCache):
    """Takes a page for good for a fixed time, s."""

    @method("init")
    def begin(self, simulator: str, node: str) -> None:
        """`new`: the Simulator, and the node that it is at."""
        self.next_after(PlainTtlCache, "init", simulator, node)
        self.call("set-thresh", self.interp.call(self.class_name, "set", "updateThreshold_"))

    @method("is-expired")
    def is_expired(self, page: str) -> str:
        """Whether the page has been here for that time."""
        return self.compute(f"({self.now()} - {self.call('get-cachetime', page)}) >= {self.vars['thresh_']}")


@ns2_class("Http/Cache/TTL/Omniscient")
class OmniscientTtlCache(TtlCache):
    """Knows when a page changes."""

    @method("is-expired")
    def is_expired(self, page: str) -> str:
        """Whether the page has changed."""
        changed_at, age = self.call("get-modtime", page), self.call("get-age", page)
        return self.compute(f"({self.now()} - {changed_at}) >= {age}")
