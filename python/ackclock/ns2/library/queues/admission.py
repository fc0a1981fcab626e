"""What a script says of links that admit flows one by one; what they are is in int_serv.py."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.library.core.simulator import Simulator


class AdmittingNetwork:
    """What a script says of such links."""

    @method("simplex-intserv-link")
    def simplex_intserv_link(self: Simulator, src: str, dst: str, *words: str) -> None:  # type: ignore[misc]
        """`bandwidth delay queue signalling control estimator ?level?`, one way."""
        if len(words) < 6:
            raise NsError("an intserv link needs bandwidth, delay, queue, signalling, admission control and estimator")
        bandwidth, delay, queue, signalling, control, estimator = words[:6]
        source, target = self.node_at(src), self.node_at(dst)
        handle = self.interp.new(f"Queue/{queue}")
        link = self.interp.new(
            "IntServLink", src, dst, bandwidth, delay, handle, signalling, control, estimator, *words[6:]
        )
        self.vars[f"link_({source.number}:{target.number})"] = link
        self.interp.call(src, "add-neighbor", dst, "0")
        if "traceAllFile_" in self.vars:
            self.call("trace-queue", src, dst, self.vars["traceAllFile_"])
        if "namtraceAllFile_" in self.vars:
            self.call("namtrace-queue", src, dst, self.vars["namtraceAllFile_"])
        self.call("register-nam-linkconfig", link)

    @method("duplex-intserv-link")
    def duplex_intserv_link(self: Simulator, src: str, dst: str, *words: str) -> None:  # type: ignore[misc]
        """The same, both ways."""
        self.call("simplex-intserv-link", src, dst, *words)
        self.call("simplex-intserv-link", dst, src, *words)
