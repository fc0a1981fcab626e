"""`Samples`: mean and variance of numbers that a script or a monitor collects."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.core.engine import EngineObject, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.monitors.monitors import QueueMonitor


@ns2_class("Samples")
class Samples(EngineObject):
    """Mean and variance of samples: the script's own, or a monitor's of the queueing delay."""

    monitor: QueueMonitor | None = None

    def create(self, *args: str) -> None:
        self._own = (0, 0.0, 0.0)

    def join(self, monitor: QueueMonitor) -> None:
        """From now on the monitor feeds it."""
        self.monitor = monitor
        monitor.native.keep_delay_samples()

    def _state(self) -> tuple[int, float, float]:
        return self._own if self.monitor is None else self.monitor.native.delay_samples()

    @method()
    def newpoint(self, value: str) -> None:
        """One sample more."""
        sample = real(value, "a sample")
        count, total, squares = self._own
        self._own = (count + 1, total + sample, squares + sample * sample)

    @method()
    def cnt(self) -> int:
        """How many samples there are."""
        return self._state()[0]

    @method()
    def mean(self) -> str:
        """Their mean, six digits."""
        count, total, _ = self._state()
        if count == 0:
            raise NsError("tried to take mean with no sample points")
        return f"{total / count:g}"

    @method()
    def variance(self) -> str:
        """Their variance, six digits. As in ns-2 there is one of a single sample and of three, none of two."""
        count, total, squares = self._state()
        if count == 1:
            return "0.0"
        if count <= 2:
            raise NsError(f"no variance of {count} samples; ns-2 tells it of 1 and of more than 2")
        return f"{(squares - total / count * total) / (count - 1):g}"

    @method()
    def reset(self) -> None:
        """Forget all samples."""
        self._own = (0, 0.0, 0.0)
        if self.monitor is not None:
            self.monitor.native.reset_delay_samples()
