"""The order of arrays' elements as the extension works it out, beside that of a real Tcl."""

from __future__ import annotations

import random
import tkinter

import pytest

from ackclock._native import TclHashOrder

#: keys as links and nodes have them, and others
KEYS = {
    "links": lambda dice, number: f"{dice.randrange(number + 3)}:{number}",
    "nodes": lambda dice, number: str(number),
    "words": lambda dice, number: "".join(dice.choices("abcxyzäß€😀 ", k=dice.randrange(1, 9))) + str(number),
}


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("looking", [0.0, 0.5])
def test_order_is_that_of_tcl(keys: str, looking: float) -> None:
    tcl = tkinter.Tcl()
    dice = random.Random(f"{keys} {looking}")
    for count in (1, 2, 11, 12, 13, 30, 47, 48, 49, 191, 192, 500):
        ours, kept, looked = TclHashOrder(), {"other_": "1"}, []
        tcl.call("array", "unset", "a")
        for number in range(count):
            if dice.random() < looking:
                looked += [len(kept), "a(nobody)"]
                tcl.eval("catch {set a(nobody)}")
            key = KEYS[keys](dice, number)
            kept[f"a({key})"] = str(number)
            tcl.call("set", f"a({key})", str(number))
            if dice.random() < 0.1:
                ours.follow(kept, looked)
        ours.follow(kept, looked)
        theirs = [str(name) for name in tcl.splitlist(tcl.call("array", "names", "a"))]
        numbers = [str(tcl.call("set", f"a({name})")) for name in theirs]
        assert ours.elements("a", kept) == numbers
        assert [kept[f"a({name})"] for name in ours.names("a")] == numbers
        assert ours.names("b") == []
