//! What a script says to deferred agents, applications, links and queues, and how it makes them.

use ackclock_engine::net::Upcall;
use ackclock_engine::net::link::LinkId;
use ackclock_engine::net::node::AgentId;
use pyo3::prelude::*;

use super::kinds::{Answers, Making, Variable};
use super::{Agent, App, LINK, LazyObjects, Place, QUEUE, What, handle_of};
use crate::convert::{simulation_error, value_to_python};

/// What an object of the engine is asked or told by name.
#[derive(Clone, Copy)]
enum Asked {
    Agent(AgentId),
    Queue(LinkId),
}

impl LazyObjects {
    pub(super) fn new_object(this: &Bound<LazyObjects>, words: &[&str]) -> PyResult<Option<String>> {
        let py = this.py();
        let [class] = words else { return Ok(None) };
        let Some(&kind) = this.borrow().makes.get(&format!("new {class}")) else { return Ok(None) };
        let is_sender = matches!(this.borrow().kinds[kind].making, Making::Agent { is_sender: true, .. });
        if is_sender && !LazyObjects::no_sender_is_traced(this)? {
            return Ok(None);
        }
        let mut lazy = this.borrow_mut();
        let lazy = &mut *lazy;
        let Some(simulation) = &lazy.simulation else { return Ok(None) };
        let what = match &lazy.kinds[kind].making {
            Making::Agent { kind: engine_kind, params, is_sender } => {
                let mut simulation = simulation.borrow_mut(py);
                let agent = simulation.engine.add_agent(engine_kind).map_err(simulation_error)?;
                if *is_sender {
                    simulation.engine.listen(agent, Some(Upcall::Done(agent)));
                }
                if let Some(params) = params {
                    simulation.set_agent_params(agent, params)?;
                }
                if *is_sender {
                    simulation.agent_command(agent, "initialize", &[])?;
                }
                lazy.agents.insert(agent.0, lazy.last + 1);
                What::Agent(Agent { kind, number: agent, node: 0, app: 0 })
            }
            Making::App { kind: engine_kind } => {
                let app = simulation.borrow_mut(py).engine.add_app(engine_kind);
                What::App(App { kind, number: app.map_err(simulation_error)?, agent: 0 })
            }
            _ => return Ok(None),
        };
        let plans = lazy.kinds[kind].plans.clone_ref(py);
        let first = lazy.add(plans.bind(py), what);
        Ok(Some(handle_of(first)))
    }

    pub(super) fn call(this: &Bound<LazyObjects>, words: &[&str]) -> PyResult<Option<String>> {
        let [handle, method, words @ ..] = words else { return Ok(None) };
        let found = this.borrow().find(handle);
        let Some(place) = found else { return Ok(None) };
        let Some(kind) = this.borrow().kind_of(place.thing) else { return Ok(None) };
        match (*method, words) {
            ("set", [variable, value @ ..]) if value.len() < 2 => {
                LazyObjects::set(this, kind, place, variable, value.first())
            }
            ("queue", []) if place.part == LINK => {
                let is_plain = LazyObjects::answers(this, kind)?.include(const { Answers::one("queue") });
                let lazy = this.borrow();
                let is_link = matches!(lazy.things[place.thing].what, What::Link(_));
                Ok((is_plain && is_link).then(|| handle_of(lazy.first[place.thing] + QUEUE as u64)))
            }
            ("id", []) if place.part == 0 => {
                let is_plain = LazyObjects::answers(this, kind)?.include(const { Answers::one("id") });
                match &this.borrow().things[place.thing].what {
                    What::Node(node) if is_plain => Ok(Some(node.number.0.to_string())),
                    _ => Ok(None),
                }
            }
            ("attach-agent", [agent]) => LazyObjects::feed(this, kind, place, agent),
            ("start", []) => LazyObjects::start(this, kind, place),
            _ => Ok(None),
        }
    }

    /// `$object set variable ?value?`.
    pub(super) fn set(
        this: &Bound<LazyObjects>,
        kind: usize,
        place: Place,
        variable: &str,
        value: Option<&&str>,
    ) -> PyResult<Option<String>> {
        let py = this.py();
        let asked = match &this.borrow().things[place.thing].what {
            What::Agent(agent) => Asked::Agent(agent.number),
            What::Link(link) if place.part == QUEUE => Asked::Queue(link.number),
            _ => return Ok(None),
        };
        if !LazyObjects::answers(this, kind)?.include(const { Answers::one("set") }) {
            return Ok(None);
        }
        let lazy = this.borrow();
        let (Some(variable), Some(simulation)) = (lazy.kinds[kind].variables.get(variable), &lazy.simulation) else {
            return Ok(None);
        };
        let mut simulation = simulation.borrow_mut(py);
        let Variable { name, .. } = variable;
        let present = match asked {
            Asked::Agent(agent) => simulation.engine.agents[agent.0 as usize].param(name),
            Asked::Queue(link) => simulation.engine.net.links[link.0 as usize].queue().param(name),
        };
        let (Some(_), Some(text)) = (present, value) else {
            return Ok(present.map(|present| variable.show(present)));
        };
        let Some(value) = variable.parse(text) else { return Ok(None) };
        let value = value_to_python(py, value)?;
        match asked {
            Asked::Agent(agent) => simulation.set_agent_param(agent, name, &value)?,
            Asked::Queue(link) => simulation.set_queue_param(link, name, &value)?,
        }
        Ok(Some((*text).to_owned()))
    }

    /// `$application attach-agent agent`.
    fn feed(this: &Bound<LazyObjects>, kind: usize, place: Place, agent: &str) -> PyResult<Option<String>> {
        if !LazyObjects::answers(this, kind)?.include(const { Answers::one("attach-agent") }) {
            return Ok(None);
        }
        let mut lazy = this.borrow_mut();
        let lazy = &mut *lazy;
        let Some(fed) = lazy.find(agent) else { return Ok(None) };
        let (app_handle, agent_handle) = (lazy.first[place.thing], lazy.first[fed.thing]);
        let What::Agent(Agent { number, app: 0, .. }) = lazy.things[fed.thing].what else { return Ok(None) };
        let What::App(App { number: app, agent: 0, .. }) = lazy.things[place.thing].what else { return Ok(None) };
        let Some(simulation) = &lazy.simulation else { return Ok(None) };
        simulation.borrow_mut(this.py()).engine.attach_app(app, number);
        if let What::Agent(agent) = &mut lazy.things[fed.thing].what {
            agent.app = app_handle;
        }
        if let What::App(app) = &mut lazy.things[place.thing].what {
            app.agent = agent_handle;
        }
        Ok(Some(String::new()))
    }

    /// `$ftp start`: its agent sends without end.
    fn start(this: &Bound<LazyObjects>, kind: usize, place: Place) -> PyResult<Option<String>> {
        if !LazyObjects::answers(this, kind)?.include(const { Answers::one("start") }) {
            return Ok(None);
        }
        let What::App(App { agent, .. }) = this.borrow().things[place.thing].what else { return Ok(None) };
        let Some((agent, kind)) = this.borrow().agent_at(&handle_of(agent)) else { return Ok(None) };
        if !LazyObjects::answers(this, kind)?.include(const { Answers::one("send") }) {
            return Ok(None);
        }
        let lazy = this.borrow();
        let Some(simulation) = &lazy.simulation else { return Ok(None) };
        simulation.borrow_mut(this.py()).send_bytes(agent, -1, "");
        Ok(Some(String::new()))
    }
}
