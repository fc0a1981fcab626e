//! Tables of a simulation whose observer is a [`Recorder`]: what is counted, sampled and hooked, and the tables at the
//! end.

use ackclock_engine::net::Upcall;
use ackclock_engine::net::link::{Hook, HookPoint, LinkId};
use ackclock_engine::net::node::AgentId;
use ackclock_engine::sim::{AppId, Simulation};
use ackclock_engine::transport::tcp::cc::model_log::ModelLog;

use crate::columns::{PacketEvent, Rows, Table};
use crate::recorder::Recorder;
use crate::tables::changes::Variable;
use crate::tables::{Spot, Tables, Wanted};

/// The recorder of a simulation.
///
/// # Panics
/// If the observer is something else.
pub fn recorder(simulation: &mut Simulation) -> &mut Recorder {
    simulation.net.observer.as_any_mut().downcast_mut().expect("the observer is a recorder")
}

/// Calls a function of the tables with the simulation, which owns the observer that has them; `None` without tables.
fn with_tables<R>(simulation: &mut Simulation, act: impl FnOnce(&mut Tables, &mut Simulation) -> R) -> Option<R> {
    let mut tables = recorder(simulation).tables.take()?;
    let result = act(&mut tables, simulation);
    recorder(simulation).tables = Some(tables);
    Some(result)
}

/// Fills tables from now on.
pub fn keep(simulation: &mut Simulation, wanted: Wanted) {
    let tables = Tables::new(wanted, simulation);
    recorder(simulation).tables = Some(Box::new(tables));
}

/// Counts links from now on. What else hooks into them is there already. Nothing without [`keep`].
pub fn add_links(simulation: &mut Simulation, links: &[LinkId]) {
    simulation.net.measure_links();
    for &id in links {
        let added = with_tables(simulation, |tables, engine| (tables.add_link(engine, id), tables.wanted));
        let Some((number, wanted)) = added else { return };
        let mut events = vec![
            (HookPoint::Head, PacketEvent::Enqueue),
            (HookPoint::Dequeued, PacketEvent::Dequeue),
            (HookPoint::Received, PacketEvent::Receive),
            (HookPoint::Dropped, PacketEvent::Drop),
        ];
        events.retain(|&(_, event)| wanted.packets || wanted.changes && event != PacketEvent::Receive);
        for (place, event) in events {
            let hook = Hook::Trace(recorder(simulation).add_table_place(Spot::Link(number, event)));
            simulation.net.links[id.0 as usize].add_hook(place, None, hook);
        }
    }
}

/// Counts the flow between two agents, attached and connected, from now on; if the sender `is_tcp`, its window is
/// followed. Nothing without [`keep`].
///
/// # Errors
/// The name of a parameter that a TCP has and this sender has not.
pub fn add_flow(
    simulation: &mut Simulation,
    (sender, receiver): (AgentId, AgentId),
    is_tcp: bool,
) -> Result<(), &'static str> {
    let added = with_tables(simulation, |tables, engine| {
        tables.add_flow(engine, (sender, receiver), is_tcp).map(|number| (number, tables.wanted.changes))
    });
    let Some((number, has_changes)) = added.transpose()? else { return Ok(()) };
    if is_tcp && has_changes {
        // A sender without such a model does not know the command.
        let _ = simulation.with_agent(sender, |agent, net| agent.command("record_model", &[], net));
        for (name, variable) in [("cwnd", Variable::Cwnd), ("ssthresh", Variable::Ssthresh)] {
            let place = recorder(simulation).add_table_place(Spot::Flow(number, variable));
            simulation.agents[sender.0 as usize].watch(name, place);
        }
        let place = recorder(simulation).add_table_place(Spot::Flow(number, Variable::Rtt));
        if let Some(stats) = simulation.net.endpoint_stats(sender) {
            stats.reports = Some(place);
        }
    }
    Ok(())
}

/// Takes the sample that is due. Whether the caller should look whether the run shall go on.
pub fn sample(simulation: &mut Simulation) -> bool {
    with_tables(simulation, Tables::sample).unwrap_or(false)
}

/// The run is over: its tables, by name. Nothing without [`keep`].
pub fn take(simulation: &mut Simulation) -> Vec<(&'static str, Table)> {
    let finished = with_tables(simulation, |tables, engine| (tables.senders(), tables.finish(engine)));
    let Some((senders, mut tables)) = finished else { return Vec::new() };
    recorder(simulation).tables = None;
    tables.extend(model_changes(simulation, &senders).map(|table| ("model_changes", table)));
    tables
}

/// A flow ends at the instant at which all that its sender was given is acknowledged.
pub fn await_completion(simulation: &mut Simulation, sender: AgentId) {
    simulation.listen(sender, Some(Upcall::Done(sender)));
    if let Some(stats) = simulation.net.endpoint_stats(sender) {
        stats.ends_when_done = true;
    }
}

/// A flow of a two-way connection ends when so many of its sender's bytes are acknowledged; the SYN counts as one.
pub fn await_bytes(simulation: &mut Simulation, sender: AgentId, bytes: i64) {
    if let Some(tcp) = simulation.net.endpoint_stats(sender).and_then(|stats| stats.tcp.as_mut()) {
        tcp.awaited = Some(bytes);
    }
}

/// An agent has told that all it was given is acknowledged, or that its connection is closed.
pub fn is_done(simulation: &mut Simulation, agent: AgentId) {
    if simulation.net.endpoint_stats(agent).is_some_and(|stats| stats.ends_when_done) {
        completed(simulation, agent);
    }
    simulation.with_agent(agent, |agent, net| agent.done_was_delivered(net));
}

/// A flow has all that it was there for.
pub fn completed(simulation: &mut Simulation, sender: AgentId) {
    let now_s = simulation.now().secs();
    if let Some(stats) = simulation.net.endpoint_stats(sender) {
        stats.completed_s = Some(now_s);
    }
}

/// An application is about to start, or has stopped.
pub fn app_stopped(simulation: &mut Simulation, app: AppId, is_stopped: bool) {
    let now_s = simulation.now().secs();
    let agent = simulation.apps[app.0 as usize].agent;
    if let Some(stats) = agent.and_then(|agent| simulation.net.endpoint_stats(agent)) {
        stats.stopped_s = is_stopped.then_some(now_s);
    }
}

/// The table of the courses of the controls' models, if any control has one.
fn model_changes(simulation: &mut Simulation, senders: &[AgentId]) -> Option<Table> {
    let mut rows = Rows::like(|rows| push_model(rows, 0, ["0.0", ""].into_iter()));
    let mut is_empty = true;
    for (flow, sender) in (1..).zip(senders.iter().copied()) {
        let told = simulation.with_agent(sender, |agent, net| agent.command("model_changes", &[], net));
        for line in told.unwrap_or_default().lines() {
            push_model(&mut rows, flow, line.split(' '));
            is_empty = false;
        }
    }
    (!is_empty).then(|| rows.finish())
}

/// A row of the table of models, from a line of [`ModelLog`].
fn push_model<'a>(rows: &mut Rows, flow: u32, mut words: impl Iterator<Item = &'a str>) {
    let real = |words: &mut dyn Iterator<Item = &'a str>| words.next().and_then(|word| word.parse::<f64>().ok());
    rows.real("time_s", real(&mut words)).number("flow", flow);
    rows.word("state", words.next().unwrap_or_default());
    for column in ModelLog::COLUMNS {
        rows.real(column, real(&mut words));
    }
    rows.end();
}
