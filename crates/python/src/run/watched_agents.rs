//! Agents whose variables, output and events are traced.

use ackclock_engine::measure::observe::TraceId;
use ackclock_engine::net::node::AgentId;
use ackclock_trace::ns2::nam::NamVariable;
use ackclock_trace::recorder::{AgentPlace, ChannelId, HappeningsPlace};
use pyo3::prelude::*;

use crate::convert::unknown_parameter;
use crate::run::channels::Channel;
use crate::run::tracing::VariablePlace;
use crate::simulation::Simulation;
use crate::simulation::agents::Agent;
use crate::simulation::handle::Handle;

/// Where nam gets one variable of an agent.
#[pyclass(frozen, module = "ackclock._native")]
pub struct NamPlace(Handle<TraceId>);

#[pymethods]
impl NamPlace {
    /// Sets what nam calls the agent.
    fn name_agent(&self, py: Python, name: &str) -> PyResult<()> {
        self.0.simulation(py)?.recorder().name_agent_for_nam(self.0.id, name);
        Ok(())
    }
}

/// What an agent of this number is asked to watch. `KeyError` for what it cannot.
fn watch(simulation: &mut Simulation, agent: AgentId, name: &str, place: TraceId) -> PyResult<()> {
    let known = simulation.engine.agents[agent.0 as usize].watch(name, place);
    if known { Ok(()) } else { Err(unknown_parameter("this agent, among those that can be watched,", name)) }
}

impl Simulation {
    fn agent_place(&mut self, agent: AgentId, shown: &str, channel: ChannelId, nam: Option<NamVariable>) -> TraceId {
        let end = self.engine.agents[agent.0 as usize].endpoint().clone();
        self.recorder().add_agent_place(AgentPlace { channel, name: shown.into(), here: end.here, peer: end.peer, nam })
    }

    fn watched(&mut self, agent: AgentId, place: TraceId) {
        let index = agent.0 as usize;
        if self.agent_places.len() <= index {
            self.agent_places.resize(index + 1, Vec::new());
        }
        self.agent_places[index].push(place.0);
    }
}

#[pymethods]
impl Agent {
    /// Writes a variable to a channel at each change, and now if `at_once`; `shown` is what the lines call it.
    fn watch(&self, py: Python, name: &str, shown: &str, channel: &Channel, at_once: bool) -> PyResult<()> {
        let channel = self.0.other(&channel.0)?;
        let simulation = &mut *self.0.simulation(py)?;
        let place = simulation.agent_place(self.0.id, shown, channel, None);
        watch(simulation, self.0.id, name, place)?;
        if at_once {
            simulation.engine.agents[self.0.id.0 as usize].report(Some(name), &mut simulation.engine.net);
        }
        simulation.watched(self.0.id, place);
        Ok(())
    }

    /// Writes a variable to a channel at each change, in nam's manner; `shown` is what the lines call it.
    fn watch_for_nam(&self, py: Python, name: &str, shown: &str, channel: &Channel) -> PyResult<NamPlace> {
        let channel = self.0.other(&channel.0)?;
        let simulation = &mut *self.0.simulation(py)?;
        let place = simulation.agent_place(self.0.id, shown, channel, Some(NamVariable::default()));
        watch(simulation, self.0.id, name, place)?;
        simulation.watched(self.0.id, place);
        Ok(NamPlace(self.0.beside(py, place)))
    }

    /// Writes a variable at a place at each change.
    fn watch_at(&self, py: Python, name: &str, place: &VariablePlace) -> PyResult<()> {
        let place = self.0.other(&place.0)?;
        watch(&mut *self.0.simulation(py)?, self.0.id, name, place)
    }

    /// Writes whatever is written of the agent's variables to this channel from now on.
    fn move_variables(&self, py: Python, channel: &Channel) -> PyResult<()> {
        let channel = self.0.other(&channel.0)?;
        let mut simulation = self.0.simulation(py)?;
        for place in simulation.agent_places.get(self.0.id.0 as usize).cloned().unwrap_or_default() {
            simulation.recorder().set_agent_channel(TraceId(place), channel);
        }
        Ok(())
    }

    /// Writes what the agent prints (Linux's congestion controls, TFRC) to a channel.
    fn watch_output(&self, py: Python, channel: &Channel) -> PyResult<()> {
        let channel = self.0.other(&channel.0)?;
        let simulation = &mut *self.0.simulation(py)?;
        let place = simulation.recorder().add_remarks_place(channel);
        watch(simulation, self.0.id, "remarks", place)
    }

    /// Writes the events that the agent reports (`E` lines) to the channels of ns-2's trace and of nam's.
    #[pyo3(signature = (trace = None, nam = None))]
    fn watch_events(&self, py: Python, trace: Option<&Channel>, nam: Option<&Channel>) -> PyResult<()> {
        let channel = |channel: Option<&Channel>| channel.map(|channel| self.0.other(&channel.0)).transpose();
        let (trace, nam) = (channel(trace)?, channel(nam)?);
        let simulation = &mut *self.0.simulation(py)?;
        let end = simulation.engine.agents[self.0.id.0 as usize].endpoint().clone();
        let place = HappeningsPlace { trace, nam, here: end.here, peer: end.peer };
        let place = simulation.recorder().add_happenings_place(place);
        watch(simulation, self.0.id, "event", place)?;
        simulation.watched(self.0.id, place);
        Ok(())
    }
}
