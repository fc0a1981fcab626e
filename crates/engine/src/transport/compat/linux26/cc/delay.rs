//! Round-trip times as the Vegas family measures them: the least of each round, and the least of all.
//!
//! Source: L. Brakmo and L. Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC 13(8),
//! 1995; Linux 2.6.22's Vegas.

use super::{CaState, NO_RTT, Socket};

/// Rounds and their round-trip times, microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    /// The next byte to send when the present round began: its ACK ends the round.
    pub ends_at: u64,
    /// The same, of the round before.
    pub began_at: u64,
    /// The window when the round began.
    pub cwnd: u64,
    /// Delays count at present.
    pub is_on: bool,
    /// Samples in this round.
    pub samples: u32,
    /// The least of this round.
    pub least: u64,
    /// The least of all.
    pub base: u64,
}

impl Rounds {
    /// Forgets everything.
    pub fn init(&mut self, socket: &Socket) {
        self.base = NO_RTT;
        self.switch_on(socket);
    }

    /// A round begins, outside recovery; none does in it.
    pub fn set_state(&mut self, socket: &Socket, state: CaState) {
        if state == CaState::Open { self.switch_on(socket) } else { self.is_on = false }
    }

    fn switch_on(&mut self, socket: &Socket) {
        self.is_on = true;
        self.ends_at = socket.snd_nxt;
        self.forget_samples();
    }

    /// Takes in a round trip.
    pub fn sample(&mut self, rtt_us: u64) {
        let rtt_us = rtt_us.wrapping_add(1);
        self.base = self.base.min(rtt_us);
        self.least = self.least.min(rtt_us);
        self.samples = self.samples.wrapping_add(1);
    }

    /// Takes in when the packet last acknowledged was sent, if that is known.
    pub fn sample_sent(&mut self, socket: &Socket, sent_ns: i64) {
        if sent_ns != 0 {
            self.sample(socket.microseconds_since(sent_ns));
        }
    }

    /// Whether an ACK up to `ack` ends the round.
    pub fn ends_with(&self, ack: u64) -> bool {
        self.ends_at < ack
    }

    /// Whether there are so many samples that not all can be of delayed ACKs.
    pub fn is_sampled(&self) -> bool {
        self.samples > 2
    }

    /// The next round begins.
    pub fn begin_next(&mut self, socket: &Socket) {
        self.began_at = self.ends_at;
        self.ends_at = socket.snd_nxt;
        self.cwnd = socket.snd_cwnd;
    }

    /// Samples count anew.
    pub fn forget_samples(&mut self) {
        self.samples = 0;
        self.least = NO_RTT;
    }
}
