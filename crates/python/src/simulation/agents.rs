//! Agents: their parameters, where they are attached, what they send and tell.

use ackclock_engine::net::Upcall;
use ackclock_engine::net::node::{AgentId, NodeId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{
    Described, Params, described, simulation_error, unknown_parameter, value_from_python, value_to_python,
};
use crate::simulation::Simulation;
use crate::simulation::handle::Handle;
use crate::simulation::nodes::Node;
use crate::simulation::token_buckets::TokenBucket;

/// A protocol's end at a node: a TCP sender or receiver, a UDP agent and so on. `KeyError` for a parameter that it does not have.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Agent(pub Handle<AgentId>);

impl Simulation {
    pub fn set_agent_param(&mut self, agent: AgentId, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
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

    pub fn set_agent_params(&mut self, agent: AgentId, params: &Params) -> PyResult<()> {
        let agent = &mut self.engine.agents[agent.0 as usize];
        let given = params.give(|name, value| agent.set_param(name, value), "this agent");
        agent.was_set(&mut self.engine.net);
        given
    }

    pub fn attach(&mut self, agent: AgentId, node: NodeId, port: Option<i32>) -> i32 {
        let port = self.engine.attach(agent, node, port);
        self.refresh_places(agent);
        port
    }

    /// An agent sends to where another one is.
    pub fn aim(&mut self, agent: AgentId, other: AgentId) {
        let there = self.engine.agents[other.0 as usize].endpoint().here;
        self.engine.agents[agent.0 as usize].endpoint_mut().peer = there;
        self.refresh_places(agent);
    }

    pub fn reset_agent(&mut self, agent: AgentId) {
        self.engine.with_agent(agent, |agent, net| agent.reset(net));
    }

    pub fn send_bytes(&mut self, agent: AgentId, bytes: i64, flags: &str) {
        let bytes = (bytes != -1).then_some(bytes);
        self.engine.with_agent(agent, |agent, net| agent.send_bytes(bytes, flags, net));
    }

    pub fn agent_command(&mut self, agent: AgentId, name: &str, arguments: &[&str]) -> PyResult<String> {
        self.engine.with_agent(agent, |agent, net| agent.command(name, arguments, net)).map_err(simulation_error)
    }
}

#[pymethods]
impl Agent {
    /// Its number, by which `Simulation.run` names it.
    #[getter]
    fn number(&self) -> u32 {
        self.0.id.0
    }

    /// A parameter's value.
    fn param<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let simulation = self.0.simulation(py)?;
        let agent = &simulation.engine.agents[self.0.id.0 as usize];
        value_to_python(py, agent.param(name).ok_or_else(|| unknown_parameter("this agent", name))?)
    }

    /// The parameters that scenarios offer: name, present value, unit, description.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Vec<Described<'py>>> {
        let mut found = Vec::new();
        self.0.simulation(py)?.engine.agents[self.0.id.0 as usize].describe(&mut found);
        described(py, found)
    }

    /// Sets a parameter.
    fn set_param(&self, py: Python, name: &str, value: &Bound<PyAny>) -> PyResult<()> {
        self.0.simulation(py)?.set_agent_param(self.0.id, name, value)
    }

    /// Sets several parameters before anybody watches the agent.
    fn set_params(&self, py: Python, params: &Params) -> PyResult<()> {
        self.0.simulation(py)?.set_agent_params(self.0.id, params)
    }

    /// As `set_params`, for those that the agent has: the places of the others.
    fn offer_params(&self, py: Python, params: &Params) -> PyResult<Vec<usize>> {
        let mut simulation = self.0.simulation(py)?;
        let engine = &mut simulation.engine;
        let agent = &mut engine.agents[self.0.id.0 as usize];
        let unknown = params.offer(|name, value| agent.set_param(name, value));
        agent.was_set(&mut engine.net);
        Ok(unknown)
    }

    /// Attaches the agent to a node, at a free port unless `port` is given. The port.
    #[pyo3(signature = (node, port = None))]
    fn attach(&self, py: Python, node: &Node, port: Option<i32>) -> PyResult<i32> {
        let node = self.0.other(&node.0)?;
        Ok(self.0.simulation(py)?.attach(self.0.id, node, port))
    }

    /// Lets two agents, attached, send to each other.
    fn connect(&self, py: Python, other: &Agent) -> PyResult<()> {
        let other = self.0.other(&other.0)?;
        let mut simulation = self.0.simulation(py)?;
        simulation.aim(self.0.id, other);
        simulation.aim(other, self.0.id);
        Ok(())
    }

    /// Lets the agent send to where another one is.
    fn aim(&self, py: Python, other: &Agent) -> PyResult<()> {
        let other = self.0.other(&other.0)?;
        self.0.simulation(py)?.aim(self.0.id, other);
        Ok(())
    }

    /// Takes the agent from a node; it may be at another one.
    fn detach(&self, py: Python, node: &Node) -> PyResult<()> {
        let node = self.0.other(&node.0)?;
        let mut simulation = self.0.simulation(py)?;
        simulation.engine.detach(self.0.id, node);
        simulation.refresh_places(self.0.id);
        Ok(())
    }

    /// Tells the agent that the simulation starts.
    fn reset(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.reset_agent(self.0.id);
        Ok(())
    }

    /// Gives the agent so many bytes to send, -1 for without end; `flags` are an application's own words.
    #[pyo3(signature = (bytes, flags = ""))]
    fn send_bytes(&self, py: Python, bytes: i64, flags: &str) -> PyResult<()> {
        self.0.simulation(py)?.send_bytes(self.0.id, bytes, flags);
        Ok(())
    }

    /// Gives the agent so many packets more to send.
    fn advance(&self, py: Python, packets: i32) -> PyResult<()> {
        self.0.simulation(py)?.engine.with_agent(self.0.id, |agent, net| agent.advance(packets, net));
        Ok(())
    }

    /// Ends the connection when all is sent.
    fn close(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.engine.with_agent(self.0.id, |agent, net| agent.close(net));
        Ok(())
    }

    /// Tells the agent that its notification that it is done was delivered to the script.
    fn done_was_delivered(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.engine.with_agent(self.0.id, |agent, net| agent.done_was_delivered(net));
        Ok(())
    }

    /// Gives the agent a command; the answer. `SimulationError` for one that it does not know.
    fn command(&self, py: Python, name: &str, arguments: Vec<String>) -> PyResult<String> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.0.simulation(py)?.agent_command(self.0.id, name, &arguments)
    }

    /// Lets `Simulation.run` come back when the agent tells something, of all that or of one kind. `ValueError` for a kind
    /// that there is not.
    #[pyo3(signature = (kind = None))]
    fn listen(&self, py: Python, kind: Option<&str>) -> PyResult<()> {
        let agent = self.0.id;
        let kind = match kind {
            Some(word) => Some(
                Upcall::named(word, agent)
                    .ok_or_else(|| PyValueError::new_err(format!("unknown agent event {word}")))?,
            ),
            None => None,
        };
        self.0.simulation(py)?.engine.listen(agent, kind);
        Ok(())
    }

    /// Lets the agent's packets pass a token bucket on their way to the node.
    fn pass_bucket(&self, py: Python, bucket: &TokenBucket) -> PyResult<()> {
        let bucket = self.0.other(&bucket.0)?;
        self.0.simulation(py)?.engine.agents[self.0.id.0 as usize].endpoint_mut().bucket = Some(bucket);
        Ok(())
    }
}
