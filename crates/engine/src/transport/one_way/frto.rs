//! F-RTO (RFC 4138): detection of spurious timeouts from the ACKs that follow.
//!
//! Source: P. Sarolahti and M. Kojo, RFC 4138, as in ns-2.35 (`frto_enabled_`, `sfrto_enabled_`, `spurious_response_`).
//! What it decides: after the retransmission, whether the next ACKs send new packets; after a spurious timeout, how
//! much of the window is restored.
//! Departures: none known.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use super::connection::{Connection, Frto};

impl Connection {
    /// Saves the window, in case the timeout is spurious.
    pub(super) fn remember_window(&mut self) {
        self.window_before_timeout = self.window().max(*self.ssthresh);
    }

    /// Processes an ACK of new data.
    pub(super) fn frto_new_ack(&mut self) {
        match self.frto {
            Frto::Off => {}
            Frto::TimedOut => {
                let next = self.recover + 1;
                let no_new_packet = f64::from(next) >= f64::from(*self.ack) + self.config.window || next >= *self.seqno;
                if no_new_packet || *self.ack == self.recover {
                    self.frto = Frto::Off;
                } else {
                    self.t_seqno.set(next, &mut self.log);
                    self.frto = Frto::TwoNewSent;
                }
            }
            Frto::TwoNewSent => self.timeout_was_spurious(),
        }
    }

    /// Processes a duplicate ACK: the timeout was genuine, and slow start continues.
    pub fn frto_duplicate(&mut self, seqno: i32) {
        if seqno == self.last_ack && self.frto != Frto::Off {
            self.frto_back_to_slow_start();
            // The caller counts this duplicate next, and it must trigger sending.
            self.dupacks.set(-1, &mut self.log);
        }
    }

    /// The timeout was genuine: returns to slow start.
    pub fn frto_back_to_slow_start(&mut self) {
        let acks = if self.frto == Frto::TwoNewSent { 2.0 } else { 1.0 };
        self.go_back();
        self.cwnd.set(acks, &mut self.log);
        self.frto = Frto::Off;
    }

    /// Whether F-RTO waits for the second ACK.
    pub fn frto_awaits_second_ack(&self) -> bool {
        self.frto == Frto::TwoNewSent
    }

    /// Stops F-RTO without a decision.
    pub fn frto_stop(&mut self) {
        self.frto = Frto::Off;
    }

    /// The timeout was spurious: restores window and threshold.
    pub fn timeout_was_spurious(&mut self) {
        self.frto = Frto::Off;
        let window = match self.config.spurious_response {
            2 => f64::from(*self.ssthresh),
            3 => 1.0,
            _ => f64::from(*self.t_seqno - self.previous_ack),
        };
        self.cwnd.set(window, &mut self.log);
        self.ssthresh.set(self.window_before_timeout, &mut self.log);
        self.recover = *self.ack - 1;
    }
}
