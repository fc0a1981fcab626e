//! The whole description.

use std::collections::HashSet;

use crate::error::{ScenarioError, choose};
use crate::model::seed::Seed;
use crate::model::topology::Topology;
use crate::model::traffic::Flow;
use crate::model::typed::{Described, Number, Rate, Time, described};
use crate::outside::Nothing;
use crate::tree::Tree;

/// Names of the default sets.
pub const DEFAULT_SETS: [&str; 5] = ["ns2_35", "ns2_29", "rfc", "linux", "ns3_25"];

const ROUTINGS: [&str; 2] = ["static", "session"];

described! {
    /// A change of a link at a given time: its rate, its delay, its cost, or whether it is up.
    Change;
    /// When.
    at: Time,
    /// `a->b`, one direction, or `a-b`, both.
    link: String,
    /// The new rate.
    rate: Option<Rate> = None,
    /// The new delay.
    delay: Option<Time> = None,
    /// The new cost.
    cost: Option<Number> = None,
    /// Whether it is up from now on.
    up: Option<bool> = None,
}

impl Change {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if self.rate.is_none() && self.delay.is_none() && self.cost.is_none() && self.up.is_none() {
            let expected = "expected rate, delay, cost or up";
            return Err(ScenarioError::new(expected).key("link").value(self.link.as_str()));
        }
        match self.cost {
            Some(cost) if cost.value <= 0.0 => {
                Err(ScenarioError::new("must be more than 0").key("cost").value(cost.given()))
            }
            _ => Ok(()),
        }
    }
}

described! {
    /// What is recorded of a run besides the totals.
    Record;
    /// The time between samples of the series; "0 s" for none.
    sample: Time = Time::of("0.1 s"),
    /// Each change of windows, RTT samples and queues.
    changes: bool = false,
    /// Each packet on each link.
    packets: bool = false,
    /// The links in a trace file.
    trace: Option<Vec<String>> = None,
    /// The nodes and links in a capture.
    capture: Option<Vec<String>> = None,
    /// Names of the flows that write a qlog; all flows of today's TCP if absent.
    qlog: Option<Vec<String>> = None,
}

impl Record {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

impl Default for Record {
    fn default() -> Record {
        Record::of(&[], false, &Nothing).expect("no key is required")
    }
}

described! {
    /// A network (`topology`), its `flows` and a `duration`. docs/guide/scenarios.md says what each key means.
    Scenario renamed &[("ends", "external_nodes")], belongs &[
        ("link", "links belong to the topology: bottleneck and access of a dumbbell, links of a graph"),
        ("links", "links belong to the topology: bottleneck and access of a dumbbell, links of a graph"),
        ("bottleneck", "it belongs to the topology"),
        ("queue", "a queue belongs to a link of the topology"),
        ("sample", "it belongs to record"),
        ("packets", "it belongs to record"),
    ];
    /// Nodes and links.
    topology: Topology,
    /// Who sends to whom.
    flows: Vec<Flow> = Vec::new(),
    /// How long it lasts.
    duration: Time,
    /// Where packets of endpoints outside of the simulation enter and leave.
    external_nodes: Vec<String> = Vec::new(),
    /// A title.
    name: String = String::new(),
    /// The set of default values.
    defaults: String = "ns2_35".into(),
    /// The seed of the random numbers.
    seed: Option<Seed> = None,
    /// When routes are computed.
    routing: String = "static".into(),
    /// Changes of links.
    changes: Vec<Change> = Vec::new(),
    /// What the results contain.
    record: Record = Record::default(),
}

impl Scenario {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        choose(&self.defaults, &DEFAULT_SETS, "a default set", "defaults")?;
        choose(&self.routing, &ROUTINGS, "when routes are computed", "routing")?;
        for (index, change) in self.changes.iter().enumerate() {
            if let (Some(cost), "static") = (change.cost, self.routing.as_str()) {
                let expected = "has no effect with static routing; expected routing = \"session\"";
                return Err(ScenarioError::new(expected).key(format!("changes.{index}.cost")).value(cost.given()));
            }
        }
        if self.flows.is_empty() && self.external_nodes.is_empty() {
            return Err(ScenarioError::new("expected at least one flow").key("flows"));
        }
        let distinct: HashSet<_> = self.external_nodes.iter().collect();
        if self.external_nodes.len() == 1 || distinct.len() < self.external_nodes.len() {
            let given = self.external_nodes.iter().map(|name| Tree::Text(name.clone())).collect();
            let error = ScenarioError::new("expected two nodes or more, each once").key("external_nodes");
            return Err(error.value(Tree::List(given)));
        }
        if self.duration.value <= 0.0 {
            return Err(ScenarioError::new("must be more than 0").key("duration").value(self.duration.text.as_str()));
        }
        Ok(())
    }
}
