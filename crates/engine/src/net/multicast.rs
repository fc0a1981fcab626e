//! Multicast: the tables of groups at nodes, and replicators.
//!
//! Source: ns-2.35's `Classifier/Multicast` and `Classifier/Replicator`.
//! What it decides: to which links and agents a node passes the copies of a packet for a group. A node's table has an
//! entry for each source and group, or for a group alone, with the interface over which packets are to arrive. An entry
//! has a slot, and a slot a [`Replicator`]. A packet without an entry, one that arrives over another interface, and one
//! that nobody is to get are questions ([`Question`]) to the caller, which runs the routing protocol.
//! Departures: a question that a packet raises while something else happens at the same instant is answered after it.
//! Events that the answer inserts take their place in the order where ns-2 would have inserted them.
//! Not implemented: the routing protocols themselves; the caller has them.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use std::collections::{BTreeMap, VecDeque};

use crate::net::ids::{AgentId, LinkId};
use crate::packet::PacketId;

/// The bit of an address that makes it a group.
pub const GROUP_BIT: i32 = 1 << 30;
/// Label of no interface: a packet of the node's own agents.
pub const NO_INTERFACE: i32 = -1;
/// An entry with this label applies to packets over every interface.
pub const ANY_INTERFACE: i32 = -2;
/// Counters reserved for what a packet does later at the same instant.
const RESERVED_BITS: u32 = 36;
/// Bits fewer for what happens while that is done.
const FEWER_BITS: u32 = 10;

/// Index of a replicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicatorId(pub u32);

/// A receiver of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A link.
    Link(LinkId),
    /// A port of a LAN.
    Port(LinkId),
    /// An agent of the node.
    Agent(AgentId),
    /// An agent of the node that puts each packet into a new one.
    Encapsulator(AgentId),
    /// Copies are discarded.
    Nowhere,
}

/// Passes copies of each packet to several receivers, in the order of its slots.
#[derive(Debug, Default)]
pub struct Replicator {
    slots: Vec<Option<Target>>,
    /// Packets without a receiver are discarded without a question.
    pub is_silent: bool,
}

impl Replicator {
    /// Sets a slot, or empties it.
    pub fn set(&mut self, slot: usize, target: Option<Target>) {
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, None);
        }
        self.slots[slot] = target;
        while self.slots.last() == Some(&None) {
            self.slots.pop();
        }
    }
}

/// An entry of a node's table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    slot: usize,
    interface: i32,
}

/// A node's table of groups.
#[derive(Debug, Default)]
pub struct Table {
    /// By source and group; the latest entry first.
    entries: BTreeMap<(i32, i32), Vec<Entry>>,
    /// By group, for all sources; the latest entry first.
    shared: BTreeMap<i32, Vec<Entry>>,
    slots: Vec<Option<ReplicatorId>>,
    /// The caller finds the replicator of each packet.
    asks_always: bool,
}

/// What a table says of a packet.
enum Found {
    Replicator(ReplicatorId),
    EmptySlot,
    Missing,
    WrongInterface,
}

fn entry_over(entries: Option<&Vec<Entry>>, interface: i32) -> Option<Entry> {
    entries?.iter().find(|entry| interface == ANY_INTERFACE || entry.interface == interface).copied()
}

impl Table {
    /// Adds an entry: of a source, or of all with `None`.
    pub fn add(&mut self, source: Option<i32>, group: i32, slot: usize, interface: i32) {
        let entries = match source {
            Some(source) => self.entries.entry((source, group)).or_default(),
            None => self.shared.entry(group).or_default(),
        };
        entries.insert(0, Entry { slot, interface });
    }

    fn entries_of(&self, source: Option<i32>, group: i32) -> Option<&Vec<Entry>> {
        match source {
            Some(source) => self.entries.get(&(source, group)),
            None => self.shared.get(&group),
        }
    }

    /// Gives the entry for packets over an interface another one.
    pub fn change_interface(&mut self, source: Option<i32>, group: i32, old: i32, new: i32) {
        let entries = match source {
            Some(source) => self.entries.get_mut(&(source, group)),
            None => self.shared.get_mut(&group),
        };
        let mut found = entries.into_iter().flatten();
        if let Some(entry) = found.find(|entry| old == ANY_INTERFACE || entry.interface == old) {
            entry.interface = new;
        }
    }

    /// The interface of the latest entry.
    pub fn interface(&self, source: Option<i32>, group: i32) -> Option<i32> {
        entry_over(self.entries_of(source, group), ANY_INTERFACE).map(|entry| entry.interface)
    }

    /// The slot of the entry for packets over an interface.
    pub fn slot_over(&self, source: Option<i32>, group: i32, interface: i32) -> Option<usize> {
        entry_over(self.entries_of(source, group), interface).map(|entry| entry.slot)
    }

    /// Removes all entries; the slots remain.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.shared.clear();
    }

    /// Sets the replicator of a slot.
    pub fn install(&mut self, slot: usize, replicator: Option<ReplicatorId>) {
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, None);
        }
        self.slots[slot] = replicator;
    }

    fn find(&self, source: i32, group: i32, interface: i32) -> Found {
        let (own, shared) = (self.entries_of(Some(source), group), self.entries_of(None, group));
        let entry = match entry_over(own, interface).or_else(|| entry_over(shared, interface)) {
            Some(entry) => entry,
            None => match entry_over(own, ANY_INTERFACE).or_else(|| entry_over(shared, ANY_INTERFACE)) {
                None => return Found::Missing,
                Some(entry) if entry.interface == ANY_INTERFACE => entry,
                Some(_) => return Found::WrongInterface,
            },
        };
        self.slots.get(entry.slot).copied().flatten().map_or(Found::EmptySlot, Found::Replicator)
    }
}

/// What the caller is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no entry. The answer says whether to look again.
    Missing,
    /// The packet came over another interface than the entry's. The answer says whether to look again.
    WrongInterface,
    /// Nobody is to get packets of this replicator.
    NoReceiver(ReplicatorId),
    /// Which replicator, and the packet's upstream router: for a table that always asks. The present router is here.
    Which(i32),
}

/// A question about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// Why.
    pub reason: Reason,
    /// The node where the packet is.
    pub node: u32,
    /// The packet's source.
    pub source: i32,
    /// The packet's group.
    pub group: i32,
    /// Label of the interface over which it came, or [`NO_INTERFACE`].
    pub interface: i32,
}

/// The next step of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Look up the packet in the node's table. The second time nobody is asked to look again.
    Look { node: u32, packet: PacketId, is_second: bool },
    /// Pass copies to the receivers from slot `next` on.
    Copy { node: u32, replicator: ReplicatorId, next: usize, packet: PacketId },
    /// An agent receives the packet; then what follows happens to the original.
    /// It makes a packet with this uid if there is one.
    Deliver { agent: AgentId, packet: PacketId, uid: Option<i32>, then: Option<Rest> },
    /// The caller is asked.
    Ask { question: Question, packet: PacketId, is_second: bool },
    /// An agent sends the rest of a message.
    SendRest { agent: AgentId, bytes: i64, is_new_burst: bool },
}

impl Step {
    fn packets(self) -> usize {
        match self {
            Step::Deliver { then: Some(_), .. } => 2,
            Step::SendRest { .. } => 0,
            _ => 1,
        }
    }
}

/// What is left of a packet's copies: node, replicator, next slot and packet.
pub(crate) type Rest = (u32, ReplicatorId, usize, PacketId);

/// A step that waits until something else of the same instant is over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) step: Step,
    /// Where the count of events goes on for it.
    pub(crate) counter: u64,
    depth: u32,
}

/// The multicast state of a network.
#[derive(Debug, Default)]
pub struct Multicast {
    tables: BTreeMap<u32, Table>,
    /// Replicators by number.
    pub replicators: Vec<Replicator>,
    waiting: VecDeque<Waiting>,
    /// How many of them are before a new one: those that the present step has caused, or all if there is none.
    ahead: usize,
    /// How deep the present step is nested: steps that it causes have fewer reserved counters.
    depth: u32,
    /// The same two of the steps that the present one is a part of.
    outer: Vec<(usize, u32)>,
    /// Questions that the caller was asked, each with where the count of events goes on after it. A caller that sends
    /// packets before it answers may be asked another one.
    asked: Vec<(Waiting, u64)>,
    /// Agents that have received a copy and have something to tell: what is left of the packet, and where the count of
    /// events goes on afterwards.
    open: Vec<(Option<Rest>, u64)>,
    /// So many of these remain open while the caller settles what one of them has caused.
    pub(crate) keeps_open: usize,
}

impl Multicast {
    /// Gives a node a table; with `asks_always`, one without entries of its own.
    pub fn add_table(&mut self, node: u32, asks_always: bool) {
        self.tables.insert(node, Table { asks_always, ..Table::default() });
    }

    /// Adds a replicator without receivers.
    pub fn add_replicator(&mut self) -> ReplicatorId {
        self.replicators.push(Replicator::default());
        ReplicatorId(self.replicators.len() as u32 - 1)
    }

    /// The table of a node, if it has one.
    pub fn table(&mut self, node: u32) -> Option<&mut Table> {
        self.tables.get_mut(&node)
    }

    /// Number of packets that wait.
    pub(crate) fn holds_packets(&self) -> usize {
        let asked = self.asked.iter().map(|(waiting, _)| waiting.step.packets());
        let open = self.open.iter().filter(|(rest, _)| rest.is_some()).count();
        self.waiting.iter().map(|waiting| waiting.step.packets()).chain(asked).sum::<usize>() + open
    }

    /// Whether steps wait that come before a new one.
    pub(crate) fn must_wait(&self) -> bool {
        self.ahead > 0
    }

    /// Number of counters to reserve for a step that is put off now.
    pub(crate) fn reserve(&self) -> u64 {
        1 << (RESERVED_BITS - FEWER_BITS * self.depth.min(3))
    }

    /// Puts a step off.
    pub(crate) fn put_off(&mut self, step: Step, counter: u64) {
        self.waiting.insert(self.ahead, Waiting { step, counter, depth: self.depth + 1 });
        self.ahead += 1;
    }

    /// Takes the first step that waits for the present one. Steps that it causes come before the others.
    pub(crate) fn begin_first(&mut self) -> Option<Waiting> {
        if self.ahead == 0 {
            return None;
        }
        let first = self.waiting.pop_front()?;
        self.outer.push((self.ahead - 1, self.depth));
        (self.ahead, self.depth) = (0, first.depth);
        Some(first)
    }

    /// The step that was begun is over.
    pub(crate) fn end_first(&mut self) {
        if let Some((ahead, depth)) = self.outer.pop() {
            self.ahead += ahead;
            self.depth = depth;
        }
    }

    /// A delivery is not over: the agent has something to tell.
    pub(crate) fn keep_open(&mut self, rest: Option<Rest>, count: u64) {
        self.open.push((rest, count));
    }

    /// The caller has heard all that the agent of the last open delivery had to tell.
    pub(crate) fn close(&mut self) -> Option<(Option<Rest>, u64)> {
        if self.open.len() > self.keeps_open { self.open.pop() } else { None }
    }

    /// Number of open deliveries.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// The caller is asked. `count` is where the count of events goes on afterwards.
    pub(crate) fn ask(&mut self, waiting: Waiting, count: u64) {
        self.asked.push((waiting, count));
    }

    /// The last question that the caller was asked.
    pub(crate) fn last_asked(&self) -> Option<&Waiting> {
        self.asked.last().map(|(waiting, _)| waiting)
    }

    /// Takes it back: it is answered.
    pub(crate) fn take_asked(&mut self) -> Option<(Waiting, u64)> {
        self.asked.pop()
    }

    /// What the node's table says of a packet: the next step, or `None` if the packet is to be freed.
    pub(crate) fn look(&self, node: u32, (source, group): (i32, i32), of: PacketPlace) -> Option<Step> {
        let PacketPlace { packet, interface, upstream, is_second } = of;
        let table = self.tables.get(&node)?;
        let ask = |reason| {
            let question = Question { reason, node, source, group, interface };
            Some(Step::Ask { question, packet, is_second })
        };
        if table.asks_always {
            return ask(Reason::Which(upstream));
        }
        match table.find(source, group, interface) {
            Found::Replicator(replicator) => Some(Step::Copy { node, replicator, next: 0, packet }),
            Found::EmptySlot => None,
            Found::Missing => ask(Reason::Missing),
            Found::WrongInterface => ask(Reason::WrongInterface),
        }
    }

    /// The receiver of a slot, and whether it is the last one. A slot behind the last one stands for it.
    pub(crate) fn receiver(&self, replicator: ReplicatorId, slot: usize) -> Option<(Option<Target>, bool)> {
        let slots = &self.replicators[replicator.0 as usize].slots;
        let last = slots.len().checked_sub(1)?;
        Some((slots[slot.min(last)], slot >= last))
    }
}

/// A packet at a node's table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketPlace {
    pub(crate) packet: PacketId,
    pub(crate) interface: i32,
    pub(crate) upstream: i32,
    pub(crate) is_second: bool,
}
