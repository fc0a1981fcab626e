"""Web clients: `Http/Client`."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.web.http import Http

#: from which the least of the times counts down
_LARGE = 987654321
#: how long a client waits between pages that fill the cache, and before its session, s
_FILL_INTERVAL_S, _SETTLE_S = 1, 10


@ns2_class("Http/Client")
class HttpClient(Http):
    """Asks for pages, one after the other, and finds out which were old when they came."""

    color = "SteelBlue"
    counted = (
        ("req-num", 0),
        ("stale-num", 0),
        ("stale-time", 0),
        ("rep-time", 0),
        ("rt-min", _LARGE),
        ("rt-max", 0),
        ("st-min", _LARGE),
        ("st-max", 0),
    )

    @method("set-page-generator")
    def set_pages(self, pool: str) -> str:
        """Where the pages to ask for come from."""
        self.vars["pgtr_"] = pool
        return pool

    @method("set-interval-generator")
    def set_intervals(self, variable: str) -> str:
        """What the times between requests are drawn from, s."""
        self.vars["rvInterPage_"] = variable
        return variable

    @method("set-cache")
    def set_cache(self, cache: str) -> str:
        """Whom it asks."""
        self.vars["cache_"] = cache
        return cache

    @method()
    def disconnect(self, server: str) -> None:
        """Close the connection to a server or a cache."""
        if server not in self.interp.split(self.vars["slist_"]):
            raise NsError(f"Http::disconnect: not connected to {server}")
        self.call("stop-session", server)
        agent = self.agent_to(server)
        self.interp.call(server, "disconnect", self.handle)
        self.close(agent)

    @method("send-request")
    def send_request(self, server: str, kind: str, page: str, *args: str) -> str:
        """Ask for a page, unless it was asked for and has not come."""
        if not self.is_connected(server) or f"pending_({page})" in self.vars:
            return ""
        self.vars[f"pending_({page})"] = self.now()
        if "simStartTime_" in self.vars:
            self.count("req-num")
        size = self.call("get-reqsize")
        words = " ".join(args)
        self.call("send", server, size, f"{server} get-request {self.handle} {kind} {page} size {size} {words}")
        self.tell("C", "GET", "p", page, "s", self.number_of(server), "z", size)
        return self.call("mark-request", page)

    @method("mark-request")
    def mark_request(self, page: str) -> str:
        """A mark around the node in nam, while a page is asked for."""
        mark = f"{page}:{self.now()}"
        self.interp.call(self.vars["node_"], "add-mark", mark, "purple")
        name = f"marks_({page})"
        self.vars.append(name, mark)
        return self.vars[name]

    @method("mark-response")
    def mark_response(self, page: str) -> str:
        """Take the oldest mark for the page away."""
        marks = self.interp.split(self.vars[f"marks_({page})"])
        self.interp.call(self.vars["node_"], "delete-mark", *(marks[:1] or [""]))
        self.vars[f"marks_({page})"] = left = self.interp.word(marks[1:])
        return left

    @method("get-response-GET")
    def get_response(self, server: str, page: str, *args: str) -> None:
        """A page has come."""
        asked_at = self.vars.get(f"pending_({page})")
        if asked_at is None:
            number = self.number_of(server)
            raise NsError(f"Client {self.vars['id_']}: Unrequested response page {page} from server {number}")
        origin = page.partition(":")[0]
        is_counted = "simStartTime_" in self.vars
        took_s = self.compute(f"{self.now()} - {asked_at}")
        changed_at = self.interp.call(origin, "get-modtime", page)
        own = self.attribute(args, "modtime")
        if float(changed_at) > float(own):
            stale_s = self.interp.call(origin, "stale-time", page, own)
            # A page that changed on its way back, which counts as half of the time, is none of the cache's fault.
            if float(stale_s) > float(took_s) / 2:
                self.tell("C", "STA", "p", page, "s", self.number_of(origin), "l", stale_s)
                if is_counted:
                    self.count("stale-num")
                    self._count_time("stale-time", "st", stale_s)
        size = self.attribute(args, "size")
        self.tell("C", "RCV", "p", page, "s", self.number_of(server), "l", took_s, "z", size)
        if is_counted:
            self._count_time("rep-time", "rt", took_s)
        self.call("mark-response", page)
        del self.vars[f"pending_({page})"]

    @method("get-response-IMS", "get-response-REF")
    def get_other_response(self, server: str, page: str, *args: str) -> str:
        """The same, for an answer of another kind."""
        return self.call("get-response-GET", server, page, *args)

    def _count_time(self, total: str, short: str, time: str) -> None:
        self.count(total, time)
        for name, is_new in ((f"{short}-max", float.__gt__), (f"{short}-min", float.__lt__)):
            if is_new(float(time), float(self.vars[f"stat_({name})"])):
                self.vars[f"stat_({name})"] = time

    # --- sessions ---

    @method("gen-request")
    def draw_request(self) -> str:
        """When the next request is, in s from now, and for which page of the server."""
        pool = self.vars.get("pgtr_")
        if pool is None:
            raise NsError("Http/Client requires a page generator (pgtr_)!")
        intervals = self.vars.get("rvInterPage_")
        if intervals is None:
            return self.interp.call(pool, "gen-request", self.vars["id_"])
        delay = self.interp.call(intervals, "value")
        return f"{delay} {self.interp.call(pool, 'gen-pageid', self.vars['id_'])}"

    def _ask_later(self, server: str) -> str:
        delay, number = self.interp.split(self.call("gen-request"))
        if float(delay) < 0:
            return ""
        return self.at(
            self.compute(f"{self.now()} + {delay}"), f"{self.handle} next-request {server} {server}:{number}"
        )

    @method("next-request")
    def ask_next(self, server: str, page: str) -> str:
        """Ask for a page of the server now, and for another later; the event of that one."""
        self.call("send-request", self.vars.get("cache_", server), "GET", page)
        event = self._ask_later(server)
        if event:
            self.vars[f"nextreq_({self.number_of(server)})"] = event
        return event

    @method("start-session")
    def start_session(self, cache: str, server: str) -> str:
        """Ask the cache for pages of the server from now on; the event of the first request."""
        self.vars["cache_"] = cache
        self.vars["simStartTime_"] = self.now()
        return self._ask_later(server)

    @method("stop-session")
    def stop_session(self, server: str) -> None:
        """Ask for no more pages of the server; what was asked for is forgotten."""
        self.interp.tk.call("unset", "-nocomplain", self.vars.path("pending_"))
        event = self.vars.get(f"nextreq_({self.number_of(server)})")
        if event is not None:
            self.interp.call(self.vars["ns_"], "cancel", event)

    @method()
    def start(self, cache: str, server: str) -> str:
        """Ask the cache once for every page of the server, and begin a session then."""
        self.vars["cache_"] = cache
        return self.call("populate", cache, server)

    @method()
    def populate(self, cache: str, server: str) -> str:
        """The cache gets one page after the other; at the end, the event that begins the session."""
        if "status_" not in self.vars:
            self.vars["status_"] = "POPULATE"
            self.vars["curpage_"] = "0"
        pool, number = self.vars.get("pgtr_"), self.vars["curpage_"]
        if pool is not None and float(number) < float(self.interp.call(pool, "get-poolsize")):
            self.call("send-request", cache, "GET", f"{server}:{number}")
            self.vars["curpage_"] = str(int(number) + 1)
            again = self.compute(f"{self.now()} + {_FILL_INTERVAL_S}")
            self.at(again, f"{self.handle} populate {cache} {server}")
            return ""
        begin = self.compute(f"{self.now()} + {_SETTLE_S}")
        return self.at(begin, f"{self.handle} start-session {cache} {server}")
