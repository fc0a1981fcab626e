//! TCP Reno: fast retransmit and fast recovery, which the first ACK of new data ends.
//!
//! Source: RFC 2001; ns-2.35's `Agent/TCP/Reno`.
//! What it decides: three duplicate ACKs retransmit the missing packet and halve the window; each further one inflates
//! the window by one packet, until an ACK of new data arrives.
//! Departures: at most one fast retransmit per window of data (`bug_fix`), unless recovery is still in progress.
//! Not implemented: none.
//! Checked against: ns-2.35.

pub mod xcp;

use crate::net::Network;
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Connection, LastCut};
use crate::transport::one_way::recovery::{
    Duplicates, Paceable, Recovery, classify_duplicates, handle_explicit_loss, inflates, retransmit_after_mark,
    send_one_new, time_out_in_recovery,
};
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

/// Reno; its only state, the window inflation, is in the connection.
#[derive(Default)]
pub struct Reno;

impl Recovery for Reno {
    const LEAVES_WINDOW: bool = true;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        take_in(self, tcp, ack, net);
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        time_out_in_recovery(tcp, net);
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::TIMEOUT, most, net);
    }
}

impl Paceable for Reno {
    const MEASURES_RATE: bool = false;

    fn measured_window(&self) -> f64 {
        0.0
    }

    fn round_trip_s(&self, tcp: &Connection) -> f64 {
        f64::from(*tcp.rtt.srtt) * 0.5f64.powi(tcp.config.t_srtt_bits) * tcp.config.tcp_tick
    }

    /// Sets the window to the packets in flight, to avoid a burst.
    fn paced_is_acknowledged(&mut self, tcp: &mut Connection) {
        tcp.cwnd.set(f64::from(*tcp.maxseq - tcp.last_ack), &mut tcp.log);
    }
}

/// Processes an ACK by Reno's rules.
#[inline(always)]
fn take_in<R: Recovery>(recovery: &mut R, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
    tcp.handle_quick_start(ack, net);
    if !tcp.accept(ack) {
        return;
    }
    tcp.remember_timestamp(ack);
    tcp.frto_duplicate(ack.seqno);
    if ack.seqno > tcp.last_ack {
        if tcp.last_cut == LastCut::Duplicates {
            tcp.last_cut = LastCut::Recovered;
        }
        tcp.inflation = 0;
        recovery.advance(tcp, ack, net);
        tcp.open_after_syn(net);
    } else if ack.seqno == tcp.last_ack {
        if handle_explicit_loss(recovery, tcp, ack, net) {
            return;
        }
        tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
        if *tcp.dupacks == tcp.config.numdupacks {
            retransmit(recovery, tcp, net);
            if !tcp.config.exit_fast_retrans {
                tcp.inflation = tcp.config.numdupacks;
            }
        } else if inflates(tcp) {
            tcp.inflation += 1;
        } else if *tcp.dupacks < tcp.config.numdupacks && tcp.config.singledup != 0 {
            send_one_new(recovery, tcp, net);
        }
    }
    if tcp.lets_go(ack) && (*tcp.dupacks == 0 || *tcp.dupacks > tcp.config.numdupacks - 1) {
        let most = tcp.config.maxburst;
        recovery.send(tcp, false, reason::NONE, most, net);
    }
}

/// Fast retransmit at the duplicate ACK threshold.
fn retransmit<R: Recovery>(recovery: &mut R, tcp: &mut Connection, net: &mut Network) {
    match classify_duplicates(tcp) {
        Duplicates::LossAfterMark => retransmit_after_mark(recovery, tcp, net),
        Duplicates::Nothing if tcp.last_cut != LastCut::Duplicates => {}
        _ => {
            tcp.happened("RENO_FAST_RETX");
            tcp.recover = *tcp.maxseq;
            tcp.last_cut = LastCut::Duplicates;
            tcp.cut(NewThreshold::Reduced, NewWindow::Reduced, Cause::Congestion);
            tcp.restart_timer(false, net);
            recovery.output(tcp, tcp.last_ack + 1, reason::DUPLICATES, net);
            tcp.inflation = tcp.config.numdupacks;
        }
    }
}
