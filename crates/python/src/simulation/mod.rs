//! A simulation as Python sees it: a class for each kind of thing in it, names for parameters.
//!
//! [`Simulation`] adds things and runs. What it adds it returns as a [`handle`], whose methods say what can be done with it.

pub mod agents;
pub mod applications;
pub mod delay_boxes;
pub mod handle;
pub mod lans;
pub mod links;
pub mod loss;
pub mod monitors;
pub mod multicast;
pub mod nodes;
pub mod parts;
pub mod queues;
pub mod quick_start;
pub mod random_variables;
pub mod routing;
mod state;
pub mod token_buckets;

use ackclock_engine::net::link::ErrorsId;
use ackclock_engine::net::node::AgentId;
use ackclock_engine::packet::flow_key::Key;
use ackclock_engine::sim::{ScriptId, Simulation as Engine, Stop};
use ackclock_trace::recorder::Recorder;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{Params, engine_error, no_such, simulation_error};
use agents::Agent;
use applications::Application;
use handle::Handle;
use lans::Lan;
use links::Link;
use loss::{ErrorModel, ErrorModule};
use nodes::Node;
use quick_start::QuickStartRouter;
use token_buckets::TokenBucket;

use state::told_as;
pub use state::{LinkKind, Simulation};

/// Events before another thread may have Python.
const EVENTS_BEFORE_OTHERS: u64 = 16;

/// Events between two looks at Python's signals and at the channels' failures.
const EVENTS_AT_ONCE: u64 = 50_000;

#[pymethods]
impl Simulation {
    #[new]
    fn new() -> Simulation {
        let mut engine = Engine::default();
        engine.net.observer = Box::new(Recorder::default());
        Simulation {
            engine,
            agent_places: Vec::new(),
            schedule: Default::default(),
            plugins: Default::default(),
            channel_fds: Vec::new(),
            last_packet: Default::default(),
        }
    }

    /// Takes the header of SRM from all packets, which nam's lines tell.
    fn lack_srm(&mut self) {
        self.recorder().srm_header = ackclock_trace::ns2::nam::Srm::Absent;
    }

    /// Takes the header for flags from all packets.
    fn lack_flags(&mut self) {
        self.engine.net.lacks_flags = true;
    }

    /// The node of a number. `KeyError` if there is none.
    fn node(this: &Bound<Simulation>, number: u32) -> PyResult<Node> {
        Handle::made(this, |simulation| simulation.check_node(number)).map(Node)
    }

    /// The agent of a number. `KeyError` if there is none.
    fn agent(this: &Bound<Simulation>, number: u32) -> PyResult<Agent> {
        let exists = (number as usize) < this.try_borrow()?.engine.agents.len();
        let agent = exists.then_some(AgentId(number)).ok_or_else(|| no_such("agent", number))?;
        Ok(Agent(Handle::new(this, agent)))
    }

    /// A new node.
    fn add_node(this: &Bound<Simulation>) -> PyResult<Node> {
        Handle::made(this, |simulation| Ok(simulation.engine.add_node())).map(Node)
    }

    /// A new link with a queue of a discipline, perhaps with values for its parameters. `keeps_order`: a shorter delay lets no
    /// packet overtake another. `SimulationError` for what cannot be.
    #[pyo3(signature = (from_node, to_node, rate_bps, delay_s, discipline, params = None, keeps_order = false))]
    fn add_link(
        this: &Bound<Simulation>,
        from_node: &Node,
        to_node: &Node,
        rate_bps: f64,
        delay_s: f64,
        discipline: &str,
        params: Option<&Params>,
        keeps_order: bool,
    ) -> PyResult<Link> {
        let ends = (from_node.0.id_in(this)?, to_node.0.id_in(this)?);
        let made = Handle::made(this, |simulation| {
            let kind = LinkKind { discipline, params, keeps_order };
            simulation.add_link_of(ends, rate_bps, delay_s, &kind)
        });
        made.map(Link)
    }

    /// A new agent of a kind; `SimulationError` for one that there is not.
    fn add_agent(this: &Bound<Simulation>, kind: &str) -> PyResult<Agent> {
        Handle::made(this, |simulation| simulation.engine.add_agent(kind).map_err(simulation_error)).map(Agent)
    }

    /// A new application of a kind; `SimulationError` for one that there is not.
    fn add_app(this: &Bound<Simulation>, kind: &str) -> PyResult<Application> {
        Handle::made(this, |simulation| simulation.engine.add_app(kind).map_err(simulation_error)).map(Application)
    }

    /// A new token bucket.
    fn add_bucket(this: &Bound<Simulation>) -> PyResult<TokenBucket> {
        Handle::made(this, |simulation| Ok(simulation.engine.net.add_bucket())).map(TokenBucket)
    }

    /// A new shared medium, for which a node stands in routes; `delay_s` is how long a packet is on it before others hear it.
    fn add_lan(this: &Bound<Simulation>, node: &Node, delay_s: f64) -> PyResult<Lan> {
        let node = node.0.id_in(this)?;
        Handle::made(this, |simulation| Ok(simulation.engine.net.add_lan(node.0, delay_s))).map(Lan)
    }

    /// A new error model of a kind; `SimulationError` for one that there is not.
    fn add_error_model(this: &Bound<Simulation>, kind: &str) -> PyResult<ErrorModel> {
        let made = Handle::made(this, |simulation| {
            let model = simulation.engine.net.models.add(kind);
            model.ok_or_else(|| simulation_error(format!("unknown error model {kind}")))
        });
        made.map(ErrorModel)
    }

    /// A new error module, to be added to a link. `key` is what tells flows apart: fid, dest, src_dest or src_dest_fid, and
    /// `ValueError` for another.
    #[pyo3(signature = (key = "fid"))]
    fn add_error_module(this: &Bound<Simulation>, key: &str) -> PyResult<ErrorModule> {
        let key = Key::named(key).ok_or_else(|| PyValueError::new_err(format!("unknown flow key {key}")))?;
        let made = Handle::made(this, |simulation| {
            let errors = &mut simulation.engine.net.errors;
            errors.push(Default::default());
            let id = errors.len() - 1;
            errors[id].key = key;
            Ok(ErrorsId(id as u32))
        });
        made.map(ErrorModule)
    }

    /// A new router that takes part in Quick-Start.
    fn add_quick_start_router(this: &Bound<Simulation>) -> PyResult<QuickStartRouter> {
        Handle::made(this, |simulation| Ok(simulation.engine.net.add_quick_start_router())).map(QuickStartRouter)
    }

    /// Sets how the rates of all Quick-Start requests are coded: 1 by 10240 bytes/s, 2 by powers of two times 5000 bytes/s.
    fn set_rate_function(&mut self, function: i32) {
        self.engine.net.quick_start.rate_function = function;
    }

    /// Starts the clock again at 0 with nothing pending; uids and random numbers go on.
    fn restart_clock(&mut self) {
        self.engine.restart_clock();
    }

    /// Asks for a call-back so many seconds from now; its number. `SimulationError` for a negative `delay_s`.
    fn call_back(&mut self, delay_s: f64) -> PyResult<u32> {
        if delay_s.is_nan() || delay_s < 0.0 {
            return Err(simulation_error(format!("a callback in {delay_s} s is in the past")));
        }
        Ok(self.engine.call_back(delay_s).0)
    }

    /// Asks for a call-back `when` a script has written, or so many seconds from now if that is negative; its number. `None`
    /// for what is no plain number, or in the past.
    pub fn call_back_at(&mut self, when: &str) -> Option<u32> {
        let when: f64 = when.parse().ok().filter(|when: &f64| when.is_finite())?;
        let delay_s = if when < 0.0 { -when } else { when - self.engine.now().secs() };
        (delay_s >= 0.0).then(|| self.engine.call_back(delay_s).0)
    }

    /// Cancels a call-back; whether it was still to come.
    fn cancel(&mut self, script: u32) -> bool {
        self.engine.cancel(ScriptId(script))
    }

    /// The simulated time, s.
    fn now(&self) -> f64 {
        self.engine.now().secs()
    }

    /// The simulated time with all 17 digits, as ns-2 shows it.
    pub fn now_text(&self) -> String {
        crate::registry::format_g(self.engine.now().secs(), 17)
    }

    /// Whether anything is still to happen.
    fn has_events(&self) -> bool {
        self.engine.has_events()
    }

    /// Runs the simulation until a call-back is due (`("script", number)`), an agent that is listened to tells something
    /// (`("idle" | "done" | "received" | "lost" | "emptied" | "message" | "no_bytes" | "one_block", agent)`), a table has met flows that
    /// nobody knew (`("flows", 0)`), a packet for a group needs a decision (`("multicast", 0)`),
    /// no packet moved in the last million seconds (`("quiet", 0)`; the run can go on) or nothing is left to happen
    /// (`("exhausted", 0)`).
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
                    if self.is_quiet() {
                        return Ok(("quiet", 0));
                    }
                }
            }
        }
    }

    /// Checks at the end of a run what holds in every simulation. `InvariantError` where it does not.
    fn check(&mut self) -> PyResult<()> {
        self.engine.check().map_or(Ok(()), |error| Err(engine_error(&error)))
    }

    /// Takes more events than `most` at one instant for a loop without end, which ends the run by a `LimitError`.
    fn limit_events_at_one_time(&mut self, most: u64) {
        self.engine.checker.most_at_one_time = most;
    }
}
