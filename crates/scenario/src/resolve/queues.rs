//! The settings of a link's queue: its limit in the discipline's own unit, and parameters by the engine's names.

use ackclock_engine::params::Value;
use ackclock_engine::queue::{self, Discipline};

use crate::defaults::{Bench, Values, parameter_value, queue_values};
use crate::error::{ScenarioError, choose, nearest};
use crate::outside::Chosen;
use crate::resolve::codes::{Choice, Codes};
use crate::resolve::layout::DirectedLink;
use crate::tree::{Tree, get};
use crate::units::{Amount, Unit, size_bytes};

/// Disciplines whose `limit` is without effect, as in ns-2, the parameter that limits them, and what it counts.
const LIMITED_BY: [(&str, &str, Unit); 4] = [
    ("sfq", "maxqueue", Unit::Packets),
    ("drr", "blimit", Unit::Bytes),
    ("fq", "flow_limit", Unit::Packets),
    ("cake", "memory_limit", Unit::Bytes),
];

/// The settings of a link's queue.
#[derive(Default)]
pub struct Told {
    /// Its parameters, if it is one of the engine's.
    pub parameters: Values,
    /// Its commands in ns-2's words.
    pub commands: Vec<String>,
    /// The discipline, if it is code, with its parameters.
    pub code: Option<Chosen>,
}

/// The parameters of a link's queue, and its commands. `trip` is its longest round trip, s, and biggest
/// packet, bytes; `nodes` are the network's.
///
/// # Errors
/// For an unknown discipline or parameter, or a wrong value.
pub fn tell_queue(
    bench: &mut Bench,
    codes: &Codes,
    link: &DirectedLink,
    trip: (f64, i64),
    defaults: &str,
    nodes: &[String],
) -> Result<Told, ScenarioError> {
    let (given, key) = (&link.queue, &link.queue_key);
    if let Some(own) = codes.at(format!("{key}.kind")) {
        return tell_own(bench, own, link, trip);
    }
    let known: Vec<&str> = queue::DISCIPLINES.iter().map(|entry| entry.id).collect();
    choose(&given.kind, &known, "a queue discipline", &format!("{key}.kind"))?;
    let mut trial = queue::make(&given.kind).expect("the discipline is in the table");
    let mut found = Values::default();
    queue_values(defaults, &given.kind).for_each(|(name, value)| found.set(name, value));
    if let Some(text) = &given.limit {
        let told = limit(link, text.value, trip, &*trial).map_err(|error| error.under("limit").under(key))?;
        told.0.iter().for_each(|(name, value)| found.set(name, *value));
    }
    for (name, text) in &given.parameters {
        let value = parameter_value(bench, &given.kind, name, text)
            .map_err(|error| error.under(name).under("parameters").under(key))?;
        found.set(name, value);
        if !trial.set_param(name, value) {
            let known: Vec<_> = bench.parameters(&given.kind).iter().map(|known| known.name.to_string()).collect();
            let expected = format!("a {} queue has no such parameter", given.kind);
            let error = ScenarioError::new(expected).key(format!("{key}.parameters.{name}")).value(text.clone());
            return Err(error.near(nearest(name, &known)));
        }
    }
    check_limit(&found, key)?;
    let mut commands = Vec::new();
    if let Some(diffserv) = &given.diffserv {
        commands = diffserv.words(&given.kind, nodes).map_err(|error| error.under("diffserv").under(key))?;
        found.set("num_queues", Value::Int(diffserv.queues.len() as i64));
    }
    Ok(Told { parameters: found, commands, code: None })
}

fn check_limit(values: &Values, key: &str) -> Result<(), ScenarioError> {
    let Some(limit) = values.get("limit").filter(|limit| limit.real() < 1.0) else { return Ok(()) };
    let shown = match limit {
        Value::Flag(flag) => Tree::Flag(flag),
        Value::Int(whole) => Tree::Whole(whole),
        Value::Real(real) => Tree::Real(real),
    };
    Err(ScenarioError::new("must be at least 1").key(format!("{key}.parameters.limit")).value(shown))
}

/// The settings of a user's own queue discipline.
fn tell_own(bench: &mut Bench, mut own: Choice, link: &DirectedLink, trip: (f64, i64)) -> Result<Told, ScenarioError> {
    let (given, key) = (&link.queue, &link.queue_key);
    if given.diffserv.is_some() {
        let wrong = ScenarioError::new("a user-defined queue discipline does not use it");
        return Err(wrong.key(format!("{key}.diffserv")));
    }
    if let Some(text) = &given.limit {
        let mut limit = text.value;
        if limit.unit == Unit::Bytes {
            let wrong = ScenarioError::new("a user-defined queue discipline counts packets, not bytes");
            return Err(wrong.key(format!("{key}.limit")).value(text.text.as_str()));
        }
        if limit.unit == Unit::Bdp && trip.1 > 0 {
            limit = in_packets(limit, link, trip);
        }
        if limit.unit == Unit::Packets {
            own.chosen.values.set("limit", Value::Int(limit.number as i64));
        }
    }
    for (name, value) in &given.parameters {
        own.set(bench, name, value).map_err(|error| error.under("parameters").under(key))?;
    }
    check_limit(&own.chosen.values, key)?;
    // What plots show of a queue is its limit.
    Ok(Told { parameters: own.chosen.values.clone(), commands: Vec::new(), code: Some(own.chosen) })
}

/// Bandwidth-delay products as packets of the biggest size.
fn in_packets(limit: Amount, link: &DirectedLink, (trip_s, packet): (f64, i64)) -> Amount {
    // Half to even, as Python rounds.
    let packets = (limit.number * link.rate_bps * trip_s / (8 * packet) as f64).round_ties_even().max(1.0);
    Amount { number: packets, unit: Unit::Packets }
}

fn limit(
    link: &DirectedLink,
    mut limit: Amount,
    (trip_s, packet): (f64, i64),
    trial: &dyn Discipline,
) -> Result<Values, ScenarioError> {
    let queue = &link.queue;
    let mut found = Values::default();
    let limited_by = LIMITED_BY.iter().find(|(name, ..)| *name == queue.kind);
    if limit.unit == Unit::Bdp {
        if packet == 0 {
            // Nothing but ACKs, if anything, comes this way: the engine's own limit.
            return Ok(found);
        }
        limit = in_packets(limit, link, (trip_s, packet));
        if limited_by.is_some_and(|(.., unit)| *unit == Unit::Bytes) {
            limit = Amount { number: limit.number * packet as f64, unit: Unit::Bytes };
        }
    }
    let text = || Tree::Text(queue.limit.as_ref().map_or_else(String::new, |limit| limit.text.clone()));
    if let Some((_, name, unit)) = limited_by {
        if *unit != limit.unit {
            let wrong = format!("a {} queue counts {}, not {}", queue.kind, unit.word(), limit.unit.word());
            return Err(ScenarioError::new(wrong).value(text()));
        }
        found.set(name, Value::Int(limit.number as i64));
        return Ok(found);
    }
    let counts_bytes = trial.param("queue_in_bytes").map(Value::flag);
    if limit.unit == Unit::Packets {
        // ns-2's RED counts bytes, and takes a packet for 500 of them, unless it is told to count packets.
        found.set("limit", Value::Int(limit.number as i64));
        if counts_bytes == Some(true) {
            found.set("queue_in_bytes", Value::Flag(false));
        }
        return Ok(found);
    }
    if counts_bytes.is_none() {
        return Err(ScenarioError::new(format!("a {} queue counts packets, not bytes", queue.kind)).value(text()));
    }
    found.set("queue_in_bytes", Value::Flag(true));
    if queue.kind == "drop_tail" {
        found.set("mean_pktsize", Value::Int(1));
        found.set("limit", Value::Int(limit.number as i64));
        return Ok(found);
    }
    let mean = match get(&queue.parameters, "mean_pktsize") {
        Some(Tree::Text(text)) => size_bytes(text)?,
        Some(other) => {
            return Err(ScenarioError::new("the unit is missing; expected a number of bytes such as 1000 B or 64 kB")
                .value(other.clone()));
        }
        None => 500,
    };
    found.set("limit", Value::Int((limit.number / mean as f64).ceil() as i64));
    Ok(found)
}
