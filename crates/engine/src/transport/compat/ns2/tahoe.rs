//! TCP Tahoe: a loss restarts slow start.
//!
//! Source: V. Jacobson, "Congestion avoidance and control", SIGCOMM 1988; ns-2.35's `Agent/TCP`.
//! What it decides: three duplicate ACKs, like a timeout, set the window to one packet, and sending continues from the
//! missing packet.
//! Departures: at most one restart per window of data (`bug_fix`).
//! Not implemented: none.
//! Checked against: ns-2.35.

use crate::net::Network;
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::Connection;
use crate::transport::one_way::recovery::{Recovery, handle_explicit_loss, restart_slow_start, send_one_new};
use crate::transport::one_way::segment::reason;

/// Tahoe; it has no state.
#[derive(Default)]
pub struct Tahoe;

impl Recovery for Tahoe {
    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        tcp.handle_quick_start(ack, net);
        if !tcp.accept(ack) {
            return;
        }
        tcp.remember_timestamp(ack);
        tcp.frto_duplicate(ack.seqno);
        if ack.seqno > tcp.last_ack {
            tcp.advance(ack, net);
            tcp.open_after_syn(net);
        } else if ack.seqno == tcp.last_ack {
            if handle_explicit_loss(self, tcp, ack, net) {
                return;
            }
            tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
            if *tcp.dupacks == tcp.config.numdupacks && !tcp.config.no_fast_retrans {
                restart_slow_start(tcp, net);
            } else if *tcp.dupacks < tcp.config.numdupacks && tcp.config.singledup != 0 {
                send_one_new(self, tcp, net);
            }
        }
        tcp.idle_after_ack(ack.seqno);
        if tcp.lets_go(ack) {
            let most = tcp.config.maxburst;
            self.send(tcp, false, reason::NONE, most, net);
        }
    }
}
