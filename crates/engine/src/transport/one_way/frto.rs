//! F-RTO: telling a spurious timeout by what the ACKs after it acknowledge.
//!
//! Source: P. Sarolahti and M. Kojo, RFC 4138, as in ns-2.35 (`frto_enabled_`, `sfrto_enabled_`,
//! `spurious_response_`).
//! What it decides: after a timeout's retransmission, whether the next ACKs may send new packets, and what of the window
//! is given back when they show that nothing had been lost.
//! Departures: none known.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

use super::connection::Connection;

/// How far F-RTO has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frto {
    /// No timeout is being looked into.
    #[default]
    Off,
    /// The retransmission after the timeout was sent; no ACK has come.
    TimedOut,
    /// One ACK of new data has come; two new packets may go.
    TwoNewSent,
}

impl Connection {
    /// Keeps the window, for the case that the timeout was spurious.
    pub(super) fn remember_window(&mut self) {
        self.window_before_timeout = self.window().max(*self.ssthresh);
    }

    /// An ACK of new data came.
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

    /// A duplicate ACK came: the timeout was right, and slow start goes on from where it was.
    pub fn frto_duplicate(&mut self, seqno: i32) {
        if seqno == self.last_ack && self.frto != Frto::Off {
            self.frto_back_to_slow_start();
            // The duplicate itself is counted next, and must let packets go.
            self.dupacks.set(-1, &mut self.log);
        }
    }

    /// The timeout was right.
    pub fn frto_back_to_slow_start(&mut self) {
        let acks = if self.frto == Frto::TwoNewSent { 2.0 } else { 1.0 };
        self.go_back();
        self.cwnd.set(acks, &mut self.log);
        self.frto = Frto::Off;
    }

    /// Whether the two new packets may go or have gone.
    pub fn frto_awaits_second_ack(&self) -> bool {
        self.frto == Frto::TwoNewSent
    }

    /// Ends F-RTO without a verdict.
    pub fn frto_stop(&mut self) {
        self.frto = Frto::Off;
    }

    /// The timeout was spurious: window and threshold come back.
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
