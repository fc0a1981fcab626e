//! Giving up window that is not used: after idleness, and while the application has less to send than it may.
//!
//! Source: M. Handley, J. Padhye and S. Floyd, RFC 2861, as in ns-2.35 (`QOption_`, `EnblRTTCtr_`).
//! What it decides: after each round of idleness the window is cut like after congestion, the threshold keeping three
//! quarters of it; a sender that used only a part of its window for a round loses half of the rest.
//! Departures: a round is a timeout or, with `enbl_rtt_ctr`, a counted round trip; both in ticks of the clock.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use super::config::Config;
use super::connection::Connection;
use super::window::{Cause, NewThreshold, NewWindow};
use crate::network::Network;
use crate::units::Time;

/// What is remembered between sendings. Times are in ticks.
#[derive(Clone, Debug, Default)]
pub struct Idle {
    sent_at: i32,
    round_began: i32,
    used: i32,
    counter: RoundTripCounter,
}

/// Counts round trips that are shorter than the clock can measure.
#[derive(Clone, Debug, Default)]
struct RoundTripCounter {
    since: i32,
    counted: i32,
    at_last_full_window: i32,
    /// Round trips in two smoothed round-trip times, by the clock.
    usual: i32,
    /// The packet whose ACK ends the present round trip.
    tagged: Option<i32>,
    was_full: bool,
    already_cut: i32,
}

fn ticks(now: Time, config: &Config) -> i32 {
    (now.secs() / config.tcp_tick + 0.5) as i32
}

impl Idle {
    /// The connection starts.
    pub fn reset(&mut self, now: Time, config: &Config) {
        let now = ticks(now, config);
        self.sent_at = now;
        self.round_began = now;
        self.used = 0;
        if config.enbl_rtt_ctr != 0 {
            self.counter = RoundTripCounter { since: now, usual: 1, ..RoundTripCounter::default() };
        }
    }
}

impl Connection {
    /// A packet was sent (and `t_seqno` is not yet past it).
    pub fn idle_after_send(&mut self, net: &Network) {
        if self.config.q_option == 0 {
            return;
        }
        let now = ticks(net.now(), &self.config);
        if self.config.enbl_rtt_ctr == 0 { self.judge_by_timeouts(now) } else { self.judge_by_round_trips(now) }
    }

    /// An ACK came.
    pub fn idle_after_ack(&mut self, seqno: i32) {
        if self.config.q_option == 0 || self.config.enbl_rtt_ctr == 0 {
            return;
        }
        let counter = &mut self.idle.counter;
        let Some(tagged) = counter.tagged else { return };
        if seqno >= tagged {
            counter.counted += 1;
            counter.tagged = None;
        } else if *self.dupacks == self.config.numdupacks {
            counter.counted += 1;
        }
    }

    fn judge_by_timeouts(&mut self, now: i32) {
        let round = (self.rtt.timeout_s / self.config.tcp_tick) as i32;
        if now - self.idle.sent_at >= round {
            self.keep_three_quarters();
            for _ in 0..(now - self.idle.sent_at).checked_div(round).unwrap_or(0) {
                self.cut(NewThreshold::Keep, NewWindow::IdleRound, Cause::Idleness);
            }
            self.idle.round_began = now;
            self.idle.used = 0;
        }
        self.idle.sent_at = now;
        if self.fills_window() {
            self.idle.round_began = now;
            self.idle.used = 0;
        } else if self.sends_last_packet() {
            self.note_used();
            if now - self.idle.round_began >= round {
                self.give_up_unused();
                self.idle.round_began = now;
                self.idle.used = 0;
            }
        }
    }

    fn judge_by_round_trips(&mut self, now: i32) {
        let rtt = self.rtt.smoothed_ticks(&self.config).max(1);
        if now - self.idle.sent_at >= 2 * rtt {
            let passed = (now - self.idle.sent_at) * self.idle.counter.usual / (rtt * 2);
            let passed = passed - std::mem::take(&mut self.idle.counter.already_cut);
            if passed > 0 {
                self.keep_three_quarters();
                for _ in 0..passed {
                    self.cut(NewThreshold::Keep, NewWindow::IdleRound, Cause::Idleness);
                }
                self.idle.counter.at_last_full_window = self.idle.counter.counted;
                self.idle.used = 0;
            }
        }
        self.idle.sent_at = now;
        let counter = &mut self.idle.counter;
        if now - counter.since >= 2 * rtt {
            if counter.counted > counter.usual || counter.was_full {
                counter.usual = counter.counted.max(1);
            }
            counter.at_last_full_window -= counter.counted;
            counter.counted = 0;
            counter.since = now;
            counter.was_full = false;
        }
        if self.fills_window() {
            self.idle.used = 0;
            self.idle.counter.was_full = true;
            self.idle.counter.at_last_full_window = self.idle.counter.counted;
        } else if self.sends_last_packet() {
            self.note_used();
            if self.idle.counter.counted - self.idle.counter.at_last_full_window >= 2 {
                self.give_up_unused();
                self.idle.counter.at_last_full_window = self.idle.counter.counted;
                self.idle.counter.already_cut += 1;
                self.idle.used = 0;
            }
        }
        self.idle.counter.tagged.get_or_insert(*self.t_seqno);
    }

    fn fills_window(&self) -> bool {
        *self.t_seqno == self.ack.saturating_add(self.window())
    }

    fn sends_last_packet(&self) -> bool {
        *self.t_seqno == *self.seqno - 1
    }

    fn note_used(&mut self) {
        self.idle.used = self.idle.used.max(*self.t_seqno - *self.ack);
    }

    fn keep_three_quarters(&mut self) {
        self.cut(NewThreshold::ThreeQuarters, NewWindow::Keep, Cause::Idleness);
    }

    fn give_up_unused(&mut self) {
        self.keep_three_quarters();
        self.cut(NewThreshold::Keep, NewWindow::TowardsUsed(self.idle.used), Cause::Idleness);
    }
}
