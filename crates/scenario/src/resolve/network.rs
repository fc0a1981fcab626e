//! What a scenario comes to: numbered nodes, one-way links, senders and receivers, instants. Nothing is left open.

use std::collections::{BTreeMap, HashMap, HashSet};

use ackclock_engine::net::routing::Routing;

use crate::defaults::Bench;
use crate::error::{ScenarioError, choose, nearest};
use crate::model::deliveries::Deliveries;
use crate::model::processes::Process;
use crate::model::scenario::{Change, Scenario};
use crate::model::seed::{Seed, stream_names};
use crate::model::traffic::Flow;
use crate::model::typed::Name;
use crate::outside::Outside;
use crate::resolve::codes::Codes;
use crate::resolve::flows::{Place, ResolvedFlow, resolve_flows};
use crate::resolve::layout::{DirectedLink, lay_out};
use crate::resolve::leo_satellite::{Terms, course};
use crate::resolve::nr;
use crate::resolve::processes::opportunities;
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

/// Where a capture is taken: the near ends of the links `leaving`, the far ends of those `entering`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturePlace {
    /// Its name: a node's, or a link's.
    pub name: String,
    /// Links by number.
    pub leaving: Vec<usize>,
    /// Links by number.
    pub entering: Vec<usize>,
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

    /// The link `a->b`, or both of `a-b`.
    ///
    /// # Errors
    /// Where there is none.
    pub fn links_named(&self, name: &str, key: &str) -> Result<Vec<usize>, ScenarioError> {
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

    /// Numbers of the flows with these names; without names, of all that have today's TCP.
    ///
    /// # Errors
    /// For a name that none of them has, with its place below the key.
    pub fn connections(&self, names: Option<&[String]>, key: &str) -> Result<Vec<usize>, ScenarioError> {
        let is_todays = |flow: &ResolvedFlow| flow.terms.sender == "tcp";
        // As in a dictionary, a name stands where it came first, for the flow that had it last.
        let mut known: Vec<(&str, usize)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (number, flow) in self.flows.iter().enumerate().filter(|(_, flow)| is_todays(flow)) {
            match places.get(flow.name.as_str()) {
                Some(&place) => known[place].1 = number,
                None => {
                    places.insert(&flow.name, known.len());
                    known.push((&flow.name, number));
                }
            }
        }
        let Some(names) = names else { return Ok(known.into_iter().map(|(_, number)| number).collect()) };
        let mut found = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let Some(&place) = places.get(name.as_str()) else {
                let all: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                let words =
                    if all.is_empty() { "of which there is none".into() } else { all[..all.len().min(12)].join(", ") };
                let error = ScenarioError::new(format!("expected a flow of today's TCP: {words}"));
                return Err(error.key(format!("{key}.{index}")).value(name.as_str()).near(nearest(name, &all)));
            };
            if !found.contains(&known[place].1) {
                found.push(known[place].1);
            }
        }
        Ok(found)
    }

    /// Where a capture is taken: at nodes, on links. The nodes that flows start from, unless there are names.
    ///
    /// # Errors
    /// For a name that no node and no link has, with its place below the key.
    pub fn places(&self, names: Option<&[String]>, key: &str) -> Result<Vec<CapturePlace>, ScenarioError> {
        let numbers: HashMap<&str, usize> = self.nodes.iter().map(String::as_str).zip(0..).collect();
        let at_node = |name: &String| CapturePlace { name: name.clone(), leaving: Vec::new(), entering: Vec::new() };
        let mut at_nodes: Vec<CapturePlace> = self.nodes.iter().map(at_node).collect();
        for (number, link) in self.links.iter().enumerate() {
            at_nodes[link.source].leaving.push(number);
            at_nodes[link.target].entering.push(number);
        }
        let Some(names) = names else {
            let mut seen = HashSet::new();
            let sources = self.flows.iter().map(|flow| flow.source).filter(|&source| seen.insert(source));
            return Ok(sources.map(|source| at_nodes[source].clone()).collect());
        };
        let place = |(index, name): (usize, &String)| {
            if let Some(&node) = numbers.get(name.as_str()) {
                return Ok(at_nodes[node].clone());
            }
            let key = format!("{key}.{index}");
            let links = self.links_named(name, &key).map_err(|error| {
                let near = nearest(name, &self.nodes).or(error.nearest);
                ScenarioError::new(format!("{}, or a node", error.expected)).key(key).value(name.as_str()).near(near)
            })?;
            Ok(CapturePlace { name: name.clone(), leaving: vec![links[0]], entering: links[1..].to_vec() })
        };
        names.iter().enumerate().map(place).collect()
    }

    /// Whether it depends on the seed: transfers that come, starts and rates that are drawn.
    pub fn is_drawn(&self, scenario: &Scenario) -> bool {
        let is_drawn = |flow: &Flow| flow.arrivals.is_some() || flow.start_jitter.value > 0.0;
        let has_drawn = |link: &DirectedLink| {
            matches!(link.process, Some(Process::Cellular(_) | Process::LeoSatellite(_) | Process::Nr(_)))
        };
        scenario.flows.iter().any(is_drawn) || self.links.iter().any(has_drawn)
    }
}

/// The network that a scenario describes. `outside` has the code that it names.
///
/// # Errors
/// Where it describes none.
pub fn resolve(scenario: &Scenario, outside: &dyn Outside) -> Result<Network, ScenarioError> {
    let (nodes, links) = lay_out(&scenario.topology);
    let codes = Codes::find(scenario, &links, outside)?;
    let numbers: HashMap<String, usize> = nodes.iter().cloned().zip(0..).collect();
    let mut bench = Bench::default();
    let duration_s = scenario.duration.value;
    let mut network = Network { nodes, links, flows: Vec::new(), events: Vec::new(), duration_s };
    draw_processes(&mut network, scenario.seed);
    let mut described: Vec<usize> = Vec::new();
    let streams = stream_names(scenario.flows.iter().map(|flow| flow.name.as_deref()));
    for (index, (flow, stream)) in scenario.flows.iter().zip(&streams).enumerate() {
        let place = Place { index, before: described.len(), stream };
        let made = resolve_flows(&mut bench, &codes, flow, place, scenario, &numbers, &network.nodes);
        let made = made.map_err(|error| error.under(index).under("flows"))?;
        described.extend(made.iter().map(|_| index));
        network.flows.extend(made);
    }
    let trips = round_trips(&network, &described)?;
    for (number, trip) in trips.into_iter().enumerate() {
        let link = &network.links[number];
        let told = tell_queue(&mut bench, &codes, link, trip, &scenario.defaults, &network.nodes)?;
        let concerned = concerned_flows(link, &network, &described, scenario)?;
        let link = &mut network.links[number];
        (link.parameters, link.commands, link.code) = (told.parameters, told.commands, told.code);
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
    if let Some(names) = &scenario.record.capture {
        network.places(Some(names), "record.capture")?;
    }
    if let Some(names) = &scenario.record.qlog {
        network.connections(Some(names), "record.qlog")?;
    }
    for (index, name) in scenario.external_nodes.iter().enumerate() {
        choose(name, &network.nodes, "a node", &format!("external_nodes.{index}"))?;
    }
    Ok(network)
}

/// Draws when links of random processes can send, and their delays.
fn draw_processes(network: &mut Network, seed: Option<Seed>) {
    let duration_s = network.duration_s;
    let number = seed.map_or(u64::from(NS2_SEED), Seed::number);
    for index in 0..network.links.len() {
        let (link, name) = (&network.links[index], network.link_name(index));
        let ends = [link.source.min(link.target), link.source.max(link.target)];
        let path = ends.map(|end| network.nodes[end].as_str()).join("-");
        let drawn = match &link.process {
            Some(Process::Cellular(cellular)) => opportunities(cellular, seed, &name, duration_s),
            Some(Process::LeoSatellite(leo)) => {
                let leo = leo.clone();
                let drawn = course(Terms::of(&leo), number, &path, &name, duration_s);
                tell_delays(network, index, &drawn.delays_s, leo.cut);
                drawn.deliveries_ms
            }
            Some(Process::Nr(nr)) => {
                let slots = nr::opportunities(nr, number, &path, &name, duration_s);
                let bytes: i64 = slots.iter().map(|slot| slot.bytes).sum();
                let period_s = slots.last().map_or(1.0, |slot| slot.at_s);
                let link = &mut network.links[index];
                // An outage that lasts has a rate, too: nothing is sent, but times are computed.
                (link.rate_bps, link.slots) = ((8.0 * bytes as f64 / period_s).max(1.0), slots);
                continue;
            }
            Some(Process::Wifi(_)) | None => continue,
        };
        let drawn = Deliveries::drawn(drawn);
        let link = &mut network.links[index];
        link.rate_bps = drawn.mean_rate_bps();
        link.deliveries = Some(drawn);
    }
}

/// A link's delays beyond its own, each from its instant on; those after the first begin with a hand-over.
fn tell_delays(network: &mut Network, link: usize, delays_s: &[(f64, f64)], cut: bool) {
    let own_s = network.links[link].delay_s;
    for (number, &(at_s, more_s)) in delays_s.iter().enumerate() {
        let delay_s = own_s + more_s;
        if number == 0 {
            network.links[link].delay_s = delay_s;
            continue;
        }
        if cut {
            network.events.push(Event { at_s, what: Happening::Cut, link });
        }
        network.events.push(Event { at_s, what: Happening::Delay(delay_s), link });
    }
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
