//! ns-2's SimpleTcp: a message is one packet of TCP, without acknowledgements, windows or retransmissions.
//!
//! Source: ns-2.35's `Agent/TCP/SimpleTcp`, which its web caches use by default in place of TCP.
//! Not implemented: sending by segments (`advance`), which ns-2 leaves to its one-way TCP.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use crate::net::node::AgentId;
use crate::net::{Network, SimulationError, Upcall};
use crate::packet::{PacketId, PacketKind};
use crate::params::{Params, Value};
use crate::random::rng::Source;
use crate::transport::agent::{Agent, Endpoint, Entry};

/// The registry entry of SimpleTcp.
pub const SIMPLE_TCP: Entry =
    Entry { id: "simple_tcp", about: "each message in one packet of TCP's, without control", make: SimpleTcp::make };

/// Bytes of TCP and IP headers in each packet.
const HEADERS: i32 = 40;

/// One end of a conversation.
#[derive(Params)]
struct SimpleTcp {
    end: Endpoint,
    /// Bytes that were sent.
    #[param(state)]
    seqno: i32,
    /// Packets that were sent.
    packets: i32,
    /// Bytes that were received.
    #[param(state)]
    bytes_received: i64,
}

impl SimpleTcp {
    fn make(id: AgentId, net: &mut Network) -> Box<dyn Agent> {
        let agent =
            SimpleTcp { end: Endpoint::new(id, PacketKind::Tcp, 1000), seqno: 0, packets: 0, bytes_received: 0 };
        agent.draw(net);
        Box::new(agent)
    }

    /// As every TCP agent of ns-2's, it draws the phase of a clock, although it has none.
    fn draw(&self, net: &mut Network) {
        net.rng.of(Source::Clock(self.end.id.0)).first_unit();
    }
}

impl Agent for SimpleTcp {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        let bytes = net.packets[packet].size - HEADERS;
        self.bytes_received += i64::from(bytes);
        net.notify(Upcall::Received(self.end.id, bytes));
        net.free(packet);
    }

    fn send_bytes(&mut self, bytes: Option<i64>, _: &str, net: &mut Network) {
        let Some(bytes) = bytes else { return };
        let Ok(bytes) = i32::try_from(bytes + i64::from(HEADERS)).map(|size| size - HEADERS) else {
            net.fail(SimulationError::Broken(format!("a message of {bytes} bytes is too large for one packet")));
            return;
        };
        self.seqno = self.seqno.wrapping_add(bytes);
        self.packets += 1;
        let id = self.end.make_packet(net);
        let packet = &mut net.packets[id];
        (packet.size, packet.payload, packet.seqno) = (bytes + HEADERS, bytes, self.packets);
        self.end.send(net, id);
    }

    fn reset(&mut self, net: &mut Network) {
        self.draw(net);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }
}
