//! A packet's path through the parts of a link that was taken apart ([`crate::net::link::parts`]).
//!
//! As in ns-2, a queue that has given a packet away waits until a transmitter reports that it is free, or an error model
//! that drops the packet or has no part behind it. If none of them gets the packet, the queue waits for ever.

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

/// Walks inside one another: queues that drop a packet to other queues that are full. More are taken for a circle.
const MAX_NESTED: u32 = 500;

/// What an error model or module among the parts does with a packet.
enum Judged {
    Passes,
    IsDropped,
    /// It holds the packet back, or has freed it.
    IsTaken,
}

impl Network {
    /// Takes a link apart: from now on packets take the path of its parts.
    pub fn take_apart(&mut self, link: LinkId, head: PartId, queue: PartId, wire: PartId) {
        self.links[link.0 as usize].take_apart(head, queue, wire);
    }

    /// Sets the part that gets the packets of a part. Packets on a wire stay on their path, unless the link can fail.
    pub fn set_part_target(&mut self, part: PartId, target: Option<PartId>) {
        let counter = self.events.take_counter();
        let part_is = self.parts.get(part).part;
        let stays = matches!(part_is, Part::Wire(link) if !self.links[link.0 as usize].can_fail());
        self.parts.set_target(part, target, stays.then_some(counter));
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
        if target.is_none() && !from.may_be_last() {
            self.fail_without_target(from);
        }
        self.walk(target, packet, waiting);
    }

    /// A part drops a packet.
    pub(super) fn drop_at_part(&mut self, part: PartId, packet: PacketId) {
        self.walk(self.parts.get(part).drop_target, packet, None);
    }

    fn fail_without_target(&mut self, part: Part) {
        let class = part.class_name();
        self.fail(SimulationError::Broken(format!("a {class} without a target gets a packet; ns-2 crashes there")));
    }

    /// Takes a packet through parts. A queue on the way may drop it at once, which begins a walk inside this one.
    fn walk(&mut self, first: Option<PartId>, packet: PacketId, waiting: Option<LinkId>) {
        if self.parts.nested == MAX_NESTED {
            self.packets.free(packet);
            let error = "queues drop a packet to one another without end; ns-2 crashes there";
            return self.fail(SimulationError::Broken(error.into()));
        }
        self.parts.nested += 1;
        self.pass_parts(first, packet, waiting);
        self.parts.nested -= 1;
    }

    fn pass_parts(&mut self, first: Option<PartId>, packet: PacketId, mut waiting: Option<LinkId>) {
        let mut next = first;
        for _ in 0..MAX_PARTS {
            let Some(at) = next else { return self.packets.free(packet) };
            let Connected { part, target, drop_target } = self.parts.get(at);
            let is_dropped = match part {
                Part::Connector => false,
                Part::Trace(trace) => {
                    self.notify_observer(trace, packet);
                    false
                }
                Part::Count(what, monitor) => {
                    self.count(monitor, what, packet);
                    false
                }
                Part::Gate(link) => !self.links[link.0 as usize].is_up,
                Part::ClosedGate => true,
                Part::ErrorModel(errors) | Part::ErrorModule(errors) => {
                    match self.judge_at_part(at, errors, packet, waiting) {
                        Judged::Passes => false,
                        Judged::IsDropped => true,
                        Judged::IsTaken => return,
                    }
                }
                Part::HopLimit => {
                    let hops_left = self.packets[packet].ttl - 1;
                    if hops_left > 0 {
                        self.packets[packet].ttl = hops_left;
                    }
                    hops_left <= 0
                }
                Part::Queue(link) => return self.enter_queue(link, packet),
                Part::Wire(link) => return self.transmit_on_wire(link, packet, waiting),
                Part::Node(node) => return self.send(node, packet),
                Part::Agent(agent) => {
                    self.local.push_back((agent, packet));
                    self.has_news = true;
                    return;
                }
                Part::Discard => return self.packets.free(packet),
            };
            if is_dropped {
                (next, waiting) = (drop_target, None);
                continue;
            }
            if target.is_none() && !part.may_be_last() {
                self.fail_without_target(part);
            }
            next = target;
        }
        self.packets.free(packet);
        let error = "a packet goes round in a circle of connectors; ns-2 goes on without end";
        self.fail(SimulationError::Broken(error.into()));
    }

    /// The decision of an error model or module among the parts.
    fn judge_at_part(&mut self, at: PartId, errors: ErrorsId, packet: PacketId, waiting: Option<LinkId>) -> Judged {
        let Connected { part, target, drop_target } = self.parts.get(at);
        let fate = self.judge_at(errors, packet);
        if fate == Fate::Drop && drop_target.is_none() && matches!(part, Part::ErrorModule(_)) {
            let error = "an ErrorModule without a drop-target drops a packet; ns-2 crashes there";
            self.fail(SimulationError::Broken(error.into()));
        }
        // Without a part for its dropped packets, ns-2's ErrorModel marks the packet as damaged and passes it on. Only the
        // receiver on a LAN reads the mark.
        let is_dropped = fate == Fate::Drop && drop_target.is_some();
        if let Some(link) = waiting
            && (is_dropped || target.is_none())
            && self.resumes_queue(errors, packet)
        {
            self.free_after_loss(link, errors, packet);
        }
        match fate {
            Fate::Drop if is_dropped => return Judged::IsDropped,
            Fate::Pass | Fate::Drop => return Judged::Passes,
            Fate::Vanish => self.packets.free(packet),
            Fate::Hold { until } => {
                if target.is_none() {
                    let error = "an error model that delays packets has no target; ns-2 ends there";
                    self.fail(SimulationError::Broken(error.into()));
                }
                self.hold(errors, Resume::Part(at), packet, until);
            }
            Fate::Double => {
                let copy = self.packets.copy(packet);
                self.hold(errors, Resume::Part(at), copy, self.current.at);
                return Judged::Passes;
            }
        }
        Judged::IsTaken
    }

    /// Transmits a packet on a wire for the queue that waits, which may be another link's.
    fn transmit_on_wire(&mut self, wire: LinkId, packet: PacketId, waiting: Option<LinkId>) {
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
