//! TCP Vegas: loss recovery by a fine-grained timeout, checked at the first duplicate ACK.
//!
//! Source: L. Brakmo and L. Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC
//! 13(8), 1995; ns-2.35's `Agent/TCP/Vegas`.
//! What it decides: each packet's transmission time is stored. A duplicate ACK, and the first two ACKs after a
//! retransmission, check whether the oldest packet is overdue. The packets of one window cause at most one window cut.
//! Departures: the sender reacts to ECN echoes although its packets are not ECN-capable; packets have no SYN, no
//! headers and no timestamps.
//! Not implemented: nothing.
//! Checked against: ns-2.35.
//!
//! The window rule is in [`crate::transport::compat::ns2::vegas::window`].

pub mod window;

use crate::net::{Network, SimulationError};
use crate::params::{Parameter, Params, own_values};
use crate::transport::compat::ns2::vegas::window::{Decision, Round, Thresholds, Vegas as Law};
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::connection::{Connection, LastCut};
use crate::transport::one_way::recovery::{Paceable, Recovery};
use crate::transport::one_way::segment::reason;
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

/// The window after a timeout, packets.
const AFTER_TIMEOUT: f64 = 2.0;
/// The threshold after slow start, packets.
const NO_SLOW_START: i32 = 2;
/// The minimum window after a decrease, packets.
const LEAST: f64 = 2.0;
/// The largest receiver's window whose packets' times are kept, packets. ns-2 crashes at windows past an int.
const MAX_WINDOW: f64 = 1e8;

/// Last transmission time and number of transmissions of a packet.
#[derive(Clone, Copy)]
struct Sending {
    at_s: f64,
    times: i32,
}

const NEVER: Sending = Sending { at_s: -1.0, times: 0 };

/// Vegas's parameters and state. Times are seconds since the first packet.
#[derive(Params)]
pub struct Vegas {
    #[param(flatten)]
    thresholds: Thresholds,
    law: Law,
    /// The last round-trip time, s.
    #[param(state)]
    v_rtt: f64,
    smoothed: f64,
    deviation: f64,
    timeout_s: f64,
    has_ack: bool,
    cut_at_s: f64,
    /// The window without inflation by duplicate ACKs.
    plain_cwnd: f64,
    /// Number of ACKs that still check for overdue packets.
    checks_left: i32,
    sendings: Vec<Sending>,
}

impl Default for Vegas {
    fn default() -> Vegas {
        Vegas {
            thresholds: Thresholds { v_alpha: 1, v_beta: 3, v_gamma: 1 },
            law: Law::default(),
            v_rtt: 0.0,
            smoothed: 0.0,
            deviation: 0.0,
            timeout_s: 1000.0,
            has_ack: false,
            cut_at_s: 0.0,
            plain_cwnd: 0.0,
            checks_left: 0,
            sendings: Vec::new(),
        }
    }
}

impl Paceable for Vegas {
    const MEASURES_RATE: bool = true;

    fn measured_window(&self) -> f64 {
        self.law.actual * self.v_rtt
    }

    fn round_trip_s(&self, _: &Connection) -> f64 {
        self.v_rtt
    }

    fn paced_is_acknowledged(&mut self, _: &mut Connection) {}
}

impl Recovery for Vegas {
    const FIRST_DRAWS: u32 = 2;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        let now_s = since_first(tcp, net);
        tcp.nackpack.set(*tcp.nackpack + 1, &mut tcp.log);
        if !self.has_ack {
            self.first_sample(now_s);
        }
        if ack.echoes_mark() {
            tcp.handle_ecn_echo(ack.seqno);
        }
        if ack.seqno > tcp.last_ack {
            self.new_data(tcp, ack, now_s, net);
        } else if ack.seqno == tcp.last_ack {
            self.duplicate(tcp, ack, now_s, net);
        }
        if *tcp.dupacks == 0 || *tcp.dupacks > tcp.config.numdupacks - 1 {
            let most = tcp.config.maxburst;
            self.send(tcp, false, reason::NONE, most, net);
        }
    }

    fn on_timeout(&mut self, tcp: &mut Connection, net: &mut Network) {
        if *tcp.ack == *tcp.maxseq && !tcp.config.slow_start_restart {
            return;
        }
        tcp.dupacks.set(0, &mut tcp.log);
        tcp.recover = *tcp.maxseq;
        tcp.last_cut = LastCut::Timeout;
        tcp.restart_timer(true, net);
        tcp.go_back();
        tcp.nrexmit.set(*tcp.nrexmit + 1, &mut tcp.log);
        tcp.cut(NewThreshold::Reduced, NewWindow::Restart, Cause::Congestion);
        tcp.cwnd.set(AFTER_TIMEOUT, &mut tcp.log);
        self.plain_cwnd = 0.0;
        self.cut_at_s = since_first(tcp, net);
        self.send(tcp, false, reason::TIMEOUT, 0, net);
    }

    fn on_send_delay_over(&mut self, tcp: &mut Connection, net: &mut Network) {
        self.send(tcp, true, reason::TIMEOUT, 0, net);
    }

    fn output(&mut self, tcp: &mut Connection, seqno: i32, reason: u8, net: &mut Network) {
        let id = tcp.make_segment(seqno, reason, net);
        if seqno == 0 || self.sendings.is_empty() {
            let window = tcp.config.window;
            if window > MAX_WINDOW {
                let wrong = format!("Vegas keeps the times of a window of packets; {window} is too large a window_");
                net.fail(SimulationError::Broken(wrong));
            }
            self.sendings.clear();
            self.sendings.resize(window.clamp(1.0, MAX_WINDOW) as usize, NEVER);
        }
        let now_s = since_first(tcp, net);
        let sending = self.sending(seqno);
        *sending = Sending { at_s: now_s, times: sending.times + 1 };
        let bytes = net.packets[id].size;
        tcp.count_bytes(bytes);
        tcp.count_packet();
        tcp.hand_over(id, net);
        tcp.sent(seqno, bytes, net);
        tcp.ensure_retransmit_timer(net);
    }

    fn reset(&mut self, _: &mut Connection) {
        *self = Vegas {
            thresholds: self.thresholds,
            v_rtt: self.v_rtt,
            plain_cwnd: self.plain_cwnd,
            sendings: std::mem::take(&mut self.sendings),
            ..Vegas::default()
        };
    }

    fn describe(&self, out: &mut Vec<Parameter>) {
        self.describe_own(out);
    }

    own_values!();
}

fn since_first(tcp: &Connection, net: &Network) -> f64 {
    net.now().secs() - tcp.first_sent_at
}

impl Vegas {
    /// The record of a packet's transmissions, in a ring of one window.
    fn sending(&mut self, seqno: i32) -> &mut Sending {
        if self.sendings.is_empty() {
            self.sendings.push(NEVER);
        }
        let slot = seqno.max(0) as usize % self.sendings.len();
        &mut self.sendings[slot]
    }

    fn first_sample(&mut self, rtt_s: f64) {
        self.has_ack = true;
        self.law.base_rtt_s = rtt_s;
        self.v_rtt = rtt_s;
        self.smoothed = rtt_s * 8.0;
        self.deviation = rtt_s;
        self.timeout_s = ((self.smoothed / 4.0) + self.deviation) / 2.0;
    }

    fn sample(&mut self, rtt_s: f64) {
        self.law.sample(rtt_s);
        if rtt_s <= 0.0 {
            return;
        }
        self.v_rtt = rtt_s;
        if rtt_s < self.law.base_rtt_s {
            self.law.base_rtt_s = rtt_s;
        }
        let error = rtt_s - self.smoothed / 8.0;
        self.smoothed += error;
        self.deviation += error.abs() - self.deviation / 4.0;
        self.timeout_s = ((self.smoothed / 4.0) + self.deviation) / 2.0;
        self.timeout_s += self.timeout_s / 16.0;
    }

    /// The packet after `acked`, if it is overdue.
    fn overdue(&mut self, acked: i32, now_s: f64) -> Option<i32> {
        let elapsed = now_s - self.sending(acked + 1).at_s;
        (elapsed >= self.timeout_s).then_some(acked + 1)
    }

    /// Processes an ACK of new data.
    fn new_data(&mut self, tcp: &mut Connection, ack: &ReceivedAck, now_s: f64, net: &mut Network) {
        tcp.open_after_syn(net);
        if *tcp.dupacks > tcp.config.numdupacks && *tcp.cwnd > self.plain_cwnd {
            tcp.cwnd.set(self.plain_cwnd, &mut tcp.log);
            tcp.ssthresh.set(NO_SLOW_START, &mut tcp.log);
        }
        let acked_before = tcp.last_ack;
        tcp.new_ack(ack, net);
        tcp.finish_if_done(net);
        self.follow_law(tcp, ack, now_s);
        self.take_in(ack, acked_before, now_s);
        if self.checks_left > 0 {
            self.checks_left -= 1;
            match self.overdue(ack.seqno, now_s) {
                Some(overdue) => {
                    tcp.dupacks.set(tcp.config.numdupacks, &mut tcp.log);
                    self.output(tcp, overdue, reason::DUPLICATES, net);
                }
                None => self.checks_left = 0,
            }
        }
    }

    fn follow_law(&mut self, tcp: &mut Connection, ack: &ReceivedAck, now_s: f64) {
        let slow_start = |tcp: &Connection| *tcp.cwnd < f64::from(*tcp.ssthresh);
        if self.law.ends_round(ack.seqno) {
            let round =
                Round { now_s, next: *tcp.t_seqno, acked: tcp.last_ack, cwnd: *tcp.cwnd, slow_start: slow_start(tcp) };
            let smaller = match self.law.end_round(&round, &self.thresholds) {
                Decision::Keep => None,
                Decision::Retreat => Some(*tcp.cwnd - 1.0),
                Decision::EndSlowStart => {
                    tcp.ssthresh.set(NO_SLOW_START, &mut tcp.log);
                    Some(*tcp.cwnd - (*tcp.cwnd / 8.0))
                }
            };
            if let Some(smaller) = smaller {
                tcp.cwnd.set(smaller, &mut tcp.log);
                if smaller < LEAST {
                    tcp.cwnd.set(LEAST, &mut tcp.log);
                }
            }
        }
        let in_flight = *tcp.t_seqno - tcp.last_ack;
        let cwnd = self.law.grow(*tcp.cwnd, in_flight, slow_start(tcp));
        tcp.cwnd.set(cwnd, &mut tcp.log);
        tcp.limit_window();
    }

    /// Takes an RTT sample if the packet was sent once, and clears the records of acknowledged packets.
    fn take_in(&mut self, ack: &ReceivedAck, acked_before: i32, now_s: f64) {
        let sending = *self.sending(ack.seqno);
        let length = self.sendings.len() as i32;
        let last = ack.seqno % length;
        let mut slot = (acked_before + 1) % length;
        // As in ns-2, no record is cleared when the acknowledged packets span the end of the ring.
        for _ in acked_before..ack.seqno {
            if slot > last {
                break;
            }
            self.sendings[slot as usize] = NEVER;
            slot = (slot + 1) % length;
        }
        if sending.at_s != 0.0 && sending.times == 1 {
            self.sample(now_s - sending.at_s);
        }
    }

    /// Processes a duplicate ACK: retransmits if the packet is overdue or the threshold is reached.
    fn duplicate(&mut self, tcp: &mut Connection, ack: &ReceivedAck, now_s: f64, net: &mut Network) {
        tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
        let overdue = self.overdue(ack.seqno, now_s);
        if overdue.is_none() && *tcp.dupacks != tcp.config.numdupacks {
            if *tcp.dupacks > tcp.config.numdupacks {
                tcp.cwnd.set(*tcp.cwnd + 1.0, &mut tcp.log);
            }
            return;
        }
        if tcp.config.bug_fix && *tcp.ack <= tcp.recover && tcp.last_cut == LastCut::Timeout {
            return;
        }
        let sending = *self.sending(tcp.last_ack + 1);
        let window = tcp.window();
        tcp.last_cut = LastCut::Duplicates;
        tcp.recover = *tcp.maxseq;
        self.checks_left = (*tcp.t_seqno - tcp.last_ack).min(2);
        if sending.times > 1 {
            self.timeout_s *= 2.0;
        } else {
            self.timeout_s += self.timeout_s / 8.0;
        }
        if self.cut_at_s < sending.at_s {
            let left = match window {
                ..=3 => 2,
                _ if sending.times > 1 => window >> 1,
                _ => window - (window >> 2),
            };
            self.plain_cwnd = f64::from(left);
            tcp.cwnd.set(self.plain_cwnd + f64::from(*tcp.dupacks), &mut tcp.log);
            self.cut_at_s = now_s;
        }
        tcp.restart_timer(true, net);
        self.output(tcp, overdue.unwrap_or(tcp.last_ack + 1), reason::DUPLICATES, net);
        if sending.times == 1 {
            tcp.dupacks.set(tcp.config.numdupacks, &mut tcp.log);
        }
    }
}
