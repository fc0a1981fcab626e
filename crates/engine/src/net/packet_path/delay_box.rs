//! The path of a packet through a delay box ([`crate::net::delay_box`]).

use std::collections::{BTreeMap, VecDeque};

use crate::event::timer::TimerOwner;
use crate::net::Network;
use crate::net::delay_box::{BoxId, DelayBox, Flow, FlowEnds, Treatment};
use crate::net::ids::{AgentId, NodeId};
use crate::packet::{PacketId, PacketKind};

/// Size of the packet that opens a flow, bytes.
const SYN_BYTES: i32 = 40;
/// Bytes per second of a megabit per second.
const BYTES_PER_MEGABIT: f64 = 125_000.0;
/// The FIN flag of the TCP header (RFC 793).
const FIN: u8 = 1;

impl Network {
    /// Adds a box at the ingress of a node.
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

    /// Sets the treatment of a flow.
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

    /// The flow of a packet that arrives at a box. A SYN may open a new flow. `None` if the box does not treat the
    /// packet.
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

    /// A packet arrives at a box. Returns the receiving agent if the packet passes immediately and its destination is
    /// this node.
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

    /// The first packet of a flow leaves the box. Returns it and its agent if the destination is the box's node.
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

    // Computed by hand from the manual's text: 10 ms of delay, 1 Mbit/s. The second packet arrives 1 ms after the
    // first. The first has 1000 bytes and takes 8 ms, so the second leaves 8 ms after it. The third arrives when both
    // have left.
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
