//! Taking in an ACK: what every variant does.

use super::connection::{Connection, LastCut};
use super::window::{Cause, NewThreshold, NewWindow};
use crate::net::{Network, Upcall};
use crate::packet::{PacketId, flag};

/// An ACK that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// Its packet, for the SACK blocks.
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

impl Ack {
    /// Reads an ACK.
    pub fn read(packet: PacketId, net: &Network) -> Ack {
        let fields = &net.packets[packet];
        let is_odd = net.lacks_flags && fields.size % 256 != 0;
        let flags = fields.flags | if is_odd { flag::NO_TIMESTAMP } else { 0 };
        Ack { packet, seqno: fields.seqno, ts: fields.ts, ts_echo: fields.ts_echo, flags }
    }

    /// Whether it echoes a congestion mark.
    pub fn echoes_mark(&self) -> bool {
        self.flags & flag::ECN_ECHO != 0
    }
}

impl Connection {
    /// Counts an ACK and heeds its congestion mark. False for one from before the last reset, which is to be ignored.
    pub fn accept(&mut self, ack: &Ack) -> bool {
        if ack.ts < self.reset_at {
            return false;
        }
        self.nackpack.set(*self.nackpack + 1, &mut self.log);
        if ack.echoes_mark() && self.config.ecn {
            self.handle_ecn_echo(ack.seqno);
        }
        true
    }

    /// Remembers the timestamp to echo.
    pub fn remember_timestamp(&mut self, ack: &Ack) {
        self.peer_timestamp = ack.ts;
    }

    /// Remembers the timestamp that the ACK echoes.
    pub fn remember_echo(&mut self, ack: &Ack) {
        self.echoed_timestamp = ack.ts_echo;
    }

    /// An echoed congestion mark cuts the window, once a round trip.
    pub fn handle_ecn_echo(&mut self, seqno: i32) {
        if self.meets_mark(seqno) {
            self.cut(NewThreshold::Reduced, NewWindow::Reduced, Cause::Congestion);
            self.necnresponses.set(*self.necnresponses + 1, &mut self.log);
        }
    }

    /// Whether an echoed mark counts: one in a round trip does; accounts for it.
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

    /// An ACK of new data outside recovery: accounting, timer, window.
    pub fn advance(&mut self, ack: &Ack, net: &mut Network) {
        self.new_ack(ack, net);
        self.finish_quick_start();
        if self.outside().is_some() {
            self.outside_acknowledged(ack);
        } else if self.may_open(ack) && (self.config.control_increase == 0 || self.is_network_limited()) {
            self.open_window(net);
        }
        self.after_opening(ack, net);
    }

    /// What follows when the window was opened for an ACK of new data, or not.
    #[inline(always)]
    pub fn after_opening(&mut self, ack: &Ack, net: &mut Network) {
        self.follow_marks(ack);
        self.finish_if_done(net);
        if self.config.q_option != 0 && *self.seqno == *self.ack + 1 {
            self.stop_retransmit_timer(net);
        }
        self.frto_new_ack();
    }

    /// Whether this ACK's marks let the window open.
    pub fn may_open(&self, ack: &Ack) -> bool {
        !self.peer_marks || !ack.echoes_mark() || (self.config.old_ecn && self.echo_run)
    }

    /// Accounts for echoed marks.
    pub fn follow_marks(&mut self, ack: &Ack) {
        if self.peer_marks {
            if !ack.echoes_mark() {
                self.mark_backoff = false;
            }
            self.echo_run = ack.echoes_mark();
        } else if ack.echoes_mark() && ack.flags & flag::CONG_ACTION == 0 {
            self.peer_marks = true;
        }
    }

    /// Whether the window, and not the application, limits the sender.
    fn is_network_limited(&self) -> bool {
        *self.t_seqno > self.previous_ack.saturating_add(self.window())
    }

    /// The last ACK of all there was to send ends the conversation.
    pub fn finish_if_done(&mut self, net: &mut Network) {
        if *self.ack >= *self.seqno - 1 && !self.finished {
            self.finished = true;
            net.tell(Upcall::Done(self.end.id));
        }
    }

    /// An ACK of new data: sequence numbers, round-trip time, timer.
    pub fn new_ack(&mut self, ack: &Ack, net: &mut Network) {
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

    /// All up to `seqno` is acknowledged.
    pub fn acknowledge_up_to(&mut self, seqno: i32) {
        self.last_ack = seqno;
        self.ack.set(seqno, &mut self.log);
        if *self.t_seqno < seqno + 1 {
            self.t_seqno.set(seqno + 1, &mut self.log);
        }
    }

    /// If the ACK covers the packet being timed: its back-off and, without timestamps, its round trip.
    pub fn sample_timed(&mut self, ack: &Ack, now_s: f64) {
        if self.timing && ack.seqno >= self.timed_seqno {
            self.end_back_off(ack);
            self.timing = false;
            if !self.config.timestamps {
                self.sample(now_s - self.timed_at, now_s);
            }
        }
    }

    /// The timer's back-off ends, unless marks still come with a window of one.
    fn end_back_off(&mut self, ack: &Ack) {
        if !(self.peer_marks && self.mark_backoff && ack.echoes_mark()) {
            self.rtt.backoff.set(1, &mut self.log);
            self.mark_backoff = false;
        }
    }

    /// Takes in a round trip of `rtt_s` that ends now. Without timestamps the clock only counts ticks.
    pub fn sample(&mut self, rtt_s: f64, now_s: f64) {
        let ticks = self.ticks_of(rtt_s, now_s);
        self.rtt.sample(ticks, &self.config, &mut self.log);
    }

    /// A round trip of `rtt_s` that ends now, in ticks of the clock.
    pub fn ticks_of(&self, rtt_s: f64, now_s: f64) -> i32 {
        let tick = self.config.tcp_tick;
        if self.config.timestamps {
            (rtt_s / tick + 0.5) as i32
        } else {
            let sent_at = now_s - rtt_s + self.boot_time;
            ((rtt_s + sent_at % tick) / tick) as i32
        }
    }

    /// The timer for what is outstanding after an ACK of `seqno`: set anew, or stopped if nothing is. With a window below
    /// one only the timer can send.
    pub fn timer_for(&mut self, seqno: i32, net: &mut Network) {
        if *self.t_seqno > seqno || seqno < *self.maxseq || *self.cwnd < 1.0 {
            self.set_retransmit_timer(net);
        } else {
            self.stop_retransmit_timer(net);
        }
    }

    /// Takes the present window into its average.
    pub fn average_window(&mut self) {
        self.awnd *= 1.0 - self.config.window_thresh;
        self.awnd += self.config.window_thresh * *self.cwnd;
    }

    /// With `delay_growth`, the ACK of the SYN brings the initial window.
    pub fn open_after_syn(&mut self, net: &mut Network) {
        if self.last_ack == 0 && self.config.delay_growth {
            let initial = self.initial_window(net);
            self.cwnd.set(initial, &mut self.log);
        }
    }

    /// Whether an ACK lets packets go.
    pub fn lets_go(&self, ack: &Ack) -> bool {
        ack.seqno >= self.last_ack || self.config.aggressive_maxburst
    }
}
