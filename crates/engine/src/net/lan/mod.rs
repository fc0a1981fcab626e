//! Shared media: the parts of one, and the way of a packet over it.
//!
//! Source: ns-2.35's `LanNode`, `LL`, `Mac`, `Channel` and `Phy/WiredPhy`.
//! What it decides: a port of a LAN is a link from its node to the LAN's own node, with a queue; a packet waits for the
//! port's delay, in the queue, and for the medium; every other port hears it after the channel's delay, and the one it is
//! for hands it up after its own delay. Who sends when is the port's access method: [`Access::Plain`] never collides,
//! [`Access::Ethernet`] is in [`crate::net::lan::ethernet`].
//! Not implemented: other access methods, channels without copies, address resolution, errors on the medium.

pub mod ethernet;

use crate::event::timer::TimerOwner;
use crate::event::{Event, Key};
use crate::net::Network;
use crate::net::lan::ethernet::Ethernet;
use crate::net::link::{HookPoint, LinkId};
use crate::net::node::{AgentId, NextHop};
use crate::packet::PacketId;

/// Bytes that the plain access method sends before each packet.
const PLAIN_HEADER: i32 = 64;

/// Index of a LAN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanId(pub u32);

/// A shared medium.
#[derive(Debug, Default)]
pub struct Lan {
    /// The node that stands for it in routes.
    pub node: u32,
    /// How long a packet is on the medium before others hear it, s.
    pub delay_s: f64,
    /// Its ports, in the order in which they joined.
    pub ports: Vec<LinkId>,
    /// For each destination the node that a packet goes to from here.
    pub toward: Vec<Option<u32>>,
}

/// How a port uses the medium.
#[derive(Debug)]
pub enum Access {
    /// It sends as if it were alone.
    Plain {
        /// Rate, bit/s.
        rate_bps: f64,
        /// How long it takes to hand a packet up, s.
        delay_s: f64,
    },
    /// It listens, collides and sends again.
    Ethernet(Box<Ethernet>),
}

/// What makes a link a port of a LAN.
#[derive(Debug)]
pub struct Port {
    /// The LAN.
    pub lan: LanId,
    /// How it uses the medium.
    pub access: Access,
    /// Whether packets lost in collisions are told of.
    pub traces_collisions: bool,
    /// Whether the queue waits for the medium.
    pub(crate) blocks_queue: bool,
}

impl Port {
    /// Packets that its access method holds.
    pub fn holds_packets(&self) -> usize {
        match &self.access {
            Access::Ethernet(access) => access.holds_packets(),
            Access::Plain { .. } => 0,
        }
    }
}

/// Whom a packet on a medium is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// Every port.
    All,
    /// One.
    Port(LinkId),
}

/// A packet as a port sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The packet.
    pub packet: PacketId,
    /// Whom it is for.
    pub to: Receiver,
    /// Bytes that make it long enough.
    pub padding: i32,
}

/// What is to happen on a LAN.
#[derive(Clone, Copy, Debug)]
enum Step {
    Enqueue(LinkId, PacketId),
    Hear(LinkId, Frame),
    Climb(LinkId, PacketId),
    Deliver(LinkId, PacketId),
    MediumFree(LinkId),
}

/// The steps that are to come.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    slots: Vec<Option<Step>>,
    free: Vec<u32>,
}

impl Steps {
    /// Packets on their way.
    pub fn holds_packets(&self) -> usize {
        self.slots.iter().flatten().filter(|step| !matches!(step, Step::MediumFree(_))).count()
    }

    fn add(&mut self, step: Step) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(step);
                slot
            }
            None => {
                self.slots.push(Some(step));
                self.slots.len() as u32 - 1
            }
        }
    }

    fn take(&mut self, slot: u32) -> Option<Step> {
        let step = self.slots.get_mut(slot as usize)?.take();
        self.free.push(slot);
        step
    }
}

impl Network {
    /// A new LAN that this node stands for in routes.
    pub fn add_lan(&mut self, node: u32, delay_s: f64) -> LanId {
        self.lans.push(Lan { node, delay_s, ..Lan::default() });
        LanId(self.lans.len() as u32 - 1)
    }

    /// Makes a link a port of a LAN, with Ethernet's access method or the plain one.
    pub fn make_port(&mut self, link: LinkId, lan: LanId, is_ethernet: bool) {
        let access = if is_ethernet {
            let timers = [0, 1, 2, 3].map(|which| self.add_timer(TimerOwner::Lan(link.0, which)));
            Access::Ethernet(Box::new(Ethernet::new(timers)))
        } else {
            Access::Plain { rate_bps: 2e6, delay_s: 0.0 }
        };
        let port = Port { lan, access, traces_collisions: false, blocks_queue: false };
        self.links[link.0 as usize].become_port(port);
        self.lans[lan.0 as usize].ports.push(link);
    }

    /// The way that leads over a link or a port.
    pub fn next_hop_over(&self, link: LinkId) -> NextHop {
        if self.links[link.0 as usize].port().is_some() { NextHop::Port(link) } else { NextHop::Link(link) }
    }

    pub(crate) fn port(&mut self, link: LinkId) -> &mut Port {
        self.links[link.0 as usize].port_mut().expect("only links that are ports come here")
    }

    fn after(&mut self, delay_s: f64, step: Step) {
        let slot = self.lan_steps.add(step);
        let at = self.now() + delay_s;
        self.events.schedule(at, Event::Lan(slot));
    }

    /// A node hands a packet to its port.
    pub(crate) fn enter_lan(&mut self, port: LinkId, packet: PacketId) {
        if !self.pass(port, HookPoint::Entry, 0, packet) {
            return;
        }
        if self.receiver(port, packet).is_none() {
            self.free(packet);
            return;
        }
        let delay_s = self.links[port.0 as usize].delay_s();
        self.after(delay_s, Step::Enqueue(port, packet));
    }

    /// Whom a packet is for: the next node on its way. All if there is no way; nobody if that node is not on the LAN.
    fn receiver(&mut self, port: LinkId, packet: PacketId) -> Option<Receiver> {
        let destination = self.packets[packet].dst.node;
        let lan = self.port(port).lan;
        let lan = &self.lans[lan.0 as usize];
        let next = lan.toward.get(destination as usize).copied().flatten();
        let Some(next) = next else { return Some(Receiver::All) };
        let found = lan.ports.iter().find(|other| self.links[other.0 as usize].from == next);
        found.map(|&other| Receiver::Port(other))
    }

    /// A queue's packet comes to the access method.
    pub(crate) fn access_medium(&mut self, link: LinkId, packet: PacketId) {
        let to = self.receiver(link, packet).unwrap_or(Receiver::All);
        let port = self.port(link);
        port.blocks_queue = true;
        let frame = Frame { packet, to, padding: 0 };
        match port.access {
            Access::Plain { rate_bps, .. } => {
                let busy_s = 8.0 * f64::from(PLAIN_HEADER + self.packets[packet].size) / rate_bps;
                self.broadcast(link, frame);
                self.free(packet);
                self.after(busy_s, Step::MediumFree(link));
            }
            Access::Ethernet(_) => self.send_frame(link, frame),
        }
    }

    /// Every other port is going to hear a copy of a frame; the port that joined last is the first.
    pub(crate) fn broadcast(&mut self, from: LinkId, frame: Frame) {
        let lan = self.port(from).lan;
        let Lan { delay_s, .. } = self.lans[lan.0 as usize];
        for index in (0..self.lans[lan.0 as usize].ports.len()).rev() {
            let other = self.lans[lan.0 as usize].ports[index];
            if self.links[other.0 as usize].from == self.links[from.0 as usize].from {
                continue;
            }
            let packet = self.packets.copy(frame.packet);
            self.after(delay_s, Step::Hear(other, Frame { packet, ..frame }));
        }
    }

    /// The access method can take another packet: the queue gives its next one, if any.
    pub(crate) fn queue_goes_on(&mut self, link: LinkId) {
        if !self.dequeue(link) {
            let now = self.now();
            self.links[link.0 as usize].queue_at_work().found_empty(now);
            self.port(link).blocks_queue = false;
        }
    }

    /// A port's access method loses a packet.
    pub(crate) fn lose_on_medium(&mut self, link: LinkId, packet: PacketId) {
        if !self.links[link.0 as usize].has_hooks(HookPoint::Collided) {
            self.lose(link, packet);
        } else if self.pass(link, HookPoint::Collided, 0, packet) {
            self.free(packet);
        }
    }

    /// A port hands a packet up to its node.
    pub(crate) fn hand_up(&mut self, link: LinkId, packet: PacketId) {
        let delay_s = self.links[link.0 as usize].delay_s();
        self.after(delay_s, Step::Deliver(link, packet));
    }

    /// A step on a LAN is due. The agent that a packet is for and the packet, if one has arrived.
    pub(crate) fn lan_step(&mut self, slot: u32, key: Key) -> Option<(AgentId, PacketId)> {
        let step = self.lan_steps.take(slot)?;
        self.current = key;
        match step {
            Step::Enqueue(link, packet) => self.offer(link, packet),
            Step::MediumFree(link) => self.queue_goes_on(link),
            Step::Climb(link, packet) => self.hand_up(link, packet),
            Step::Hear(link, frame) => match self.port(link).access {
                Access::Ethernet(_) => self.hear_frame(link, frame),
                Access::Plain { delay_s, .. } => {
                    if matches!(frame.to, Receiver::Port(other) if other != link) {
                        self.lose_on_medium(link, frame.packet);
                    } else {
                        self.after(delay_s, Step::Climb(link, frame.packet));
                    }
                }
            },
            Step::Deliver(link, packet) => {
                if self.pass(link, HookPoint::Received, 0, packet) {
                    let node = self.links[link.0 as usize].from;
                    return Some((self.enter_node(node, packet)?, packet));
                }
            }
        }
        None
    }
}
