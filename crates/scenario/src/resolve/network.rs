//! What a scenario comes to: numbered nodes, one-way links, senders and receivers, instants. Nothing is left open.

use std::collections::{BTreeMap, HashMap};

use ackclock_engine::net::routing::Routing;

use crate::defaults::Bench;
use crate::error::{ScenarioError, choose, nearest};
use crate::model::processes::Process;
use crate::model::scenario::{Change, Scenario};
use crate::model::seed::{Seed, stream_names};
use crate::model::topology::Deliveries;
use crate::model::typed::Name;
use crate::resolve::flows::{Place, ResolvedFlow, resolve_flows};
use crate::resolve::layout::{DirectedLink, lay_out};
use crate::resolve::leo_satellite::{Terms, course};
use crate::resolve::queues::tell_queue;
use crate::resolve::transfers::NS2_SEED;

/// What happens to a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    /// A new rate, bit/s.
    Rate(f64),
    /// A new delay, s.
    Delay(f64),
    /// A new cost.
    Cost(f64),
    /// It works again.
    Up,
    /// It fails.
    Down,
    /// It loses what is on its way.
    Cut,
}

/// Something that happens to a link at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When, s.
    pub at_s: f64,
    /// What.
    pub what: Happening,
    /// To which link.
    pub link: usize,
}

/// A scenario with nothing left open.
#[derive(Clone, Debug)]
pub struct Network {
    /// Names of the nodes, by number.
    pub nodes: Vec<String>,
    /// Links, by number.
    pub links: Vec<DirectedLink>,
    /// Flows, in the order of the rows of their table.
    pub flows: Vec<ResolvedFlow>,
    /// Changes of links, in the order of time.
    pub events: Vec<Event>,
    /// How long it lasts, s.
    pub duration_s: f64,
}

impl Network {
    /// A link as `a->b`.
    pub fn link_name(&self, number: usize) -> String {
        let link = &self.links[number];
        format!("{}->{}", self.nodes[link.source], self.nodes[link.target])
    }

    fn links_named(&self, name: &str, key: &str) -> Result<Vec<usize>, ScenarioError> {
        let known: Vec<String> = (0..self.links.len()).map(|number| self.link_name(number)).collect();
        // As in a dictionary, the last link of a name counts.
        let find = |name: &str| known.iter().rposition(|known| known == name);
        if let Some(number) = find(name) {
            return Ok(vec![number]);
        }
        for (number, link) in self.links.iter().enumerate() {
            let (first, last) = (&self.nodes[link.source], &self.nodes[link.target]);
            if name == format!("{first}-{last}") {
                return Ok(std::iter::once(number).chain(find(&format!("{last}->{first}"))).collect());
            }
        }
        let both: Vec<String> = known.iter().cloned().chain(known.iter().map(|name| name.replace("->", "-"))).collect();
        let listed = format!("expected a link such as {}", known.first().map_or("a->b", String::as_str));
        Err(ScenarioError::new(listed).key(key).value(name).near(nearest(name, &both)))
    }
}

/// The network that a scenario describes.
///
/// # Errors
/// Where it describes none.
pub fn resolve(scenario: &Scenario) -> Result<Network, ScenarioError> {
    let (nodes, links) = lay_out(&scenario.topology);
    let numbers: HashMap<String, usize> = nodes.iter().cloned().zip(0..).collect();
    let mut bench = Bench::default();
    let duration_s = scenario.duration.value;
    let mut network = Network { nodes, links, flows: Vec::new(), events: Vec::new(), duration_s };
    draw_courses(&mut network, scenario.seed);
    let mut described: Vec<usize> = Vec::new();
    let streams = stream_names(scenario.flows.iter().map(|flow| flow.name.as_deref()));
    for (index, (flow, stream)) in scenario.flows.iter().zip(&streams).enumerate() {
        let place = Place { index, before: described.len(), stream };
        let made = resolve_flows(&mut bench, flow, place, scenario, &numbers, &network.nodes);
        let made = made.map_err(|error| error.under(index).under("flows"))?;
        described.extend(made.iter().map(|_| index));
        network.flows.extend(made);
    }
    let trips = round_trips(&network, &described)?;
    for (number, trip) in trips.into_iter().enumerate() {
        let link = &network.links[number];
        let (told, commands) = tell_queue(&mut bench, link, trip, &scenario.defaults, &network.nodes)?;
        let concerned = concerned_flows(link, &network, &described, scenario)?;
        let link = &mut network.links[number];
        (link.parameters, link.commands) = (told, commands);
        link.losses.iter_mut().zip(concerned).for_each(|(lossy, flow_ids)| lossy.flow_ids = flow_ids);
    }
    for (index, change) in scenario.changes.iter().enumerate() {
        let events = events(change, &network, &format!("changes.{index}"))?;
        network.events.extend(events);
    }
    network.events.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
    for (index, name) in scenario.record.trace.iter().flatten().enumerate() {
        network.links_named(name, &format!("record.trace.{index}"))?;
    }
    for (index, name) in scenario.record.capture.iter().flatten().enumerate() {
        let key = format!("record.capture.{index}");
        if !network.nodes.contains(name) {
            network.links_named(name, &key).map_err(|error| {
                let near = nearest(name, &network.nodes).or(error.nearest);
                ScenarioError::new(format!("{}, or a node", error.expected)).key(key).value(name.as_str()).near(near)
            })?;
        }
    }
    check_connections(&network, scenario.record.qlog.as_deref().unwrap_or_default())?;
    for (index, name) in scenario.external_nodes.iter().enumerate() {
        choose(name, &network.nodes, "a node", &format!("external_nodes.{index}"))?;
    }
    Ok(network)
}

/// Draws when the links over satellites can send, and their delays.
fn draw_courses(network: &mut Network, seed: Option<Seed>) {
    let number = seed.map_or(u64::from(NS2_SEED), Seed::number);
    for index in 0..network.links.len() {
        let link = &network.links[index];
        let Some(Process::LeoSatellite(leo)) = link.process.clone() else { continue };
        let ends = [link.source.min(link.target), link.source.max(link.target)];
        let path = ends.map(|end| network.nodes[end].as_str()).join("-");
        let drawn = course(Terms::of(&leo), number, &path, &network.link_name(index), network.duration_s);
        let link = &mut network.links[index];
        let own_s = link.delay_s;
        for (begin, (at_s, more_s)) in drawn.delays_s.into_iter().enumerate() {
            let delay_s = own_s + more_s;
            if begin == 0 {
                link.delay_s = delay_s;
                continue;
            }
            if leo.cut {
                network.events.push(Event { at_s, what: Happening::Cut, link: index });
            }
            network.events.push(Event { at_s, what: Happening::Delay(delay_s), link: index });
        }
        let deliveries = Deliveries(drawn.deliveries_ms);
        link.rate_bps = deliveries.mean_rate_bps();
        link.deliveries = Some(deliveries.0);
    }
}

/// A qlog is of a flow of today's TCP.
fn check_connections(network: &Network, names: &[String]) -> Result<(), ScenarioError> {
    let known: Vec<&str> =
        network.flows.iter().filter(|flow| flow.terms.sender == "tcp").map(|flow| flow.name.as_str()).collect();
    for (index, name) in names.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            let words = if known.is_empty() {
                "of which there is none".into()
            } else {
                known[..known.len().min(12)].join(", ")
            };
            let error = ScenarioError::new(format!("expected a flow of today's TCP: {words}"));
            return Err(error.key(format!("record.qlog.{index}")).value(name.as_str()).near(nearest(name, &known)));
        }
    }
    Ok(())
}

/// The ids of the flows that each loss of a link names; `None` for all.
fn concerned_flows(
    link: &DirectedLink,
    network: &Network,
    described: &[usize],
    scenario: &Scenario,
) -> Result<Vec<Option<Vec<i64>>>, ScenarioError> {
    let mut found = Vec::new();
    for lossy in &link.losses {
        let Some(names) = &lossy.loss.flows else {
            found.push(None);
            continue;
        };
        let mut ids: Vec<i64> = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let is_named = |flow: &ResolvedFlow, described: usize| match name {
                Name::Whole(id) => flow.flow_id == *id,
                Name::Text(text) => {
                    flow.name == *text || scenario.flows[described].name.as_ref().is_some_and(|own| own == text)
                }
            };
            let named: Vec<i64> = network
                .flows
                .iter()
                .zip(described)
                .filter(|(flow, described)| is_named(flow, **described))
                .map(|(flow, _)| flow.flow_id)
                .collect();
            if named.is_empty() {
                let words: Vec<String> = network.flows.iter().map(|flow| flow.name.clone()).collect();
                let listed = words[..words.len().min(12)].join(", ");
                let shown = match name {
                    Name::Whole(id) => id.to_string(),
                    Name::Text(text) => text.clone(),
                };
                let error = ScenarioError::new(format!("expected a flow by name or id: {listed}"));
                let error = error.key(format!("{}.flows.{index}", lossy.key)).value(name.given());
                return Err(error.near(nearest(&shown, &words)));
            }
            for id in named {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        found.push(Some(ids));
    }
    Ok(found)
}

/// The ways between nodes that the engine's routes make.
struct Ways {
    routing: Routing,
    hops: HashMap<usize, Vec<Option<u32>>>,
    /// The neighbours of each node that a link leads to, and the last such link.
    onward: BTreeMap<usize, BTreeMap<usize, usize>>,
}

impl Ways {
    fn new(network: &Network) -> Ways {
        let (mut routing, mut onward) = (Routing::default(), BTreeMap::<_, BTreeMap<_, _>>::new());
        for (number, link) in network.links.iter().enumerate() {
            routing.insert(link.source as u32, link.target as u32, link.cost);
            onward.entry(link.source).or_default().insert(link.target, number);
        }
        Ways { routing, hops: HashMap::new(), onward }
    }

    /// The links on the way; `None` where there is none.
    fn links(&mut self, first: usize, last: usize) -> Option<Vec<usize>> {
        let mut path = Vec::new();
        let mut here = first;
        while here != last && path.len() <= self.onward.len() {
            let onward = self.onward.get(&here)?;
            // Most nodes are hosts, and a host has no choice: the engine need not compute all its ways.
            let (step, link) = match onward.first_key_value() {
                Some((&step, &link)) if onward.len() == 1 => (step, link),
                _ => {
                    let routing = &mut self.routing;
                    let row = self.hops.entry(here).or_insert_with(|| routing.next_hops(here as u32));
                    let step = row.get(last).copied().flatten()? as usize;
                    (step, onward[&step])
                }
            };
            here = step;
            path.push(link);
        }
        (here == last && !path.is_empty()).then_some(path)
    }
}

/// For each link the longest round trip of the flows over it, s, and their biggest packet, bytes.
fn round_trips(network: &Network, described: &[usize]) -> Result<Vec<(f64, i64)>, ScenarioError> {
    let mut ways = Ways::new(network);
    let mut found = vec![(0.0, 0); network.links.len()];
    for (flow, index) in network.flows.iter().zip(described) {
        let key = format!("flows.{index}");
        let (first, last) = (&network.nodes[flow.source], &network.nodes[flow.destination]);
        let there = ways.links(flow.source, flow.destination);
        let back = ways.links(flow.destination, flow.source);
        let missing = match (&there, &back) {
            (None, _) => Some(format!("{first} to {last}")),
            (_, None) if flow.has_replies() => Some(format!("{last} to {first}, for the ACKs")),
            _ => None,
        };
        if let Some(missing) = missing {
            let expected = format!("no route from {missing}; expected links that lead there");
            return Err(ScenarioError::new(expected).key(key));
        }
        let (there, back) = (there.unwrap_or_default(), back.unwrap_or_default());
        let trip_s: f64 =
            there.iter().chain(&back).map(|&link| network.links[link].delay_s).fold(0.0, |sum, delay| sum + delay);
        if trip_s == 0.0 {
            let expected = format!(
                "the path from {first} to {last} and back has zero delay; expected more than 0 s on one of its links"
            );
            return Err(ScenarioError::new(expected).key(key));
        }
        let returning = if flow.replies_with_data() { &back[..] } else { &[] };
        for &number in there.iter().chain(returning) {
            let (longest, biggest): (f64, i64) = found[number];
            found[number] = (longest.max(trip_s), biggest.max(flow.terms.wire_bytes));
        }
    }
    Ok(found)
}

fn events(change: &Change, network: &Network, key: &str) -> Result<Vec<Event>, ScenarioError> {
    let at_s = change.at.value;
    let mut found = Vec::new();
    for link in network.links_named(&change.link, &format!("{key}.link"))? {
        if let Some(rate) = &change.rate {
            let has = match &network.links[link] {
                DirectedLink { process: Some(_), .. } => Some("the link has a process, not a rate"),
                DirectedLink { deliveries: Some(_), .. } => Some("the link has a recording of deliveries, not a rate"),
                _ => None,
            };
            if let Some(has) = has {
                return Err(ScenarioError::new(has).key(format!("{key}.rate")).value(rate.text.as_str()));
            }
            found.push(Event { at_s, what: Happening::Rate(rate.value), link });
        }
        if let Some(delay) = &change.delay {
            found.push(Event { at_s, what: Happening::Delay(delay.value), link });
        }
        if let Some(cost) = change.cost {
            found.push(Event { at_s, what: Happening::Cost(cost.value), link });
        }
        if let Some(up) = change.up {
            found.push(Event { at_s, what: if up { Happening::Up } else { Happening::Down }, link });
        }
    }
    Ok(found)
}
