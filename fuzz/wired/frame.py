"""How a random script begins and ends."""

from __future__ import annotations

from fuzz.wired.script import Script


def head(script: Script) -> None:
    """The simulator, and settings of classes."""
    if script.chance(0.12):
        name, value = script.pick(
            ("Agent/TCP|tcpTick_ 0.1", "Agent/TCP|window_ 30", "Queue|limit_ 8", "Agent/TCP|minrto_ 0.2",
             "Agent/TCP|oldCode_ true", "Queue/RED|gentle_ false", "Trace|show_tcphdr_ 1", "Agent|ttl_ 5",
             "Agent/TCP|useHeaders_ false", "Queue/RED|bytes_ false", "DelayLink|avoidReordering_ true",
             "Agent/TCP|timestamps_ true", "Node|multiPath_ 1", "Agent/TCP|ecn_ 1", "Application/Traffic/CBR|random_ 1")
        ).split("|")  # fmt: skip
        script.say(f"{name} set {value}")
        script.used.add("class default")
    script.say("set ns [new Simulator]")
    if script.chance(0.08):
        script.say(f"$ns use-scheduler {script.pick(('List', 'Heap', 'Calendar', 'Splay', 'Map'))}")
    if script.chance(0.15):
        script.say(f"{script.pick(('ns-random', '$defaultRNG seed'))} {script.rng.randint(1, 99999)}")
    if script.chance(0.75):
        script.traces = True
        script.say("set tf [open out.tr w]", "$ns trace-all $tf")
    if script.chance(0.35):
        script.animates = True
        script.say("set nf [open out.nam w]", "$ns namtrace-all $nf")
        if script.chance(0.3):
            script.say(f"$ns color {script.rng.randint(0, 4)} {script.pick(('blue', 'red'))}")
    if script.chance(0.04):
        script.say("$ns use-taggedtrace")


def foot(script: Script) -> None:
    """The end of the run."""
    lines = ["proc finish {} {", "    global " + " ".join(["ns", *sorted(_names(script))]), "    $ns flush-trace"]
    lines += [f'    puts "{" ".join(script.shown)}"'] if script.shown else []
    script.say(*lines, f"    {script.pick(('exit 0', 'exit 0', '$ns halt'))}", "}")
    script.at(script.end_s, "finish")
    script.say("$ns run")


def _names(script: Script) -> set[str]:
    words = " ".join(script.shown).replace("[", " ").replace("]", " ").split()
    return {word[1:] for word in words if word.startswith("$")}
