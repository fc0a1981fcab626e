//! Agents: their parameters, where they are attached, what they send and tell.

use ackclock_engine::net::Upcall;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{
    Described, Params, described, simulation_error, unknown_parameter, value_from_python, value_to_python,
};
use crate::simulation::Simulation;

#[pymethods]
impl Simulation {
    pub fn add_agent(&mut self, kind: &str) -> PyResult<u32> {
        Ok(self.engine.add_agent(kind).map_err(simulation_error)?.0)
    }

    fn agent_param<'py>(&self, py: Python<'py>, agent: u32, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let agent = &self.engine.agents[self.check_agent(agent)?.0 as usize];
        value_to_python(py, agent.param(name).ok_or_else(|| unknown_parameter("this agent", name))?)
    }

    /// The parameters of an agent that scenarios offer: name, present value, unit, description.
    fn agent_parameters<'py>(&self, py: Python<'py>, agent: u32) -> PyResult<Vec<Described<'py>>> {
        let mut found = Vec::new();
        self.engine.agents[self.check_agent(agent)?.0 as usize].describe(&mut found);
        described(py, found)
    }

    pub fn set_agent_param(&mut self, agent: u32, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        let agent = self.check_agent(agent)?;
        let changed = &mut self.engine.agents[agent.0 as usize];
        if !changed.set_param(name, value_from_python(value)?) {
            return Err(unknown_parameter("this agent", name));
        }
        changed.was_set(&mut self.engine.net);
        changed.report(None, &mut self.engine.net);
        if matches!(name, "node" | "port" | "peer_node" | "peer_port") {
            self.refresh_places(agent);
        }
        Ok(())
    }

    /// Gives an agent values that are the first ones, or changed before anybody watches.
    pub fn set_agent_params(&mut self, agent: u32, params: &Params) -> PyResult<()> {
        let agent = self.check_agent(agent)?;
        let agent = &mut self.engine.agents[agent.0 as usize];
        let given = params.give(|name, value| agent.set_param(name, value), "this agent");
        agent.was_set(&mut self.engine.net);
        given
    }

    /// The same, of those that it knows: the places of the others.
    fn offer_agent_params(&mut self, agent: u32, params: &Params) -> PyResult<Vec<usize>> {
        let agent = self.check_agent(agent)?;
        let agent = &mut self.engine.agents[agent.0 as usize];
        let unknown = params.offer(|name, value| agent.set_param(name, value));
        agent.was_set(&mut self.engine.net);
        Ok(unknown)
    }

    #[pyo3(signature = (agent, node, port = None))]
    pub fn attach(&mut self, agent: u32, node: u32, port: Option<i32>) -> PyResult<i32> {
        let (agent, node) = (self.check_agent(agent)?, self.check_node(node)?);
        let port = self.engine.attach(agent, node, port);
        self.refresh_places(agent);
        Ok(port)
    }

    /// Two agents, attached, send to each other.
    fn connect(&mut self, one: u32, other: u32) -> PyResult<()> {
        let ends = [self.check_agent(one)?, self.check_agent(other)?];
        let [here, there] = ends.map(|agent| self.engine.agents[agent.0 as usize].endpoint().here);
        for (agent, peer) in ends.into_iter().zip([there, here]) {
            self.engine.agents[agent.0 as usize].endpoint_mut().peer = peer;
            self.refresh_places(agent);
        }
        Ok(())
    }

    /// An agent sends to where another one is.
    pub fn aim(&mut self, agent: u32, other: u32) -> PyResult<()> {
        let (agent, other) = (self.check_agent(agent)?, self.check_agent(other)?);
        let there = self.engine.agents[other.0 as usize].endpoint().here;
        self.engine.agents[agent.0 as usize].endpoint_mut().peer = there;
        self.refresh_places(agent);
        Ok(())
    }

    /// A node lets an agent go, which may be at another one.
    fn detach(&mut self, agent: u32, node: u32) -> PyResult<()> {
        let (agent, node) = (self.check_agent(agent)?, self.check_node(node)?);
        self.engine.detach(agent, node);
        self.refresh_places(agent);
        Ok(())
    }

    pub fn reset_agent(&mut self, agent: u32) -> PyResult<()> {
        let agent = self.check_agent(agent)?;
        self.engine.with_agent(agent, |agent, net| agent.reset(net));
        Ok(())
    }

    /// Gives an agent so many bytes to send, -1 for without end.
    #[pyo3(signature = (agent, bytes, flags = ""))]
    pub fn send_bytes(&mut self, agent: u32, bytes: i64, flags: &str) -> PyResult<()> {
        let agent = self.check_agent(agent)?;
        let bytes = (bytes != -1).then_some(bytes);
        self.engine.with_agent(agent, |agent, net| agent.send_bytes(bytes, flags, net));
        Ok(())
    }

    fn advance(&mut self, agent: u32, packets: i32) -> PyResult<()> {
        let agent = self.check_agent(agent)?;
        self.engine.with_agent(agent, |agent, net| agent.advance(packets, net));
        Ok(())
    }

    fn close_agent(&mut self, agent: u32) -> PyResult<()> {
        let agent = self.check_agent(agent)?;
        self.engine.with_agent(agent, |agent, net| agent.close(net));
        Ok(())
    }

    /// Tell an agent that the notification of its close was delivered to the script.
    fn done_was_delivered(&mut self, agent: u32) -> PyResult<()> {
        let agent = self.check_agent(agent)?;
        self.engine.with_agent(agent, |agent, net| agent.done_was_delivered(net));
        Ok(())
    }

    pub fn agent_command(&mut self, agent: u32, name: &str, arguments: Vec<String>) -> PyResult<String> {
        let agent = self.check_agent(agent)?;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.engine.with_agent(agent, |agent, net| agent.command(name, &arguments, net)).map_err(simulation_error)
    }

    /// From now on `run` comes back when the agent tells something, of all that or of one kind.
    #[pyo3(signature = (agent, kind = None))]
    pub fn listen(&mut self, agent: u32, kind: Option<&str>) -> PyResult<()> {
        let agent = self.check_agent(agent)?;
        let kind = match kind {
            Some(word) => Some(
                Upcall::named(word, agent)
                    .ok_or_else(|| PyValueError::new_err(format!("unknown agent event {word}")))?,
            ),
            None => None,
        };
        self.engine.listen(agent, kind);
        Ok(())
    }
}
