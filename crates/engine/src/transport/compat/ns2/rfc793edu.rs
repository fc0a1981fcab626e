//! The TCP of RFC 793 for teaching; later inventions can be enabled one at a time.
//!
//! Source: RFC 793; F. Cela Diaz's teaching agent, ns-2.35's `Agent/TCP/RFC793edu`.
//! What it decides: each `add793...` option enables one of: exponential back-off, Jacobson's timeout, fast retransmit,
//! slow start, additive increase, exponential increase, Karn's algorithm.
//! Departures: the sender reacts to ECN echoes, as in the other variants.
//! Not implemented: window options 6 and 8 (ns-2 lacks them here, too).
//! Checked against: ns-2.35.

use crate::net::{Network, SimulationError};
use crate::packet::flag;
use crate::params::{Params, Value};
use crate::transport::one_way::ack::ReceivedAck;
use crate::transport::one_way::config::Rules;
use crate::transport::one_way::connection::Connection;
use crate::transport::one_way::recovery::{Recovery, handle_explicit_loss, restart_slow_start};
use crate::transport::one_way::segment::reason;

/// The mechanisms enabled on top of RFC 793.
#[derive(Default, Params)]
pub struct Rfc793Edu {
    /// Disable exponential back-off.
    without_back_off: bool,
    /// Jacobson's timeout.
    #[param(state)]
    add793jacobsonrtt: bool,
    /// Fast retransmit.
    #[param(state)]
    add793fastrtx: bool,
    /// Slow start with congestion avoidance.
    #[param(state)]
    add793slowstart: bool,
    /// Congestion avoidance without slow start.
    #[param(state)]
    add793additiveinc: bool,
    /// Disable Karn's algorithm.
    without_karn: bool,
    /// Exponential increase above the threshold.
    #[param(state)]
    add793exponinc: bool,
    /// The timeout, in ticks.
    #[param(state)]
    rto: f64,
}

impl Recovery for Rfc793Edu {
    const FIRST_DRAWS: u32 = 2;

    fn on_ack(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        tcp.nackpack.set(*tcp.nackpack + 1, &mut tcp.log);
        tcp.remember_timestamp(ack);
        if ack.echoes_mark() && tcp.config.ecn {
            tcp.handle_ecn_echo(ack.seqno);
        }
        if ack.seqno > tcp.last_ack {
            self.advance(tcp, ack, net);
            tcp.open_after_syn(net);
        } else if ack.seqno == tcp.last_ack {
            if handle_explicit_loss(self, tcp, ack, net) {
                return;
            }
            tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
            if *tcp.dupacks == tcp.config.numdupacks && self.add793fastrtx {
                restart_slow_start(tcp, net);
            }
        }
        self.rto = (tcp.rtt.timeout_s / tcp.config.tcp_tick).round();
        let most = tcp.config.maxburst;
        self.send(tcp, false, reason::NONE, most, net);
    }

    fn output(&mut self, tcp: &mut Connection, seqno: i32, reason: u8, net: &mut Network) {
        let again = seqno <= *tcp.maxseq;
        let nothing_in_flight = *tcp.ack == *tcp.maxseq;
        let id = tcp.make_segment(seqno, reason, net);
        tcp.mark_segment(id, true, net);
        if seqno == 0 && tcp.config.syn {
            net.packets[id].size = tcp.config.tcpip_base_hdr_size;
        }
        if seqno == 0 && tcp.config.ecn {
            let packet = &mut net.packets[id];
            packet.flags = packet.flags & !flag::ECN_CAPABLE | flag::ECN_ECHO;
        }
        let bytes = net.packets[id].size;
        tcp.count_packet();
        tcp.count_bytes(bytes);
        tcp.hand_over(id, net);
        tcp.sent(seqno, bytes, net);
        if again && self.without_karn {
            tcp.timing = true;
            tcp.timed_seqno = seqno;
            tcp.timed_at = net.now().secs();
        }
        if nothing_in_flight {
            tcp.set_retransmit_timer(net);
        } else {
            tcp.ensure_retransmit_timer(net);
        }
    }

    fn configure(&mut self, tcp: &mut Connection) {
        tcp.config.rules =
            Rules { deviation: self.add793jacobsonrtt, back_off: !self.without_back_off, back_off_to_maximum: false };
    }

    fn reset(&mut self, tcp: &mut Connection) {
        self.configure(tcp);
        self.rto = tcp.config.rtxcur_init / tcp.config.tcp_tick;
    }

    fn param(&self, name: &str) -> Option<Value> {
        match name {
            "add793expbackoff" => Some(Value::Flag(!self.without_back_off)),
            "add793karnrtt" => Some(Value::Flag(!self.without_karn)),
            _ => self.own_param(name),
        }
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        match name {
            "add793expbackoff" => self.without_back_off = !value.flag(),
            "add793karnrtt" => self.without_karn = !value.flag(),
            _ => return self.set_own_param(name, value),
        }
        true
    }
}

impl Rfc793Edu {
    /// Processes an ACK of new data.
    fn advance(&mut self, tcp: &mut Connection, ack: &ReceivedAck, net: &mut Network) {
        tcp.timer_for(ack.seqno, net);
        tcp.dupacks.set(0, &mut tcp.log);
        tcp.acknowledge_up_to(ack.seqno);
        if ack.flags & flag::NO_TIMESTAMP == 0 {
            let now_s = net.now().secs();
            if tcp.config.timestamps {
                tcp.sample(now_s - ack.ts_echo, now_s);
            }
            tcp.sample_timed(ack, now_s);
        }
        tcp.average_window();
        if tcp.may_open(ack) {
            self.open(tcp, net);
        }
        tcp.follow_marks(ack);
        tcp.finish_if_done(net);
    }

    fn open(&self, tcp: &mut Connection, net: &mut Network) {
        let threshold = f64::from(*tcp.ssthresh);
        let below = *tcp.cwnd < threshold;
        if !(self.add793slowstart || self.add793exponinc || self.add793additiveinc) {
            tcp.cwnd.set(tcp.config.window, &mut tcp.log);
        } else if below && (self.add793exponinc || self.add793additiveinc) {
            tcp.cwnd.set(threshold, &mut tcp.log);
        } else if below || self.add793exponinc {
            tcp.cwnd.set(*tcp.cwnd + 1.0, &mut tcp.log);
        } else {
            match tcp.config.window_option {
                1 => tcp.cwnd.set(*tcp.cwnd + 1.0 / *tcp.cwnd, &mut tcp.log),
                0..=5 => tcp.grow_by_law(net),
                other => {
                    net.fail(SimulationError::Broken(format!("unknown window_option {other}; rfc793edu has 0 to 5")))
                }
            }
        }
        tcp.limit_window();
    }
}
