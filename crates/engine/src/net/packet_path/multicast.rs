//! The path of a packet for a group through a node ([`crate::net::multicast`]).

use crate::net::ids::AgentId;
use crate::net::link::{Hook, HookPoint, LinkId};
use crate::net::multicast::{GROUP_BIT, PacketPlace, Question, Reason, ReplicatorId, Rest, Step, Target, Waiting};
use crate::net::{Network, SimulationError, rare_news};
use crate::packet::{Packet, PacketId};

impl Network {
    /// A packet without a route enters a node. False if it is not for a group, or the node has no table of groups.
    #[cold]
    pub(super) fn enter_multicast(&mut self, node: u32, packet: PacketId) -> bool {
        let is_group = self.packets[packet].dst.node & GROUP_BIT != 0;
        if !is_group || self.multicast.table(node).is_none() {
            return false;
        }
        self.go_on_or_wait(Step::Look { node, packet, is_second: false });
        true
    }

    fn go_on_or_wait(&mut self, step: Step) {
        if self.multicast.must_wait() { self.put_off(step) } else { self.go_on(step) }
    }

    /// A step has to wait until the present event, agent or command is over.
    fn put_off(&mut self, step: Step) {
        let counter = self.events.reserve_counters(self.multicast.reserve());
        self.multicast.put_off(step, counter);
        self.has_news = true;
        self.rare_news |= rare_news::MULTICAST;
    }

    /// Goes on with a packet as far as the engine decides alone.
    fn go_on(&mut self, first: Step) {
        let mut next = Some(first);
        while let Some(step) = next {
            next = match step {
                Step::Look { node, packet, is_second } => {
                    let Packet { src, dst, interface, upstream, .. } = self.packets[packet];
                    let place = PacketPlace { packet, interface: interface - 1, upstream: upstream - 1, is_second };
                    let found = self.multicast.look(node, (src.node, dst.node), place);
                    if found.is_none() {
                        self.free(packet);
                    }
                    found
                }
                Step::Copy { node, replicator, next, packet } => self.copy_to(node, replicator, next, packet),
                Step::Deliver { .. } | Step::Ask { .. } | Step::SendRest { .. } => {
                    self.put_off(step);
                    None
                }
            };
        }
    }

    /// Passes a copy to the receiver of a slot, or the packet itself to the last one; the next step.
    fn copy_to(&mut self, node: u32, replicator: ReplicatorId, slot: usize, packet: PacketId) -> Option<Step> {
        let Some((target, is_last)) = self.multicast.receiver(replicator, slot) else {
            let Packet { src, dst, interface, .. } = self.packets[packet];
            if self.multicast.replicators[replicator.0 as usize].is_silent {
                self.free(packet);
                return None;
            }
            let reason = Reason::NoReceiver(replicator);
            let question = Question { reason, node, source: src.node, group: dst.node, interface: interface - 1 };
            return Some(Step::Ask { question, packet, is_second: true });
        };
        let rest = (!is_last).then_some((node, replicator, slot + 1, packet));
        if let Some(target) = target {
            let copy = if is_last { packet } else { self.packets.copy(packet) };
            match target {
                Target::Link(link) => self.offer(link, copy),
                Target::Port(link) => self.lose_at_lan(link, copy),
                Target::Nowhere => self.free(copy),
                Target::Agent(agent) => return Some(Step::Deliver { agent, packet: copy, uid: None, then: rest }),
                Target::Encapsulator(agent) => {
                    let uid = Some(self.packets.reserve_uid());
                    return Some(Step::Deliver { agent, packet: copy, uid, then: rest });
                }
            }
        }
        rest.map(Step::of_rest)
    }

    /// A packet for a group enters a LAN. ns-2.35 loses it there: it takes the group for the number of a node, finds no
    /// route to it, and sends the packet nowhere. Of all groups but the first the number is too large for it, and it ends.
    fn lose_at_lan(&mut self, port: LinkId, packet: PacketId) {
        if !self.pass(port, HookPoint::Entry, 0, packet) {
            return;
        }
        let group = self.packets[packet].dst.node;
        if group > GROUP_BIT {
            self.fail(SimulationError::Broken(format!(
                "Error!! str2addr:Address {group} outside range of address field length {GROUP_BIT}: ns-2 ends where a \
                 packet for a group other than the first enters a LAN"
            )));
        }
        self.free(packet);
    }

    /// After an agent has received its copy: goes on with the others.
    pub(crate) fn copy_rest(&mut self, rest: Rest) {
        self.go_on_or_wait(Step::of_rest(rest));
    }

    /// An agent sends the rest of a message when all has become of the packets before it.
    pub(crate) fn send_rest(&mut self, agent: AgentId, bytes: i64, is_new_burst: bool) {
        self.put_off(Step::SendRest { agent, bytes, is_new_burst });
    }

    /// An agent gets the packet of another one of its node.
    pub(super) fn hand_over(&mut self, agent: AgentId, packet: PacketId) {
        let uid = Some(self.packets.reserve_uid());
        self.put_off(Step::Deliver { agent, packet, uid, then: None });
    }

    /// Goes on with a step that was put off.
    pub(crate) fn resume(&mut self, step: Step) {
        self.go_on(step);
    }

    /// The caller has answered a question. `again`: look again; for a table that always asks, `which` is the replicator
    /// and the packet's upstream router.
    pub(crate) fn answered(&mut self, waiting: Waiting, again: bool, which: Option<(ReplicatorId, i32)>) {
        let Step::Ask { question: Question { reason, node, .. }, packet, is_second } = waiting.step else { return };
        match (reason, which) {
            (Reason::Missing | Reason::WrongInterface, _) if again && !is_second => {
                self.go_on(Step::Look { node, packet, is_second: true });
            }
            (Reason::Which(_), Some((replicator, upstream))) => {
                self.packets[packet].upstream = upstream + 1;
                self.go_on(Step::Copy { node, replicator, next: 0, packet });
            }
            _ => self.free(packet),
        }
    }

    /// Packets that arrive over a link have the label of an interface from now on.
    pub fn label_interface(&mut self, link: LinkId, label: i32) {
        self.links[link.0 as usize].add_hook(HookPoint::Received, Some(0), Hook::Interface(label));
    }

    /// The receiver that a link or port is for a replicator.
    pub fn target_of(&self, link: LinkId) -> Target {
        if self.links[link.0 as usize].port().is_some() { Target::Port(link) } else { Target::Link(link) }
    }
}

impl Step {
    fn of_rest((node, replicator, next, packet): Rest) -> Step {
        Step::Copy { node, replicator, next, packet }
    }
}
