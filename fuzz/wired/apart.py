"""Links whose parts a random script connects by hand."""

from __future__ import annotations

from fuzz.wired.extras import error_model
from fuzz.wired.script import Script


def take_apart(script: Script) -> None:
    """Links whose parts are connected by hand."""
    if not script.links or not script.chance(0.3):
        return
    for _ in range(script.rng.randint(1, 2)):
        first, last = script.link()
        link = script.fresh("l")
        script.say(f"set {link} [$ns link $n{first} $n{last}]")
        kind = script.pick(tuple(_WAYS))
        script.used.add(f"parts: {kind}")
        names = {"l": f"${link}", "o": script.fresh("o"), "p": script.fresh("p")}
        lines = [line.format(**names) for line in _WAYS[kind]]
        if "{em}" in "".join(lines):
            name = error_model(script)
            lines = [line.replace("{em}", f"${name}") for line in lines]
        if script.chance(0.2) and kind not in ("read",):
            script.at(script.time(), "; ".join(lines).replace('"', '\\"').replace("$o", "\\$o").replace("$p", "\\$p"))
            script.used.add("parts: in mid-run")
        else:
            script.say(*lines)


#: ways to take a link apart: `{l}` is the link, `{o}` and `{p}` are new variables, `{{em}}` is an error model
_WAYS: dict[str, tuple[str, ...]] = {
    "connector at the head": (
        "set {o} [new Connector]", "${o} target [[{l} head] target]", "[{l} head] target ${o}",
    ),
    "error model behind the queue": (
        "{{em}} drop-target [{l} set drophead_]", "{{em}} target [[{l} queue] target]", "[{l} queue] target {{em}}",
    ),
    "error model before the transmitter": (
        "{{em}} target [{l} link]", "{{em}} drop-target [new Agent/Null]", "[{l} queue] target {{em}}",
    ),
    "error model behind the wire": (
        "{{em}} target [[{l} link] target]", "[{l} link] target {{em}}", "{{em}} drop-target [{l} set drophead_]",
    ),
    "error model without drop-target": ("{{em}} target [[{l} head] target]", "[{l} head] target {{em}}"),
    "error model without target": ("{{em}} drop-target [{l} set drophead_]", "[{l} queue] target {{em}}"),
    "hop limit behind the queue": (
        "set {o} [new TTLChecker]", "${o} target [[{l} queue] target]", "[{l} queue] target ${o}",
    ),
    "closed gate": (
        "set {o} [new DynamicLink]", "${o} target [[{l} head] target]", "${o} drop-target [{l} set drophead_]",
        "[{l} head] target ${o}", "${o} set status_ 0",
    ),
    "trace by hand": (
        "set {o} [new Trace/Enque]", "${o} set src_ 5", "set {p} [open {p}.tr w]", "${o} attach ${p}",
        "${o} target [[{l} head] target]", "[{l} head] target ${o}",
    ),
    "monitor by hand": (
        "set {o} [new QueueMonitor]", "{l} attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] "
        "[new SnoopQueue/Drop] ${o}",
    ),
    "drops to a trace": (
        "set {o} [new Trace/Drop]", "set {p} [open {p}.tr w]", "${o} attach ${p}", "${o} target [$ns set nullAgent_]",
        "[{l} queue] drop-target ${o}",
    ),
    "drops to nowhere": ("[{l} queue] drop-target [$ns set nullAgent_]",),
    "hop limit removed": ("[{l} link] target [[{l} set ttl_] target]",),
    "second drop head": (
        "set {o} [new Connector]", "${o} target [{l} set drophead_]", "[{l} queue] drop-target ${o}",
    ),
    "read": (
        'puts "[[{l} queue] target] [[{l} link] target] [[{l} head] target] [[{l} set ttl_] target]"',
        'puts "[[{l} queue] drop-target] [[{l} set ttl_] drop-target] [[{l} set drophead_] target]"',
    ),
    "add-to-head": ("set {o} [new Connector]", "{l} add-to-head ${o}"),
    "own drop of an error module": (
        "{l} errormodule {{em}}", "{{em}} drop-target [$ns set nullAgent_]",
    ),
}  # fmt: skip
