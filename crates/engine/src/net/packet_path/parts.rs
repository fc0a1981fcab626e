//! A packet's path through the parts of a link that was taken apart ([`crate::net::link::parts`]).
//!
//! As in ns-2, a queue that has given a packet away waits until a transmitter, or an error model that drops the packet,
//! reports that it is free. If neither gets the packet, the queue waits for ever.

use crate::event::{Event, Key};
use crate::loss::Fate;
use crate::net::link::error_module::Resume;
use crate::net::link::parts::{Connected, Part};
use crate::net::link::{ErrorsId, HookPoint, LinkId, PartId};
use crate::net::{Network, SimulationError};
use crate::packet::PacketId;
use crate::time::Time;

/// Parts that a packet may pass at one time. More are taken for a circle.
const MAX_PARTS: usize = 10_000;

impl Network {
    /// Takes a link apart: from now on packets take the path of its parts.
    pub fn take_apart(&mut self, link: LinkId, head: PartId, queue: PartId, wire: PartId) {
        self.links[link.0 as usize].take_apart(head, queue, wire);
    }

    /// Sets the part that gets the packets of a part.
    pub fn set_part_target(&mut self, part: PartId, target: Option<PartId>) {
        let counter = self.events.take_counter();
        self.parts.set_target(part, target, counter);
    }

    /// A packet reaches the hook of a part on a link that was taken apart.
    pub(super) fn enter_part(&mut self, part: PartId, link: LinkId, place: HookPoint, packet: PacketId) {
        match place {
            HookPoint::Head => self.walk(Some(part), packet, None),
            HookPoint::Dequeued => {
                let never = Key { at: Time(f64::INFINITY), counter: u64::MAX };
                self.links[link.0 as usize].send_until(never, true);
                self.leave_part(part, packet, Some(link));
            }
            HookPoint::Dropped => self.drop_at_part(part, packet),
            _ => {
                let behind = self.parts.behind_wire(part, self.current.counter);
                self.walk(behind, packet, None);
            }
        }
    }

    /// A packet leaves a part for the part behind it. `waiting`: the link whose queue waits for a transmitter.
    pub(super) fn leave_part(&mut self, part: PartId, packet: PacketId, waiting: Option<LinkId>) {
        let Connected { part: from, target, .. } = self.parts.get(part);
        if target.is_none() && !matches!(from, Part::Trace(_) | Part::Errors(_)) {
            self.fail(SimulationError::Broken(format!("{from:?} has no target; ns-2 crashes at such a packet")));
        }
        self.walk(target, packet, waiting);
    }

    /// A part drops a packet.
    pub(super) fn drop_at_part(&mut self, part: PartId, packet: PacketId) {
        self.walk(self.parts.get(part).drop_target, packet, None);
    }

    fn walk(&mut self, first: Option<PartId>, packet: PacketId, mut waiting: Option<LinkId>) {
        let mut next = first;
        for _ in 0..MAX_PARTS {
            let Some(at) = next else { return self.packets.free(packet) };
            let Connected { part, target, drop_target } = self.parts.get(at);
            next = target;
            match part {
                Part::Connector => {}
                Part::Trace(trace) => {
                    self.notify_observer(trace, packet);
                    if target.is_none() {
                        return self.packets.free(packet);
                    }
                }
                Part::Count(what, monitor) => self.count(monitor, what, packet),
                Part::Gate(link) => {
                    if !self.links[link.0 as usize].is_up {
                        return self.walk(drop_target, packet, None);
                    }
                }
                Part::Errors(errors) => {
                    if !self.passes_error_part(at, errors, packet, waiting) {
                        return;
                    }
                    if target.is_none() {
                        return self.packets.free(packet);
                    }
                }
                Part::HopLimit => {
                    let hops_left = self.packets[packet].ttl - 1;
                    if hops_left <= 0 {
                        return self.walk(drop_target, packet, None);
                    }
                    self.packets[packet].ttl = hops_left;
                }
                Part::Queue(link) => return self.enter_queue(link, packet),
                Part::Wire(link) => return self.put_on_other_wire(link, packet, waiting),
                Part::Node(node) => return self.send(node, packet),
                Part::Agent(agent) => {
                    self.local.push_back((agent, packet));
                    self.has_news = true;
                    return;
                }
                Part::Discard => return self.packets.free(packet),
            }
            if next.is_none() {
                self.fail(SimulationError::Broken(format!("{part:?} has no target; ns-2 crashes at such a packet")));
            }
            if matches!(part, Part::HopLimit) {
                waiting = None;
            }
        }
        self.packets.free(packet);
        self.fail(SimulationError::Broken("a packet goes round in a circle of connectors".into()));
    }

    /// The decision of an error module among the parts. False if the packet does not go on now.
    fn passes_error_part(&mut self, at: PartId, errors: ErrorsId, packet: PacketId, waiting: Option<LinkId>) -> bool {
        let drop_target = self.parts.get(at).drop_target;
        match self.judge_at(errors, packet) {
            Fate::Pass => true,
            Fate::Vanish => {
                self.packets.free(packet);
                false
            }
            // Without a part for dropped packets, ns-2 marks the packet as damaged, which nobody reads, and passes it on.
            Fate::Drop if drop_target.is_none() => true,
            Fate::Drop => {
                if let Some(link) = waiting {
                    self.free_after_loss(link, errors, packet);
                }
                self.walk(drop_target, packet, None);
                false
            }
            Fate::Hold { until } => {
                self.hold(errors, Resume::Part(at), packet, until);
                false
            }
            Fate::Double => {
                let copy = self.packets.copy(packet);
                self.hold(errors, Resume::Part(at), copy, self.current.at);
                true
            }
        }
    }

    /// Transmits a packet on a wire for the queue that waits, which may be another link's.
    fn put_on_other_wire(&mut self, wire: LinkId, packet: PacketId, waiting: Option<LinkId>) {
        let Some(queue) = waiting else {
            self.packets.free(packet);
            let error = "a packet reaches a DelayLink and comes from no queue; ns-2 ends there";
            return self.fail(SimulationError::Broken(error.into()));
        };
        let size = self.packets[packet].size;
        if queue == wire {
            return self.transmit(wire, packet, size, true);
        }
        let now = self.current.at;
        let arrival_counter = self.events.take_counter();
        let free_counter = self.events.take_counter();
        let link = &mut self.links[wire.0 as usize];
        let transmission_s = link.transmission_s(size);
        link.packets_sent += 1;
        link.bytes_sent += size as u64;
        link.on_wire += 1;
        let arrival = Key { at: now + (transmission_s + link.delay_s()), counter: arrival_counter };
        let free = Key { at: now + transmission_s, counter: free_counter };
        self.events.insert(arrival, Event::Arrive(wire.0, packet));
        self.links[queue.0 as usize].send_until(free, true);
        self.events.insert(free, Event::TransmitterFree(queue.0));
    }
}
