//! Stochastic fair BLUE: flows are hashed into bins at several levels, each bin has BLUE's probability, and the least of a
//! flow's is its own.
//!
//! Source: W. Feng, D. Kandlur, D. Saha and K. Shin, "Stochastic fair blue: a queue management algorithm for enforcing
//! fairness", INFOCOM 2001, figure 2 (figure 8 of the journal's version, ToN 10(4), 2002). The defaults of `increment` and
//! `decrement` are Linux's (tc-sfb(8)), which the paper leaves open.
//! What it decides: an arrival raises the probability of each of its bins that hold more than `bin_size` packets, and is
//! dropped then; it lowers that of its empty bins; otherwise it is dropped or marked with the least of them. Flows whose
//! least is 1 do not answer: all of them together get `penalty_rate`.
//! Departures: none.
//! Not implemented: moving hash functions (another `perturbation` is another function).
//! Checked against: an independent transcription, packet by packet (tests/test_aqm.py).

use super::flow_queues::{hash, mix};
use super::{Discipline, Entry, Fifo, QueueContext};
use crate::packet::{Packet, PacketId};
use crate::params;
use crate::params::own_params;
use crate::units::Time;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "sfb",
    about: "stochastic fair BLUE: a probability for each flow, by bins at several levels (Feng et al. 2001)",
    make: || Box::new(Sfb::default()),
};

#[derive(Clone, Copy, Default)]
struct Bin {
    packets: i32,
    probability: f64,
}

struct Sfb {
    /// Most packets that wait.
    limit: i32,
    /// Hash functions, at most 16.
    levels: i32,
    /// Bins of each level, at most 65,536.
    bins: i32,
    /// Packets that a bin holds without its probability rising.
    bin_size: i32,
    /// What a full bin's probability rises by.
    increment: f64,
    /// What an empty one's falls by.
    decrement: f64,
    /// What flows get that do not answer, bit/s.
    penalty_rate: f64,
    /// Whether ECN-capable packets are marked instead of dropped.
    ecn: bool,
    /// Changes which flows share bins.
    perturbation: i32,
    /// Level by level; made at the first packet.
    table: Vec<Bin>,
    /// Bins of each level in it.
    bins_made: usize,
    /// When those who do not answer may send again.
    penalty_until: Time,
    fifo: Fifo,
}

impl Default for Sfb {
    fn default() -> Sfb {
        Sfb {
            limit: 200,
            levels: 2,
            bins: 23,
            bin_size: 13,
            increment: 0.0005,
            decrement: 0.000_05,
            penalty_rate: 160e3,
            ecn: true,
            perturbation: 0,
            table: Vec::new(),
            bins_made: 1,
            penalty_until: Time::ZERO,
            fifo: Fifo::default(),
        }
    }
}

params!(Sfb { limit, levels, bins, bin_size, increment, decrement, penalty_rate, ecn, perturbation });

impl Sfb {
    /// Where a packet's bins are, one of each level.
    fn places(&self, packet: &Packet) -> impl Iterator<Item = usize> + use<> {
        let (bins, number) = (self.bins_made, hash(packet, self.perturbation));
        let levels = self.table.len() / bins;
        (0..levels).map(move |level| level * bins + (mix(number ^ level as u64) % bins as u64) as usize)
    }

    /// Whether an arrival may stay, which may be marked for that.
    fn admits(&mut self, id: PacketId, context: &mut QueueContext) -> bool {
        let packet = &mut context.packets[id];
        let mut is_over = false;
        let mut least: f64 = 1.0;
        for place in self.places(packet) {
            let bin = &mut self.table[place];
            if bin.packets > self.bin_size {
                bin.probability = (bin.probability + self.increment).min(1.0);
                is_over = true;
            } else if bin.packets == 0 {
                bin.probability = (bin.probability - self.decrement).max(0.0);
            }
            least = least.min(bin.probability);
        }
        if is_over {
            return false;
        }
        if least >= 1.0 {
            if context.now < self.penalty_until {
                return false;
            }
            self.penalty_until = context.now + 8.0 * f64::from(packet.size) / self.penalty_rate;
            return true;
        }
        context.rng.default.unit() >= least || self.ecn && packet.mark()
    }
}

impl Discipline for Sfb {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if self.table.is_empty() {
            self.bins_made = self.bins.clamp(1, 65_536) as usize;
            self.table = vec![Bin::default(); self.levels.clamp(1, 16) as usize * self.bins_made];
        }
        if self.fifo.len() as i64 >= i64::from(self.limit) {
            context.dropped.push(packet);
        } else if self.admits(packet, context) {
            for place in self.places(&context.packets[packet]) {
                self.table[place].packets += 1;
            }
            self.fifo.push(packet, context.packets);
        } else {
            context.dropped_early.push(packet);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let packet = self.fifo.pop(context.packets)?;
        for place in self.places(&context.packets[packet]) {
            self.table[place].packets -= 1;
        }
        Some(packet)
    }

    fn len_packets(&self) -> usize {
        self.fifo.len()
    }

    fn len_bytes(&self) -> i64 {
        self.fifo.bytes()
    }

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        while let Some(packet) = self.fifo.pop(context.packets) {
            context.dropped.push(packet);
        }
        self.table.clear();
        self.penalty_until = context.now;
    }
}
