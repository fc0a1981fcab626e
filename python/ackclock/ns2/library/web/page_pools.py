"""Where web clients and servers get their pages from: `PagePool/Math`, and the pool that each of them keeps."""

from __future__ import annotations

from ackclock._native import format_g
from ackclock.ns2.bindings.tcl_object import NsError, TclObject, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, real
from ackclock.ns2.library.core.randomness import RandomVariable

#: what ns-2 says a pool's pages begin at while nobody has told it
_NO_START_S = 2147483647.0


@ns2_class("PagePool/Client")
class ClientPool(TclObject):
    """The pages that a client, a server or a cache has: `Http` objects keep them themselves."""


@ns2_class("PagePool/Math")
class MathPool(EngineObject):
    """One page, whose sizes and ages are drawn."""

    def create(self, *args: str) -> None:
        super().create(*args)
        self._size: RandomVariable | None = None
        self._age: RandomVariable | None = None
        self._start_s = _NO_START_S

    @method("ranvar-size")
    def set_size(self, variable: str) -> None:
        """What the page's sizes are drawn from, bytes."""
        self._size = self._variable(variable)

    @method("ranvar-age")
    def set_age(self, variable: str) -> None:
        """What the times between its changes are drawn from, s."""
        self._age = self._variable(variable)

    def _variable(self, handle: str) -> RandomVariable | None:
        found = self.interp.find_peer(handle)
        return found if isinstance(found, RandomVariable) else None

    @method("gen-size")
    def draw_size(self, page: str) -> int:
        """A size of the page, whole bytes."""
        if self._size is None:
            raise self._cannot("gen-size", page)
        return int(self._size.native.draw())

    @method("gen-modtime")
    def draw_change(self, page: str, changed_at: str) -> str:
        """When the page changes that changed at this time, s."""
        if self._age is None:
            raise self._cannot("gen-modtime", page, changed_at)
        return format_g(self._age.native.draw() + real(changed_at or "0", "a time"), 17)

    def _cannot(self, *words: str) -> NsError:
        return NsError(f"error when calling class {self.class_name}: {' '.join(words)}")

    @method("gen-init-modtime")
    def begin_page(self, page: str) -> str:
        """When the page was written: now."""
        return format_g(self.engine.now(), 17)

    @method("gen-pageid")
    def draw_page(self, client: str) -> str:
        """The page that a client asks for: there is one."""
        return "0"

    @method("get-poolsize")
    def get_size(self) -> str:
        """The number of pages."""
        return "1"

    @method("get-duration")
    def get_duration(self) -> str:
        """How long the pool has pages for: without end, which ns-2 gives as 0."""
        return "0"

    @method("set-start-time")
    def set_start_time(self, time: str) -> None:
        """When requests begin, s."""
        self._start_s = real(time, "a time")

    @method("get-start-time")
    def get_start_time(self) -> str:
        """When requests begin, s."""
        return format_g(self._start_s, 17)
