"""The Rust engine as Python sees it. Written by tools/write_stub.py; do not edit."""

def run_packetdrill(
    name: str,
    text: str,
    options: list[tuple[str, str]],
    definitions: list[tuple[str, str]],
) -> tuple[str, str, list[tuple[int, bool, str]], list[str]]:
    """Runs the text of a packetdrill script against the simulated socket. `options` are packetdrill's command line
    options without dashes, `definitions` its symbols. Returns the verdict ("passes", "differs" or "not applicable"),
    packetdrill's message or the missing feature, the packets (microseconds, whether they are outbound, notation),
    and the lines that code blocks print. `ValueError` if the script cannot be read, with file, line and column.
    """

__all__ = [
    "run_packetdrill",
]
