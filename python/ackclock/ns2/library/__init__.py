"""ns-2's class library: one file per room, each class declared with its ns-2 name.

Importing this package fills the registry of `ackclock.ns2.peers`.
"""

from __future__ import annotations

from ackclock.ns2 import catalogue
from ackclock.ns2.library import (  # noqa: F401  (imported for what they register)
    agents,
    applications,
    class_queues,
    classifiers,
    delayers,
    diffserv,
    errors,
    failures,
    flows,
    full_tcp,
    lans,
    link_state,
    links,
    linux,
    messages,
    monitors,
    nodes,
    pack_mime,
    patched,
    protocols,
    queues,
    quick_start,
    randomness,
    rap,
    recorded,
    routes,
    scheduler,
    simulator,
    tfrc,
    traces,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock.ns2.interp import Interpreter


def start(interp: Interpreter) -> None:
    """Make the objects that every script finds: the default random generator, and the one of routing."""
    interp.eval(catalogue.beside("library/class_procs.tcl"))
    default = interp.make("RNG")
    default.be_default()
    interp.set_variable("::defaultRNG", default.handle)
    routing = interp.make("RNG")
    interp.call(routing.handle, "seed", "1")
    interp.set_variable("::rtglibRNG", routing.handle)
    interp.command("::ns-random", lambda *seed: _ns_random(interp, *seed))


def _ns_random(interp: Interpreter, *seed: str) -> int | str:
    """The default generator's next whole number; with an argument, seed it."""
    generator = interp.get_variable("::defaultRNG") or ""
    if seed:
        interp.call(generator, "seed", *seed)
        return seed[0]
    return int(interp.call(generator, "next-random"))
