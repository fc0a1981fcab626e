//! One transfer in the network of a scenario, as `ackclock quic` asks for it: a request and an answer in JSON.
//!
//! A request is an object. `scenario` is the text of a scenario file, `stack` a name of [`STACKS`](crate::stacks::STACKS),
//! `from` and `to` are nodes: the data go from the one to the other. Optional are `upload` (the client is at `from`),
//! `bytes` (without: until the end), `control`, `start_s`, `name` (of the flow) and `pcapng` (a file for a capture at
//! `from`). The answer has `nodes`, names of `flows` and `links`, the `tables` of the run, and the `transfer`; or an
//! `error` and the `key` of the scenario that it is about.

use std::fs::File;
use std::io::BufWriter;
use std::time::{Duration, Instant};

use ackclock::{Column, Network, Scenario, ScenarioError, Table};
use serde_json::{Map, Value, json};

use crate::drive::{Course, Meeting, drive};
use crate::failure::Failure;
use crate::stack::Direction;
use crate::stacks::find;
use crate::transfer::{WITHOUT_END, stacks};

/// The seed of the stacks where the scenario has none.
const SEED: u64 = 1;

/// Why there is no answer.
#[derive(Debug)]
pub struct Refusal {
    /// What was expected.
    error: String,
    /// The key of the scenario or of the request; may be empty.
    key: String,
}

impl Refusal {
    fn new(key: &str, error: impl ToString) -> Refusal {
        Refusal { error: error.to_string(), key: key.into() }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::new("", failure)
    }
}

impl From<ScenarioError> for Refusal {
    fn from(error: ScenarioError) -> Refusal {
        // The line is one of the text, which need not be the user's file.
        let key = error.key.clone();
        let bare = ScenarioError { line: None, file: None, key: String::new(), value: None, ..error };
        Refusal::new(&key, bare)
    }
}

/// The answer to a request, and whether it has results.
pub fn answer(request: &str) -> (Value, bool) {
    match answer_or_refuse(request) {
        Ok(found) => (found, true),
        Err(Refusal { error, key }) => (json!({ "error": error, "key": key }), false),
    }
}

fn answer_or_refuse(request: &str) -> Result<Value, Refusal> {
    let request: Map<String, Value> = serde_json::from_str(request).map_err(|error| Refusal::new("", error))?;
    let asked = Asked(&request);
    let entry = find(asked.text("stack")?).map_err(|failure| Refusal::new("stack", failure))?;
    let control = entry.control(asked.optional_text("control")?).map_err(|failure| Refusal::new("cc", failure))?;
    let scenario = Scenario::from_toml(asked.text("scenario")?)?;
    let direction = if asked.flag("upload")? { Direction::Upload } else { Direction::Download };
    let mut network = Network::from_scenario(&scenario)?;
    let mut node = |key: &str| {
        let node = network.find_node(asked.text(key)?).map_err(|error| Refusal::new(key, error.problem))?;
        Ok::<_, Refusal>(network.endpoint(node))
    };
    let (sender, receiver) = (node("from")?, node("to")?);
    let flow = network.external_flow(asked.optional_text("name")?.unwrap_or(entry.name), sender, receiver);
    let mut simulation = network.build().map_err(|error| Refusal::new("", error))?;
    let capture = asked.optional_text("pcapng")?;
    if let Some(path) = capture {
        let file = File::create(path).map_err(|error| Refusal::new("pcapng", format!("{path}: {error}")))?;
        simulation.capture(sender, BufWriter::new(file));
    }
    let seed = scenario.seed.map_or(SEED, |seed| seed.number());
    let bytes = asked.whole("bytes")?.unwrap_or(WITHOUT_END);
    let mut stacks = stacks(direction, bytes, seed, |application, seed| (entry.make)(application, seed, control));
    let ends = if direction == Direction::Upload { [sender, receiver] } else { [receiver, sender] };
    let ends_at =
        Duration::try_from_secs_f64(scenario.duration.value).map_err(|error| Refusal::new("duration", error))?;
    let starts = Duration::try_from_secs_f64(asked.real("start_s")?.unwrap_or(0.0));
    let starts = starts.map_err(|error| Refusal::new("start", error))?;
    if starts >= ends_at {
        return Err(Refusal::new("start", format!("expected less than the duration, {} s", scenario.duration.value)));
    }
    let began = Instant::now();
    let course = drive(&mut simulation, &Meeting { ends, direction, starts, ends_at }, &mut stacks);
    let course = course.map_err(|failure| Refusal::new("", format!("{}: {failure}", entry.name)))?;
    simulation.note_delivered(flow, course.read);
    if course.received.is_some() {
        simulation.note_completion(flow);
    }
    while simulation.now() < ends_at {
        simulation.advance(ends_at).map_err(Failure::Network)?;
        simulation.deliveries();
    }
    let wall_s = began.elapsed().as_secs_f64();
    simulation.end_captures().map_err(|error| Refusal::new("pcapng", error))?;
    let tables = simulation.take_tables();
    let tables: Map<String, Value> = tables.into_iter().map(|(name, table)| (name.into(), columns(&table))).collect();
    let names = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "nodes": network.node_names().collect::<Vec<_>>(),
        "flows": names(&mut network.flow_names().map(str::to_owned)),
        "links": names(&mut network.link_names()),
        "tables": tables,
        "transfer": transfer(&course, control, wall_s),
    }))
}

fn transfer(course: &Course, control: &str, wall_s: f64) -> Value {
    let secs = |at: Option<Duration>| at.map(|at| at.as_secs_f64());
    json!({
        "control": control,
        "connected_s": secs(course.connected),
        "received_s": secs(course.received),
        "read_bytes": course.read,
        "digest": format!("{:016x}", course.digest),
        "wall_s": wall_s,
    })
}

/// What a request has under its keys.
struct Asked<'a>(&'a Map<String, Value>);

impl<'a> Asked<'a> {
    fn read<T>(&self, key: &str, what: &str, as_it: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>, Refusal> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => as_it(value).map(Some).ok_or_else(|| Refusal::new(key, format!("expected {what}"))),
        }
    }

    fn text(&self, key: &str) -> Result<&'a str, Refusal> {
        self.optional_text(key)?.ok_or_else(|| Refusal::new(key, "expected a text"))
    }

    fn optional_text(&self, key: &str) -> Result<Option<&'a str>, Refusal> {
        self.read(key, "a text", Value::as_str)
    }

    fn flag(&self, key: &str) -> Result<bool, Refusal> {
        Ok(self.read(key, "true or false", Value::as_bool)?.unwrap_or(false))
    }

    fn whole(&self, key: &str) -> Result<Option<u64>, Refusal> {
        self.read(key, "a whole number", Value::as_u64)
    }

    fn real(&self, key: &str) -> Result<Option<f64>, Refusal> {
        self.read(key, "a number", Value::as_f64)
    }
}

/// A table's columns: of each its name, its type and its values, null for what is missing.
fn columns(table: &Table) -> Value {
    table.columns.iter().map(|(name, column)| json!([name, kind(column), values(column)])).collect()
}

fn kind(column: &Column) -> &'static str {
    match column {
        Column::Reals(_) => "real",
        Column::Counts(_) => "count",
        Column::Numbers(_) => "number",
        Column::Integers(_) => "integer",
        Column::Longs(_) => "long",
        Column::Words(_) => "word",
    }
}

fn values(column: &Column) -> Vec<Value> {
    let rows = 0..column.len();
    match column {
        // JSON has no infinity and no NaN.
        Column::Reals(all) => rows.map(|row| all.get(row).map_or(Value::Null, real)).collect(),
        Column::Counts(all) => rows.map(|row| all.get(row).into()).collect(),
        Column::Numbers(all) => rows.map(|row| all.get(row).into()).collect(),
        Column::Integers(all) => rows.map(|row| all.get(row).into()).collect(),
        Column::Longs(all) => rows.map(|row| all.get(row).into()).collect(),
        Column::Words(all) => rows.map(|row| all.get(row).into()).collect(),
    }
}

fn real(value: f64) -> Value {
    if value.is_finite() { value.into() } else { value.to_string().into() }
}
