//! Congestion window validation (RFC 2861): reduces the window after idle and application-limited periods.
//!
//! Source: M. Handley, J. Padhye and S. Floyd, RFC 2861, as in ns-2.35 (`QOption_`, `EnblRTTCtr_`).
//! What it decides: each idle round cuts the window as congestion does; the threshold keeps at least three quarters of
//! it. A sender that used only part of its window for a round loses half of the unused part.
//! Departures: a round is one timeout or, with `enbl_rtt_ctr`, one counted round trip; both are in clock ticks.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use super::cold_state::{Idle, ticks};
use super::connection::Connection;
use super::window::{Cause, NewThreshold, NewWindow};
use crate::net::Network;
use crate::time::Time;

impl Idle {
    fn judge_by_timeouts(&mut self, tcp: &mut Connection, now: i32) {
        let round = (tcp.rtt.timeout_s / tcp.config.tcp_tick) as i32;
        if now - self.sent_at >= round {
            tcp.keep_three_quarters();
            for _ in 0..(now - self.sent_at).checked_div(round).unwrap_or(0) {
                tcp.cut(NewThreshold::Keep, NewWindow::IdleRound, Cause::Idleness);
            }
            self.round_began = now;
            self.used = 0;
        }
        self.sent_at = now;
        if tcp.fills_window() {
            self.round_began = now;
            self.used = 0;
        } else if tcp.sends_last_packet() {
            self.used = self.used.max(*tcp.t_seqno - *tcp.ack);
            if now - self.round_began >= round {
                tcp.give_up_unused(self.used);
                self.round_began = now;
                self.used = 0;
            }
        }
    }

    fn judge_by_round_trips(&mut self, tcp: &mut Connection, now: i32) {
        let rtt = tcp.rtt.smoothed_ticks(&tcp.config).max(1);
        if now - self.sent_at >= 2 * rtt {
            let passed = (now - self.sent_at) * self.counter.usual / (rtt * 2);
            let passed = passed - std::mem::take(&mut self.counter.already_cut);
            if passed > 0 {
                tcp.keep_three_quarters();
                for _ in 0..passed {
                    tcp.cut(NewThreshold::Keep, NewWindow::IdleRound, Cause::Idleness);
                }
                self.counter.at_last_full_window = self.counter.counted;
                self.used = 0;
            }
        }
        self.sent_at = now;
        let counter = &mut self.counter;
        if now - counter.since >= 2 * rtt {
            if counter.counted > counter.usual || counter.was_full {
                counter.usual = counter.counted.max(1);
            }
            counter.at_last_full_window -= counter.counted;
            counter.counted = 0;
            counter.since = now;
            counter.was_full = false;
        }
        if tcp.fills_window() {
            self.used = 0;
            self.counter.was_full = true;
            self.counter.at_last_full_window = self.counter.counted;
        } else if tcp.sends_last_packet() {
            self.used = self.used.max(*tcp.t_seqno - *tcp.ack);
            if self.counter.counted - self.counter.at_last_full_window >= 2 {
                tcp.give_up_unused(self.used);
                self.counter.at_last_full_window = self.counter.counted;
                self.counter.already_cut += 1;
                self.used = 0;
            }
        }
        self.counter.tagged.get_or_insert(*tcp.t_seqno);
    }
}

impl Connection {
    /// Resets the state of window validation if it is enabled.
    pub(super) fn reset_idle(&mut self, now: Time) {
        if self.config.q_option != 0 {
            self.rare.get_or_insert_default().idle.reset(now, &self.config);
        }
    }

    /// Called after each transmission, before `t_seqno` advances.
    pub fn idle_after_send(&mut self, net: &Network) {
        if self.config.q_option == 0 {
            return;
        }
        let now = ticks(net.now(), &self.config);
        let mut idle = std::mem::take(&mut self.rare.get_or_insert_default().idle);
        if self.config.enbl_rtt_ctr == 0 {
            idle.judge_by_timeouts(self, now);
        } else {
            idle.judge_by_round_trips(self, now);
        }
        self.rare.get_or_insert_default().idle = idle;
    }

    /// Called for each ACK.
    pub fn idle_after_ack(&mut self, seqno: i32) {
        if self.config.q_option == 0 || self.config.enbl_rtt_ctr == 0 {
            return;
        }
        let counter = &mut self.rare.get_or_insert_default().idle.counter;
        let Some(tagged) = counter.tagged else { return };
        if seqno >= tagged {
            counter.counted += 1;
            counter.tagged = None;
        } else if *self.dupacks == self.config.numdupacks {
            counter.counted += 1;
        }
    }

    fn fills_window(&self) -> bool {
        *self.t_seqno == self.ack.saturating_add(self.window())
    }

    fn sends_last_packet(&self) -> bool {
        *self.t_seqno == *self.seqno - 1
    }

    fn keep_three_quarters(&mut self) {
        self.cut(NewThreshold::ThreeQuarters, NewWindow::Keep, Cause::Idleness);
    }

    fn give_up_unused(&mut self, used: i32) {
        self.keep_three_quarters();
        self.cut(NewThreshold::Keep, NewWindow::TowardsUsed(used), Cause::Idleness);
    }
}
