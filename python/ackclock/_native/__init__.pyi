"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

from ackclock._native.agents import (
    Agent,
    Application,
    QuickStartRouter,
    TokenBucket,
)
from ackclock._native.monitors import (
    FlowTable,
    Integral,
    Monitor,
)
from ackclock._native.multicast import (
    GroupTable,
    Replicator,
)
from ackclock._native.network import (
    DelayBox,
    ErrorModel,
    ErrorModule,
    Lan,
    Link,
    Node,
    Part,
    Queue,
)
from ackclock._native.ns2 import (
    Clock,
    Command,
    Count,
    LazyObjects,
    SignalWatcher,
    TclHashOrder,
)
from ackclock._native.packetdrill import (
    run_packetdrill,
)
from ackclock._native.plugins import (
    Ack,
    ControlLibrary,
    KernelModule,
    Packet,
    SenderState,
)
from ackclock._native.process import (
    abort_silently_without_memory,
    adopt_orphans,
    confine,
    die_with_parent,
    grow_stack,
    namespace_is_allowed,
)
from ackclock._native.random import (
    RandomStream,
    RandomVariable,
    SimulationStream,
    hash_seed,
)
from ackclock._native.registry import (
    agents,
    applications,
    congestion_controls,
    ecn_controls,
    error_models,
    format_g,
    queue_disciplines,
    tcp_receivers,
    tcp_senders,
    tcp_two_way,
)
from ackclock._native.run import (
    MergedRuns,
    ResolvedNetwork,
    SteeredRuns,
    Table,
    amount,
    check_part,
    check_scenario_text,
    default_sets,
    flow_kind,
    join_runs,
    nearest_name,
    rate_bps,
    read_deliveries,
    run_scenario_text,
    scenario_constants,
    scenario_parameters,
    scenario_parts,
    size_bytes,
    time_s,
)
from ackclock._native.simulation import (
    Params,
    Simulation,
)
from ackclock._native.trace import (
    Recording,
    TraceFile,
    thin_curve,
    trace_schema,
    trace_throughput,
)
from ackclock._native.traces import (
    Capture,
    Channel,
    NamPlace,
    TracePlace,
    VariablePlace,
)

__version__: str
#: Variables from which on a look for an element that is not there may make an array's table grow.
MANY_VARIABLES: int

class SimulationError(RuntimeError):
    """A simulation that cannot go on, or cannot be described so."""

class InvariantError(SimulationError):
    """What holds in every simulation did not hold: the simulator, or code of one's own in it, is wrong. Nothing of the
    run is a result.
    """

class LimitError(SimulationError):
    """A run that went beyond what it was allowed: time, memory, or events at one instant. Nothing of it is a result."""

class TraceError(ValueError):
    """A trace file that is damaged, cut short or no packet trace."""

class PartialTrace(UserWarning):
    """Of a damaged trace file only the part before the damage was taken."""

__all__ = [
    "MANY_VARIABLES",
    "Ack",
    "Agent",
    "Application",
    "Capture",
    "Channel",
    "Clock",
    "Command",
    "ControlLibrary",
    "Count",
    "DelayBox",
    "ErrorModel",
    "ErrorModule",
    "FlowTable",
    "GroupTable",
    "Integral",
    "InvariantError",
    "KernelModule",
    "Lan",
    "LazyObjects",
    "LimitError",
    "Link",
    "MergedRuns",
    "Monitor",
    "NamPlace",
    "Node",
    "Packet",
    "Params",
    "Part",
    "PartialTrace",
    "Queue",
    "QuickStartRouter",
    "RandomStream",
    "RandomVariable",
    "Recording",
    "Replicator",
    "ResolvedNetwork",
    "SenderState",
    "SignalWatcher",
    "Simulation",
    "SimulationError",
    "SimulationStream",
    "SteeredRuns",
    "Table",
    "TclHashOrder",
    "TokenBucket",
    "TraceError",
    "TraceFile",
    "TracePlace",
    "VariablePlace",
    "__version__",
    "abort_silently_without_memory",
    "adopt_orphans",
    "agents",
    "amount",
    "applications",
    "check_part",
    "check_scenario_text",
    "confine",
    "congestion_controls",
    "default_sets",
    "die_with_parent",
    "ecn_controls",
    "error_models",
    "flow_kind",
    "format_g",
    "grow_stack",
    "hash_seed",
    "join_runs",
    "namespace_is_allowed",
    "nearest_name",
    "queue_disciplines",
    "rate_bps",
    "read_deliveries",
    "run_packetdrill",
    "run_scenario_text",
    "scenario_constants",
    "scenario_parameters",
    "scenario_parts",
    "size_bytes",
    "tcp_receivers",
    "tcp_senders",
    "tcp_two_way",
    "thin_curve",
    "time_s",
    "trace_schema",
    "trace_throughput",
]
