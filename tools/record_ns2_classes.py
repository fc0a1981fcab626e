"""Ask the real ns-2 which classes it has, and write python/ackclock/ns2/bindings/ns2_35.tsv and ns2_35_methods.tsv.

    python tools/record_ns2_classes.py [--ns /usr/bin/ns]

For every class: its superclasses and class variables as a script sees them. For every class that can be made
without arguments: which of its variables are bound to C++, and their types, found by writing to them and reading
them again (a bound number cannot keep the text "zz"). One ns process for each class, because some crash. Bound
variables that a new object does not have as instance variables are bound late, when a script first names one; for
these `instvar` means something else (the line `(late)`).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

METHODS = Path(__file__).parent.parent / "python/ackclock/ns2/bindings/ns2_35_methods.tsv"
DATA = Path(__file__).parent.parent / "python/ackclock/ns2/bindings/ns2_35.tsv"

LIST = r"""
proc walk {c} {
    global seen
    if {[info exists seen($c)]} { return }
    foreach p [$c info superclass] { walk $p }
    set seen($c) 1
    set line [list $c [$c info superclass]]
    foreach v [lsort [$c info vars]] {
        if {![catch {$c set $v} value]} { lappend line $v $value }
    }
    puts $line
    set subs [$c info subclass]
    for {set i [expr [llength $subs] - 1]} {$i >= 0} {incr i -1} { walk [lindex $subs $i] }
}
walk Object
foreach c [lsort [Class info instances]] { walk $c }
"""

COMMANDS = r"""
foreach c [info commands] {
    if {[catch {Object info subclass $c}] && ![string match _o* $c]} { puts $c }
}
"""

INSTPROCS = r"""
proc walk {c} {
    global seen
    if {[info exists seen($c)]} { return }
    set seen($c) 1
    if {[$c info instprocs] != ""} { puts [concat $c [lsort [$c info instprocs]]] }
    foreach s [lsort [$c info subclass]] { walk $s }
}
walk SplitObject
foreach c [lsort [Object info subclass]] { if {$c != "Class"} { walk $c } }
"""

PROBE = r"""
set class CLASS
set ns [new Simulator]
if {$class == "Simulator"} { set o $ns } else { set o [new $class] }
set names [$o info vars]
set there $names
foreach c [concat $class [$class info heritage] EXTRA] {
    if {![catch {$c info vars} more]} { set names [concat $names $more] } else { lappend names $c }
}
foreach v [lsort -unique $names] {
    # ns-2 crashes when this one is read before it is set.
    if {$v == "old_classifier_"} continue
    if [catch {$o set $v} old] continue
    if [catch {$o set $v zz; $o set $v} r] continue
    if {[string equal $r zz]} { $o set $v $old; continue }
    $o set $v 2.75
    set kind int
    if {[$o set $v] == "2.75"} {
        set kind double
        $o set $v 0.1
        if {[string equal [$o set $v] 0.1]} { set kind traced_double }
        $o set $v 3k
        if {[$o set $v] == "3000"} { set kind bandwidth }
        $o set $v 10ms
        if {[$o set $v] == "0.01"} { set kind time }
    } else {
        $o set $v t
        if {[$o set $v] == "1"} { set kind bool }
        $o set $v -1
        if {[$o set $v] == "4294967295"} { set kind unsigned }
    }
    $o set $v $old
    if {$v ni $there} { append kind " late" }
    puts [concat $v $kind]
    flush stdout
}
exit 0
"""


def run(ns: str, script: str) -> tuple[str, str]:
    """Standard output and error of one run of ns."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ask.tcl")
        path.write_text(script, encoding="utf-8")
        done = subprocess.run([ns, str(path)], cwd=folder, capture_output=True, text=True, timeout=60, errors="replace")
    return done.stdout, done.stderr


def split(line: str) -> list[str]:
    """Elements of a Tcl list that was printed on one line."""
    import _tkinter

    tk = _tkinter.create(None, "ask", "Tk", False, False, False, False, None)
    return [str(word) for word in tk.splitlist(line)]


def bound(ns: str, name: str) -> dict[str, str]:
    """Bound variables of one class with their types; {} if it cannot be made without arguments."""
    try:
        _, err = run(ns, f"new Simulator; new {name}; exit 0")
        marks = [line.rpartition("::")[2] for line in err.splitlines() if line.startswith("warning: no class v")]
        out, _ = run(ns, PROBE.replace("CLASS", name).replace("EXTRA", " ".join(marks)))
    except subprocess.TimeoutExpired:
        return {}
    pairs = (line.partition(" ") for line in out.splitlines())
    return {name: kind for name, _, kind in pairs if kind.removesuffix(" late") in KINDS}


KINDS = {"int", "unsigned", "bool", "double", "traced_double", "bandwidth", "time"}


def added_commands(ns: str) -> list[str]:
    """Commands of ns that a bare Tcl does not have."""
    import _tkinter

    tk = _tkinter.create(None, "ask", "Tk", False, False, False, False, None)
    plain = set(tk.splitlist(tk.eval("info commands")))
    out, _ = run(ns, COMMANDS)
    return sorted(set(out.split()) - plain)


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns", default="/usr/bin/ns")
    ns: str = parser.parse_args().ns
    out, _ = run(ns, LIST)
    classes: dict[str, tuple[list[str], dict[str, str]]] = {}
    for record in out.splitlines():
        name, supers, *rest = split(record)
        classes[name] = (split(supers), dict(zip(rest[::2], rest[1::2], strict=True)))
    skip = {"Object", "Class", "SplitObject", "Scheduler/RealTime"}
    with ThreadPoolExecutor() as pool:
        asked = [name for name in classes if name not in skip and not name.startswith("PacketHeader/")]
        found = dict(zip(asked, pool.map(lambda name: bound(ns, name), asked), strict=True))
    types = {name: {key: kind.removesuffix(" late") for key, kind in own.items()} for name, own in found.items()}
    late = {name: {key for key, kind in own.items() if kind.endswith(" late")} for name, own in found.items()}
    lines = [
        "# ns-2.35's classes: class, superclasses, variable:type=default ... Written by tools/record_ns2_classes.py.",
    ]
    lines.append("\t".join(["(commands)", "", *added_commands(ns)]))
    new = {
        name: sorted(late.get(name, set()).difference(*(late.get(above, set()) for above in parents)))
        for name, (parents, _) in classes.items()
    }
    lines.append("\t".join(["(late)", "", *(" ".join([name, *keys]) for name, keys in new.items() if keys)]))
    inherited: dict[str, dict[str, str]] = {}
    for name, (parents, defaults) in classes.items():
        above: dict[str, str] = {}
        for parent in parents:
            above.update(inherited.get(parent, {}))
        own = types.get(name, {})
        inherited[name] = {**above, **own}
        fields = []
        for variable in sorted({*defaults, *own}):
            value = defaults.get(variable)
            kind = own.get(variable, "-")
            if kind == above.get(variable) and value is None:
                continue
            if value is not None and ("\t" in value or "\n" in value):
                continue
            kind = above.get(variable, "-") if kind == "-" else kind
            fields.append(f"{variable}:{kind}" + ("" if value is None else f"={value}"))
        lines.append("\t".join([name, " ".join(parents), *fields]))
    DATA.write_text("\n".join(lines) + "\n", encoding="utf-8")
    out, _ = run(ns, INSTPROCS)
    heading = "# ns-2.35's methods written in OTcl, a line for each class. Written by tools/record_ns2_classes.py."
    METHODS.write_text(
        "\n".join([heading, *("\t".join(split(line)) for line in out.splitlines())]) + "\n", encoding="utf-8"
    )
    print(f"{len(classes)} classes, {sum(map(len, types.values()))} bound variables -> {DATA}", file=sys.stderr)


if __name__ == "__main__":
    main()
