//! External endpoint: an agent that injects real packets into the simulation and takes them out, for emulation.
//!
//! The packets' bytes stay outside. A simulated packet has a size, a flow, an ECT flag, and a number that
//! identifies the real packet when it leaves.

use std::collections::VecDeque;

use crate::net::Network;
use crate::packet::{Address, PacketId, PacketKind, flag};
use crate::transport::agent::{Agent, Endpoint, Entry};

/// The external endpoint of the registry.
pub const EXTERNAL_ENDPOINTS: &[Entry] = &[Entry {
    id: "gateway",
    about: "lets packets of a real network in and out",
    make: |id, _| Box::new(ExternalEndpoint { end: Endpoint::new(id, PacketKind::Udp, 0), out: VecDeque::new() }),
}];

/// A packet to inject.
#[derive(Clone, Copy, Debug)]
pub struct Inbound {
    /// Its number outside the simulation.
    pub number: i32,
    /// Bytes on the wire.
    pub bytes: i32,
    /// Flow id.
    pub flow: i32,
    /// Whether the packet is ECN-capable (RFC 3168: ECT).
    pub may_be_marked: bool,
    /// Address of the gateway at which it leaves.
    pub to: Address,
}

struct ExternalEndpoint {
    end: Endpoint,
    /// Number of each packet that has left, and whether it is marked.
    out: VecDeque<(i32, bool)>,
}

/// Injects a packet at a gateway.
pub fn let_in(gateway: &dyn Agent, packet: Inbound, net: &mut Network) {
    let end = gateway.endpoint();
    let id = end.make_packet(net);
    let made = &mut net.packets[id];
    (made.size, made.payload, made.fid, made.seqno) = (packet.bytes, packet.bytes, packet.flow, packet.number);
    made.dst = packet.to;
    made.flags = if packet.may_be_marked { flag::ECN_CAPABLE } else { 0 };
    end.send(net, id);
}

impl Agent for ExternalEndpoint {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let packet = &net.packets[id];
        self.out.push_back((packet.seqno, packet.has(flag::MARKED)));
        net.free(id);
    }

    /// `take` returns the number of the oldest packet that has left, a space, and 1 if it is marked; an empty string if
    /// there is none.
    fn command(&mut self, name: &str, _arguments: &[&str], _net: &mut Network) -> Result<String, String> {
        match name {
            "take" => Ok(self
                .out
                .pop_front()
                .map_or_else(String::new, |(number, marked)| format!("{number} {}", u8::from(marked)))),
            _ => Err(format!("a gateway has no command {name}; it has take")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::node::AgentId;
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
        let there = sim.agents[right.0 as usize].endpoint().here;
        let packet = Inbound { number: 7, bytes: 1500, flow: 1, may_be_marked: true, to: there };
        sim.with_agent(left, |agent, net| let_in(agent, packet, net));
        let take = |sim: &mut Simulation, agent: AgentId| {
            sim.with_agent(agent, |agent, net| agent.command("take", &[], net)).unwrap()
        };
        while let Some(due) = sim.next_at() {
            assert_eq!(take(&mut sim, right), "");
            sim.run(1);
            assert!(due <= sim.now());
        }
        assert_eq!(sim.now().secs(), 0.022);
        assert_eq!(take(&mut sim, right), "7 0");
        assert_eq!(take(&mut sim, right), "");
    }
}
