//! ACK processing that all one-way TCP variants share, as in ns-2.35's base TCP agent.

use super::connection::{Connection, LastCut};
use super::window::{Cause, NewThreshold, NewWindow};
use crate::net::{Network, Upcall};
use crate::packet::{PacketId, flag};

/// A received ACK.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedAck {
    /// The ACK's packet; it holds the SACK blocks.
    pub packet: PacketId,
    /// The highest packet received in order.
    pub seqno: i32,
    /// The receiver's timestamp, s.
    pub ts: f64,
    /// The timestamp echoed, s.
    pub ts_echo: f64,
    /// Bits of [`flag`].
    pub flags: u16,
}

impl ReceivedAck {
    /// Reads an ACK.
    pub fn read(packet: PacketId, net: &Network) -> ReceivedAck {
        let fields = &net.packets[packet];
        let is_odd = net.lacks_flags && fields.size % 256 != 0;
        let flags = fields.flags | if is_odd { flag::NO_TIMESTAMP } else { 0 };
        ReceivedAck { packet, seqno: fields.seqno, ts: fields.ts, ts_echo: fields.ts_echo, flags }
    }

    /// Whether the ECN-Echo flag is set.
    pub fn echoes_mark(&self) -> bool {
        self.flags & flag::ECN_ECHO != 0
    }
}

impl Connection {
    /// Counts an ACK and reacts to its ECN echo. Returns false for an ACK from before the last reset; the caller
    /// ignores it.
    pub fn accept(&mut self, ack: &ReceivedAck) -> bool {
        if ack.ts < self.reset_at {
            return false;
        }
        self.nackpack.set(*self.nackpack + 1, &mut self.log);
        if ack.echoes_mark() && self.config.ecn {
            self.handle_ecn_echo(ack.seqno);
        }
        true
    }

    /// Stores the receiver's timestamp, to echo it.
    pub fn remember_timestamp(&mut self, ack: &ReceivedAck) {
        self.peer_timestamp = ack.ts;
    }

    /// Stores the timestamp that the ACK echoes.
    pub fn remember_echo(&mut self, ack: &ReceivedAck) {
        self.echoed_timestamp = ack.ts_echo;
    }

    /// Cuts the window for an ECN echo, at most once per round trip.
    pub fn handle_ecn_echo(&mut self, seqno: i32) {
        if self.meets_mark(seqno) {
            self.cut(NewThreshold::Reduced, NewWindow::Reduced, Cause::Congestion);
            self.necnresponses.set(*self.necnresponses + 1, &mut self.log);
        }
    }

    /// Whether the sender must react to an ECN echo: once per round trip. Updates the ECN state if so.
    pub fn meets_mark(&mut self, seqno: i32) -> bool {
        if seqno <= self.recover && self.last_cut != LastCut::Timeout {
            return false;
        }
        self.recover = *self.maxseq;
        self.last_cut = LastCut::Mark;
        if *self.cwnd <= 1.0 {
            if self.mark_backoff {
                self.rtt.back_off(&self.config, &mut self.log);
            }
            self.mark_backoff = true;
        } else {
            self.mark_backoff = false;
        }
        true
    }

    /// Processes an ACK of new data outside recovery: accounting, timer, window growth.
    pub fn advance(&mut self, ack: &ReceivedAck, net: &mut Network) {
        self.new_ack(ack, net);
        self.finish_quick_start();
        if self.outside().is_some() {
            self.outside_acknowledged(ack);
        } else if self.may_open(ack) && (self.config.control_increase == 0 || self.is_network_limited()) {
            self.open_window(net);
        }
        self.after_opening(ack, net);
    }

    /// The steps after the window growth, whether or not the window grew.
    #[inline(always)]
    pub fn after_opening(&mut self, ack: &ReceivedAck, net: &mut Network) {
        self.follow_marks(ack);
        self.finish_if_done(net);
        if self.config.q_option != 0 && *self.seqno == *self.ack + 1 {
            self.stop_retransmit_timer(net);
        }
        self.frto_new_ack();
    }

    /// Whether this ACK's ECN flags let the window grow.
    pub fn may_open(&self, ack: &ReceivedAck) -> bool {
        !self.peer_marks || !ack.echoes_mark() || (self.config.old_ecn && self.echo_run)
    }

    /// Updates the ECN state from this ACK's flags.
    pub fn follow_marks(&mut self, ack: &ReceivedAck) {
        if self.peer_marks {
            if !ack.echoes_mark() {
                self.mark_backoff = false;
            }
            self.echo_run = ack.echoes_mark();
        } else if ack.echoes_mark() && ack.flags & flag::CONG_ACTION == 0 {
            self.peer_marks = true;
        }
    }

    /// Whether the window limits the sender, and not the application.
    fn is_network_limited(&self) -> bool {
        *self.t_seqno > self.previous_ack.saturating_add(self.window())
    }

    /// Ends the transfer when the last packet is acknowledged.
    pub fn finish_if_done(&mut self, net: &mut Network) {
        if *self.ack >= *self.seqno - 1 && !self.finished {
            self.finished = true;
            net.notify(Upcall::Done(self.end.id));
        }
    }

    /// Updates sequence numbers, round-trip time and timer for an ACK of new data.
    pub fn new_ack(&mut self, ack: &ReceivedAck, net: &mut Network) {
        if !self.config.timerfix {
            self.timer_for(ack.seqno, net);
        }
        self.dupacks.set(0, &mut self.log);
        self.previous_ack = *self.ack;
        self.acknowledge_up_to(ack.seqno);
        if ack.flags & flag::NO_TIMESTAMP == 0 {
            let now_s = net.now().secs();
            if self.config.timestamps {
                self.echoed_timestamp = ack.ts_echo;
                self.sample(now_s - ack.ts_echo, now_s);
                if self.config.ts_reset_rto {
                    self.end_back_off(ack);
                }
            }
            self.sample_timed(ack, now_s);
        }
        if self.config.timerfix {
            self.timer_for(ack.seqno, net);
        }
        self.average_window();
    }

    /// Sets the highest packet acknowledged to `seqno`.
    pub fn acknowledge_up_to(&mut self, seqno: i32) {
        self.last_ack = seqno;
        self.ack.set(seqno, &mut self.log);
        if *self.t_seqno < seqno + 1 {
            self.t_seqno.set(seqno + 1, &mut self.log);
        }
    }

    /// If the ACK covers the timed packet, ends the back-off and, without timestamps, takes an RTT sample.
    pub fn sample_timed(&mut self, ack: &ReceivedAck, now_s: f64) {
        if self.timing && ack.seqno >= self.timed_seqno {
            self.end_back_off(ack);
            self.timing = false;
            if !self.config.timestamps {
                self.sample(now_s - self.timed_at, now_s);
            }
        }
    }

    /// Ends the timer's back-off, unless ECN echoes still arrive at a window of one packet.
    fn end_back_off(&mut self, ack: &ReceivedAck) {
        if !(self.peer_marks && self.mark_backoff && ack.echoes_mark()) {
            self.rtt.backoff.set(1, &mut self.log);
            self.mark_backoff = false;
        }
    }

    /// Adds an RTT sample of `rtt_s` seconds that ends now. Without timestamps the clock only counts ticks.
    pub fn sample(&mut self, rtt_s: f64, now_s: f64) {
        let ticks = self.ticks_of(rtt_s, now_s);
        self.rtt.sample(ticks, &self.config, &mut self.log);
    }

    /// Converts a round trip of `rtt_s` seconds that ends now into clock ticks.
    pub fn ticks_of(&self, rtt_s: f64, now_s: f64) -> i32 {
        let tick = self.config.tcp_tick;
        if self.config.timestamps {
            (rtt_s / tick + 0.5) as i32
        } else {
            let sent_at = now_s - rtt_s + self.boot_time;
            ((rtt_s + sent_at % tick) / tick) as i32
        }
    }

    /// Restarts the retransmission timer after an ACK of `seqno`, or stops it if nothing is outstanding. It also runs
    /// at a window below one packet, because then only the timer can send.
    pub fn timer_for(&mut self, seqno: i32, net: &mut Network) {
        if *self.t_seqno > seqno || seqno < *self.maxseq || *self.cwnd < 1.0 {
            self.set_retransmit_timer(net);
        } else {
            self.stop_retransmit_timer(net);
        }
    }

    /// Adds the current window to its moving average.
    pub fn average_window(&mut self) {
        self.awnd *= 1.0 - self.config.window_thresh;
        self.awnd += self.config.window_thresh * *self.cwnd;
    }

    /// With `delay_growth`, sets the initial window when the SYN is acknowledged.
    pub fn open_after_syn(&mut self, net: &mut Network) {
        if self.last_ack == 0 && self.config.delay_growth {
            let initial = self.initial_window(net);
            self.cwnd.set(initial, &mut self.log);
        }
    }

    /// Whether an ACK may trigger sending.
    pub fn lets_go(&self, ack: &ReceivedAck) -> bool {
        ack.seqno >= self.last_ack || self.config.aggressive_maxburst
    }
}
