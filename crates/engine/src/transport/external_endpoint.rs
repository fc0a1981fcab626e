//! External endpoint: an agent that injects datagrams of other programs into the simulation and takes them out.
//!
//! Emulation and the crate `ackclock` use it. A simulated packet carries the datagram's bytes, has its size, a flow and
//! its ECN field.

use std::any::Any;
use std::collections::VecDeque;

use crate::net::{Network, Upcall};
use crate::packet::segment::EcnCodepoint;
use crate::packet::{Address, PacketId, PacketKind};
use crate::params::Value;
use crate::time::Time;
use crate::transport::agent::{Agent, Endpoint, Entry};

/// The external endpoint of the registry.
pub const EXTERNAL_ENDPOINTS: &[Entry] = &[Entry {
    id: "gateway",
    about: "lets packets of a real network in and out",
    make: |id, _| {
        let end = Endpoint::new(id, PacketKind::Udp, 0);
        Box::new(ExternalEndpoint { end, out: VecDeque::new(), delivered_bytes: None })
    },
}];

/// A packet to inject.
#[derive(Clone, Debug)]
pub struct Inbound {
    /// Its sequence number, for traces.
    pub number: i32,
    /// The bytes that it carries.
    pub payload: Vec<u8>,
    /// Bytes on the wire.
    pub bytes: i32,
    /// Flow id.
    pub flow: i32,
    /// The ECN field.
    pub ecn: EcnCodepoint,
    /// Address of the external endpoint at which it leaves.
    pub to: Address,
}

/// A packet that has left the simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Outbound {
    /// The bytes that it carries.
    pub payload: Vec<u8>,
    /// The ECN field; a queue may have set CE.
    pub ecn: EcnCodepoint,
    /// Address of the endpoint that sent it.
    pub from: Address,
    /// When it entered.
    pub sent_at: Time,
    /// When it left.
    pub received_at: Time,
}

struct ExternalEndpoint {
    end: Endpoint,
    out: VecDeque<Outbound>,
    /// Bytes that the program says its application has got.
    delivered_bytes: Option<u64>,
}

/// Injects a packet at an external endpoint.
pub fn let_in(endpoint: &dyn Agent, packet: Inbound, net: &mut Network) {
    let end = endpoint.endpoint();
    let id = end.make_packet(net);
    let made = &mut net.packets[id];
    (made.size, made.payload, made.fid, made.seqno) = (packet.bytes, packet.bytes, packet.flow, packet.number);
    made.dst = packet.to;
    made.set_ecn(packet.ecn);
    net.packets.set_payload(id, packet.payload);
    end.send(net, id);
}

/// The oldest packet that has left at an external endpoint and was not taken yet.
///
/// # Panics
/// If the agent is not an external endpoint.
pub fn take_out(endpoint: &mut dyn Agent) -> Option<Outbound> {
    let endpoint = (endpoint as &mut dyn Any).downcast_mut::<ExternalEndpoint>();
    endpoint.expect("an external endpoint").out.pop_front()
}

/// Says how many bytes the application at an external endpoint has got so far, in order and without duplicates: the
/// packets do not show it. It is the agent's parameter `bytes_received`.
///
/// # Panics
/// If the agent is not an external endpoint.
pub fn note_delivered(endpoint: &mut dyn Agent, bytes: u64) {
    let endpoint = (endpoint as &mut dyn Any).downcast_mut::<ExternalEndpoint>();
    endpoint.expect("an external endpoint").delivered_bytes = Some(bytes);
}

impl Agent for ExternalEndpoint {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn param(&self, name: &str) -> Option<Value> {
        match (name, self.delivered_bytes) {
            ("bytes_received", Some(bytes)) => Some(Value::Int(bytes as i64)),
            _ => self.end.param(name),
        }
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let packet = &net.packets[id];
        let (ecn, from, sent_at, received_at) = (packet.ecn(), packet.src, packet.made_at, net.now());
        let payload = net.packets.free_but_payload(id);
        self.out.push_back(Outbound { payload, ecn, from, sent_at, received_at });
        net.notify(Upcall::Message(self.end.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Simulation;

    // 1500 bytes at 1 Mb/s and 10 ms of propagation delay: the packet leaves after 22 ms, by hand.
    #[test]
    fn a_packet_comes_out_when_its_way_is_over() {
        let mut sim = Simulation::default();
        let (from, to) = (sim.add_node(), sim.add_node());
        sim.add_link(from, to, 1e6, 0.01, "drop_tail").unwrap();
        sim.routing.insert(from.0, to.0, 1.0);
        let [left, right] = [from, to].map(|node| {
            let agent = sim.add_agent("gateway").unwrap();
            sim.attach(agent, node, None);
            agent
        });
        sim.install_routes();
        let [here, there] = [left, right].map(|agent| sim.agents[agent.0 as usize].endpoint().here);
        let (payload, ecn) = (vec![7; 1472], EcnCodepoint::Ect1);
        let packet = Inbound { number: 7, payload, bytes: 1500, flow: 1, ecn, to: there };
        sim.with_agent(left, |agent, net| let_in(agent, packet, net));
        while let Some(due) = sim.next_at() {
            assert_eq!(take_out(&mut *sim.agents[right.0 as usize]), None);
            sim.run(1);
            assert!(due <= sim.now());
        }
        let (sent_at, received_at) = (Time(0.0), Time(0.022));
        let left = Outbound { payload: vec![7; 1472], ecn: EcnCodepoint::Ect1, from: here, sent_at, received_at };
        assert_eq!(take_out(&mut *sim.agents[right.0 as usize]), Some(left));
        assert_eq!(take_out(&mut *sim.agents[right.0 as usize]), None);
        assert_eq!((sim.net.packets.alive(), sim.net.packets.payloads()), (0, 0));
    }
}
