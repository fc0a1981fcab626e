//! RTT measurement of the Vegas family: the minimum of each round and the minimum of all.

use super::control::NO_RTT;
use super::socket::{CaState, Socket};

/// Round detection and round-trip times, microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    /// `snd_nxt` at the start of the current round; its ACK ends the round.
    pub ends_at: u64,
    /// `snd_nxt` at the start of the previous round.
    pub began_at: u64,
    /// The window at the start of the round.
    pub cwnd: u64,
    /// Delay measurement is active.
    pub is_on: bool,
    /// Number of samples in this round.
    pub samples: u32,
    /// The minimum of this round.
    pub least: u64,
    /// The minimum of all rounds.
    pub base: u64,
}

impl Rounds {
    /// Resets the measurement.
    pub fn init(&mut self, socket: &Socket) {
        self.base = NO_RTT;
        self.switch_on(socket);
    }

    /// Starts a round outside recovery; disables the measurement in recovery.
    pub fn set_state(&mut self, socket: &Socket, state: CaState) {
        if state == CaState::Open { self.switch_on(socket) } else { self.is_on = false }
    }

    fn switch_on(&mut self, socket: &Socket) {
        self.is_on = true;
        self.ends_at = socket.snd_nxt;
        self.forget_samples();
    }

    /// Adds an RTT sample.
    pub fn sample(&mut self, rtt_us: u64) {
        let rtt_us = rtt_us.wrapping_add(1);
        self.base = self.base.min(rtt_us);
        self.least = self.least.min(rtt_us);
        self.samples = self.samples.wrapping_add(1);
    }

    /// Adds an RTT sample from the transmission time of the packet last acknowledged, if that is known.
    pub fn sample_sent(&mut self, socket: &Socket, sent_ns: i64) {
        if sent_ns != 0 {
            self.sample(socket.microseconds_since(sent_ns));
        }
    }

    /// Whether an ACK up to `ack` ends the round.
    pub fn ends_with(&self, ack: u64) -> bool {
        self.ends_at < ack
    }

    /// Whether there are enough samples that not all can be of delayed ACKs.
    pub fn is_sampled(&self) -> bool {
        self.samples > 2
    }

    /// Starts the next round.
    pub fn begin_next(&mut self, socket: &Socket) {
        self.began_at = self.ends_at;
        self.ends_at = socket.snd_nxt;
        self.cwnd = socket.snd_cwnd;
    }

    /// Clears the samples of the round.
    pub fn forget_samples(&mut self) {
        self.samples = 0;
        self.least = NO_RTT;
    }
}
