//! The whole description.

use std::collections::HashSet;

use crate::error::{ScenarioError, choose};
use crate::model::described::{Described, described};
use crate::model::seed::Seed;
use crate::model::shape::words;
use crate::model::topology::Topology;
use crate::model::traffic::Flow;
use crate::model::typed::{Number, Rate, Time};
use crate::outside::Nothing;
use crate::tree::Tree;

/// Names of the default sets.
pub const DEFAULT_SETS: [&str; 5] = ["ns2_35", "ns2_29", "rfc", "linux", "ns3_25"];

const ROUTINGS: [&str; 2] = ["static", "session"];

described! {
    /// A change of a link at a given time: its rate, its delay, its cost, or whether it is up.
    ///
    /// `at` is the time; `link` is `a->b`, one direction, or `a-b`, both. `rate`, `delay`, `cost` and `up` are the new
    /// values. A link that goes down loses its queue, the packets on the wire, and all arrivals.
    Change;
    /// When it happens.
    at: Time,
    /// The link: `a->b` is one direction, `a-b` both.
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
    ///
    /// `sample` is the time between samples of the series ("0 s": none). `changes` records each change of windows, RTT
    /// samples and queues, `packets` each packet on each link. `trace` names the links in a `.tr` or `.nam` file; all
    /// by default. `capture` names the nodes and links in a `.pcapng` file, an interface each; by default the nodes
    /// where flows start. `qlog` names the flows of today's TCP that get a `.sqlog` file; all by default.
    Record;
    /// The time between samples of the series; "0 s" for none.
    sample: Time = Time::of("0.1 s"),
    /// Whether each change of windows, RTT samples and queues is recorded.
    changes: bool = false,
    /// Whether each packet on each link is recorded.
    packets: bool = false,
    /// The links in a `.tr` or `.nam` file; all without it.
    trace: Option<Vec<String>> = None,
    /// The nodes and links in a `.pcapng` file; without it, the nodes where flows start.
    capture: Option<Vec<String>> = None,
    /// The flows of today's TCP that write a `.sqlog` file; all without it.
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
    /// A network (`topology`), its `flows` and a `duration`.
    ///
    /// `defaults` names the set of default values: `ns2_35`, `ns2_29`, `rfc`, `linux` or `ns3_25`. `name` is a title.
    /// `changes` are changes of links, `record` is what the results contain.
    ///
    /// `seed`, a whole number from 0 to 2**64 - 1, is hashed into a stream of random numbers for every flow, link and
    /// loss. Runs with different seeds are independent, consecutive ones too. `"ns2:7"` instead means ns-2's seed 7:
    /// one stream for all draws. Without a seed, draws come from that stream as it is when ns-2 starts. Nothing else is
    /// random: the same description gives the same packets.
    ///
    /// With `routing` static, routes follow the costs at the start. With session, all are recomputed at once when a
    /// link fails, recovers or changes its cost. A destination that becomes unreachable keeps its old route.
    ///
    /// `external_nodes` names the nodes where packets of other programs enter and leave. Such a scenario is run by
    /// `ackclock emulate`, in real time, or by `ackclock quic`, and needs no flows of its own.
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
    defaults: String [words(DEFAULT_SETS)] = "ns2_35".into(),
    /// The seed of the random numbers.
    seed: Option<Seed> = None,
    /// When routes are computed.
    routing: String [words(ROUTINGS)] = "static".into(),
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
