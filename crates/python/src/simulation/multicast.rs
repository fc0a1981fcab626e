//! Multicast: the tables of groups at nodes, replicators, and the questions of packets.

use ackclock_engine::net::multicast::{Reason, ReplicatorId, Table, Target};
use ackclock_engine::sim::Stop;
use pyo3::prelude::*;

use crate::convert::{engine_error, no_such};
use crate::simulation::{Simulation, told_as};

impl Simulation {
    fn group_table(&mut self, node: u32) -> PyResult<&mut Table> {
        self.engine.net.multicast.table(node).ok_or_else(|| no_such("table of groups at node", node))
    }

    fn check_replicator(&self, replicator: u32) -> PyResult<ReplicatorId> {
        let exists = (replicator as usize) < self.engine.net.multicast.replicators.len();
        exists.then_some(ReplicatorId(replicator)).ok_or_else(|| no_such("replicator", replicator))
    }
}

#[pymethods]
impl Simulation {
    /// Gives a node a table of groups, which replaces the one it has. With `asks_always` every packet is a question.
    fn add_group_table(&mut self, node: u32, asks_always: bool) -> PyResult<()> {
        let node = self.check_node(node)?;
        self.engine.net.multicast.add_table(node.0, asks_always);
        Ok(())
    }

    /// Packets of a source (`None`: of all) for a group that come over an interface go to a slot of the node's table.
    fn add_group(&mut self, node: u32, source: Option<i32>, group: i32, slot: usize, interface: i32) -> PyResult<()> {
        self.group_table(node)?.add(source, group, slot, interface);
        Ok(())
    }

    /// They are to come over another interface.
    fn change_group_interface(
        &mut self,
        node: u32,
        source: Option<i32>,
        group: i32,
        old: i32,
        new: i32,
    ) -> PyResult<()> {
        self.group_table(node)?.change_interface(source, group, old, new);
        Ok(())
    }

    /// Over which interface they are to come.
    fn group_interface(&mut self, node: u32, source: Option<i32>, group: i32) -> PyResult<Option<i32>> {
        Ok(self.group_table(node)?.interface(source, group))
    }

    /// The slot of those that come over an interface; -2 stands for any.
    fn group_slot(&mut self, node: u32, source: Option<i32>, group: i32, interface: i32) -> PyResult<Option<usize>> {
        Ok(self.group_table(node)?.slot_over(source, group, interface))
    }

    /// Forgets all groups of a node.
    fn clear_groups(&mut self, node: u32) -> PyResult<()> {
        self.group_table(node)?.clear();
        Ok(())
    }

    /// Puts a replicator into a slot of a node's table, or nothing.
    fn install_replicator(&mut self, node: u32, slot: usize, replicator: Option<u32>) -> PyResult<()> {
        let replicator = replicator.map(|number| self.check_replicator(number)).transpose()?;
        self.group_table(node)?.install(slot, replicator);
        Ok(())
    }

    /// A replicator without receivers; its number.
    fn add_replicator(&mut self) -> u32 {
        self.engine.net.multicast.add_replicator().0
    }

    /// Sets a slot of a replicator: `what` is link, agent, encapsulator, nowhere or empty.
    fn set_receiver(&mut self, replicator: u32, slot: usize, what: &str, number: u32) -> PyResult<()> {
        let replicator = self.check_replicator(replicator)?;
        let target = match what {
            "link" => Some(self.engine.net.target_of(self.check_link(number)?)),
            "agent" => Some(Target::Agent(self.check_agent(number)?)),
            "encapsulator" => Some(Target::Encapsulator(self.check_agent(number)?)),
            "nowhere" => Some(Target::Nowhere),
            _ => None,
        };
        self.engine.net.multicast.replicators[replicator.0 as usize].set(slot, target);
        Ok(())
    }

    /// Whether a replicator without receivers discards packets without a question.
    fn silence_replicator(&mut self, replicator: u32, is_silent: bool) -> PyResult<()> {
        let replicator = self.check_replicator(replicator)?;
        self.engine.net.multicast.replicators[replicator.0 as usize].is_silent = is_silent;
        Ok(())
    }

    /// Packets that arrive over a link or port have this label.
    fn label_interface(&mut self, link: u32, label: i32) -> PyResult<()> {
        let link = self.check_link(link)?;
        self.engine.net.label_interface(link, label);
        Ok(())
    }

    /// Traces show the addresses of groups in these levels: mask and shift of each.
    fn set_group_levels(&mut self, levels: Vec<(i32, u32)>) {
        self.recorder().addresses.set_levels(levels);
    }

    /// An agent's packets go to another one of its node instead.
    fn divert_agent(&mut self, agent: u32, to: u32) -> PyResult<()> {
        let (agent, to) = (self.check_agent(agent)?, self.check_agent(to)?);
        let bucket = self.engine.net.add_bucket();
        self.engine.net.buckets[bucket.index() as usize].diverts_to = Some(to);
        self.engine.agents[agent.0 as usize].endpoint_mut().bucket = Some(bucket);
        Ok(())
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
    fn answer_multicast(&mut self, again: bool, which: Option<(u32, i32)>) -> PyResult<()> {
        let which = match which {
            Some((replicator, upstream)) => Some((self.check_replicator(replicator)?, upstream)),
            None => None,
        };
        self.engine.answer_multicast(again, which);
        Ok(())
    }
}
