//! Datagram agents: UDP, the sink that throws away, and the one that counts losses.
//!
//! Source: ns-2.35's `Agent/UDP`, `Agent/Null` and `Agent/LossMonitor`.

use crate::agent::{Agent, Endpoint, Entry};
use crate::network::{Network, Upcall};
use crate::packet::{PacketId, PacketKind};
use crate::params;
use crate::params::Value;

/// The datagram agents of the table.
pub const DATAGRAM_AGENTS: &[Entry] = &[
    Entry {
        id: "udp",
        about: "datagrams, a bigger message cut into several",
        make: |id, _| Box::new(Udp { end: Endpoint::new(id, PacketKind::Udp, 1000), seqno: -1 }),
    },
    Entry {
        id: "null",
        about: "throws away what it gets",
        make: |id, _| Box::new(Null { end: Endpoint::new(id, PacketKind::Udp, 0) }),
    },
    Entry {
        id: "loss_monitor",
        about: "counts what it gets and what is missing",
        make: |id, _| Box::new(LossMonitor::new(id)),
    },
];

struct Udp {
    end: Endpoint,
    seqno: i32,
}

impl Udp {
    fn send(&mut self, bytes: i32, flags: &str, net: &mut Network) {
        let id = self.end.make_packet(net);
        self.seqno += 1;
        let packet = &mut net.packets[id];
        packet.size = bytes;
        packet.payload = bytes;
        packet.seqno = self.seqno;
        packet.ts = packet.made_at.secs();
        if flags == "NEW_BURST" {
            packet.reason = 1;
        }
        self.end.send(net, id);
    }
}

impl Agent for Udp {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        let bytes = net.packets[packet].size;
        net.tell(Upcall::Received(self.end.id, bytes));
        net.free(packet);
    }

    fn send_bytes(&mut self, bytes: Option<i64>, flags: &str, net: &mut Network) {
        let Some(bytes) = bytes else {
            net.fail(crate::network::Trouble::Broken("UDP cannot send without end".into()));
            return;
        };
        let size = i64::from(self.end.packet_size);
        if size <= 0 {
            net.fail(crate::network::Trouble::Broken(format!(
                "UDP's packet size is {size} bytes; it must be positive"
            )));
            return;
        }
        for _ in 0..bytes / size {
            self.send(size as i32, flags, net);
        }
        if bytes % size != 0 {
            self.send((bytes % size) as i32, flags, net);
        }
        net.tell(Upcall::Idle(self.end.id));
    }
}

struct Null {
    end: Endpoint,
}

impl Agent for Null {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        net.free(packet);
    }
}

/// Counts packets, bytes and gaps in the sequence numbers.
struct LossMonitor {
    end: Endpoint,
    lost: i32,
    packets: i32,
    bytes: i32,
    last_packet_time: f64,
    expected: i32,
}

params!(LossMonitor { lost, packets, bytes, last_packet_time, expected });

impl LossMonitor {
    fn new(id: crate::node::AgentId) -> LossMonitor {
        LossMonitor {
            end: Endpoint::new(id, PacketKind::Udp, 0),
            lost: 0,
            packets: 0,
            bytes: 0,
            last_packet_time: 0.0,
            expected: -1,
        }
    }
}

impl Agent for LossMonitor {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let packet = &net.packets[id];
        let seqno = packet.seqno;
        self.bytes += packet.size;
        self.packets += 1;
        if self.expected >= 0 && seqno > self.expected {
            self.lost += seqno - self.expected;
            net.tell(Upcall::Lost(self.end.id));
        }
        self.last_packet_time = net.now().secs();
        self.expected = seqno + 1;
        net.free(id);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }

    fn command(&mut self, name: &str, _arguments: &[&str], _net: &mut Network) -> Result<String, String> {
        match name {
            "clear" => {
                self.expected = -1;
                Ok(String::new())
            }
            _ => Err(format!("loss_monitor has no command {name}; it has clear")),
        }
    }
}
