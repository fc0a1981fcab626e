//! Multicast: the tables of groups at nodes, replicators, and the questions of packets.

use ackclock_engine::net::multicast::{Reason, ReplicatorId, Table, Target};
use ackclock_engine::net::node::NodeId;
use ackclock_engine::sim::Stop;
use pyo3::prelude::*;

use crate::convert::{engine_error, no_such};
use crate::simulation::agents::Agent;
use crate::simulation::handle::Handle;
use crate::simulation::links::Link;
use crate::simulation::nodes::Node;
use crate::simulation::state::{Simulation, told_as};

/// A node's table of groups. Packets are told apart by source (`None`: any), group and the interface over which they come.
#[pyclass(frozen, module = "ackclock._native")]
pub struct GroupTable(Handle<NodeId>);

/// Passes a copy of each packet to what is in each of its slots.
#[pyclass(frozen, module = "ackclock._native")]
pub struct Replicator(Handle<ReplicatorId>);

impl Simulation {
    fn group_table(&mut self, node: NodeId) -> PyResult<&mut Table> {
        self.engine.net.multicast.table(node.0).ok_or_else(|| no_such("table of groups at node", node.0))
    }
}

#[pymethods]
impl Node {
    /// Gives the node a table of groups, which replaces the one it has. With `asks_always` every packet is a question.
    fn add_group_table(&self, py: Python, asks_always: bool) -> PyResult<GroupTable> {
        self.0.simulation(py)?.engine.net.multicast.add_table(self.0.id.0, asks_always);
        Ok(GroupTable(self.0.beside(py, self.0.id)))
    }
}

#[pymethods]
impl GroupTable {
    /// Sends packets of a source for a group that come over an interface to a slot.
    fn add(&self, py: Python, source: Option<i32>, group: i32, slot: usize, interface: i32) -> PyResult<()> {
        self.0.simulation(py)?.group_table(self.0.id)?.add(source, group, slot, interface);
        Ok(())
    }

    /// Expects packets of a source for a group over the interface `new` instead of `old`.
    fn change_interface(&self, py: Python, source: Option<i32>, group: i32, old: i32, new: i32) -> PyResult<()> {
        self.0.simulation(py)?.group_table(self.0.id)?.change_interface(source, group, old, new);
        Ok(())
    }

    /// The interface over which packets of a source for a group are to come.
    fn interface(&self, py: Python, source: Option<i32>, group: i32) -> PyResult<Option<i32>> {
        Ok(self.0.simulation(py)?.group_table(self.0.id)?.interface(source, group))
    }

    /// The slot of packets that come over an interface; -2 stands for any.
    fn slot(&self, py: Python, source: Option<i32>, group: i32, interface: i32) -> PyResult<Option<usize>> {
        Ok(self.0.simulation(py)?.group_table(self.0.id)?.slot_over(source, group, interface))
    }

    /// Forgets all groups.
    fn clear(&self, py: Python) -> PyResult<()> {
        self.0.simulation(py)?.group_table(self.0.id)?.clear();
        Ok(())
    }

    /// Puts a replicator into a slot, or nothing.
    fn install(&self, py: Python, slot: usize, replicator: Option<&Replicator>) -> PyResult<()> {
        let replicator = replicator.map(|replicator| self.0.other(&replicator.0)).transpose()?;
        self.0.simulation(py)?.group_table(self.0.id)?.install(slot, replicator);
        Ok(())
    }
}

impl Replicator {
    fn set(&self, py: Python, slot: usize, target: Option<Target>) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.multicast.replicators[self.0.id.0 as usize].set(slot, target);
        Ok(())
    }
}

#[pymethods]
impl Replicator {
    /// Its number, by which `Simulation.multicast_question` names it.
    #[getter]
    fn number(&self) -> u32 {
        self.0.id.0
    }

    /// Puts a link into a slot.
    fn set_link(&self, py: Python, slot: usize, link: &Link) -> PyResult<()> {
        let link = self.0.other(&link.0)?;
        let target = self.0.simulation(py)?.engine.net.target_of(link);
        self.set(py, slot, Some(target))
    }

    /// Puts an agent into a slot. `encapsulates`: it puts packets into others.
    #[pyo3(signature = (slot, agent, encapsulates = false))]
    fn set_agent(&self, py: Python, slot: usize, agent: &Agent, encapsulates: bool) -> PyResult<()> {
        let agent = self.0.other(&agent.0)?;
        let target = if encapsulates { Target::Encapsulator(agent) } else { Target::Agent(agent) };
        self.set(py, slot, Some(target))
    }

    /// Empties a slot.
    fn clear(&self, py: Python, slot: usize) -> PyResult<()> {
        self.set(py, slot, None)
    }

    /// Sets whether it discards packets without a question when it has no receivers.
    fn set_silent(&self, py: Python, is_silent: bool) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.multicast.replicators[self.0.id.0 as usize].is_silent = is_silent;
        Ok(())
    }
}

#[pymethods]
impl Link {
    /// Labels packets that arrive over this link or port.
    fn set_label(&self, py: Python, label: i32) -> PyResult<()> {
        self.0.simulation(py)?.engine.net.label_interface(self.0.id, label);
        Ok(())
    }
}

#[pymethods]
impl Agent {
    /// Sends the agent's packets to another agent of its node instead.
    fn divert_to(&self, py: Python, other: &Agent) -> PyResult<()> {
        let other = self.0.other(&other.0)?;
        let mut simulation = self.0.simulation(py)?;
        let bucket = simulation.engine.net.add_bucket();
        simulation.engine.net.buckets[bucket.index() as usize].diverts_to = Some(other);
        simulation.engine.agents[self.0.id.0 as usize].endpoint_mut().bucket = Some(bucket);
        Ok(())
    }
}

#[pymethods]
impl Simulation {
    /// A new replicator, without receivers.
    fn add_replicator(this: &Bound<Simulation>) -> PyResult<Replicator> {
        Handle::made(this, |simulation| Ok(simulation.engine.net.multicast.add_replicator())).map(Replicator)
    }

    /// Shows the addresses of groups in these levels in traces: mask and shift of each.
    fn set_group_levels(&mut self, levels: Vec<(i32, u32)>) {
        self.recorder().addresses.set_levels(levels);
    }

    /// How many agents have received a packet for a group and still have something to tell.
    fn open_deliveries(&self) -> usize {
        self.engine.open_deliveries()
    }

    /// Goes on with packets for groups that wait, without any further event: what `run` would come back with, or `None`
    /// if none waits. So many deliveries remain open: those from whose telling the call comes.
    fn settle_groups(&mut self, keeps_open: usize) -> PyResult<Option<(&'static str, u32)>> {
        match self.engine.settle_multicast(keeps_open) {
            Some(Stop::Failed(error)) => Err(engine_error(&error)),
            Some(stop) => Ok(told_as(&stop)),
            None => Ok(None),
        }
    }

    /// The question that `run` has come back with: `cache-miss`, `wrong-iif`, `drop` or `which`; a number that belongs to
    /// it (the replicator, or the packet's upstream router); then node, source, group and interface.
    fn multicast_question(&self) -> Option<(&'static str, i32, u32, i32, i32, i32)> {
        let question = self.engine.multicast_question()?;
        let (word, number) = match question.reason {
            Reason::Missing => ("cache-miss", 0),
            Reason::WrongInterface => ("wrong-iif", 0),
            Reason::NoReceiver(replicator) => ("drop", replicator.0 as i32),
            Reason::Which(upstream) => ("which", upstream),
        };
        Some((word, number, question.node, question.source, question.group, question.interface))
    }

    /// Answers it: whether the packet is looked up again; after `which`, the replicator and the packet's upstream router
    /// from now on, or nothing if the packet is discarded.
    #[pyo3(signature = (again, which = None))]
    fn answer_multicast(this: &Bound<Simulation>, again: bool, which: Option<(Py<Replicator>, i32)>) -> PyResult<()> {
        let which = match which {
            Some((replicator, upstream)) => Some((replicator.get().0.id_in(this)?, upstream)),
            None => None,
        };
        this.try_borrow_mut()?.engine.answer_multicast(again, which);
        Ok(())
    }
}
