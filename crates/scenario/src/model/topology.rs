//! Links, queues, and the topologies they make.

use std::collections::HashSet;

use crate::error::{ScenarioError, choose};
use crate::model::deliveries::Deliveries;
use crate::model::described::{Described, described, kinds};
use crate::model::diffserv::DiffServ;
use crate::model::loss::Loss;
use crate::model::processes::Process;
use crate::model::shape::{Parts, Says, Shape};
use crate::model::typed::{AmountText, Number, Parameters, Rate, Read, Time};
use crate::outside::{Nothing, Outside, Role};
use crate::tree::Tree;

/// The maximum number of pairs, hosts, nodes or bottlenecks of a topology. It catches typing mistakes.
const MOST: i64 = 50_000;

described! {
    /// A queue discipline on a link.
    ///
    /// `kind` is the engine's id (`ackclock list`), or a user-defined class, or its name (`module:Class`). `limit` is
    /// the maximum queue length: packets, bytes, or bandwidth-delay products of the link's rate and the longest RTT of
    /// the flows over it. As in ns-2, a drop-tail limit of n packets queues at most n - 1 while one is being sent. A
    /// limit in packets makes RED count packets; without a limit it counts bytes, as in ns-2. The limit of sfq is that
    /// of all packets, of drr that of all bytes, of fq each flow's. `parameters` are the discipline's, by the engine's
    /// names. `diffserv` describes the queues of DiffServ.
    Queue renamed &[], short "kind";
    /// The engine's id, or a user-defined class, or its name (`module:Class`).
    kind: String [Says::Code(Role::Queue)] = "drop_tail".into(),
    /// The maximum length: packets, bytes, or bandwidth-delay products of the link's rate and the longest RTT over it.
    limit: Option<AmountText> = None,
    /// The discipline's parameters, by the engine's names.
    parameters: Parameters = Parameters::new(),
    /// The queues and policies of a `ds_red_edge` or `ds_red_core`.
    diffserv: Option<DiffServ> = None,
}

impl Queue {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if matches!(self.kind.as_str(), "ds_red_core" | "ds_red_edge") && self.diffserv.is_none() {
            let missing = format!("the key is missing; a {} queue needs it", self.kind);
            return Err(ScenarioError::new(missing).key("diffserv"));
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
    fn read(tree: &Tree, outside: &dyn Outside) -> Result<Losses, ScenarioError> {
        match tree {
            Tree::List(_) => Vec::read(tree, outside).map(Losses::Several),
            _ => Loss::read(tree, outside).map(|loss| Losses::One(Box::new(loss))),
        }
    }

    fn expected() -> String {
        Loss::expected()
    }

    fn shape(parts: &mut Parts) -> Shape {
        Shape::AnyOf(vec![Loss::shape(parts), Vec::<Loss>::shape(parts)])
    }

    fn to_tree(&self) -> Option<Tree> {
        match self {
            Losses::One(loss) => loss.to_tree(),
            Losses::Several(losses) => losses.to_tree(),
        }
    }
}

described! {
    /// What differs in a link's reverse direction, from its second end to its first; other keys are the link's.
    ///
    /// `rate`, `delay`, `queue`, `loss`, `cost`, `deliveries` and `process` are as in `Link`. `loss = []` loses nothing
    /// in this direction.
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
    ///
    /// `rate` is its speed, `delay` its propagation delay, `queue` its discipline. `ends` are the two nodes, needed
    /// only in a `Graph`. `cost` is the link's cost for routing. A `loss` may be a list of several: a packet passes all
    /// of them, those of one place in this order. Instead of a `rate` a link may have `deliveries`: a recording of
    /// delivery opportunities in mahimahi's format (a file with a whole number of milliseconds on each line, or these
    /// numbers). Each opportunity sends up to 1504 bytes; after the last one the recording repeats. Or it has a
    /// `process`: random rates, others for each seed and direction, or a Wi-Fi medium that both directions share.
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
    /// The two nodes, in a `Graph`.
    ends: Option<Vec<String>> = None,
    /// Whether there is one direction only.
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
        Link::of(&table, false, &Nothing).expect("the default is a link")
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
        ("deliveries", deliveries.map(|deliveries| Tree::of_wholes(deliveries.at_ms()))),
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
    ///
    /// `bottleneck` is the link between the routers, `access` the hosts' links. `delays` are the delays of the access
    /// links, one for each pair on both of its sides; `right_delays` are those of the right side if they differ.
    /// Without them `access.delay` applies.
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
    /// `bottlenecks` links in series between `router1`, `router2`...
    ///
    /// `bottleneck` describes each of them, `access` the hosts' links. `source0` and `sink0` are at the two ends, so
    /// that their flow passes all bottlenecks. `source1` and `sink1` are on both sides of the first bottleneck,
    /// `source2` and `sink2` of the second, and so on.
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
    /// `hosts` around a `hub`: `host1`, `host2`..., each on its own `link`; `delays`, one for each, if they differ.
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

kinds! {
    /// Every topology.
    Topology,
    /// Names of the topologies.
    TOPOLOGIES;
    /// Pairs of hosts on the two sides of a bottleneck.
    "dumbbell" => Dumbbell(Box<Dumbbell>),
    /// Bottlenecks in series.
    "parking_lot" => ParkingLot(Box<ParkingLot>),
    /// Hosts around a hub.
    "star" => Star(Box<Star>),
    /// Nodes in a row.
    "chain" => Chain(Box<Chain>),
    /// Any network.
    "graph" => Graph(Box<Graph>),
}
