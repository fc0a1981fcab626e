//! What a described flow comes to: who talks to whom, with which sender and receiver, parameters, and when it is fed.

use std::collections::HashMap;
use std::sync::Arc;

use ackclock_engine::params::Value;
use ackclock_engine::transport::registry;
use ackclock_engine::transport::tcp::controls;

use crate::defaults::{self as sets, Bench, Values, control_names};
use crate::error::{ScenarioError, choose, renamed};
use crate::model::apps::{App, Ftp};
use crate::model::dscp::code_point;
use crate::model::scenario::Scenario;
use crate::model::traffic::Flow;
use crate::outside::Origin;
use crate::resolve::codes::Codes;
use crate::resolve::datagrams::{CALL_SENDER, datagrams};
use crate::resolve::ends::ends;
use crate::resolve::terms::{Terms, parameter};
use crate::resolve::transfers::{jittered_starts, transfers};
use crate::units::Unit;

/// A sender, a receiver, and what feeds the sender.
#[derive(Clone, Debug)]
pub struct ResolvedFlow {
    /// Its name.
    pub name: String,
    /// The node that sends.
    pub source: usize,
    /// The node that receives.
    pub destination: usize,
    /// What feeds the sender.
    pub app: App,
    /// The number of the described flow that it is of.
    pub described: usize,
    /// The id in its packets.
    pub flow_id: i64,
    /// What the names of its random streams begin with.
    pub stream: String,
    /// When it is fed: from, to (`None`: the end), s.
    pub spans_s: Vec<(f64, Option<f64>)>,
    /// Packets of a finite transfer.
    pub packets: Option<i64>,
    /// Sender, receiver and their parameters.
    pub terms: Arc<Terms>,
}

impl ResolvedFlow {
    /// Whether the sender takes its congestion control before its parameters, some of which are the control's.
    pub fn chooses_first(&self) -> bool {
        self.terms.sender == "tcp"
    }

    /// Whether both ends are of the same kind: there is a handshake, and both may send data.
    pub fn is_two_way(&self) -> bool {
        self.terms.sender == "tcp" || self.terms.sender.starts_with("full")
    }

    /// Whether the receiver may send more than ACKs.
    pub fn replies_with_data(&self) -> bool {
        matches!(self.app, App::Requests(_) | App::Video(_)) || self.terms.sender.starts_with("full")
    }

    /// Whether there is a window to follow.
    pub fn is_tcp(&self) -> bool {
        !["udp", CALL_SENDER].contains(&self.terms.sender.as_str())
    }

    /// Whether the receiver sends something back: ACKs, or reports.
    pub fn has_replies(&self) -> bool {
        self.terms.sender != "udp"
    }
}

/// Those senders and controls that people look for, first.
const USUAL: [&str; 12] =
    ["cubic", "reno", "new_reno", "sack", "bbr", "bbr3", "vegas", "dctcp", "tcp", "linux", "tahoe", "prague"];

fn ids(sender: &str) -> Vec<&'static str> {
    control_names(sender).into_iter().map(|(id, _)| id).collect()
}

fn two_way() -> Vec<&'static str> {
    registry::two_way().map(|entry| entry.id).collect()
}

/// Where a described flow stands: its number, and how many conversations those before it came to.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// Its number in the description.
    pub index: usize,
    /// Conversations before it.
    pub before: usize,
    /// What the names of its random streams begin with.
    pub stream: &'a str,
}

/// What a described flow stands for: one conversation, or one for each pair, or for each transfer that comes.
///
/// # Errors
/// With the key within the flow, for what no engine can be told.
pub fn resolve_flows(
    bench: &mut Bench,
    codes: &Codes,
    flow: &Flow,
    place: Place,
    scenario: &Scenario,
    numbers: &HashMap<String, usize>,
    nodes: &[String],
) -> Result<Vec<ResolvedFlow>, ScenarioError> {
    let every = ends(flow, scenario, numbers, nodes)?;
    let mut terms = match &flow.tcp {
        None => datagrams(bench, flow)?,
        Some(tcp) => over_tcp(bench, codes, (flow, place.index), tcp, scenario)?,
    };
    if let Some(dscp) = &flow.dscp {
        terms.parameters.set("dscp", Value::Int(code_point(dscp)?));
    }
    let terms = Arc::new(terms);
    let fed = fed(flow, &every, place.index, scenario, place.stream)?;
    let made = fed.into_iter().enumerate().map(|(at, fed)| {
        let number = place.before + at + 1;
        let kind = &terms.kind;
        ResolvedFlow {
            name: fed.name.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("{kind}-{number}")),
            source: fed.ends.0,
            destination: fed.ends.1,
            packets: packets(&fed.app, &terms),
            app: fed.app,
            described: place.index,
            flow_id: flow.id.unwrap_or(number as i64),
            stream: format!("{}/{}", place.stream, fed.place),
            spans_s: fed.spans_s,
            terms: terms.clone(),
        }
    });
    Ok(made.collect())
}

struct Fed {
    ends: (usize, usize),
    name: Option<String>,
    place: String,
    app: App,
    spans_s: Vec<(f64, Option<f64>)>,
}

/// Between whom, under which name, which of the described flow's it is, by what, and when.
fn fed(
    flow: &Flow,
    every: &[(usize, usize)],
    index: usize,
    scenario: &Scenario,
    stream: &str,
) -> Result<Vec<Fed>, ScenarioError> {
    let name = flow.name.clone().filter(|_| flow.pair != Some(0));
    if let Some(arrivals) = &flow.arrivals {
        let coming = transfers(flow, arrivals, every.len(), index, scenario, stream)?;
        let kind = name
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| kind_of(flow.tcp.as_deref(), flow.control.as_deref()));
        let all = every.iter().zip(coming).zip(1..).flat_map(|((&ends, coming), place)| {
            let kind = kind.clone();
            coming.into_iter().zip(1..).map(move |((start_s, app), number)| Fed {
                ends,
                name: Some(format!("{kind}.{number}")),
                place: format!("{place}.{number}"),
                app,
                spans_s: vec![(start_s, None)],
            })
        });
        return Ok(all.collect());
    }
    let same = |ends: (usize, usize), place: usize, spans_s: Vec<(f64, Option<f64>)>| Fed {
        ends,
        name: name.clone(),
        place: place.to_string(),
        app: flow.app.clone(),
        spans_s,
    };
    if flow.start_jitter.value > 0.0 {
        let starts_s = jittered_starts(flow, every.len(), index, scenario, stream);
        let all = every.iter().zip(starts_s).zip(1..).map(|((&ends, start_s), place)| {
            let shown = format!("{} s", crate::tree::shortest(start_s));
            Ok(same(ends, place, vec![span_s(start_s, &shown, flow.stop.as_ref(), "stop")?]))
        });
        return all.collect();
    }
    let spans_s = match &flow.spans {
        None => vec![span_s(flow.start.value, &flow.start.text, flow.stop.as_ref(), "stop")?],
        Some(spans) => {
            let all = spans.iter().enumerate().map(|(index, span)| {
                span_s(span.start.value, &span.start.text, span.stop.as_ref(), &format!("spans.{index}.stop"))
            });
            all.collect::<Result<_, _>>()?
        }
    };
    Ok(every.iter().zip(1..).map(|(&ends, place)| same(ends, place, spans_s.clone())).collect())
}

fn span_s(
    start_s: f64,
    start: &str,
    stop: Option<&crate::model::typed::Time>,
    key: &str,
) -> Result<(f64, Option<f64>), ScenarioError> {
    match stop {
        Some(stop) if stop.value < start_s => {
            let error = ScenarioError::new(format!("the flow would stop before it starts, at {start}")).key(key);
            Err(error.value(stop.text.as_str()))
        }
        _ => Ok((start_s, stop.map(|stop| stop.value))),
    }
}

fn over_tcp(
    bench: &mut Bench,
    codes: &Codes,
    (flow, index): (&Flow, usize),
    tcp: &str,
    scenario: &Scenario,
) -> Result<Terms, ScenarioError> {
    let defaults = scenario.defaults.as_str();
    let two_way = two_way();
    let mut own = codes.at(format!("flows.{index}.control"));
    let mut compiled = codes.at(format!("flows.{index}.tcp"));
    let (sender, mut named) =
        if compiled.is_some() { ("tcp".into(), Some(tcp.to_owned())) } else { sender(tcp, defaults)? };
    if let (Some(named), Some(control)) = (&named, &flow.control) {
        let expected = format!("{named} is a congestion control itself; another one goes with tcp = \"{sender}\"");
        return Err(ScenarioError::new(expected).key("control").value(control.as_str()));
    }
    let is_two_way = two_way.contains(&sender.as_str());
    let given = flow.receiver.as_deref().filter(|receiver| !receiver.is_empty());
    let receiver = match given {
        Some(receiver) => receiver,
        None if is_two_way => &sender,
        None => sets::receiver(defaults, &sender),
    };
    let mut others: Vec<&str> = registry::SINKS.iter().map(|entry| entry.id).collect();
    if is_two_way {
        others =
            if sender == "tcp" { vec!["tcp"] } else { two_way.iter().copied().filter(|id| *id != "tcp").collect() };
    }
    renamed(receiver, &[("sink_modern", "tcp"), ("tcp_receiver", "tcp")], "receiver")?;
    choose(receiver, &others, &format!("a receiver for {sender}"), "receiver")?;
    check_two_way(flow, tcp, &sender, &two_way)?;
    let packet = flow.packet_size.as_ref().map_or_else(|| sets::packet_bytes(defaults), |size| size.value);
    let mut parameters = sets::sender_values(defaults, &sender, packet);
    parameters.set(if is_two_way { "segsize" } else { "packet_size" }, Value::Int(packet));
    if let Some(window) = &flow.window {
        parameters.set("window", Value::Real(window.value));
    }
    if let (Some(control), None) = (&flow.control, &own) {
        let known = ids(&sender);
        choose(control, &known, &format!("a congestion control of {sender}"), "control")?;
        named = Some(control.clone());
    }
    let mut room = if sender.starts_with("full") { "full".to_owned() } else { "one_way".to_owned() };
    if sender == "tcp" {
        room = match named.as_deref() {
            _ if own.is_some() || compiled.is_some() => "tcp".into(),
            named => format!("tcp_{}", named.unwrap_or_else(|| usual_control())),
        };
        // What ns-2's senders have and this one does not is no parameter of it. Linux sizes its window by memory.
        let known: Vec<String> = bench.parameters(&room).iter().map(|known| known.name.to_string()).collect();
        parameters.0.retain(|(name, _)| {
            let is_there = name == "segsize" || known.contains(name);
            is_there && (name != "window" || flow.window.is_some())
        });
        if flow.spans.as_ref().is_some_and(|spans| spans.len() > 1) {
            parameters.set("fin", Value::Flag(false));
        }
    }
    for (name, value) in &flow.parameters {
        if let Some(code) = own.as_mut().or(compiled.as_mut()) {
            let takes = code.names().any(|known| known == name);
            let is_of_sender = bench.knows(&sender, name);
            if takes || !is_of_sender && (code.chosen.origin != Origin::Python || !code.code.is_known) {
                code.set(bench, name, value).map_err(|error| error.under("parameters"))?;
                continue;
            }
        }
        parameters.set(name, parameter(bench, &room, &sender, (name, value), "parameters", own.as_ref())?);
    }
    if sender == "tcp" && own.is_none() && compiled.is_none() {
        check_marks(named.as_deref().unwrap_or_else(|| usual_control()), &parameters)?;
    }
    let mut receivers = Values::default();
    for (name, value) in sets::receiver_values(defaults) {
        if bench.knows(receiver, name) {
            receivers.set(name, value);
        }
    }
    let mut theirs = "";
    if is_two_way {
        // Both ends of a two-way connection are senders.
        theirs = &room;
        parameters.0.iter().for_each(|(name, value)| receivers.set(name, *value));
    }
    for (name, value) in &flow.receiver_parameters {
        receivers.set(name, parameter(bench, theirs, receiver, (name, value), "receiver_parameters", None)?);
    }
    let has = |name: &str, usual: i64| parameters.get(name).map_or(usual, Value::int);
    let stamps = parameters.get("timestamps");
    let mut wire = packet;
    if sender == "tcp" {
        wire += if stamps.is_none_or(Value::flag) { 52 } else { 40 };
    } else if !sets::is_listed("without_headers", &sender) {
        wire += has("tcpip_base_hdr_size", 40);
        wire += if stamps.is_some_and(Value::flag) { has("ts_option_size", 10) } else { 0 };
    }
    Ok(Terms {
        kind: kind_of(flow.tcp.as_deref(), flow.control.as_deref()),
        receiver: receiver.into(),
        sender,
        control: named.or_else(|| flow.control.clone()),
        parameters,
        receiver_parameters: receivers,
        code: own.or(compiled).map(|code| code.chosen),
        packet_bytes: packet,
        wire_bytes: wire,
    })
}

/// The control of today's TCP where nothing names one: the first of the table.
fn usual_control() -> &'static str {
    controls::entries().next().map_or("", |(id, _)| id)
}

/// What a TCP flow without a name is called: its congestion control if it names one, else its variant.
pub fn kind_of(tcp: Option<&str>, control: Option<&str>) -> String {
    let tcp = tcp.unwrap_or("None");
    let named = if Origin::of_tcp(tcp) == Some(Origin::Library) { Some(tcp) } else { control };
    named.map_or_else(|| tcp.replace(':', "_"), |name| name.rsplit(':').next().unwrap_or_default().into())
}

/// ECN needs a control that responds to marks. RFC 3168, 5: marks are congestion.
fn check_marks(control: &str, parameters: &Values) -> Result<(), ScenarioError> {
    let key = ["ecn", "acc_ecn"].into_iter().find(|name| parameters.get(name).is_some_and(Value::flag));
    let known: Vec<&str> = controls::answering_marks().collect();
    match key {
        Some(key) if !known.contains(&control) => {
            let listed = known.join(", ");
            let expected = format!("{control} does not respond to ECN marks; expected one of the controls {listed}");
            Err(ScenarioError::new(expected).key(format!("parameters.{key}")).value(true))
        }
        _ => Ok(()),
    }
}

/// The sender that `tcp` names, and the congestion control if it is that one's name.
fn sender(tcp: &str, defaults: &str) -> Result<(String, Option<String>), ScenarioError> {
    let senders: Vec<&str> = registry::VARIANTS.iter().map(|entry| entry.id).chain(two_way()).collect();
    renamed(tcp, &[("modern", "tcp"), ("full_linux", "tcp")], "tcp")?;
    let controls = ids("tcp");
    if controls.contains(&tcp) && (!senders.contains(&tcp) || sets::prefers_controls(defaults)) {
        return Ok(("tcp".into(), Some(tcp.into())));
    }
    let mut known: Vec<&str> =
        USUAL.into_iter().filter(|name| senders.contains(name) || controls.contains(name)).collect();
    for name in senders.iter().chain(&controls) {
        if !known.contains(name) {
            known.push(name);
        }
    }
    choose(tcp, &known, "a TCP variant", "tcp")?;
    Ok((tcp.into(), None))
}

fn check_two_way(flow: &Flow, tcp: &str, sender: &str, two_way: &[&str]) -> Result<(), ScenarioError> {
    if matches!(flow.app, App::Requests(_) | App::Video(_)) && !two_way.contains(&sender) {
        let listed = two_way.join(", ");
        let expected = format!("requests go both ways; expected two-way TCP: {listed}");
        return Err(ScenarioError::new(expected).key("tcp").value(tcp));
    }
    if sender.starts_with("full") && flow.spans.as_ref().is_some_and(|spans| spans.len() > 1) {
        let expected = format!("{sender} closes the connection at a stop; expected one span");
        return Err(ScenarioError::new(expected).key("spans"));
    }
    Ok(())
}

/// How many a finite transfer has.
fn packets(app: &App, terms: &Terms) -> Option<i64> {
    let App::Ftp(Ftp { size: Some(size) }) = app else { return None };
    let count = match size.value.unit {
        Unit::Packets => size.value.number,
        _ => (size.value.number / terms.packet_bytes as f64).ceil(),
    };
    Some(count as i64 + i64::from(sets::is_listed("syn_is_of_the_file", &terms.sender)))
}
