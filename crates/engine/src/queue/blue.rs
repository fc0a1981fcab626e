//! BLUE: the drop probability increases when the queue overflows and decreases when the link is idle.
//!
//! Source: W. Feng, K. Shin, D. Kandlur and D. Saha, "The BLUE active queue management algorithms", IEEE/ACM
//! Transactions on Networking 10(4), 2002, section III.
//! What it decides: the probability with which arrivals are dropped or marked. An overflow adds `increment`; a link
//! that becomes idle subtracts `decrement`. Changes are more than `freeze_time` apart.
//! Departures: none.
//! Not implemented: a length below the limit that counts as an overflow.
//! Checked against: an independent transcription, packet by packet (tests/spec/test_aqm.py).

use super::{Discipline, Entry, Fifo, QueueContext, limited_to_packets};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "blue",
    about: "drops with a probability that rises at overflows and falls when the link is idle (Feng et al. 2002)",
    make: || Box::new(Blue::default()),
};

#[derive(Params)]
struct Blue {
    /// Maximum queue length, packets.
    #[param("packets")]
    limit: i32,
    /// Increase of the probability per overflow.
    #[param("")]
    increment: f64,
    /// Decrease of the probability when the link is idle.
    #[param("")]
    decrement: f64,
    /// Minimum time between two changes of the probability, s.
    #[param("s")]
    freeze_time: f64,
    /// Whether ECN-capable packets are marked instead of dropped.
    #[param("flag")]
    ecn: bool,
    probability: f64,
    changed: Time,
    fifo: Fifo,
}

impl Default for Blue {
    fn default() -> Blue {
        Blue {
            limit: 100,
            increment: 0.02,
            decrement: 0.002,
            freeze_time: 0.1,
            ecn: true,
            probability: 0.0,
            changed: Time::ZERO,
            fifo: Fifo::default(),
        }
    }
}

impl Blue {
    fn change(&mut self, by: f64, now: Time) {
        if now - self.changed > self.freeze_time {
            self.probability = (self.probability + by).clamp(0.0, 1.0);
            self.changed = now;
        }
    }
}

impl Discipline for Blue {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if self.fifo.len() as i64 >= i64::from(self.limit) {
            self.change(self.increment, context.now);
            context.dropped.push(packet);
        } else if context.rng.unit() < self.probability && !(self.ecn && context.packets[packet].mark()) {
            context.dropped_early.push(packet);
        } else {
            self.fifo.push(packet, context.packets);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.fifo.pop(context.packets)
    }

    fn found_empty(&mut self, at: Time) {
        self.change(-self.decrement, at);
    }

    limited_to_packets!(fifo);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        (self.probability, self.changed) = (0.0, context.now);
        while let Some(packet) = self.dequeue(context) {
            context.dropped.push(packet);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Blue;
    use crate::queue::Discipline;
    use crate::time::Time;

    // Of three overflows 60 ms apart, two count, 0.02 each. An idle link 101 ms after the last one subtracts 0.002.
    #[test]
    fn changes_are_frozen_for_a_while() {
        let mut blue = Blue::default();
        for at in [0.2, 0.26, 0.32] {
            blue.change(blue.increment, Time(at));
        }
        assert!((blue.probability - 0.04).abs() < 1e-15);
        blue.found_empty(Time(0.4));
        assert!((blue.probability - 0.04).abs() < 1e-15);
        blue.found_empty(Time(0.421));
        assert!((blue.probability - 0.038).abs() < 1e-15);
    }
}
