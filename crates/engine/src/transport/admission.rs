//! Admission control: a flow requests admission from the links on its path before it sends.
//!
//! Source: ns-2.35's `Agent/SA` and `Agent/SAack`, as seen in their packets: a request, an answer, a confirmation and a
//! teardown at the end of the flow.

use crate::net::{Network, Upcall};
use crate::packet::header::{Header, Reservation};
use crate::packet::{PacketId, PacketKind};
use crate::params::{Params, Value};
use crate::transport::agent::{Agent, Endpoint, Entry};
use crate::transport::udp::Udp;

/// The admission agents of the registry.
pub const ADMISSION_AGENTS: &[Entry] = &[
    Entry {
        id: "sa",
        about: "datagrams of a flow that asks to be admitted",
        make: |id, _| Box::new(AdmissionSender { udp: Udp::new(id), rate: 0.0, bucket: 0, answer: None }),
    },
    Entry {
        id: "sa_ack",
        about: "answers requests to be admitted",
        make: |id, _| Box::new(AdmissionReceiver { end: Endpoint::new(id, PacketKind::Udp, 0) }),
    },
];

/// Size of each control packet, bytes.
const SIZE: i32 = 20;

#[derive(Params)]
struct AdmissionSender {
    udp: Udp,
    /// The requested token bucket: rate in bit/s, depth in bits.
    #[param(state, name = "rate_bps")]
    rate: f64,
    #[param(state)]
    bucket: i32,
    answer: Option<bool>,
}

impl AdmissionSender {
    fn send_message(&self, kind: PacketKind, net: &mut Network) {
        let end = self.udp.endpoint();
        let id = end.make_packet(net);
        (net.packets[id].kind, net.packets[id].size) = (kind, SIZE);
        let asked = Reservation { rate_bps: self.rate, bucket: f64::from(self.bucket), is_admitted: true };
        net.packets.set_header(id, Header::Reservation(asked));
        end.send(net, id);
    }
}

impl Agent for AdmissionSender {
    fn endpoint(&self) -> &Endpoint {
        self.udp.endpoint()
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        self.udp.endpoint_mut()
    }

    /// Returns the answer as the confirmation.
    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let kind = net.packets[id].kind;
        if !matches!(kind, PacketKind::SaAccept | PacketKind::SaReject) {
            return net.free(id);
        }
        let end = self.udp.endpoint();
        let packet = &mut net.packets[id];
        packet.kind = PacketKind::SaConfirm;
        (packet.src, packet.dst) = (end.here, end.peer);
        self.answer = Some(kind == PacketKind::SaAccept);
        end.send(net, id);
        net.notify(Upcall::Message(self.udp.endpoint().id));
    }

    fn send_bytes(&mut self, bytes: Option<i64>, flags: &str, net: &mut Network) {
        self.udp.send_bytes(bytes, flags, net);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.udp.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.udp.set_param(name, value)
    }

    /// `ask` requests admission; `take` returns the answer, 1 or 0; `leave` sends the teardown.
    fn command(&mut self, name: &str, _arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match name {
            "ask" => self.send_message(PacketKind::SaRequest, net),
            "leave" => self.send_message(PacketKind::SaTeardown, net),
            "take" => {
                return self.answer.take().map(|yes| u8::from(yes).to_string()).ok_or("no answer has come".into());
            }
            _ => return Err(format!("sa has no command {name}; it has ask, take and leave")),
        }
        Ok(String::new())
    }
}

struct AdmissionReceiver {
    end: Endpoint,
}

impl Agent for AdmissionReceiver {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let asked = net.packets[id];
        let header = net.packets.header(id).copied();
        net.free(id);
        if let (PacketKind::SaRequest, Some(Header::Reservation(reservation))) = (asked.kind, header) {
            let answer = self.end.make_packet(net);
            let packet = &mut net.packets[answer];
            packet.kind = if reservation.is_admitted { PacketKind::SaAccept } else { PacketKind::SaReject };
            (packet.size, packet.fid, packet.dst) = (SIZE, asked.fid, asked.src);
            net.packets.set_header(answer, Header::Reservation(reservation));
            self.end.send(net, answer);
        }
    }
}
