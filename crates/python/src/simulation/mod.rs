//! A simulation as Python sees it: numbers for things, names for parameters.

pub mod action;
pub mod agents;
pub mod delay_boxes;
pub mod exchanges;
pub mod flow_monitors;
pub mod lans;
pub mod link_failure;
pub mod loss;
pub mod multicast;
pub mod quick_start;
pub mod request_response;
pub mod routing;
pub mod token_buckets;

use ackclock_engine::net::Upcall;
use ackclock_engine::net::link::{Hook, HookPoint, LinkId};
use ackclock_engine::net::node::{AgentId, NextHop, NodeId};
use ackclock_engine::sim::{AppId, ScriptId, Simulation as Engine, Stop};
use ackclock_trace::recorder::Recorder;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{
    Described, Params, described, engine_error, no_such, simulation_error, unknown_parameter, value_from_python,
    value_to_python,
};
use crate::plugins::ledger::Shared;
use action::Action;
use exchanges::Exchanges;

/// Events before another thread may have Python.
const EVENTS_BEFORE_OTHERS: u64 = 16;

/// Events between two looks at Python's signals and at the channels' failures.
const EVENTS_AT_ONCE: u64 = 50_000;

/// A packet-level simulation. Nodes, links, agents, applications, monitors are known by their numbers.
#[pyclass(module = "ackclock._native")]
pub struct Simulation {
    pub engine: Engine,
    /// For each agent, the places its watched variables are traced at.
    pub agent_places: Vec<Vec<u32>>,
    /// What happens at the call-backs of a described run, by their numbers.
    pub timeline: Vec<Option<Action>>,
    /// Requests and responses of a described run.
    pub exchanges: Exchanges,
    /// Errors and variable changes of users' Python objects.
    pub plugins: Shared,
    /// By channel: the descriptor of its file.
    pub channel_fds: Vec<i32>,
}

impl Simulation {
    pub fn recorder(&mut self) -> &mut Recorder {
        self.engine.net.observer.as_any_mut().downcast_mut().expect("the observer is the recorder it was made with")
    }

    pub fn check_node(&self, node: u32) -> PyResult<NodeId> {
        let exists = (node as usize) < self.engine.net.nodes.len();
        exists.then_some(NodeId(node)).ok_or_else(|| no_such("node", node))
    }

    pub fn check_link(&self, link: u32) -> PyResult<LinkId> {
        let exists = (link as usize) < self.engine.net.links.len();
        exists.then_some(LinkId(link)).ok_or_else(|| no_such("link", link))
    }

    pub fn check_agent(&self, agent: u32) -> PyResult<AgentId> {
        let exists = (agent as usize) < self.engine.agents.len();
        exists.then_some(AgentId(agent)).ok_or_else(|| no_such("agent", agent))
    }

    pub fn check_app(&self, app: u32) -> PyResult<AppId> {
        let exists = (app as usize) < self.engine.apps.len();
        exists.then_some(AppId(app)).ok_or_else(|| no_such("application", app))
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

/// What `run` comes back with; `None` for a pause or a failure.
pub fn told_as(stop: &Stop) -> Option<(&'static str, u32)> {
    Some(match stop {
        Stop::Script(script) => ("script", script.0),
        Stop::Upcall(Upcall::Emptied(agent)) => ("emptied", agent.0),
        Stop::Upcall(Upcall::Message(agent)) => ("message", agent.0),
        Stop::Upcall(Upcall::NoBytes(agent)) => ("no_bytes", agent.0),
        Stop::Upcall(Upcall::Idle(agent)) => ("idle", agent.0),
        Stop::Upcall(Upcall::Received(agent, _)) => ("received", agent.0),
        Stop::Upcall(Upcall::Done(agent)) => ("done", agent.0),
        Stop::Upcall(Upcall::Lost(agent)) => ("lost", agent.0),
        Stop::FreshFlows => ("flows", 0),
        Stop::Multicast => ("multicast", 0),
        Stop::Exhausted => ("exhausted", 0),
        Stop::Sample | Stop::Paused | Stop::Failed(_) => return None,
    })
}

pub fn place_named(name: &str) -> PyResult<HookPoint> {
    Ok(match name {
        "head" => HookPoint::Head,
        "dequeued" => HookPoint::Dequeued,
        "wire_end" => HookPoint::WireEnd,
        "received" => HookPoint::Received,
        "dropped" => HookPoint::Dropped,
        "dropped_early" => HookPoint::DroppedEarly,
        "policed" => HookPoint::Policed,
        "entry" => HookPoint::Entry,
        "collided" => HookPoint::Collided,
        _ => {
            return Err(PyValueError::new_err(format!(
                "a link has no place {name}; it has head, dequeued, wire_end, received, dropped, dropped_early, policed, entry, collided"
            )));
        }
    })
}

#[pymethods]
impl Simulation {
    #[new]
    fn new() -> Simulation {
        let mut engine = Engine::default();
        engine.net.observer = Box::new(Recorder::default());
        Simulation {
            engine,
            agent_places: Vec::new(),
            timeline: Vec::new(),
            exchanges: Default::default(),
            plugins: Default::default(),
            channel_fds: Vec::new(),
        }
    }

    /// Packets have no header of SRM, which nam's lines tell.
    fn lack_srm(&mut self) {
        self.recorder().srm_header = ackclock_trace::ns2::nam::Srm::Absent;
    }

    /// Packets have no header for flags from now on.
    fn lack_flags(&mut self) {
        self.engine.net.lacks_flags = true;
    }

    fn add_node(&mut self) -> u32 {
        self.engine.add_node().0
    }

    /// So many nodes.
    fn add_nodes(&mut self, count: usize) {
        for _ in 0..count {
            self.engine.add_node();
        }
    }

    /// A link, perhaps with values for its queue.
    #[pyo3(signature = (from_node, to_node, rate_bps, delay_s, discipline, params = None, keeps_order = false))]
    pub fn add_link(
        &mut self,
        from_node: u32,
        to_node: u32,
        rate_bps: f64,
        delay_s: f64,
        discipline: &str,
        params: Option<&Params>,
        keeps_order: bool,
    ) -> PyResult<u32> {
        let (from, to) = (self.check_node(from_node)?, self.check_node(to_node)?);
        let link = self.engine.add_link(from, to, rate_bps, delay_s, discipline).map_err(simulation_error)?;
        self.engine.net.links[link.0 as usize].set_keeps_order(keeps_order);
        params.map_or(Ok(()), |params| self.set_queue_params(link.0, params))?;
        Ok(link.0)
    }

    fn link_param<'py>(&self, py: Python<'py>, link: u32, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let link = &self.engine.net.links[self.check_link(link)?.0 as usize];
        Ok(match name {
            "rate_bps" => link.rate_bps().into_pyobject(py)?.into_any(),
            "delay_s" => link.delay_s().into_pyobject(py)?.into_any(),
            "is_up" => link.is_up.into_pyobject(py)?.to_owned().into_any(),
            "keeps_order" => link.keeps_order().into_pyobject(py)?.to_owned().into_any(),
            "bytes_sent" => link.bytes_sent.into_pyobject(py)?.into_any(),
            "queue_packets" => link.queue().len_packets().into_pyobject(py)?.into_any(),
            "queue_bytes" => link.queue().len_bytes().into_pyobject(py)?.into_any(),
            _ => return Err(unknown_parameter("a link", name)),
        })
    }

    fn set_link_param(&mut self, link: u32, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let link = self.check_link(link)?;
        let link = &mut self.engine.net.links[link.0 as usize];
        match name {
            "rate_bps" => {
                let rate_bps: f64 = value.extract()?;
                if rate_bps.is_nan() || rate_bps <= 0.0 {
                    return Err(simulation_error(format!("a link's rate is {rate_bps} bit/s; it must be positive")));
                }
                link.set_rate_bps(rate_bps);
            }
            "delay_s" => {
                let delay_s: f64 = value.extract()?;
                if delay_s.is_nan() || delay_s < 0.0 {
                    return Err(simulation_error(format!("a link's delay is {delay_s} s; it must not be negative")));
                }
                link.set_delay_s(delay_s);
            }
            "keeps_order" => link.set_keeps_order(value_from_python(value)?.flag()),
            _ => return Err(unknown_parameter("a link", name)),
        }
        Ok(())
    }

    fn queue_param<'py>(&self, py: Python<'py>, link: u32, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let queue = self.engine.net.links[self.check_link(link)?.0 as usize].queue();
        value_to_python(py, queue.param(name).ok_or_else(|| unknown_parameter("this queue discipline", name))?)
    }

    /// The parameters of a queue discipline that scenarios offer: name, present value, unit, description.
    fn queue_parameters<'py>(&self, py: Python<'py>, link: u32) -> PyResult<Vec<Described<'py>>> {
        let mut found = Vec::new();
        self.engine.net.links[self.check_link(link)?.0 as usize].queue().describe(&mut found);
        described(py, found)
    }

    pub fn set_queue_param(&mut self, link: u32, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let link = self.check_link(link)?;
        let known = self.engine.net.links[link.0 as usize].queue_mut().set_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("this queue discipline", name)) }
    }

    /// Gives a queue discipline values.
    fn set_queue_params(&mut self, link: u32, params: &Params) -> PyResult<()> {
        let link = self.check_link(link)?;
        let queue = self.engine.net.links[link.0 as usize].queue_mut();
        params.give(|name, value| queue.set_param(name, value), "this queue discipline")
    }

    fn queue_command(&mut self, link: u32, name: &str) -> PyResult<String> {
        let link = self.check_link(link)?;
        self.engine.net.use_queue(link, |queue, context| queue.command(name, context)).map_err(simulation_error)
    }

    pub fn reset_queue(&mut self, link: u32) -> PyResult<()> {
        let link = self.check_link(link)?;
        self.engine.net.use_queue(link, |queue, context| queue.reset(context));
        Ok(())
    }

    /// Those of several links, one after the other.
    fn reset_queues(&mut self, links: Vec<u32>) -> PyResult<()> {
        links.into_iter().try_for_each(|link| self.reset_queue(link))
    }

    fn set_route_cost(&mut self, from_node: u32, to_node: u32, cost: f64) {
        self.engine.routing.insert(from_node, to_node, cost);
    }

    fn remove_route_cost(&mut self, from_node: u32, to_node: u32) {
        self.engine.routing.remove(from_node, to_node);
    }

    fn next_hops(&mut self, source: u32) -> Vec<Option<u32>> {
        self.engine.routing.next_hops(source)
    }

    fn set_route(&mut self, node: u32, destination: u32, link: Option<u32>) -> PyResult<()> {
        let (node, destination) = (self.check_node(node)?, self.check_node(destination)?);
        let link = link.map(|link| self.check_link(link)).transpose()?;
        let way = link.map_or(NextHop::Unknown, |link| self.engine.net.next_hop_over(link));
        self.engine.net.nodes[node.0 as usize].set_next_hop(destination, way);
        Ok(())
    }

    /// Sets every node's routes from the costs. The last link made between two nodes is the one used.
    fn install_routes(&mut self) {
        self.engine.install_routes();
    }

    pub fn add_app(&mut self, kind: &str) -> PyResult<u32> {
        Ok(self.engine.add_app(kind).map_err(simulation_error)?.0)
    }

    fn app_param<'py>(&self, py: Python<'py>, app: u32, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let app = &self.engine.apps[self.check_app(app)?.0 as usize].app;
        value_to_python(py, app.param(name).ok_or_else(|| unknown_parameter("this application", name))?)
    }

    fn set_app_param(&mut self, app: u32, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let app = self.check_app(app)?;
        let known = self.engine.apps[app.0 as usize].app.set_param(name, value_from_python(value)?);
        if known { Ok(()) } else { Err(unknown_parameter("this application", name)) }
    }

    pub fn attach_app(&mut self, app: u32, agent: u32) -> PyResult<()> {
        let (app, agent) = (self.check_app(app)?, self.check_agent(agent)?);
        self.engine.attach_app(app, agent);
        Ok(())
    }

    fn start_app(&mut self, app: u32) -> PyResult<()> {
        let app = self.check_app(app)?;
        self.engine.with_app(app, |app, context| app.start(context));
        Ok(())
    }

    fn stop_app(&mut self, app: u32) -> PyResult<()> {
        let app = self.check_app(app)?;
        self.engine.with_app(app, |app, context| app.stop(context));
        Ok(())
    }

    fn app_command(&mut self, app: u32, name: &str, arguments: Vec<String>) -> PyResult<String> {
        let app = self.check_app(app)?;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.engine.with_app(app, |app, context| app.command(name, &arguments, context)).map_err(simulation_error)
    }

    /// Asks for a call-back so many seconds from now; its number.
    fn call_back(&mut self, delay_s: f64) -> PyResult<u32> {
        if delay_s.is_nan() || delay_s < 0.0 {
            return Err(simulation_error(format!("a callback in {delay_s} s is in the past")));
        }
        Ok(self.engine.call_back(delay_s).0)
    }

    /// Asks for a call-back at the instant that a script has written, or so many seconds from now if that is negative; its
    /// number. `None` for what is no plain number, or in the past.
    pub fn call_back_at(&mut self, when: &str) -> Option<u32> {
        let when: f64 = when.parse().ok().filter(|when: &f64| when.is_finite())?;
        let delay_s = if when < 0.0 { -when } else { when - self.engine.now().secs() };
        (delay_s >= 0.0).then(|| self.engine.call_back(delay_s).0)
    }

    /// Takes a call-back back; whether it was still to come.
    fn cancel(&mut self, script: u32) -> bool {
        self.engine.cancel(ScriptId(script))
    }

    fn now(&self) -> f64 {
        self.engine.now().secs()
    }

    /// The same with all 17 digits, as ns-2 shows it.
    pub fn now_text(&self) -> String {
        crate::registry::format_g(self.engine.now().secs(), 17)
    }

    fn has_events(&self) -> bool {
        self.engine.has_events()
    }

    /// Runs until a call-back is due (`("script", number)`), an agent that is listened to tells something
    /// (`("idle" | "done" | "received" | "lost" | "emptied" | "message" | "no_bytes", agent)`), a table has met flows that
    /// nobody knew (`("flows", 0)`), a packet for a group needs a decision (`("multicast", 0)`) or
    /// nothing is left to happen (`("exhausted", 0)`).
    fn run(&mut self, py: Python) -> PyResult<(&'static str, u32)> {
        loop {
            let engine = &mut self.engine;
            // To let others have Python and to get it back takes as long as a few events.
            let mut stop = engine.run(EVENTS_BEFORE_OTHERS);
            if matches!(stop, Stop::Paused) {
                stop = py.detach(|| engine.run(EVENTS_AT_ONCE));
            }
            if let Some(words) = told_as(&stop) {
                return Ok(words);
            }
            match stop {
                Stop::Failed(error) => return Err(engine_error(&error)),
                Stop::Sample => {
                    self.take_sample();
                }
                _ => {
                    py.check_signals()?;
                    self.check_channels()?;
                }
            }
        }
    }

    /// For the end of a run: that what holds in every simulation does (`InvariantError`).
    fn check(&mut self) -> PyResult<()> {
        self.engine.check().map_or(Ok(()), |error| Err(engine_error(&error)))
    }

    /// More events than this at one instant are held for a loop without end.
    fn limit_events_at_one_time(&mut self, most: u64) {
        self.engine.checker.most_at_one_time = most;
    }

    /// Puts a tap at a place of a link: `what` is trace, gate, arrivals, departures, drops, early_drops or errors;
    /// `number` is the trace place's, the monitor's or the error module's. `at_front`: packets pass it before those
    /// already there.
    #[pyo3(signature = (link, place, what, number, at_front = true))]
    fn tap(&mut self, link: u32, place: &str, what: &str, number: u32, at_front: bool) -> PyResult<()> {
        use ackclock_engine::measure::monitor::MonitorId;
        use ackclock_engine::net::link::ErrorsId;
        let link = self.check_link(link)?;
        let place = place_named(place)?;
        let tap = match what {
            "gate" => Hook::Gate,
            "trace" => Hook::Trace(ackclock_engine::measure::observe::TraceId(number)),
            "arrivals" => Hook::CountArrival(MonitorId(number)),
            "departures" => Hook::CountDeparture(MonitorId(number)),
            "drops" => Hook::CountDrop(MonitorId(number)),
            "policed_drops" => Hook::CountPolicedDrop(MonitorId(number)),
            "early_drops" => Hook::CountEarlyDrop(MonitorId(number)),
            "errors" => Hook::Errors(ErrorsId(number)),
            _ => return Err(PyValueError::new_err(format!("unknown tap {what}"))),
        };
        self.engine.net.links[link.0 as usize].add_hook(place, at_front.then_some(0), tap);
        Ok(())
    }
}
