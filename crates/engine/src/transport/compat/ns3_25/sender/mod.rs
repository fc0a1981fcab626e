//! The TCP socket of ns-3.25: NewReno with congestion states, and a congestion control selected by name.
//!
//! Source: ns-3.25's `TcpSocketBase`; RFC 6582 (NewReno), RFC 3042 (limited transmit), RFC 6298 (timeouts).
//! What it decides: every duplicate ACK before fast retransmit sends a new segment. Fast recovery inflates the window
//! by a segment per further one, and retransmits one segment per partial ACK. A timeout goes back to the first missing
//! segment. One of [`crate::transport::compat::ns3_25::cc::CONTROLS`] sets window and threshold.
//! Departures: duplicate ACKs that may not start a fast retransmit (an ACK from before the last cut's highest segment)
//! each send a new segment, beyond the window. Recovery ends with a window of the data in flight plus a segment, if
//! that is less than the threshold. Consecutive timeouts do not change the threshold again. Segments are always
//! full-sized.
//! Not implemented: closing a connection after six failed transmissions of a segment; ECN, which ns-3.25 does not have.
//! Checked against: ns-3.25 (tests/oracle/test_ns3.py).

mod rtt;

use crate::net::Network;
use crate::transport::compat::ns3_25::cc::{self, CONTROLS, Ns3CongestionOps, Socket};
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Bound, Connection};
use crate::transport::one_way::recovery::Recovery;
use crate::transport::one_way::segment::reason;
use rtt::{RttMeanDeviation, ns};

/// The congestion state of the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Normal operation.
    #[default]
    Open,
    /// Duplicate ACKs have arrived.
    Disorder,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

/// The state of an ns-3 sender besides its connection.
pub struct Ns3 {
    law: Box<dyn Ns3CongestionOps>,
    socket: Socket,
    state: State,
    round_trip: RttMeanDeviation,
    /// The first packet not yet sent at the last window cut.
    recover: i32,
    /// Retransmissions since the end of the last recovery.
    sent_again: u32,
    /// No partial ACK has arrived in this recovery.
    awaits_partial: bool,
}

impl Default for Ns3 {
    fn default() -> Ns3 {
        let socket = Socket { segment: 1, cwnd: 0, ssthresh: u32::MAX, rtt_ns: 0, now_ns: 0 };
        Ns3 {
            law: (CONTROLS[0].make)(),
            socket,
            state: State::Open,
            round_trip: RttMeanDeviation::default(),
            recover: 0,
            sent_again: 0,
            awaits_partial: true,
        }
    }
}

impl Recovery for Ns3 {
    const BOUND: Bound = Bound::InFlight;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        if !tcp.accept(ack) {
            return;
        }
        tcp.remember_timestamp(ack);
        self.socket.now_ns = ns(net.now().secs());
        if self.round_trip.acknowledged(ack.seqno, ns(ack.ts_echo), self.socket.now_ns, &tcp.config) {
            self.socket.rtt_ns = self.round_trip.smoothed_ns;
        }
        if ack.seqno < *tcp.ack {
            return;
        }
        if ack.seqno > *tcp.ack {
            if is_opening(tcp) {
                self.open(tcp, ack, net);
            } else {
                self.new_data(tcp, ack, net);
            }
            self.publish_variables(tcp);
            self.send(tcp, false, reason::NONE, 0, net);
        } else if ack.seqno + 1 < *tcp.t_seqno && !is_opening(tcp) {
            self.duplicate(tcp, net);
        }
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.socket.now_ns = ns(net.now().secs());
        if *tcp.ack == *tcp.maxseq {
            return;
        }
        tcp.happened("TIMEOUT");
        tcp.nrexmit.set(*tcp.nrexmit + 1, &mut tcp.log);
        self.recover = *tcp.maxseq + 1;
        if !is_opening(tcp) && self.state != State::Loss {
            self.state = State::Loss;
            self.socket.ssthresh = self.law.ssthresh(&self.socket, self.in_flight(tcp));
            self.socket.cwnd = self.socket.segment;
            tcp.ncwndcuts.set(*tcp.ncwndcuts + 1, &mut tcp.log);
            self.publish_variables(tcp);
        }
        tcp.go_back();
        tcp.dupacks.set(0, &mut tcp.log);
        self.send_missing(tcp, reason::TIMEOUT, net);
    }

    fn output(&mut self, tcp: &mut Connection, seqno: i32, reason: u8, net: &mut Network) {
        self.round_trip.sent(seqno, ns(net.now().secs()));
        if !net.timer_runs(tcp.retransmit_timer) && seqno <= *tcp.maxseq {
            self.round_trip.back_off(&tcp.config);
        }
        tcp.rtt.timeout_s = self.round_trip.timeout_s;
        tcp.output(seqno, reason, net);
    }

    fn was_reset(&mut self, tcp: &mut Connection) {
        self.socket =
            Socket { segment: tcp.end.packet_size.max(1) as u32, ssthresh: u32::MAX, cwnd: 0, rtt_ns: 0, now_ns: 0 };
        self.state = State::Open;
        self.recover = 0;
        self.sent_again = 0;
        self.awaits_partial = true;
        self.round_trip.reset(&tcp.config);
        self.start(tcp);
    }

    fn command(
        &mut self,
        _tcp: &mut Connection,
        name: &str,
        arguments: &[&str],
        _net: &mut Network,
    ) -> Option<Result<String, String>> {
        let ("congestion_control", [id]) = (name, arguments) else { return None };
        let Some(entry) = cc::named(id) else {
            let known: Vec<&str> = CONTROLS.iter().map(|entry| entry.id).collect();
            return Some(Err(format!("unknown congestion control {id}; expected one of {}", known.join(", "))));
        };
        self.law = (entry.make)();
        Some(Ok(String::new()))
    }
}

/// Whether the SYN is not yet acknowledged.
fn is_opening(tcp: &Connection) -> bool {
    tcp.config.syn && *tcp.ack < 0
}

impl Ns3 {
    /// Sets the initial window; the SYN is sent alone.
    fn start(&mut self, tcp: &mut Connection) {
        let segments = if is_opening(tcp) { 1.0 } else { tcp.config.window_init };
        self.socket.cwnd = (segments * f64::from(self.socket.segment)) as u32;
        self.publish_variables(tcp);
    }

    /// Copies window and threshold to the connection, in packets.
    fn publish_variables(&self, tcp: &mut Connection) {
        let segment = f64::from(self.socket.segment);
        tcp.cwnd.set(f64::from(self.socket.cwnd) / segment, &mut tcp.log);
        // Before the first cut, the connection's threshold is the receiver's window.
        if self.socket.ssthresh < u32::MAX {
            tcp.ssthresh.set((self.socket.ssthresh / self.socket.segment) as i32, &mut tcp.log);
        }
    }

    /// Bytes in flight: the unacknowledged ones, minus a segment per duplicate ACK, plus one per retransmission.
    fn in_flight(&self, tcp: &Connection) -> u32 {
        let sent = (*tcp.t_seqno - *tcp.ack - 1) as u32;
        (sent + self.sent_again).saturating_sub(*tcp.dupacks as u32) * self.socket.segment
    }

    /// Processes the ACK of the SYN.
    fn open(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        tcp.previous_ack = *tcp.ack;
        tcp.acknowledge_up_to(ack.seqno);
        tcp.stop_retransmit_timer(net);
        // Retransmitted SYNs do not count as data in flight.
        self.sent_again = 0;
        self.start(tcp);
    }

    /// Processes a duplicate ACK.
    fn duplicate(&mut self, tcp: &mut Connection, net: &mut Network) {
        tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
        let is_fresh = *tcp.ack + 1 >= self.recover;
        match self.state {
            State::Disorder if *tcp.dupacks == tcp.config.numdupacks && is_fresh => self.retransmit(tcp, net),
            State::Open | State::Disorder => {
                self.state = State::Disorder;
                if tcp.config.singledup != 0 && *tcp.t_seqno < *tcp.seqno {
                    let next = *tcp.t_seqno;
                    self.output(tcp, next, reason::NONE, net);
                    tcp.t_seqno.set(next + 1, &mut tcp.log);
                }
            }
            State::Recovery => {
                self.socket.cwnd += self.socket.segment;
                self.publish_variables(tcp);
                self.send(tcp, false, reason::NONE, 0, net);
            }
            State::Loss => {}
        }
        self.law.acked(&self.socket, 1);
    }

    /// Fast retransmit; starts recovery.
    fn retransmit(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.recover = *tcp.maxseq + 1;
        self.state = State::Recovery;
        self.socket.ssthresh = self.law.ssthresh(&self.socket, self.in_flight(tcp));
        self.socket.cwnd = self.socket.ssthresh + *tcp.dupacks as u32 * self.socket.segment;
        tcp.happened("FAST_RETX");
        tcp.ncwndcuts.set(*tcp.ncwndcuts + 1, &mut tcp.log);
        self.publish_variables(tcp);
        self.send_missing(tcp, reason::DUPLICATES, net);
    }

    /// Sends the first missing packet.
    fn send_missing(&mut self, tcp: &mut Connection, reason: u8, net: &mut Network) {
        let missing = *tcp.ack + 1;
        self.output(tcp, missing, reason, net);
        self.sent_again += 1;
        if *tcp.t_seqno <= missing {
            tcp.t_seqno.set(missing + 1, &mut tcp.log);
        }
    }

    /// Processes an ACK of new data.
    fn new_data(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        let acked = ack.seqno.abs_diff(*tcp.ack);
        // Duplicate ACKs have reported all packets but these.
        let uncounted = acked.saturating_sub(*tcp.dupacks as u32).max(1);
        let is_partial = self.state == State::Recovery && ack.seqno + 1 < self.recover;
        let restarts_timer = !is_partial || self.awaits_partial;
        let mut counted = acked;
        if is_partial {
            let left = self.socket.cwnd.saturating_sub(acked * self.socket.segment);
            self.socket.cwnd = left + self.socket.segment;
            self.awaits_partial = false;
            let duplicates = (*tcp.dupacks as u32).saturating_sub(uncounted);
            self.acknowledge(tcp, ack);
            tcp.dupacks.set(duplicates as i32, &mut tcp.log);
            self.sent_again = self.sent_again.saturating_sub(1);
            self.send_missing(tcp, reason::PARTIAL_ACK, net);
            self.law.acked(&self.socket, 1);
        } else {
            if self.state == State::Recovery {
                let in_flight = self.in_flight(tcp);
                self.socket.cwnd = self.socket.ssthresh.min(in_flight + self.socket.segment);
                counted = (ack.seqno + 1 - self.recover) as u32;
            }
            self.law.acked(&self.socket, uncounted);
            if self.state != State::Open {
                self.state = State::Open;
                self.sent_again = 0;
                self.awaits_partial = true;
            }
            self.law.grow(&mut self.socket, counted);
            self.acknowledge(tcp, ack);
        }
        if restarts_timer {
            self.round_trip.renew(&tcp.config);
            tcp.rtt.timeout_s = self.round_trip.timeout_s;
            tcp.set_retransmit_timer(net);
        }
        if *tcp.ack == *tcp.maxseq && *tcp.t_seqno >= *tcp.seqno {
            tcp.stop_retransmit_timer(net);
        }
        tcp.finish_if_done(net);
    }

    fn acknowledge(&mut self, tcp: &mut Connection, ack: &ReceivedAck) {
        tcp.previous_ack = *tcp.ack;
        tcp.acknowledge_up_to(ack.seqno);
        tcp.dupacks.set(0, &mut tcp.log);
        tcp.average_window();
    }
}
