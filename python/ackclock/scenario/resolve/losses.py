"""Tells the engine what a loss is."""

from __future__ import annotations

from ackclock._native import ErrorModel, Simulation
from ackclock.scenario.model.loss import PACKET_NUMBERS, Loss
from ackclock.scenario.units import time_s


def error_model(engine: Simulation, loss: Loss) -> ErrorModel:
    """The engine's model of a loss."""
    # Gilbert's and Elliott's channel is one of several states.
    model = engine.add_error_model("multi_state" if loss.kind == "gilbert_elliott" else loss.kind)
    model.command("unit", [{"packets": "pkt", "bytes": "byte", "seconds": "time"}[loss.unit]])
    if loss.kind in ("uniform", "periodic"):
        keys = {"rate": "rate", "period": "period", "offset": "offset", "burst": "burstlen", "invert": "default_drop"}
        for key, name in keys.items():
            if getattr(loss, key) is not None:
                model.set_param(name, float(getattr(loss, key)))
    elif loss.kind == "list":
        model.command("droplist", [str(number) for number in loss.packets or []])
    elif loss.kind == "two_state":
        for spell, mean in (("0", loss.good), ("1", loss.bad)):
            variable = engine.add_random_variable("exponential")
            variable.set_param("avg", float(mean or 1.0))
            model.command("ranvar", [spell, str(variable.number)])
    elif loss.kind in ("multi_state", "gilbert_elliott"):
        states = loss.chain()
        models = [engine.add_error_model("uniform") for _ in states]
        for state, own in zip(states, models, strict=True):
            own.set_param("rate", float(state.rate))
        model.command("states", [str(own.number) for own in models])
        model.command("periods", [repr(time_s(state.duration or "0 s")) for state in states])
        model.command("transitions", [repr(float(part)) for state in states for part in state.next])
        model.command("sttype", ["pkt" if loss.unit == "packets" else "time"])
        model.command("start", ["0"])
    else:
        picked = [PACKET_NUMBERS[loss.packet_type or "tcp"], int(loss.period or 1), int(loss.offset or 0)]
        model.command("drop-packet", [str(number) for number in picked])
    if loss.mark:
        model.set_param("markecn", 1.0)
    if loss.delay is not None:
        model.set_param("delay_pkt", 1.0)
        model.set_param("delay", time_s(loss.delay))
        model.set_param("delay_most", time_s(loss.max_delay or loss.delay))
        model.set_param("in_order", float(loss.in_order))
    if loss.duplicate:
        model.set_param("double", 1.0)
    return model
