//! Boxes at the ingress of a node: each flow that passes is delayed, thinned out and slowed down in its own way.
//!
//! Source: ns-2.35's `DelayBox` and `Tmix_DelayBox`, after dummynet (L. Rizzo, "Dummynet: a simple approach to the evaluation
//! of network protocols", CCR 27(1), 1997; ns-2's manual, "DelayBox").
//! What it decides: which delay, loss ratio and rate a flow gets, once, when its SYN passes, and when each of its packets goes
//! on. A packet waits for its delay, and behind the packet before it while that takes its time at the flow's rate.
//! Departures: none. As in ns-2 a SYN is a packet of 40 bytes and number 0, and what the box loses is in no trace; a FIN that
//! goes on ends the flow, and what is still waiting behind it is gone.
//! Not implemented: messages about single packets (`set-debug`).
//! Checked against: ns-2.35 (tests/oracle/ns2; its own suites delaybox, packmime and tmix).

use std::collections::{BTreeMap, VecDeque};

use crate::event::timer::{TimerId, TimerOwner};
use crate::net::Network;
use crate::net::node::{AgentId, NodeId};
use crate::packet::{PacketId, PacketKind};
use crate::random::random_variable::VariableId;

/// Bytes of a packet that opens a flow.
const SYN_BYTES: i32 = 40;
/// Bytes per second of a megabit per second.
const BYTES_PER_MEGABIT: f64 = 125_000.0;
/// RFC 793's flag of a segment that closes a side.
const FIN: u8 = 1;

/// Index of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxId(pub u32);

/// The node a flow comes from, the node it goes to, and its flow id.
pub type FlowEnds = (i32, i32, i32);

/// What flows between two nodes draw from.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The delay, ms.
    pub delay_ms: VariableId,
    /// The part of the packets that is lost; none if it is not there.
    pub loss: Option<VariableId>,
    /// The rate, Mbit/s; without limit if it is not there.
    pub rate_mbps: Option<VariableId>,
}

/// What a flow has drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Treatment {
    /// How long each packet is delayed, s.
    pub delay_s: f64,
    /// The part of the packets that is lost.
    pub loss: f64,
    /// Bytes per second; 0 for no limit.
    pub bytes_per_s: f64,
}

/// A flow that passes.
struct Flow {
    place: BoxId,
    ends: FlowEnds,
    treatment: Treatment,
    /// What waits, and how long after the packet before it each goes on, s.
    waiting: VecDeque<(PacketId, f64)>,
    /// When the last one goes on, s; 0 if nothing waits.
    last_goes_s: f64,
    timer: TimerId,
}

/// A box.
pub struct DelayBox {
    node: NodeId,
    rules: BTreeMap<(i32, i32), Rule>,
    flows: BTreeMap<FlowEnds, u32>,
    /// ACKs are treated as the data they answer.
    pub is_symmetric: bool,
    /// Nothing is lost, whatever the flows have drawn.
    pub is_lossless: bool,
    /// Flows that were met are written down.
    pub keeps_record: bool,
    /// Those met since somebody asked, and their delays, s.
    pub met: Vec<(FlowEnds, f64)>,
}

/// All boxes of a network.
#[derive(Default)]
pub struct DelayBoxes {
    boxes: Vec<DelayBox>,
    flows: Vec<Flow>,
    free_flows: Vec<u32>,
}

impl DelayBoxes {
    /// Packets that wait.
    pub fn holds_packets(&self) -> usize {
        self.flows.iter().map(|flow| flow.waiting.len()).sum()
    }

    /// A box, if there is one of that number.
    pub fn get_mut(&mut self, id: BoxId) -> Option<&mut DelayBox> {
        self.boxes.get_mut(id.0 as usize)
    }

    /// The flows of a box and how they are treated, in order.
    pub fn flows_of(&self, id: BoxId) -> Vec<(FlowEnds, Treatment)> {
        let flows = self.boxes[id.0 as usize].flows.iter();
        flows.map(|(&ends, &flow)| (ends, self.flows[flow as usize].treatment)).collect()
    }
}

impl DelayBox {
    /// The flows between two nodes draw from this from now on.
    pub fn set_rule(&mut self, source: i32, destination: i32, rule: Rule) {
        self.rules.insert((source, destination), rule);
    }

    /// The nodes that there are rules for, in order.
    pub fn ruled(&self) -> Vec<(i32, i32)> {
        self.rules.keys().copied().collect()
    }

    fn rule_for(&self, (source, destination, _): FlowEnds) -> Option<Rule> {
        let back = || self.rules.get(&(destination, source)).filter(|_| self.is_symmetric);
        self.rules.get(&(source, destination)).or_else(back).copied()
    }
}

impl Network {
    /// A box at the ingress of a node.
    pub fn add_delay_box(&mut self, node: NodeId) -> BoxId {
        let id = BoxId(self.delay_boxes.boxes.len() as u32);
        self.delay_boxes.boxes.push(DelayBox {
            node,
            rules: BTreeMap::new(),
            flows: BTreeMap::new(),
            is_symmetric: true,
            is_lossless: false,
            keeps_record: false,
            met: Vec::new(),
        });
        self.nodes[node.0 as usize].set_ingress_box(id);
        id
    }

    /// A flow is treated so from now on.
    pub fn add_delayed_flow(&mut self, id: BoxId, ends: FlowEnds, treatment: Treatment) {
        let slot = match self.delay_boxes.free_flows.pop() {
            Some(slot) => slot,
            None => {
                let slot = self.delay_boxes.flows.len() as u32;
                let timer = self.add_timer(TimerOwner::DelayBox(slot));
                let waiting = VecDeque::new();
                self.delay_boxes.flows.push(Flow { place: id, ends, treatment, waiting, last_goes_s: 0.0, timer });
                slot
            }
        };
        let flow = &mut self.delay_boxes.flows[slot as usize];
        (flow.place, flow.ends, flow.treatment, flow.last_goes_s) = (id, ends, treatment, 0.0);
        if let Some(former) = self.delay_boxes.boxes[id.0 as usize].flows.insert(ends, slot) {
            self.end_delayed_flow(former);
        }
    }

    fn end_delayed_flow(&mut self, slot: u32) {
        let flow = &mut self.delay_boxes.flows[slot as usize];
        let (timer, waiting) = (flow.timer, std::mem::take(&mut flow.waiting));
        self.stop_timer(timer);
        for (packet, _) in waiting {
            self.free(packet);
        }
        self.delay_boxes.free_flows.push(slot);
    }

    /// The flow of a packet that comes to a box, which it may open. Nothing for a packet that is none of the box's.
    fn delayed_flow(&mut self, id: BoxId, packet: PacketId) -> Option<u32> {
        let packet = &self.packets[packet];
        let ends = (packet.src.node, packet.dst.node, packet.fid);
        let place = &self.delay_boxes.boxes[id.0 as usize];
        if let Some(&slot) = place.flows.get(&ends) {
            return Some(slot);
        }
        if packet.size != SYN_BYTES || packet.seqno != 0 {
            return None;
        }
        let treatment = match packet.kind {
            PacketKind::Ack if place.is_symmetric => {
                let &data = place.flows.get(&(ends.1, ends.0, ends.2))?;
                self.delay_boxes.flows[data as usize].treatment
            }
            PacketKind::Tcp => {
                let rule = place.rule_for(ends)?;
                Treatment {
                    delay_s: self.rng.draw(rule.delay_ms) / 1000.0,
                    loss: rule.loss.map_or(0.0, |loss| self.rng.draw(loss)),
                    bytes_per_s: rule.rate_mbps.map_or(0.0, |rate| self.rng.draw(rate) * BYTES_PER_MEGABIT),
                }
            }
            _ => return None,
        };
        self.add_delayed_flow(id, ends, treatment);
        let place = &mut self.delay_boxes.boxes[id.0 as usize];
        if place.keeps_record {
            place.met.push((ends, treatment.delay_s));
        }
        place.flows.get(&ends).copied()
    }

    /// A packet comes to a box: the agent it is for, if it goes on at once and is for the box's own node.
    pub(crate) fn enter_delay_box(&mut self, id: BoxId, packet: PacketId) -> Option<AgentId> {
        let Some(slot) = self.delayed_flow(id, packet) else {
            let node = self.delay_boxes.boxes[id.0 as usize].node;
            return self.pass_ingress(node.0, packet);
        };
        let Treatment { delay_s, loss, bytes_per_s } = self.delay_boxes.flows[slot as usize].treatment;
        let drawn = self.rng.default.unit();
        if loss > 0.0 && drawn <= loss && !self.delay_boxes.boxes[id.0 as usize].is_lossless {
            self.free(packet);
            return None;
        }
        let now_s = self.now().secs();
        let flow = &mut self.delay_boxes.flows[slot as usize];
        let takes_s = match flow.waiting.back() {
            Some(&(last, _)) if bytes_per_s > 0.0 => f64::from(self.packets[last].size) / bytes_per_s,
            _ => 0.0,
        };
        let goes_s = now_s + delay_s;
        let after_s = if goes_s < flow.last_goes_s + takes_s { takes_s } else { goes_s - flow.last_goes_s };
        flow.last_goes_s += after_s;
        flow.waiting.push_back((packet, after_s));
        if flow.waiting.len() == 1 {
            let timer = flow.timer;
            self.set_timer(timer, after_s - now_s);
        }
        None
    }

    /// A packet of a flow goes on: it and the agent it is for, if that is at the box's own node.
    pub(crate) fn delay_box_timer(&mut self, slot: u32) -> Option<(AgentId, PacketId)> {
        let flow = &mut self.delay_boxes.flows[slot as usize];
        let (id, ends, timer) = (flow.place, flow.ends, flow.timer);
        let (packet, _) = flow.waiting.pop_front()?;
        let next = flow.waiting.front().map(|&(_, after_s)| after_s);
        if next.is_none() {
            flow.last_goes_s = 0.0;
        }
        let place = &mut self.delay_boxes.boxes[id.0 as usize];
        let node = place.node;
        if self.packets[packet].tcp_flags & FIN != 0 {
            place.flows.remove(&ends);
            self.end_delayed_flow(slot);
        } else if let Some(after_s) = next {
            self.set_timer(timer, after_s);
        }
        Some((self.pass_ingress(node.0, packet)?, packet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::packet::{Address, Packet};
    use crate::time::Time;

    // Worked by hand from the manual's text: 10 ms of delay, 1 Mbit/s. The second packet comes 1 ms after the first, whose
    // 1000 bytes take 8 ms, and so goes on 8 ms after it; the third comes when all is over.
    #[test]
    fn packets_wait_for_their_delay_and_for_the_packet_before() {
        let mut net = Network::default();
        net.nodes.push(crate::net::node::Node::default());
        net.nodes[0].attach_at(AgentId(7), 0);
        let id = net.add_delay_box(NodeId(0));
        let treatment = Treatment { delay_s: 0.010, loss: 0.0, bytes_per_s: BYTES_PER_MEGABIT };
        net.add_delayed_flow(id, (1, 0, 5), treatment);
        let come = |net: &mut Network, at_s: f64| {
            net.current.at = Time(at_s);
            let (src, dst) = (Address { node: 1, port: 0 }, Address { node: 0, port: 0 });
            let packet = net.make_packet(Packet { size: 1000, fid: 5, src, dst, ..Packet::default() });
            assert_eq!(net.enter_node(0, packet), None);
            packet
        };
        let go = |net: &mut Network| {
            let (key, Event::Timer(timer)) = net.events.pop_of_heap().unwrap() else { panic!("no timer is due") };
            net.current = key;
            assert_eq!(net.timers.came_up(timer, key, &mut net.events), Some(TimerOwner::DelayBox(0)));
            (key.at.secs(), net.delay_box_timer(0))
        };
        let first = come(&mut net, 1.0);
        let second = come(&mut net, 1.001);
        let near = |(at_s, went): (f64, Option<(AgentId, PacketId)>), expected_s: f64, packet| {
            assert!((at_s - expected_s).abs() < 1e-9, "{at_s}");
            assert_eq!(went, Some((AgentId(7), packet)));
        };
        near(go(&mut net), 1.010, first);
        near(go(&mut net), 1.018, second);
        let third = come(&mut net, 2.0);
        near(go(&mut net), 2.010, third);
    }

    #[test]
    fn what_is_no_flow_of_the_box_passes_at_once() {
        let mut net = Network::default();
        net.nodes.push(crate::net::node::Node::default());
        net.add_delay_box(NodeId(0));
        net.nodes[0].attach_at(AgentId(7), 0);
        let dst = Address { node: 0, port: 0 };
        let packet = net.make_packet(Packet { size: 1000, dst, ..Packet::default() });
        assert_eq!(net.enter_node(0, packet), Some(AgentId(7)));
    }
}
