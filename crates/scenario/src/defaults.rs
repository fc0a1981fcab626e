//! The default sets, as `defaults.toml` has them, and the parameters, as the engine declares them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ackclock_engine::net::node::AgentId;
use ackclock_engine::params::{Parameter, Value};
use ackclock_engine::sim::Simulation;
use ackclock_engine::transport::tcp::controls;
use ackclock_engine::{queue, transport};

use crate::error::{ScenarioError, nearest};
use crate::read_toml;
use crate::tree::{Tree, get};
use crate::units;

/// The default sets as a TOML file: what a parameter is unless a scenario says otherwise, each with its source.
pub const SETS_TOML: &str = include_str!("defaults.toml");

static SETS: LazyLock<Tree> =
    LazyLock::new(|| Tree::Table(read_toml::read(SETS_TOML).expect("our own file is TOML").table));

/// Parameters with their values, in the order in which they are set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(pub Vec<(String, Value)>);

impl Values {
    /// Sets a value; a name that is there keeps its place.
    pub fn set(&mut self, name: &str, value: Value) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some(entry) => entry.1 = value,
            None => self.0.push((name.into(), value)),
        }
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

/// What a default set says.
pub fn set(name: &str) -> &'static Tree {
    SETS.get(name).unwrap_or(&Tree::Flag(false))
}

/// Names in a list of ns-2.35's set.
pub fn is_listed(list: &str, name: &str) -> bool {
    matches!(set("ns2_35").get(list), Some(Tree::List(names)) if names.iter().any(|known| known.text() == Some(name)))
}

fn value_of(tree: &Tree) -> Option<Value> {
    match tree {
        Tree::Flag(flag) => Some(Value::Flag(*flag)),
        Tree::Whole(whole) => Some(Value::Int(*whole)),
        Tree::Real(real) => Some(Value::Real(*real)),
        _ => None,
    }
}

fn entries(of: Option<&'static Tree>) -> impl Iterator<Item = (&'static str, Value)> {
    let entries = of.map_or(&[][..], Tree::table);
    entries.iter().filter_map(|(name, entry)| Some((name.as_str(), value_of(entry.get("value")?)?)))
}

/// What a default set gives a sender of a TCP variant, where that differs from what ns-2.35 gives most variants. `packet`:
/// bytes of data in its packets.
pub fn sender_values(defaults: &str, tcp: &str, packet: i64) -> Values {
    let mut own = Values::default();
    let variant = set("ns2_35").get("variants").and_then(|variants| variants.get(tcp));
    for (name, entry) in variant.map_or(&[][..], Tree::table) {
        if let Some(value) = value_of(entry) {
            own.set(name, value);
        }
    }
    let given = set(defaults);
    entries(given.get("tcp")).for_each(|(name, value)| own.set(name, value));
    if tcp.starts_with("full") {
        entries(given.get("two_way")).for_each(|(name, value)| own.set(name, value));
    }
    if let Some(initial) = given.get("initial_window") {
        let part = |key: &str| initial.get(key).and_then(Tree::number).unwrap_or_default() as i64;
        own.set("window_init", Value::Int(part("most").min(part("least").max(part("bytes") / packet))));
    }
    own
}

/// Whether a set takes the names of congestion controls for those, also where a sender has the same name.
pub fn prefers_controls(defaults: &str) -> bool {
    set(defaults).get("sender").and_then(Tree::text) == Some("tcp")
}

/// The receiver that a default set gives a TCP variant.
pub fn receiver(defaults: &str, tcp: &str) -> &'static str {
    let receivers = set(defaults).get("receivers");
    let named = |name: &str| receivers.and_then(|known| known.get(name)).and_then(Tree::text);
    named(tcp).or_else(|| named("other")).unwrap_or("sink")
}

/// What a default set gives a TCP receiver that has such a parameter.
pub fn receiver_values(defaults: &str) -> impl Iterator<Item = (&'static str, Value)> {
    entries(set(defaults).get("receiver"))
}

/// What a default set gives a queue discipline.
pub fn queue_values(defaults: &str, queue: &str) -> impl Iterator<Item = (&'static str, Value)> {
    entries(set(defaults).get("queues").and_then(|queues| queues.get(queue)))
}

/// Bytes of data in a packet.
pub fn packet_bytes(defaults: &str) -> i64 {
    let text = set(defaults).get("packet_size").and_then(Tree::text).unwrap_or("1000 B");
    units::size_bytes(text).expect("our own file has sizes")
}

/// An engine that is never run: it tells what it knows, and parameters are tried out on it.
#[derive(Default)]
pub struct Bench {
    simulation: Simulation,
    agents: BTreeMap<String, Option<AgentId>>,
    parameters: BTreeMap<String, Vec<Parameter>>,
}

impl Bench {
    fn agent(&mut self, kind: &str) -> Option<AgentId> {
        let simulation = &mut self.simulation;
        *self.agents.entry(kind.into()).or_insert_with(|| simulation.add_agent(kind).ok())
    }

    /// Whether an agent of this kind has a parameter.
    pub fn knows(&mut self, kind: &str, name: &str) -> bool {
        self.agent_value(kind, name).is_some()
    }

    /// The value that a parameter of an agent of this kind has at first; `None` if there is no such parameter.
    pub fn agent_value(&mut self, kind: &str, name: &str) -> Option<Value> {
        let agent = self.agent(kind)?;
        self.simulation.agents[agent.0 as usize].param(name)
    }

    /// The parameters that scenarios offer of a queue discipline, by its id, or of senders: `one_way`, `full`, `tcp_NAME`
    /// for today's TCP with the congestion control NAME, or `tcp`, what all its controls share; none for an unknown name.
    pub fn parameters(&mut self, of: &str) -> &[Parameter] {
        if !self.parameters.contains_key(of) {
            let found = self.declared(of);
            self.parameters.insert(of.into(), found);
        }
        &self.parameters[of]
    }

    fn declared(&mut self, of: &str) -> Vec<Parameter> {
        let mut found = Vec::new();
        if of == "tcp" {
            let rooms: Vec<String> = control_names("tcp").iter().map(|(id, _)| format!("tcp_{id}")).collect();
            found.extend_from_slice(self.parameters(&rooms[0]));
            for room in &rooms[1..] {
                let known = self.parameters(room);
                found.retain(|one| known.iter().any(|other| other.name == one.name));
            }
            return found;
        }
        let control = of.strip_prefix("tcp_").filter(|name| controls::entries().any(|(id, _)| id == *name));
        if let Some(queue) = queue::make(of) {
            queue.describe(&mut found);
        } else if of == "one_way" || of == "full" {
            // Vegas has the parameters of all one-way senders, and three of its own.
            let agent = self.agent(if of == "full" { "full" } else { "vegas" });
            agent.inspect(|agent| self.simulation.agents[agent.0 as usize].describe(&mut found));
        } else if let Some(control) = control
            && let Ok(agent) = self.simulation.add_agent("tcp")
        {
            let told =
                self.simulation.with_agent(agent, |agent, net| agent.command("congestion_control", &[control], net));
            debug_assert!(told.is_ok(), "the control is in the table");
            self.simulation.agents[agent.0 as usize].describe(&mut found);
        }
        found
    }
}

/// The congestion controls that a description may name beside a sender, each with a line about it.
pub fn control_names(sender: &str) -> Vec<(&'static str, &'static str)> {
    use transport::compat::{linux26, ns3_25};
    match sender {
        "linux" => linux26::cc::CONTROLS.iter().map(|entry| (entry.id, entry.about)).collect(),
        "tcp" => controls::entries().collect(),
        "ns3" => ns3_25::cc::CONTROLS.iter().map(|entry| (entry.id, entry.about)).collect(),
        _ => Vec::new(),
    }
}

/// A parameter as the engine takes it: a text with its unit becomes a number. `room` is what declares it.
///
/// # Errors
/// For a wrong value.
pub fn parameter_value(bench: &mut Bench, room: &str, name: &str, given: &Tree) -> Result<Value, ScenarioError> {
    let known = bench.parameters(room).iter().find(|known| known.name == name);
    let wrong = |expected: &str| Err(ScenarioError::new(expected).value(given.clone()));
    let Some(known) = known else { return without_entry(given) };
    let expected = match known.unit {
        "flag" => {
            return match given {
                Tree::Flag(flag) => Ok(Value::Flag(*flag)),
                _ => wrong("expected true or false"),
            };
        }
        "" => {
            return match value_of(given) {
                Some(value @ (Value::Int(_) | Value::Real(_))) => Ok(value),
                _ => wrong("expected a number"),
            };
        }
        "s" => "a time such as 200 ms",
        "bytes" => "a number of bytes such as 40 B",
        "packets" => "a number such as 20 packets",
        _ => "a rate such as 10 Mb/s",
    };
    let Tree::Text(text) = given else { return wrong(&format!("the unit is missing; expected {expected}")) };
    if known.unit == "bit/s" {
        return units::rate_bps(text).map(Value::Real);
    }
    let is_whole = matches!(known.value, Value::Int(_));
    let (number, unit) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let names = units::of_parameter(known.unit);
    let factor = names.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let number = python_float(number);
    let (Some(factor), Some(number)) = (factor, number) else {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let near = if unit.is_empty() { None } else { nearest(unit, &names) };
        return Err(ScenarioError::new(format!("expected {expected}")).value(given.clone()).near(near));
    };
    let result = number * factor;
    if result.is_nan() || (result.is_infinite() && is_whole) {
        return wrong(&format!("expected {expected}"));
    }
    if !(is_whole && result == result.trunc()) {
        return Ok(Value::Real(result));
    }
    if !(i64::MIN as f64..-(i64::MIN as f64)).contains(&result) {
        return wrong("whole numbers are between -2^63 and 2^63");
    }
    Ok(Value::Int(result as i64))
}

/// A number as Python's `float` reads it.
fn python_float(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let lower = text.trim_start_matches(['+', '-']).to_lowercase();
    (is_plain || matches!(lower.as_str(), "inf" | "infinity" | "nan")).then(|| text.parse().ok()).flatten()
}

/// A parameter that is not declared to scenarios: a plain number, or a time, size, rate or number of packets.
fn without_entry(given: &Tree) -> Result<Value, ScenarioError> {
    let Tree::Text(text) = given else {
        return value_of(given).ok_or_else(|| ScenarioError::new("expected a number").value(given.clone()));
    };
    let found = units::time_s(text).map(Value::Real);
    let found = found.or_else(|_| units::size_bytes(text).map(Value::Int));
    let found = found.or_else(|_| units::rate_bps(text).map(Value::Real));
    found.or_else(|_| units::window(text).map(Value::Real)).map_err(|_| {
        let expected = "expected a number, or one with a unit such as 5 ms, 40 B or 20 packets";
        ScenarioError::new(expected).value(given.clone())
    })
}

/// The title of a default set.
pub fn about(name: &str) -> String {
    let part = |key: &str| get(set(name).table(), key).and_then(Tree::text).unwrap_or_default();
    format!("{} ({})", part("about"), part("source"))
}
