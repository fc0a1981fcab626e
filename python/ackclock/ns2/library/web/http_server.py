"""Web servers: `Http/Server`, whose pages change."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.web.http import Http

#: a page where no pool draws one: bytes, and the time between its changes, s
_SIZE, _AGE_S = "2000", "50"


@ns2_class("Http/Server")
class HttpServer(Http):
    """Has the pages, changes them, and answers requests."""

    color = "HotPink"
    counted = (("hit-num", 0), ("mod-num", 0), ("barrival", 0))

    @method("set-page-generator")
    def set_pages(self, pool: str) -> str:
        """What draws the pages."""
        self.vars["pgtr_"] = pool
        return pool

    @method("set-parent-cache")
    def set_parent(self, cache: str) -> None:
        """Servers that tell caches of changes have one; this one has none."""

    @method("alloc-connection")
    def accept_connection(self, client: str, fid: str) -> str:
        """A client or a cache connects."""
        return self.accept(client, fid)

    @method()
    def disconnect(self, client: str) -> None:
        """A connection ends."""
        if client not in self.interp.split(self.vars["clist_"]):
            # ns-2's own message names a variable that does not exist, so its error is this one.
            raise NsError('can\'t read "server": no such variable')
        self.close(self.agent_to(client))

    @method("get-request")
    def get_request(self, client: str, kind: str, page: str, *args: str) -> None:
        """A request has come: answer it."""
        self.count("hit-num")
        self.count("barrival", self.attribute(args, "size"))
        size, _, words = self.call(f"handle-request-{kind}", page, *args).partition(" ")
        self.call("send", client, size, f"{client} get-response-{kind} {self.handle} {page} {words}")

    @method("handle-request-GET")
    def answer(self, page: str, *args: str) -> str:
        """The page: bytes to send, and what to say with them."""
        words = self.call("get-page" if self.call("exist-page", page) == "1" else "gen-page", page)
        return f"{self.call('get-size', page)} {words}"

    @method("handle-request-IMS")
    def answer_if_modified(self, page: str, *args: str) -> str:
        """The page if it has changed since `modtime`; otherwise that it has not."""
        changed_at = self.call("get-modtime", page)
        if float(self.attribute(args, "modtime")) < float(changed_at):
            size, words, what = self.call("get-size", page), self.call("get-page", page), "IMS-M"
        else:
            size, what = self.call("get-invsize"), "IMS-NM"
            words = f"size {size} modtime {changed_at} time {self.call('get-cachetime', page)}"
        self.tell("S", "SND", "p", page, "m", changed_at, "z", size, "t", what)
        return f"{size} {words}"

    # --- pages ---

    def _number(self, page: str) -> str:
        return page.split(":")[1] if ":" in page else ""

    def _draw(self, page: str, changed_at: str) -> tuple[str, str]:
        """The page's size, and the time until it changes."""
        pool = self.vars.get("pgtr_")
        if pool is None:
            return _SIZE, _AGE_S
        size = self.interp.call(pool, "gen-size", self._number(page))
        next_change = self.interp.call(pool, "gen-modtime", self._number(page), changed_at)
        return size, self.compute(f"{next_change} - {changed_at}")

    def _change(self, page: str, changed_at: str, age: str) -> str:
        """The page changes again after its age; when."""
        again = self.compute(f"{self.now()} + {age}")
        self.call("schedule-nextmod", again, page)
        return again

    def _remember(self, page: str, changed_at: str) -> None:
        number = int(self.vars.get(f"modseq_({page})", "-1")) + 1
        self.vars[f"modseq_({page})"] = str(number)
        self.vars[f"modtimes_({page}:{number})"] = changed_at

    @method("gen-init-modtime")
    def begin_page(self, number: str) -> str:
        """When a page was written that is asked for now."""
        pool = self.vars.get("pgtr_")
        return self.now() if pool is None else self.interp.call(pool, "gen-init-modtime", number)

    @method("gen-pageinfo")
    def draw_page(self, page: str) -> str:
        """A new page: its attributes. It will change."""
        if self.call("exist-page", page) == "1":
            raise NsError(f"{self.handle}: shouldn't use gen-page for existing pages")
        changed_at = self.call("gen-init-modtime", self._number(page))
        size, age = self._draw(page, changed_at)
        again = self._change(page, changed_at, age)
        self._remember(page, changed_at)
        self.tell("S", "MOD", "p", page, "m", changed_at, "n", again)
        return f"size {size} age {age} modtime {changed_at}"

    @method("gen-page")
    def add_page(self, page: str) -> str:
        """A new page, which is here from now on."""
        words = self.call("gen-pageinfo", page)
        self.call("enter-page", page, *words.split())
        return words

    @method("schedule-nextmod")
    def schedule_change(self, time: str, page: str) -> str:
        """The page changes then; the event."""
        return self.at(time, f"{self.handle} modify-page {page}")

    @method("modify-page")
    def change_page(self, page: str) -> str:
        """The page changes now."""
        self.count("mod-num")
        changed_at = self.now()
        size, age = self._draw(page, changed_at)
        again = self._change(page, changed_at, age)
        self.call("enter-page", page, "size", size, "age", age, "modtime", changed_at)
        self.interp.call(self.vars["ns_"], "trace-annotate", f"S {self.vars['id_']} INV {page}")
        self.tell("S", "MOD", "p", page, "m", changed_at, "n", again)
        self._remember(page, changed_at)
        return changed_at

    @method("stale-time")
    def stale_time(self, page: str, changed_at: str) -> str:
        """For how long the page has been old that changed at this time, s."""
        number = int(self.vars[f"modseq_({page})"])
        while number >= 0 and float(self.vars[f"modtimes_({page}:{number})"]) > float(changed_at):
            number -= 1
        return self.compute(f"{self.now()} - {self.vars[f'modtimes_({page}:{number + 1})']}")
