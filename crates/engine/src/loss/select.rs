//! Selective error model: of one packet type, those whose uid has a given remainder are in error.
//!
//! Source: ns-2.35's `SelectErrorModel`.
//! What it decides: a packet of type `pkt_type` is in error if its uid modulo `drop_cycle` equals `drop_offset`.
//! Departures: a cycle of 0 selects no packet; ns-2 stops with an arithmetic error.
//! Not implemented: none.
//! Checked against: ns-2.35 by its source.

use super::model::number;
use super::{Common, Entry, Model, ModelContext, Unit};
use crate::packet::{Packet, PacketKind};
use crate::params::{Params, own_values};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "select",
    about: "packets of one kind, every so many by their numbers, are in error (ns-2.35's SelectErrorModel)",
    make: || Box::new(Select { pkt_type: CBR, drop_cycle: 10, drop_offset: 1 }),
};

const CBR: i32 = 2;

/// ns-2's number of a packet type.
fn kind_number(kind: PacketKind) -> i32 {
    match kind {
        PacketKind::Tcp => 0,
        PacketKind::Udp => 1,
        PacketKind::Cbr => CBR,
        PacketKind::Ack => 5,
        PacketKind::Message => 13,
        PacketKind::RtProtoDv => 16,
        PacketKind::Telnet => 26,
        PacketKind::Ftp => 27,
        PacketKind::Pareto => 28,
        PacketKind::Exp => 29,
        PacketKind::RapData => 40,
        PacketKind::RapAck => 41,
        PacketKind::Tfrc => 42,
        PacketKind::TfrcReport => 43,
        PacketKind::Ping => 44,
        PacketKind::RtProtoLs => 47,
        PacketKind::SaRequest => 20,
        PacketKind::SaAccept => 21,
        PacketKind::SaConfirm => 22,
        PacketKind::SaTeardown => 23,
        PacketKind::SaReject => 25,
        PacketKind::Xcp => 58,
        PacketKind::Prune => 8,
        PacketKind::Graft => 9,
        PacketKind::GraftAck => 10,
        PacketKind::Join => 11,
        PacketKind::Assert => 12,
        PacketKind::Encapsulated => 32,
        PacketKind::Sctp => 55,
        PacketKind::Rtcp => 14,
        PacketKind::Rtp => 15,
    }
}

#[derive(Params)]
struct Select {
    #[param(state)]
    pkt_type: i32,
    #[param(state)]
    drop_cycle: i32,
    #[param(state)]
    drop_offset: i32,
}

impl Select {
    fn set(&mut self, arguments: &[&str]) -> Result<String, String> {
        self.pkt_type = number(arguments, 0)?;
        self.drop_cycle = number(arguments, 1)?;
        self.drop_offset = number(arguments, 2)?;
        Ok(String::new())
    }
}

impl Model for Select {
    fn errs(&mut self, packet: &Packet, common: &Common, _context: &mut ModelContext) -> bool {
        if common.unit != Unit::Packet {
            return false;
        }
        if packet.kind == PacketKind::Udp && self.pkt_type == CBR {
            self.pkt_type = kind_number(PacketKind::Udp);
        }
        kind_number(packet.kind) == self.pkt_type && packet.uid.checked_rem(self.drop_cycle) == Some(self.drop_offset)
    }

    own_values!();

    fn command(
        &mut self,
        name: &str,
        arguments: &[&str],
        _common: &Common,
        _context: &mut ModelContext,
    ) -> Option<Result<String, String>> {
        if name == "drop-packet" { Some(self.set(arguments)) } else { None }
    }
}
