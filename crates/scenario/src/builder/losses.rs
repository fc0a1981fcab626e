//! Tells the engine what a loss is.

use ackclock_engine::loss::ModelId;
use ackclock_engine::params::Value;
use ackclock_engine::sim::Simulation;

use crate::model::loss::{Loss, PACKET_NUMBERS};

/// The engine's model of a loss.
pub(super) fn add_error_model(engine: &mut Simulation, loss: &Loss) -> Result<ModelId, String> {
    let kind = if loss.kind == "gilbert_elliott" { "multi_state" } else { &loss.kind };
    let model = engine.net.models.add(kind).ok_or_else(|| format!("unknown error model {kind}"))?;
    let set = |engine: &mut Simulation, model: ModelId, name: &str, value: f64| {
        let known = engine.net.models.set_param(model, name, Value::Real(value));
        if known { Ok(()) } else { Err(format!("this error model has no parameter {name}")) }
    };
    let tell = |engine: &mut Simulation, name: &str, words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        engine.net.model_command(model, name, &words).map(drop)
    };
    let unit = match loss.unit.as_str() {
        "packets" => "pkt",
        "bytes" => "byte",
        _ => "time",
    };
    tell(engine, "unit", &[unit.into()])?;
    let real = crate::tree::shortest;
    match loss.kind.as_str() {
        "uniform" | "periodic" => {
            let numbers =
                [("rate", loss.rate), ("period", loss.period), ("offset", loss.offset), ("burstlen", loss.burst)];
            for (name, number) in numbers {
                if let Some(number) = number {
                    set(engine, model, name, number.value)?;
                }
            }
            if let Some(invert) = loss.invert {
                set(engine, model, "default_drop", f64::from(u8::from(invert)))?;
            }
        }
        "list" => {
            let numbers: Vec<_> = loss.packets.iter().flatten().map(i64::to_string).collect();
            tell(engine, "droplist", &numbers)?;
        }
        "two_state" => {
            for (spell, mean) in [("0", loss.good), ("1", loss.bad)] {
                let variable = engine.net.rng.add_variable("exponential").ok_or("there is no exponential variable")?;
                let mean = mean.map_or(1.0, |mean| mean.value);
                engine.net.rng.variables[variable.0 as usize].set_param("avg", Value::Real(mean));
                tell(engine, "ranvar", &[spell.into(), variable.0.to_string()])?;
            }
        }
        "multi_state" | "gilbert_elliott" => {
            let states = loss.chain();
            let mut models = Vec::new();
            for _ in &states {
                models.push(engine.net.models.add("uniform").ok_or("there is no uniform error model")?);
            }
            for ((rate, ..), own) in states.iter().zip(&models) {
                set(engine, *own, "rate", *rate)?;
            }
            tell(engine, "states", &models.iter().map(|own| own.0.to_string()).collect::<Vec<_>>())?;
            tell(engine, "periods", &states.iter().map(|(.., lasts_s)| real(*lasts_s)).collect::<Vec<_>>())?;
            let parts: Vec<_> = states.iter().flat_map(|(_, next, _)| next.iter().map(|&part| real(part))).collect();
            tell(engine, "transitions", &parts)?;
            tell(engine, "sttype", &[if loss.unit == "packets" { "pkt" } else { "time" }.into()])?;
            tell(engine, "start", &["0".into()])?;
        }
        _ => {
            let carried = loss.packet_type.as_deref().unwrap_or("tcp");
            let number = PACKET_NUMBERS.iter().find(|(name, _)| *name == carried).map_or(0, |(_, number)| *number);
            let whole = |number: Option<crate::model::typed::Number>, usual: i64| {
                let given = number.map_or(usual, |number| number.value as i64);
                if given == 0 { usual } else { given }
            };
            let picked = [number, whole(loss.period, 1), whole(loss.offset, 0)].map(|number| number.to_string());
            tell(engine, "drop-packet", &picked)?;
        }
    }
    if loss.mark {
        set(engine, model, "markecn", 1.0)?;
    }
    if let Some(delay) = &loss.delay {
        set(engine, model, "delay_pkt", 1.0)?;
        set(engine, model, "delay", delay.value)?;
        set(engine, model, "delay_most", loss.max_delay.as_ref().unwrap_or(delay).value)?;
        set(engine, model, "in_order", f64::from(u8::from(loss.in_order)))?;
    }
    if loss.duplicate {
        set(engine, model, "double", 1.0)?;
    }
    Ok(model)
}
