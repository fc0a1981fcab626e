//! Nodes: a routing table and a port table.

use std::collections::BTreeMap;

pub use crate::net::ids::{AgentId, NodeId};
use crate::net::ids::{BoxId, LinkId};

/// The state of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Port {
    /// No agent was ever attached.
    #[default]
    Free,
    /// An agent.
    Agent(AgentId),
    /// The agent was detached: packets are discarded.
    Left,
}

/// The next hop for a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextHop {
    /// No route.
    #[default]
    Unknown,
    /// A link.
    Link(LinkId),
    /// A port of a LAN.
    Port(LinkId),
    /// None: packets are discarded.
    Discard,
    /// Several links in turn (equal-cost multipath); the number is the index of the node's [`Turn`].
    RoundRobin(u32),
    /// The link set for the packet's flow; packets of other flows use the destination's next hop.
    PerFlow,
}

/// Source node, destination node and flow id of packets.
pub type Conversation = (i32, i32, i32);

/// Next hops of single flows, and of other flows to the same destinations.
#[derive(Default)]
struct Given {
    flows: BTreeMap<Conversation, NextHop>,
    others: BTreeMap<NodeId, NextHop>,
}

/// Links used in round-robin order. Empty slots are skipped.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    slots: Vec<Option<LinkId>>,
    next: usize,
}

impl Turn {
    fn take(&mut self) -> Option<LinkId> {
        for _ in 0..self.slots.len() {
            let slot = self.next;
            self.next = (slot + 1) % self.slots.len();
            if self.slots[slot].is_some() {
                return self.slots[slot];
            }
        }
        None
    }
}

/// A node. The node itself holds all that a host needs.
#[derive(Default)]
#[repr(align(32))]
pub struct Node {
    /// The next hop for destinations without their own entry, and a bound: it applies to node numbers below it. For a
    /// host or a default route.
    only_next_hop: (NextHop, u32),
    /// Port 0, the only port of most nodes.
    first_port: Port,
    more: Option<Box<ColdState>>,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Node>() == 32);

/// Fields of routers, and of few other nodes.
#[derive(Default)]
struct ColdState {
    routes: Box<[NextHop]>,
    /// The ports from 1 on.
    ports: Box<[Port]>,
    turns: Vec<Turn>,
    given: Given,
    /// The delay box at the ingress, and the node behind it. The outer node has nothing else, so that nodes without a
    /// box have no cost.
    behind: Option<(BoxId, Node)>,
}

impl Node {
    /// Puts a delay box at the ingress.
    pub fn set_ingress_box(&mut self, guard: BoxId) {
        let inside = std::mem::take(self.inside_mut());
        self.more.get_or_insert_default().behind = Some((guard, inside));
    }

    /// The delay box at the ingress.
    pub fn ingress_box(&self) -> Option<BoxId> {
        self.more.as_ref()?.behind.as_ref().map(|behind| behind.0)
    }

    /// The node behind the delay box, or the node itself if it has none.
    pub fn inside(&self) -> &Node {
        let behind = self.more.as_ref().and_then(|more| more.behind.as_ref());
        behind.map_or(self, |behind| &behind.1)
    }

    fn inside_mut(&mut self) -> &mut Node {
        if self.ingress_box().is_none() {
            return self;
        }
        let behind = self.more.as_mut().and_then(|more| more.behind.as_mut());
        &mut behind.expect("it is guarded").1
    }

    fn more_inside(&mut self) -> &mut ColdState {
        self.inside_mut().more.get_or_insert_default()
    }

    /// The next hop for a destination; unknown if there is a delay box at the ingress.
    #[inline]
    pub fn next_hop(&self, destination: i32) -> NextHop {
        let routes = self.more.as_ref().map_or(&[][..], |more| &more.routes);
        match routes.get(destination as usize) {
            Some(&next_hop) if next_hop != NextHop::Unknown => next_hop,
            _ if (destination as u32) < self.only_next_hop.1 => self.only_next_hop.0,
            _ => NextHop::Unknown,
        }
    }

    /// The state of a port; free if there is a delay box at the ingress.
    #[inline]
    pub fn at_port(&self, port: i32) -> Port {
        if port == 0 {
            return self.first_port;
        }
        // Index 0 is port 1; port 0 is handled above.
        let ports = self.more.as_ref().map_or(&[][..], |more| &more.ports);
        ports.get((port as usize).wrapping_sub(1)).copied().unwrap_or_default()
    }

    fn port_mut(&mut self, port: usize) -> &mut Port {
        let Some(index) = port.checked_sub(1) else { return &mut self.inside_mut().first_port };
        let ports = &mut self.more_inside().ports;
        if ports.len() <= index {
            lengthen(ports, index, Port::Free);
        }
        &mut ports[index]
    }

    /// Sets one next hop for all nodes with numbers below `count`. A host has one neighbour and needs no table.
    pub fn set_only_next_hop(&mut self, next_hop: NextHop, count: u32) {
        let node = self.inside_mut();
        node.only_next_hop = (next_hop, count);
        let Some(more) = &mut node.more else { return };
        more.routes = Box::default();
        more.given.others.values_mut().for_each(|others| *others = next_hop);
        for destination in more.given.others.keys().copied().collect::<Vec<_>>() {
            self.put_next_hop(destination, NextHop::PerFlow);
        }
    }

    /// Sets the default route.
    pub fn set_default_next_hop(&mut self, next_hop: NextHop) {
        self.inside_mut().only_next_hop = (next_hop, u32::MAX);
    }

    /// Sets the next hop for a destination.
    pub fn set_next_hop(&mut self, destination: NodeId, next_hop: NextHop) {
        match self.inside_mut().more.as_mut().and_then(|more| more.given.others.get_mut(&destination)) {
            Some(others) => *others = next_hop,
            None => self.put_next_hop(destination, next_hop),
        }
    }

    /// Sets the next hop of one flow.
    pub fn set_flow_next_hop(&mut self, conversation: Conversation, next_hop: NextHop) {
        let destination = NodeId(conversation.1 as u32);
        let others = self.inside().next_hop(conversation.1);
        let given = &mut self.more_inside().given;
        given.others.entry(destination).or_insert(others);
        given.flows.insert(conversation, next_hop);
        self.put_next_hop(destination, NextHop::PerFlow);
    }

    /// The next hop of a packet's flow, if flows to its destination have their own next hops.
    pub(crate) fn flow_next_hop(&self, conversation: Conversation) -> NextHop {
        let Some(Given { flows, others }) = self.inside().more.as_ref().map(|more| &more.given) else {
            return NextHop::Unknown;
        };
        let other = || others.get(&NodeId(conversation.1 as u32)).copied().unwrap_or_default();
        flows.get(&conversation).copied().unwrap_or_else(other)
    }

    /// Reserves memory for routes to `count` nodes.
    pub(crate) fn reserve_routes(&mut self, count: usize) {
        let routes = &mut self.more_inside().routes;
        if routes.len() < count {
            let mut longer = std::mem::take(routes).into_vec();
            longer.reserve_exact(count - longer.len());
            longer.resize(count, NextHop::Unknown);
            *routes = longer.into_boxed_slice();
        }
    }

    fn put_next_hop(&mut self, destination: NodeId, next_hop: NextHop) {
        let (index, routes) = (destination.0 as usize, &mut self.more_inside().routes);
        if routes.len() <= index {
            lengthen(routes, index, NextHop::Unknown);
        }
        routes[index] = next_hop;
    }

    /// Adds a round-robin set without links; returns its number.
    pub fn add_turn(&mut self) -> u32 {
        let turns = &mut self.more_inside().turns;
        turns.push(Turn::default());
        turns.len() as u32 - 1
    }

    /// Sets the links of a round-robin set; keeps its position. False if there is no such set.
    pub fn set_turn(&mut self, turn: u32, slots: Vec<Option<LinkId>>) -> bool {
        let Some(found) = self.inside_mut().more.as_mut().and_then(|more| more.turns.get_mut(turn as usize)) else {
            return false;
        };
        found.next = if found.next < slots.len() { found.next } else { 0 };
        found.slots = slots;
        true
    }

    /// The next link of a round-robin set, if it has any.
    pub(crate) fn take_turn(&mut self, turn: u32) -> Option<LinkId> {
        self.inside_mut().more.as_mut()?.turns.get_mut(turn as usize)?.take()
    }

    /// Attaches an agent at the lowest port without one; returns the port.
    pub fn attach(&mut self, agent: AgentId) -> i32 {
        let inside = self.inside();
        let free = (0..).find(|&port| !matches!(inside.at_port(port), Port::Agent(_)));
        let port = free.expect("there are more ports than agents");
        self.attach_at(agent, port);
        port
    }

    /// Attaches an agent at a port.
    pub fn attach_at(&mut self, agent: AgentId, port: i32) {
        *self.port_mut(port as usize) = Port::Agent(agent);
    }

    /// Discards later packets for a port, which has an agent no more.
    pub fn discard_at(&mut self, port: i32) {
        if let Ok(port) = usize::try_from(port) {
            *self.port_mut(port) = Port::Left;
        }
    }
}

/// Grows a table so that it has this index.
#[cold]
fn lengthen<T: Copy>(table: &mut Box<[T]>, index: usize, empty: T) {
    let mut longer = std::mem::take(table).into_vec();
    longer.resize((index + 1).next_power_of_two(), empty);
    *table = longer.into_boxed_slice();
}
