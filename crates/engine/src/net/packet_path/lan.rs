//! The path of a packet over a LAN ([`crate::net::lan`]).

use crate::event::timer::TimerOwner;
use crate::event::{Event, Key};
use crate::net::Network;
use crate::net::ids::AgentId;
use crate::net::lan::ethernet::Ethernet;
use crate::net::lan::{Access, Frame, Lan, LanId, Port, Receiver, Step};
use crate::net::link::{HookPoint, LinkId};
use crate::net::node::NextHop;
use crate::packet::{PacketId, flag};

/// Header bytes that the plain access method adds to each packet.
const PLAIN_HEADER: i32 = 64;

impl Network {
    /// Adds a LAN, represented by this node in routes.
    pub fn add_lan(&mut self, node: u32, delay_s: f64) -> LanId {
        self.lans.push(Lan { node, delay_s, ..Lan::default() });
        LanId(self.lans.len() as u32 - 1)
    }

    /// Makes a link a port of a LAN, with CSMA/CD or the plain access method.
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

    /// The next hop that uses this link or port.
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

    /// A node sends a packet to its port.
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

    /// The receiver of a packet: the next node on its path. `All` if there is no route; `None` if that node has no
    /// port on the LAN.
    fn receiver(&mut self, port: LinkId, packet: PacketId) -> Option<Receiver> {
        let destination = self.packets[packet].dst.node;
        let lan = self.port(port).lan;
        let lan = &self.lans[lan.0 as usize];
        let next = lan.toward.get(destination as usize).copied().flatten();
        let Some(next) = next else { return Some(Receiver::All) };
        let found = lan.ports.iter().find(|other| self.links[other.0 as usize].from == next);
        found.map(|&other| Receiver::Port(other))
    }

    /// The access method gets a packet from the queue.
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

    /// Sends a copy of a frame to every other port; the port that was added last comes first.
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

    /// The access method is ready for the next packet of the queue, if any.
    pub(crate) fn queue_goes_on(&mut self, link: LinkId) {
        if !self.dequeue(link) {
            let now = self.now();
            self.links[link.0 as usize].queue_at_work().found_empty(now);
            self.port(link).blocks_queue = false;
        }
    }

    /// The access method of a port loses a packet.
    pub(crate) fn lose_on_medium(&mut self, link: LinkId, packet: PacketId) {
        if !self.links[link.0 as usize].has_hooks(HookPoint::Collided) {
            self.lose(link, packet);
        } else if self.pass(link, HookPoint::Collided, 0, packet) {
            self.free(packet);
        }
    }

    /// A port delivers a packet to its node.
    pub(crate) fn hand_up(&mut self, link: LinkId, packet: PacketId) {
        let delay_s = self.links[link.0 as usize].delay_s();
        self.after(delay_s, Step::Deliver(link, packet));
    }

    /// A pending action is due. Returns the agent and the packet if a packet has reached its destination.
    pub(crate) fn lan_step(&mut self, slot: u32, key: Key) -> Option<(AgentId, PacketId)> {
        let step = self.lan_steps.take(slot)?;
        self.current = key;
        match step {
            Step::Enqueue(link, packet) => self.offer(link, packet),
            Step::MediumFree(link) => self.queue_goes_on(link),
            Step::Climb(link, packet) if self.packets[packet].has(flag::CORRUPT) => self.lose_on_medium(link, packet),
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
