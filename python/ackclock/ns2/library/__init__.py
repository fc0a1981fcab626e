"""ns-2's class library: one file per room, each class declared with its ns-2 name.

Importing this package fills the registry of `ackclock.ns2.peers`.
"""

from ackclock.ns2.library import (  # noqa: F401  (imported for what they register)
    agents,
    applications,
    links,
    monitors,
    nodes,
    queues,
    scheduler,
    simulator,
    traces,
)
