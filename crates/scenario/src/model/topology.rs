//! Links, queues, and the topologies they make.

use std::collections::HashSet;

use crate::error::{ScenarioError, choose};
use crate::model::diffserv::DiffServ;
use crate::model::loss::Loss;
use crate::model::processes::Process;
use crate::model::typed::{AmountText, Described, Number, Parameters, Rate, Read, Time, described, of_kind};
use crate::refused::refused;
use crate::tree::Tree;

/// The maximum number of pairs, hosts, nodes or bottlenecks of a topology. It catches typing mistakes.
const MOST: i64 = 50_000;

/// Bytes that each opportunity of a recording of deliveries lets go.
const OPPORTUNITY_BYTES: f64 = 1504.0;

described! {
    /// A queue discipline on a link.
    Queue renamed &[], short "kind";
    /// The engine's id.
    kind: String = "drop_tail".into(),
    /// The maximum length: packets, bytes, or bandwidth-delay products of the link's rate and the longest RTT over it.
    limit: Option<AmountText> = None,
    /// The discipline's parameters, by the engine's names.
    parameters: Parameters = Parameters::new(),
    /// The queues and policies of a `ds_red_edge` or `ds_red_core`.
    diffserv: Option<DiffServ> = None,
}

impl Queue {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if self.kind.contains(':') {
            return Err(refused("a queue discipline of the user's own").key("kind").value(self.kind.as_str()));
        }
        Ok(())
    }
}

impl Default for Queue {
    fn default() -> Queue {
        Queue { kind: "drop_tail".into(), limit: None, parameters: Parameters::new(), diffserv: None }
    }
}

/// One loss, or several.
#[derive(Clone, Debug, PartialEq)]
pub enum Losses {
    /// One.
    One(Box<Loss>),
    /// Several; a packet passes all of them.
    Several(Vec<Loss>),
}

impl Read for Losses {
    fn read(tree: &Tree) -> Result<Losses, ScenarioError> {
        match tree {
            Tree::List(_) => Vec::read(tree).map(Losses::Several),
            _ => Loss::read(tree).map(|loss| Losses::One(Box::new(loss))),
        }
    }

    fn expected() -> String {
        Loss::expected()
    }
}

/// The instants at which a link can send, ms; the last one is the period's length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deliveries(pub Vec<i64>);

impl Deliveries {
    fn check(&self) -> Result<(), ScenarioError> {
        let given = || Tree::List(self.0.iter().map(|&at_ms| Tree::Whole(at_ms)).collect());
        for (number, pair) in (2..).zip(self.0.windows(2)) {
            if pair[1] < pair[0] {
                let wrong = format!("opportunity {number} is at {} ms, before the one before it", pair[1]);
                return Err(ScenarioError::new(wrong).key("deliveries").value(given()));
            }
        }
        if self.0.first().is_none_or(|&first| first < 0) || self.0.last() == Some(&0) {
            let expected = "expected opportunities from 0 ms on, the last of them after 0 ms";
            return Err(ScenarioError::new(expected).key("deliveries").value(given()));
        }
        Ok(())
    }

    /// What a link can send on average, bit/s.
    pub fn mean_rate_bps(&self) -> f64 {
        let period_ms = self.0.last().copied().unwrap_or_default();
        self.0.len() as f64 * OPPORTUNITY_BYTES * 8.0 / (period_ms as f64 / 1000.0)
    }
}

impl Read for Deliveries {
    fn read(tree: &Tree) -> Result<Deliveries, ScenarioError> {
        match tree {
            Tree::Text(_) => Err(refused("a recording of deliveries in a file (its numbers are)").value(tree.clone())),
            Tree::List(_) => Vec::read(tree).map(Deliveries),
            _ => Err(ScenarioError::new(format!("expected {}", Deliveries::expected())).value(tree.clone())),
        }
    }

    fn expected() -> String {
        "a text or a list (a whole number)".into()
    }
}

described! {
    /// What differs in a link's reverse direction, from its second end to its first; other keys are the link's.
    Reverse;
    /// Its speed.
    rate: Option<Rate> = None,
    /// Its propagation delay.
    delay: Option<Time> = None,
    /// Its queue discipline.
    queue: Option<Queue> = None,
    /// Its losses; an empty list for none.
    loss: Option<Losses> = None,
    /// Its cost for routing.
    cost: Option<Number> = None,
    /// When it can send.
    deliveries: Option<Deliveries> = None,
    /// The random process of its rate.
    process: Option<Process> = None,
}

impl Reverse {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        check_cost(self.cost)?;
        check_deliveries(self.deliveries.as_ref(), self.rate.as_ref())?;
        check_process(self.process.as_ref(), self.rate.as_ref(), self.deliveries.as_ref())
    }
}

described! {
    /// A link in both directions, unless `simplex`. Both directions are equal, except for what `reverse` describes.
    Link renamed &[("back", "reverse")], belongs &[
        ("limit", "the limit of a queue belongs to it: queue = { limit = \"50 packets\" }"),
    ];
    /// Its speed.
    rate: Option<Rate> = None,
    /// Its propagation delay.
    delay: Time,
    /// When it can send, instead of a rate: each opportunity sends up to 1504 bytes.
    deliveries: Option<Deliveries> = None,
    /// The random process of its rate, instead of a rate.
    process: Option<Process> = None,
    /// Its queue discipline.
    queue: Queue = Queue::default(),
    /// Its losses.
    loss: Option<Losses> = None,
    /// The two nodes, in a [`Graph`].
    ends: Option<Vec<String>> = None,
    /// One direction only.
    simplex: bool = false,
    /// Its cost for routing.
    cost: Number = Number::new(1.0),
    /// What differs in the other direction.
    reverse: Option<Reverse> = None,
}

impl Link {
    /// An access link where a topology says nothing of it.
    fn access() -> Link {
        let table = [("rate".to_owned(), "100 Mb/s".into()), ("delay".to_owned(), "1 ms".into())];
        Link::of(&table, false).expect("the default is a link")
    }

    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if self.deliveries.is_some() {
            check_deliveries(self.deliveries.as_ref(), self.rate.as_ref())?;
        } else if self.rate.is_none() && self.process.is_none() {
            return Err(
                ScenarioError::new("the key is missing; Link needs it, or deliveries, or a process").key("rate")
            );
        }
        check_process(self.process.as_ref(), self.rate.as_ref(), self.deliveries.as_ref())?;
        if let Some(ends) = &self.ends
            && (ends.len() != 2 || ends[0] == ends[1])
        {
            let given = Tree::List(ends.iter().map(|end| Tree::Text(end.clone())).collect());
            return Err(ScenarioError::new("expected two different nodes").key("ends").value(given));
        }
        check_cost(Some(self.cost))?;
        if self.simplex && self.reverse.is_some() {
            return Err(ScenarioError::new("a simplex link has no reverse direction").key("reverse"));
        }
        Ok(())
    }
}

fn check_deliveries(deliveries: Option<&Deliveries>, rate: Option<&Rate>) -> Result<(), ScenarioError> {
    let Some(deliveries) = deliveries else { return Ok(()) };
    deliveries.check()?;
    match rate {
        Some(rate) => {
            let both = "a link has a rate or a recording of deliveries, not both";
            Err(ScenarioError::new(both).key("rate").value(rate.text.as_str()))
        }
        None => Ok(()),
    }
}

fn check_process(
    process: Option<&Process>,
    rate: Option<&Rate>,
    deliveries: Option<&Deliveries>,
) -> Result<(), ScenarioError> {
    if process.is_none() {
        return Ok(());
    }
    let given = [
        ("rate", rate.map(|rate| Tree::Text(rate.text.clone()))),
        ("deliveries", deliveries.map(|given| Tree::List(given.0.iter().map(|&at_ms| Tree::Whole(at_ms)).collect()))),
    ];
    match given.into_iter().find_map(|(key, value)| Some((key, value?))) {
        Some((key, value)) => {
            Err(ScenarioError::new("a link with a process has none of its own").key(key).value(value))
        }
        None => Ok(()),
    }
}

fn check_cost(cost: Option<Number>) -> Result<(), ScenarioError> {
    match cost {
        Some(cost) if cost.value <= 0.0 => {
            Err(ScenarioError::new("must be more than 0").key("cost").value(cost.given()))
        }
        _ => Ok(()),
    }
}

fn at_least(least: i64, value: i64, key: &str) -> Result<(), ScenarioError> {
    if value < least {
        return Err(ScenarioError::new(format!("expected a whole number, at least {least}")).key(key).value(value));
    }
    if value > MOST {
        return Err(ScenarioError::new("expected at most 50,000").key(key).value(value));
    }
    Ok(())
}

fn one_each(given: Option<&Vec<Time>>, count: i64, key: &str) -> Result<(), ScenarioError> {
    match given {
        Some(given) if given.len() as i64 != count => {
            let expected = format!("expected {count} delays, one for each, not {}", given.len());
            Err(ScenarioError::new(expected).key(key))
        }
        _ => Ok(()),
    }
}

described! {
    /// `pairs` of hosts, `left1`... and `right1`..., on the two sides of `router1` and `router2`.
    Dumbbell renamed &[], belongs &[
        ("rate", "it belongs to bottleneck or access"),
        ("delay", "it belongs to bottleneck or access; delays has one for each pair"),
        ("queue", "it belongs to bottleneck or access"),
        ("limit", "it belongs to the queue of bottleneck or access"),
    ];
    /// The link between the routers.
    bottleneck: Link,
    /// The hosts' links.
    access: Link = Link::access(),
    /// How many pairs.
    pairs: i64 = 2,
    /// Delays of the access links, one for each pair on both of its sides.
    delays: Option<Vec<Time>> = None,
    /// Those of the right side, if they differ.
    right_delays: Option<Vec<Time>> = None,
}

impl Dumbbell {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        at_least(1, self.pairs, "pairs")?;
        one_each(self.delays.as_ref(), self.pairs, "delays")?;
        one_each(self.right_delays.as_ref(), self.pairs, "right_delays")
    }
}

described! {
    /// `bottlenecks` links in series between `router1`, `router2`..., each with a source and a sink beside it, and
    /// `source0` and `sink0` at the two ends.
    ParkingLot;
    /// Each of the links in series.
    bottleneck: Link,
    /// The hosts' links.
    access: Link = Link::access(),
    /// How many bottlenecks.
    bottlenecks: i64 = 3,
}

impl ParkingLot {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        at_least(1, self.bottlenecks, "bottlenecks")
    }
}

described! {
    /// `hosts` around a `hub`: `host1`, `host2`..., each on its own `link`.
    Star;
    /// The hosts' links.
    link: Link,
    /// How many hosts.
    hosts: i64 = 4,
    /// Delays, one for each host, if they differ.
    delays: Option<Vec<Time>> = None,
}

impl Star {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        at_least(2, self.hosts, "hosts")?;
        one_each(self.delays.as_ref(), self.hosts, "delays")
    }
}

described! {
    /// `nodes` in a row: `node1`, `node2`..., with a `link` between neighbours.
    Chain;
    /// The links.
    link: Link,
    /// How many nodes.
    nodes: i64 = 3,
}

impl Chain {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        at_least(2, self.nodes, "nodes")
    }
}

described! {
    /// Any network: `nodes` by name, numbered in this order, and `links` with their `ends`.
    Graph;
    /// Names of the nodes.
    nodes: Vec<String>,
    /// The links.
    links: Vec<Link>,
}

impl Graph {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        let mut names = HashSet::new();
        // The first name that comes again, in the order of the list.
        if self.nodes.iter().any(|name| !names.insert(name)) {
            let twice = self.nodes.iter().find(|name| self.nodes.iter().filter(|other| other == name).count() > 1);
            let error = ScenarioError::new("duplicate name").key("nodes");
            return Err(error.value(twice.map_or("", String::as_str)));
        }
        let mut seen = HashSet::new();
        for (index, link) in self.links.iter().enumerate() {
            let key = format!("links.{index}.ends");
            let Some(ends) = &link.ends else {
                return Err(ScenarioError::new("the key is missing; a link of a graph needs it").key(key));
            };
            for end in ends {
                if !names.contains(end) {
                    choose(end, &self.nodes, "a node of this graph", &key)?;
                }
            }
            let ways = [(&ends[0], &ends[1]), (&ends[1], &ends[0])];
            for way in &ways[..if link.simplex { 1 } else { 2 }] {
                if !seen.insert(*way) {
                    let given = Tree::List(ends.iter().map(|end| Tree::Text(end.clone())).collect());
                    return Err(ScenarioError::new("duplicate link between these nodes").key(key).value(given));
                }
            }
        }
        Ok(())
    }
}

/// Every topology.
#[derive(Clone, Debug, PartialEq)]
pub enum Topology {
    /// Pairs of hosts on the two sides of a bottleneck.
    Dumbbell(Box<Dumbbell>),
    /// Bottlenecks in series.
    ParkingLot(Box<ParkingLot>),
    /// Hosts around a hub.
    Star(Box<Star>),
    /// Nodes in a row.
    Chain(Box<Chain>),
    /// Any network.
    Graph(Box<Graph>),
}

/// Names of the topologies.
pub const TOPOLOGIES: [&str; 5] = ["dumbbell", "parking_lot", "star", "chain", "graph"];

impl Read for Topology {
    fn read(tree: &Tree) -> Result<Topology, ScenarioError> {
        of_kind(tree, "Dumbbell", &TOPOLOGIES, |kind, table| {
            Ok(match kind {
                "dumbbell" => Topology::Dumbbell(Box::new(Dumbbell::of(table, true)?)),
                "parking_lot" => Topology::ParkingLot(Box::new(ParkingLot::of(table, true)?)),
                "star" => Topology::Star(Box::new(Star::of(table, true)?)),
                "chain" => Topology::Chain(Box::new(Chain::of(table, true)?)),
                _ => Topology::Graph(Box::new(Graph::of(table, true)?)),
            })
        })
    }

    fn expected() -> String {
        "a table of Dumbbell".into()
    }
}
