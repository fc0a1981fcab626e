//! Tahoe: a loss starts slow start anew.
//!
//! Source: V. Jacobson, "Congestion avoidance and control", SIGCOMM 1988; ns-2.35's `Agent/TCP`.
//! What it decides: after three duplicate ACKs, as after a timeout, the window is one packet and sending goes on from the
//! packet that is missing.
//! Departures: one window of data causes one such start (`bug_fix`).
//! Not implemented: none.
//! Checked against: ns-2.35.

use crate::net::Network;
use crate::transport::one_way::ack::Ack;
use crate::transport::one_way::connection::Connection;
use crate::transport::one_way::recovery::{Recovery, handle_explicit_loss, restart_slow_start, send_one_new};
use crate::transport::one_way::segment::reason;

/// Tahoe has no state of its own.
#[derive(Default)]
pub struct Tahoe;

impl Recovery for Tahoe {
    fn on_ack(&mut self, tcp: &mut Connection, ack: &Ack, net: &mut Network) {
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
