//! What holds packets back between a queue and its transmitter: the state of it ([`super::delays`] has what it does).
//!
//! Source: ns-2.35's `Delayer`, after A. Gurtov and S. Floyd, "Modeling wireless links for transport protocols", 2004.

use crate::event::timer::TimerId;
use crate::packet::PacketId;
use crate::random::random_variable::VariableId;

/// Two random variables: how long until something begins, and how long it lasts, s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spells {
    /// Until it begins.
    pub interval: VariableId,
    /// How long it lasts.
    pub length: VariableId,
}

/// A delayer. It takes one packet from the queue before the transmitter is free.
#[derive(Debug)]
pub struct Delayer {
    /// Whether the queue waits for the delayer.
    pub(crate) blocks_queue: bool,
    /// The packet held, and the next tap of its place.
    pub(crate) held: Option<(PacketId, usize)>,
    pub(crate) has_seen_packet: bool,
    pub(crate) last_sent_s: f64,
    /// A channel is allocated when none was used for a while.
    pub(crate) allocation: Option<Spells>,
    pub(crate) is_allocated: bool,
    pub(crate) allocation_timer: TimerId,
    /// Nothing is sent during a delay spike.
    pub(crate) spikes: Option<Spells>,
    pub(crate) is_spike: bool,
    pub(crate) spike_timer: TimerId,
}

impl Delayer {
    /// A delayer that delays nothing yet.
    pub fn new(allocation_timer: TimerId, spike_timer: TimerId) -> Delayer {
        Delayer {
            blocks_queue: false,
            held: None,
            has_seen_packet: false,
            last_sent_s: -100_000.0,
            allocation: None,
            is_allocated: true,
            allocation_timer,
            spikes: None,
            is_spike: false,
            spike_timer,
        }
    }
}
