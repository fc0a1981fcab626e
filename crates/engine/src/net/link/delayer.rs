//! The Delayer of ns-2: holds packets between a queue and its transmitter during channel allocation and delay spikes.
//!
//! Source: ns-2.35's `Delayer`, after A. Gurtov and S. Floyd, "Modeling wireless links for transport protocols",
//! 2004. As there, the delayer dequeues the next packet as soon as one has left. So one packet waits in the delayer
//! while the transmitter is busy.

use crate::event::timer::TimerId;
use crate::packet::PacketId;
use crate::random::random_variable::VariableId;

pub(in crate::net) const ALLOCATION: u8 = 0;
pub(in crate::net) const SPIKE: u8 = 1;

/// Two random variables: time until a period begins, and its length, s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spells {
    /// Time until the period begins, s.
    pub interval: VariableId,
    /// Length of the period, s.
    pub length: VariableId,
}

/// A delayer. It dequeues one packet before the transmitter is free.
#[derive(Debug)]
pub struct Delayer {
    /// Whether the queue waits for the delayer.
    pub(crate) blocks_queue: bool,
    /// The held packet, and the index of the next hook at [`HookPoint::Dequeued`](super::HookPoint::Dequeued).
    pub(crate) held: Option<(PacketId, usize)>,
    pub(crate) has_seen_packet: bool,
    pub(crate) last_sent_s: f64,
    /// A channel is allocated when the link was unused for a while.
    pub(crate) allocation: Option<Spells>,
    pub(crate) is_allocated: bool,
    pub(crate) allocation_timer: TimerId,
    /// During a delay spike no packet is sent.
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
