//! What a simulation consists of here: the engine, and what Python's side keeps beside it.

use ackclock_engine::net::Upcall;
use ackclock_engine::net::link::LinkId;
use ackclock_engine::net::node::{AgentId, NodeId};
use ackclock_engine::sim::{Simulation as Engine, Stop};
use ackclock_scenario::schedule::{Schedule, recorder};
use ackclock_trace::recorder::Recorder;
use pyo3::prelude::*;

use crate::convert::{Params, no_such, simulation_error};
use crate::plugins::ledger::Shared;

/// A packet-level simulation. What it adds (a `Node`, a `Link`, an `Agent` and so on) has the methods to set it up.
#[pyclass(module = "ackclock._native")]
pub struct Simulation {
    pub engine: Engine,
    /// For each agent, the places its watched variables are traced at.
    pub agent_places: Vec<Vec<u32>>,
    /// What is to happen in a described run.
    pub schedule: Schedule,
    /// Errors and variable changes of users' Python objects.
    pub plugins: Shared,
    /// By channel: the descriptor of its file.
    pub channel_fds: Vec<i32>,
    /// The uid that was next when the last packet was seen, and the instant, s.
    pub last_packet: (i32, f64),
}

/// What the links of a class have in common.
pub struct LinkKind<'a> {
    pub discipline: &'a str,
    pub params: Option<&'a Params>,
    pub keeps_order: bool,
}

impl Simulation {
    pub fn recorder(&mut self) -> &mut Recorder {
        recorder(&mut self.engine)
    }

    pub fn check_node(&self, node: u32) -> PyResult<NodeId> {
        let exists = (node as usize) < self.engine.net.nodes.len();
        exists.then_some(NodeId(node)).ok_or_else(|| no_such("node", node))
    }

    /// A new link, and the values of its queue.
    pub fn add_link_of(
        &mut self,
        (from, to): (NodeId, NodeId),
        rate_bps: f64,
        delay_s: f64,
        kind: &LinkKind,
    ) -> PyResult<LinkId> {
        let link = self.engine.add_link(from, to, rate_bps, delay_s, kind.discipline).map_err(simulation_error)?;
        self.engine.net.links[link.0 as usize].set_keeps_order(kind.keeps_order);
        kind.params.map_or(Ok(()), |params| self.set_queue_params(link, params))?;
        Ok(link)
    }

    pub fn check_channels(&mut self) -> PyResult<()> {
        match self.recorder().take_failure() {
            Some((channel, failure)) => Err(self.channel_error(channel.0, &failure)),
            None => Ok(()),
        }
    }

    /// The `OSError` of a channel that is open, with its file's name.
    pub fn channel_error(&self, channel: u32, failure: &std::io::Error) -> PyErr {
        crate::process::files::os_error_of_fd(self.channel_fds.get(channel as usize).copied().unwrap_or(-1), failure)
    }

    /// Places that trace an agent's variables name its node and its peer's.
    pub fn refresh_places(&mut self, agent: AgentId) {
        let places = self.agent_places.get(agent.0 as usize).cloned().unwrap_or_default();
        let end = self.engine.agents[agent.0 as usize].endpoint().clone();
        for place in places {
            let recorder = self.recorder();
            recorder.set_agent_addresses(ackclock_engine::measure::observe::TraceId(place), end.here, end.peer);
        }
    }
}

/// Seconds without a packet after which a run is quiet: no timer of a protocol or a source is as long, and idle
/// retransmission timers pass through them in about a second.
const QUIET_S: f64 = 1e6;

impl Simulation {
    /// Whether no packet was made or on its way for so long that only timers are left. True once for each such time.
    pub fn is_quiet(&mut self) -> bool {
        let packets = &self.engine.net.packets;
        let (uid, now_s) = (packets.next_uid(), self.engine.now().secs());
        let is_quiet = packets.alive() == 0 && uid == self.last_packet.0 && now_s - self.last_packet.1 >= QUIET_S;
        if is_quiet || packets.alive() > 0 || uid != self.last_packet.0 {
            self.last_packet = (uid, now_s);
        }
        is_quiet
    }
}

/// What `run` comes back with; `None` for a pause or a failure.
pub fn told_as(stop: &Stop) -> Option<(&'static str, u32)> {
    Some(match stop {
        Stop::Script(script) => ("script", script.0),
        Stop::Upcall(Upcall::Emptied(agent)) => ("emptied", agent.0),
        Stop::Upcall(Upcall::Message(agent)) => ("message", agent.0),
        Stop::Upcall(Upcall::NoBytes(agent)) => ("no_bytes", agent.0),
        Stop::Upcall(Upcall::OneBlock(agent)) => ("one_block", agent.0),
        Stop::Upcall(Upcall::Idle(agent)) => ("idle", agent.0),
        Stop::Upcall(Upcall::Received(agent, _)) => ("received", agent.0),
        Stop::Upcall(Upcall::Done(agent)) => ("done", agent.0),
        Stop::Upcall(Upcall::Lost(agent)) => ("lost", agent.0),
        Stop::FreshFlows => ("flows", 0),
        Stop::Lines => ("lines", 0),
        Stop::Multicast => ("multicast", 0),
        Stop::Exhausted => ("exhausted", 0),
        Stop::Sample | Stop::Paused | Stop::Failed(_) => return None,
    })
}
