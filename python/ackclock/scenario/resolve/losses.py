"""Tells the engine what a loss is."""

from __future__ import annotations

from ackclock._native import Simulation
from ackclock.scenario.model.loss import PACKET_NUMBERS, Loss
from ackclock.scenario.units import time_s


def error_model(engine: Simulation, loss: Loss) -> int:
    """The engine's model of a loss; its number."""
    # Gilbert's and Elliott's channel is one of several states.
    model = engine.add_error_model("multi_state" if loss.kind == "gilbert_elliott" else loss.kind)
    engine.error_model_command(model, "unit", [{"packets": "pkt", "bytes": "byte", "seconds": "time"}[loss.unit]])
    if loss.kind in ("uniform", "periodic"):
        keys = {"rate": "rate", "period": "period", "offset": "offset", "burst": "burstlen", "invert": "default_drop"}
        for key, name in keys.items():
            if getattr(loss, key) is not None:
                engine.set_error_model_param(model, name, float(getattr(loss, key)))
    elif loss.kind == "list":
        engine.error_model_command(model, "droplist", [str(number) for number in loss.packets or []])
    elif loss.kind == "two_state":
        for spell, mean in (("0", loss.good), ("1", loss.bad)):
            variable = engine.add_random_variable("exponential")
            engine.set_random_variable_param(variable, "avg", float(mean or 1.0))
            engine.error_model_command(model, "ranvar", [spell, str(variable)])
    elif loss.kind in ("multi_state", "gilbert_elliott"):
        states = loss.chain()
        models = [engine.add_error_model("uniform") for _ in states]
        for state, own in zip(states, models, strict=True):
            engine.set_error_model_param(own, "rate", float(state.rate))
        engine.error_model_command(model, "states", [str(own) for own in models])
        engine.error_model_command(model, "periods", [repr(time_s(state.duration or "0 s")) for state in states])
        engine.error_model_command(model, "transitions", [repr(float(part)) for state in states for part in state.next])
        engine.error_model_command(model, "sttype", ["pkt" if loss.unit == "packets" else "time"])
        engine.error_model_command(model, "start", ["0"])
    else:
        picked = [PACKET_NUMBERS[loss.packet_type or "tcp"], int(loss.period or 1), int(loss.offset or 0)]
        engine.error_model_command(model, "drop-packet", [str(number) for number in picked])
    if loss.mark:
        engine.set_error_model_param(model, "markecn", 1.0)
    if loss.delay is not None:
        engine.set_error_model_param(model, "delay_pkt", 1.0)
        engine.set_error_model_param(model, "delay", time_s(loss.delay))
        engine.set_error_model_param(model, "delay_most", time_s(loss.max_delay or loss.delay))
        engine.set_error_model_param(model, "in_order", float(loss.in_order))
    if loss.duplicate:
        engine.set_error_model_param(model, "double", 1.0)
    return model
