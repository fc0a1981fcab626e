//! The XCP sender of ns-2.35: Reno's loss recovery with a window that the routers control.
//!
//! Source: D. Katabi, M. Handley, C. Rohrs, "Congestion control for high bandwidth-delay product networks", SIGCOMM
//! 2002; ns-2.35's `Agent/TCP/Reno/XCP`.
//! What it decides: nothing; Reno recovers losses, and [`super::super::xcp::window`] sets the window.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Recovery, take_in, time_out_in_recovery};
use crate::measure::observe::TraceId;
use crate::net::Network;
use crate::packet::PacketKind;
use crate::transport::compat::ns2::xcp::XcpEnd;
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::Connection;
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::traced::Log;

/// The XCP state.
#[derive(Default)]
pub struct Xcp {
    end: XcpEnd,
}

impl Recovery for Xcp {
    const KIND: PacketKind = PacketKind::Xcp;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        take_in(self, tcp, ack, net);
    }

    fn advance(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        self.end.sample_ack(tcp, ack, net.now().secs());
        tcp.new_ack(ack, net);
        tcp.finish_quick_start();
        tcp.after_opening(ack, net);
        self.end.obey(tcp, ack.packet, net);
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        time_out_in_recovery(tcp, net);
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::TIMEOUT, most, net);
    }

    fn output(&mut self, tcp: &mut Connection, seqno: i32, reason: u8, net: &mut Network) {
        tcp.output_with(seqno, reason, net, |tcp, packet, net| self.end.ask(tcp, packet, true, net));
    }

    fn was_reset(&mut self, _tcp: &mut Connection) {
        self.end.forget();
    }

    fn watch(&mut self, name: &str, place: TraceId, _log: &mut Log) -> bool {
        let is_remarks = name == "remarks";
        if is_remarks {
            self.end.remarks = Some(place);
        }
        is_remarks
    }
}
