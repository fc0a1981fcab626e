"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

def queue_disciplines() -> list[tuple[str, str]]:
    """Ids of the queue disciplines, each with a line about it."""

def applications() -> list[tuple[str, str]]:
    """Ids of the applications, each with a line about it."""

def agents() -> list[tuple[str, str]]:
    """Ids of the agents, each with a line about it."""

def tcp_senders() -> list[tuple[str, str]]:
    """Ids of the one-way TCP senders, each with a line about it."""

def tcp_two_way() -> list[tuple[str, str]]:
    """Ids of the two-way TCPs, each with a line about it."""

def tcp_receivers() -> list[tuple[str, str]]:
    """Ids of the one-way TCP receivers, each with a line about it."""

def error_models() -> list[tuple[str, str]]:
    """Ids of the error models, each with a line about it."""

def congestion_controls(sender: str) -> list[tuple[str, str]]:
    """Ids of the congestion controls that a TCP sender can be given by name, each with a line about it: those of
    `linux`, in ns-2's order, of `tcp` or of `ns3`; none for another sender.
    """

def ecn_controls() -> list[str]:
    """Ids of the congestion controls of `tcp` that reduce their window in response to ECN marks."""

def format_g(value: float, precision: int = 6) -> str:
    """`value` as C's `%.{precision}g` prints it."""

__all__ = [
    "agents",
    "applications",
    "congestion_controls",
    "ecn_controls",
    "error_models",
    "format_g",
    "queue_disciplines",
    "tcp_receivers",
    "tcp_senders",
    "tcp_two_way",
]
