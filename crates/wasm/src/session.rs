//! One run: what is asked, and the answers.
//!
//! A request is an object with `do`: `choices`, `text` (a description as TOML), `begin` (a run), `step` (some events of
//! it; when it has ended, its results are there), and of results `table`, `digest`, `head`, `chunk`, `series`, `packet`
//! and `state`, whose answers docs/http-api.md describes.

use ackclock_engine::queue;
use ackclock_engine::transport::registry;
use ackclock_scenario::defaults::{self, Bench, control_names};
use ackclock_scenario::model::scenario::DEFAULT_SETS;
use ackclock_scenario::model::topology::TOPOLOGIES;
use ackclock_scenario::model::traffic::WITH_CONTROLS;
use ackclock_scenario::{Error, Run, Scenario};
use ackclock_trace::columns::{Column, Table};
use ackclock_trace::recording::chunk::packed;
use serde_json::{Map, Value, json};

use crate::digest::digest;
use crate::json;
use crate::player::Player;
use crate::refusal::Refusal;

/// The kinds of answers.
pub const REFUSED: u32 = 0;
/// An answer in JSON.
pub const JSON: u32 = 1;
/// A chunk of packets.
pub const BINARY: u32 = 2;

/// A run under way, or its results.
#[derive(Default)]
pub struct Session {
    run: Option<(Box<Run>, f64)>,
    player: Option<Box<Player>>,
}

impl Session {
    /// The answer to a request, and its kind.
    pub fn answer(&mut self, request: &[u8]) -> (u32, Vec<u8>) {
        let asked = serde_json::from_slice::<Map<String, Value>>(request);
        let asked = asked.map_err(|error| Refusal::new(format!("not a request: {error}")));
        let answered = asked.and_then(|asked| {
            if asked.get("do").and_then(Value::as_str) == Some("chunk") {
                return self.chunk(&asked).map(|bytes| (BINARY, bytes));
            }
            self.told(&asked).map(|told| (JSON, told.to_string().into_bytes()))
        });
        answered.unwrap_or_else(|refusal| {
            let told = json!({"error": refusal.error, "key": refusal.key});
            (REFUSED, told.to_string().into_bytes())
        })
    }

    fn told(&mut self, asked: &Map<String, Value>) -> Result<Value, Refusal> {
        let what = asked.get("do").and_then(Value::as_str).unwrap_or_default();
        match what {
            "choices" => Ok(choices()),
            "text" => text(asked),
            "begin" => self.begin(asked),
            "step" => self.step(),
            _ => {
                let player = self.player.as_ref().ok_or_else(|| Refusal::new("there are no results yet"))?;
                match what {
                    "table" => Ok(flows_table(player)),
                    "digest" => Ok(json!({"digest": format!("{:016x}", digest(&player.results.tables))})),
                    "head" => Ok(player.head()),
                    "series" => player.series(asked),
                    "packet" => player.packet(asked),
                    "state" => player.state(asked),
                    _ => Err(Refusal::new(format!("unknown request {what}"))),
                }
            }
        }
    }

    fn begin(&mut self, asked: &Map<String, Value>) -> Result<Value, Refusal> {
        let mut scenario = scenario(asked)?;
        // The page draws each change and each packet. Keeping them adds no event to the simulation.
        if asked.get("plain").is_none() {
            scenario.record.changes = true;
            scenario.record.packets = true;
        }
        let run = Run::new(&scenario)?;
        let duration_s = run.network.duration_s;
        self.player = None;
        self.run = Some((Box::new(run), duration_s));
        Ok(json!({"duration_s": duration_s, "name": scenario.name}))
    }

    fn step(&mut self) -> Result<Value, Refusal> {
        let Some((mut run, duration_s)) = self.run.take() else { return Err(Refusal::new("no run has begun")) };
        let is_over = run.go_on()?;
        let now_s = run.now_s();
        if is_over {
            self.player = Some(Box::new(Player::new(run.finish())?));
        } else {
            self.run = Some((run, duration_s));
        }
        Ok(json!({"done": is_over, "simulated_s": now_s, "fraction": (now_s / duration_s).min(1.0)}))
    }

    fn chunk(&self, asked: &Map<String, Value>) -> Result<Vec<u8>, Refusal> {
        let player = self.player.as_ref().ok_or_else(|| Refusal::new("there are no results yet"))?;
        let number = asked.get("n").and_then(Value::as_u64).unwrap_or(u64::MAX) as usize;
        let rows = player.recording.rows();
        if number >= rows.chunks().len() {
            return Err(Refusal::new(format!("no chunk {number}: {} in all", rows.chunks().len())));
        }
        let hops = rows.chunk(number).map_err(|error| Refusal::new(error.to_string()))?;
        Ok(packed(&hops, &player.rates_bps()))
    }
}

fn scenario(asked: &Map<String, Value>) -> Result<Scenario, Refusal> {
    let found = match (asked.get("toml"), asked.get("scenario")) {
        (Some(Value::String(text)), _) => Scenario::from_toml(text),
        (_, Some(Value::Object(object))) => Scenario::from_keys(&json::keys(object)),
        _ => return Err(Refusal::new("expected a scenario")),
    };
    found.map_err(|error| Error::Scenario(error).into())
}

fn text(asked: &Map<String, Value>) -> Result<Value, Refusal> {
    scenario(asked)?;
    let Some(Value::Object(object)) = asked.get("scenario") else { return Err(Refusal::new("expected a scenario")) };
    let lacks = "An ns-2 script is written by `ackclock serve` and `ackclock export` only.";
    Ok(json!({"toml": json::toml(&json::keys(object)), "tcl": null, "lacks": lacks}))
}

fn flows_table(player: &Player) -> Value {
    let Some(table) = player.results.table("flows") else { return json!({"columns": [], "units": {}, "rows": []}) };
    let units: Map<String, Value> = table.columns.iter().map(|(name, _)| ((*name).into(), unit(name).into())).collect();
    let names = player.results.network.flows.iter().map(|flow| flow.name.as_str());
    let rows: Vec<Value> = names.enumerate().map(|(row, name)| values(table, row, name)).collect();
    let columns: Vec<&str> = table.columns.iter().map(|(name, _)| *name).chain(["name"]).collect();
    json!({"columns": columns, "units": units, "rows": rows})
}

fn unit(name: &str) -> &'static str {
    let units = [("_bps", "bit/s"), ("_packets", "packets"), ("_bytes", "bytes"), ("_s", "s")];
    units.into_iter().find(|(end, _)| name.ends_with(end)).map_or("", |(_, unit)| unit)
}

fn values(table: &Table, row: usize, name: &str) -> Value {
    let value = |column: &Column| match column {
        Column::Words(words) => words.get(row).into(),
        Column::Reals(values) => values.get(row).into(),
        Column::Counts(values) => values.get(row).into(),
        Column::Numbers(values) => values.get(row).into(),
        Column::Integers(values) => values.get(row).into(),
        Column::Longs(values) => values.get(row).into(),
    };
    let all: Vec<Value> = table.columns.iter().map(|(_, column)| value(column)).chain([name.into()]).collect();
    all.into()
}

fn named<'a>(all: impl Iterator<Item = (&'a str, String)>) -> Vec<Value> {
    all.map(|(id, words)| json!({"id": id, "words": words})).collect()
}

/// What a scenario may name, from the tables that the engine itself goes by.
fn choices() -> Value {
    let mut bench = Bench::default();
    let senders = registry::VARIANTS.iter().chain(registry::two_way()).map(|entry| (entry.id, entry.about.to_owned()));
    let controls: Vec<Value> = WITH_CONTROLS
        .into_iter()
        .flat_map(|tcp| {
            control_names(tcp).into_iter().map(move |(id, about)| json!({"id": id, "words": about, "tcp": tcp}))
        })
        .collect();
    let queues: Vec<Value> = queue::DISCIPLINES
        .iter()
        .filter(|entry| !matches!(entry.id, "ds_red_core" | "ds_red_edge"))
        .map(|entry| {
            let declared = bench.parameters(entry.id).iter();
            let parameters: Vec<Value> = declared
                .map(|known| {
                    let unit = (!known.unit.is_empty()).then_some(known.unit);
                    json!({"id": known.name, "unit": unit, "default": plain(known.value), "words": known.about})
                })
                .collect();
            json!({"id": entry.id, "words": entry.about, "parameters": parameters})
        })
        .collect();
    json!({
        "tcp": named(senders),
        "controls": controls,
        "queues": queues,
        "topologies": named(TOPOLOGIES.iter().map(|&id| (id, String::new()))),
        "defaults": named(DEFAULT_SETS.into_iter().map(|id| (id, defaults::about(id)))),
    })
}

fn plain(value: ackclock_engine::params::Value) -> Value {
    use ackclock_engine::params::Value as Own;
    match value {
        Own::Int(whole) => whole.into(),
        Own::Real(real) => real.into(),
        Own::Flag(flag) => flag.into(),
    }
}
