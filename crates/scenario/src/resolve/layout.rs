//! Topologies as nodes by number and links in one direction.

use std::collections::HashMap;

use ackclock_engine::net::link::trace_driven::Opportunity;

use crate::defaults::Values;
use crate::model::deliveries::Deliveries;
use crate::model::loss::Loss;
use crate::model::processes::Process;
use crate::model::topology::{Link, Losses, Queue, Topology};
use crate::model::typed::Time;
use crate::outside::Chosen;

/// A loss on a link in one direction.
#[derive(Clone, Debug)]
pub struct LinkLoss {
    /// What is lost.
    pub loss: Loss,
    /// Where the scenario describes it.
    pub key: String,
    /// The ids of the flows that it concerns; all without.
    pub flow_ids: Option<Vec<i64>>,
}

/// A link in one direction.
#[derive(Clone, Debug)]
pub struct DirectedLink {
    /// The node at its start.
    pub source: usize,
    /// The node at its end.
    pub target: usize,
    /// Its rate, bit/s.
    pub rate_bps: f64,
    /// Its delay, s.
    pub delay_s: f64,
    /// Its queue.
    pub queue: Queue,
    /// Its losses.
    pub losses: Vec<LinkLoss>,
    /// Its cost in routes.
    pub cost: f64,
    /// Where the scenario describes it.
    pub key: String,
    /// Where the scenario describes its queue.
    pub queue_key: String,
    /// When it can send, ms, where it cannot always.
    pub deliveries: Option<Deliveries>,
    /// When it can send how much, where its process has slots.
    pub slots: Vec<Opportunity>,
    /// How it sends, if it has no rate of its own.
    pub process: Option<Process>,
    /// Where the scenario describes that.
    pub process_key: String,
    /// Its queue discipline, if that is code.
    pub code: Option<Chosen>,
    /// What its queue is told.
    pub parameters: Values,
    /// The commands of its queue, in ns-2's words.
    pub commands: Vec<String>,
}

/// A link between two nodes, the delay that the topology says instead of the link's, and its key.
type Wire<'a> = (String, String, &'a Link, Option<&'a Time>, String);

fn lay_wires(topology: &Topology) -> (Vec<String>, Vec<Wire<'_>>) {
    let mut nodes: Vec<String> = Vec::new();
    let mut wires: Vec<Wire> = Vec::new();
    match topology {
        Topology::Dumbbell(bell) => {
            let pairs = 1..=bell.pairs as usize;
            nodes.extend(pairs.clone().map(|n| format!("left{n}")));
            nodes.extend(["router1".to_owned(), "router2".to_owned()]);
            nodes.extend(pairs.clone().map(|n| format!("right{n}")));
            let left = bell.delays.as_ref();
            let right = bell.right_delays.as_ref().or(left);
            for n in pairs.clone() {
                let delay = left.map(|delays| &delays[n - 1]);
                wires.push((format!("left{n}"), "router1".into(), &bell.access, delay, "access".into()));
            }
            wires.push(("router1".into(), "router2".into(), &bell.bottleneck, None, "bottleneck".into()));
            for n in pairs {
                let delay = right.map(|delays| &delays[n - 1]);
                wires.push(("router2".into(), format!("right{n}"), &bell.access, delay, "access".into()));
            }
        }
        Topology::ParkingLot(lot) => {
            let count = lot.bottlenecks as usize;
            nodes.extend((1..count + 2).map(|n| format!("router{n}")));
            nodes.extend((0..=count).flat_map(|n| [format!("source{n}"), format!("sink{n}")]));
            let mut add = |from: String, to: String, link, key: &str| wires.push((from, to, link, None, key.into()));
            for n in 1..=count {
                add(format!("router{n}"), format!("router{}", n + 1), &lot.bottleneck, "bottleneck");
            }
            add("source0".into(), "router1".into(), &lot.access, "access");
            add(format!("router{}", count + 1), "sink0".into(), &lot.access, "access");
            for n in 1..=count {
                add(format!("source{n}"), format!("router{n}"), &lot.access, "access");
                add(format!("router{}", n + 1), format!("sink{n}"), &lot.access, "access");
            }
        }
        Topology::Star(star) => {
            nodes.push("hub".into());
            for n in 1..=star.hosts as usize {
                nodes.push(format!("host{n}"));
                let delay = star.delays.as_ref().map(|delays| &delays[n - 1]);
                wires.push((format!("host{n}"), "hub".into(), &star.link, delay, "link".into()));
            }
        }
        Topology::Chain(chain) => {
            nodes.extend((1..=chain.nodes).map(|n| format!("node{n}")));
            for n in 1..chain.nodes {
                wires.push((format!("node{n}"), format!("node{}", n + 1), &chain.link, None, "link".into()));
            }
        }
        Topology::Graph(graph) => {
            nodes.clone_from(&graph.nodes);
            for (index, link) in graph.links.iter().enumerate() {
                let ends = link.ends.as_ref().expect("the graph was checked");
                wires.push((ends[0].clone(), ends[1].clone(), link, None, format!("links.{index}")));
            }
        }
    }
    (nodes, wires)
}

/// Names of the nodes and the links in both directions, numbered as they are made.
pub fn lay_out(topology: &Topology) -> (Vec<String>, Vec<DirectedLink>) {
    let (nodes, wires) = lay_wires(topology);
    let numbers: HashMap<&str, usize> =
        nodes.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let mut links = Vec::new();
    for (first, last, link, delay, key) in &wires {
        let (there, back) = (numbers[first.as_str()], numbers[last.as_str()]);
        links.push(one_way(link, *delay, key, false, (there, back)));
        if !link.simplex {
            links.push(one_way(link, *delay, key, true, (back, there)));
        }
    }
    (nodes, links)
}

fn one_way(
    link: &Link,
    delay: Option<&Time>,
    key: &str,
    is_back: bool,
    (source, target): (usize, usize),
) -> DirectedLink {
    let key = format!("topology.{key}");
    let own = link.reverse.as_ref().filter(|_| is_back);
    let (given, place) = match own.and_then(|own| own.loss.as_ref()) {
        Some(loss) => (Some(loss), format!("{key}.reverse.loss")),
        None => (link.loss.as_ref(), format!("{key}.loss")),
    };
    let of = |loss: &Loss, key: String| LinkLoss { loss: loss.clone(), key, flow_ids: None };
    let mut losses = match given {
        None => Vec::new(),
        Some(Losses::One(loss)) => vec![of(loss, place)],
        Some(Losses::Several(all)) => {
            all.iter().enumerate().map(|(index, loss)| of(loss, format!("{place}.{index}"))).collect()
        }
    };
    let own_rate = own.and_then(|own| own.rate.as_ref());
    let own_deliveries = own.and_then(|own| own.deliveries.as_ref());
    let own_process = own.and_then(|own| own.process.as_ref());
    let is_like_link = own_rate.is_none() && own_deliveries.is_none() && own_process.is_none();
    let deliveries = own_deliveries.or(link.deliveries.as_ref().filter(|_| is_like_link));
    let process = own_process.cloned().or_else(|| {
        link.process.clone().filter(|_| is_like_link).map(|process| match process {
            Process::Nr(nr) if is_back => Process::Nr(Box::new(nr.reversed())),
            other => other,
        })
    });
    let process_key = if own_process.is_some() { format!("{key}.reverse.process") } else { format!("{key}.process") };
    let rate = match &process {
        // Until its opportunities are drawn.
        Some(Process::Cellular(cellular)) => cellular.max_rate.value,
        Some(Process::LeoSatellite(leo)) => leo.max_rate.value,
        Some(Process::Nr(_)) => 0.0,
        Some(Process::Wifi(wifi)) => wifi.settings().rate_bps(),
        None => own_rate.or(link.rate.as_ref()).map_or(0.0, |rate| rate.value),
    };
    if let Some(Process::LeoSatellite(leo)) = &process
        && leo.jitter.value > 0.0
    {
        losses.push(of(&leo.jitter_of_packets(), process_key.clone()));
    }
    let own_queue = own.and_then(|own| own.queue.as_ref());
    DirectedLink {
        source,
        target,
        rate_bps: deliveries.map_or(rate, Deliveries::mean_rate_bps),
        delay_s: own.and_then(|own| own.delay.as_ref()).or(delay).unwrap_or(&link.delay).value,
        queue: own_queue.unwrap_or(&link.queue).clone(),
        losses,
        cost: own.and_then(|own| own.cost).unwrap_or(link.cost).value,
        queue_key: if own_queue.is_some() { format!("{key}.reverse.queue") } else { format!("{key}.queue") },
        key,
        deliveries: deliveries.cloned(),
        slots: Vec::new(),
        process,
        process_key,
        code: None,
        parameters: Values::default(),
        commands: Vec::new(),
    }
}
