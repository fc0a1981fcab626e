//! Stochastic Fair BLUE (SFB): flows hash into bins at several levels, and each bin runs BLUE. A flow's probability is
//! the minimum over its bins.
//!
//! Source: W. Feng, D. Kandlur, D. Saha and K. Shin, "Stochastic fair blue: a queue management algorithm for enforcing
//! fairness", INFOCOM 2001, its pseudo-code (also in ToN 10(4), 2002). The paper gives no defaults of `increment` and
//! `decrement`; they are Linux's (tc-sfb(8)).
//! What it decides: an arrival raises the probability of each of its bins that holds more than `bin_size` packets, and
//! is then dropped. It lowers the probability of its empty bins. Otherwise it is dropped or marked with the minimum
//! probability of its bins. A flow with a minimum of 1 is unresponsive; all unresponsive flows share `penalty_rate`.
//! With `rehash` a second set of bins with other hash functions replaces the first one at this interval. Before that,
//! packets of unresponsive flows update both sets.
//! Departures: none. Not implemented: none.
//! Checked against: an independent transcription, packet by packet (tests/spec/test_aqm.py).

use super::flow_queues::{hash, mix};
use super::{Discipline, Entry, Fifo, QueueContext, limited_to_packets};
use crate::packet::{Packet, PacketId};
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
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

/// A set of bins with its own hash functions.
#[derive(Default)]
struct Bins {
    perturbation: i32,
    /// Bins per level.
    width: usize,
    /// The bins of all levels, level by level.
    table: Vec<Bin>,
}

impl Bins {
    fn new(levels: usize, width: usize, perturbation: i32) -> Bins {
        Bins { perturbation, width, table: vec![Bin::default(); levels * width] }
    }

    /// The indices of a packet's bins, one per level.
    fn places(&self, packet: &Packet) -> impl Iterator<Item = usize> + use<> {
        let (width, number) = (self.width.max(1), hash(packet, self.perturbation));
        let levels = self.table.len() / width;
        (0..levels).map(move |level| level * width + (mix(number ^ level as u64) % width as u64) as usize)
    }

    /// Adds `change` to the packet count of each of a packet's bins: 1 on arrival, -1 on departure.
    fn count(&mut self, packet: &Packet, change: i32) {
        for place in self.places(packet) {
            self.table[place].packets += change;
        }
    }
}

#[derive(Params)]
struct Sfb {
    /// Maximum queue length, packets.
    #[param("packets")]
    limit: i32,
    /// Hash functions, at most 16.
    #[param("")]
    levels: i32,
    /// Bins of each level, at most 65,536.
    #[param("")]
    bins: i32,
    /// Bin length above which its probability rises, packets.
    #[param("packets")]
    bin_size: i32,
    /// Increase of a full bin's probability.
    #[param("")]
    increment: f64,
    /// Decrease of an empty bin's probability.
    #[param("")]
    decrement: f64,
    /// Rate limit of all unresponsive flows together, bit/s.
    #[param("bit/s")]
    penalty_rate: f64,
    /// Whether ECN-capable packets are marked instead of dropped.
    #[param("flag")]
    ecn: bool,
    /// Changes which flows share bins.
    #[param("")]
    perturbation: i32,
    /// Interval at which the hash functions change, s; 0 for never.
    #[param("s")]
    rehash: f64,
    /// The current bins; created at the first packet.
    present: Bins,
    /// The bins that replace them.
    next: Option<Bins>,
    /// When they replace them.
    moves_at: Time,
    /// Until when packets of unresponsive flows are dropped.
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
            rehash: 0.0,
            present: Bins::default(),
            next: None,
            moves_at: Time::ZERO,
            penalty_until: Time::ZERO,
            fifo: Fifo::default(),
        }
    }
}

impl Sfb {
    /// New bins with other hash functions; the packets in the queue are counted in them.
    fn make_bins(&self, perturbation: i32, context: &QueueContext) -> Bins {
        let (levels, width) = (self.levels.clamp(1, 16) as usize, self.bins.clamp(1, 65_536) as usize);
        let mut bins = Bins::new(levels, width, perturbation);
        for packet in (0..self.fifo.len()).filter_map(|index| self.fifo.get(index)) {
            bins.count(&context.packets[packet], 1);
        }
        bins
    }

    /// Creates the bins, and rehashes at the end of their lifetime.
    fn prepare(&mut self, context: &QueueContext) {
        if self.present.table.is_empty() {
            self.present = self.make_bins(self.perturbation, context);
            self.moves_at = context.now + self.rehash;
        }
        if self.rehash <= 0.0 {
            return;
        }
        if context.now >= self.moves_at
            && let Some(next) = self.next.take()
        {
            self.present = next;
            self.moves_at = context.now + self.rehash;
        }
        if self.next.is_none() {
            self.next = Some(self.make_bins(self.present.perturbation.wrapping_add(1), context));
        }
    }

    /// Updates the probabilities of a packet's bins. Returns their minimum, and whether a bin holds too many packets.
    fn learn(&self, bins: &mut Bins, packet: &Packet) -> (f64, bool) {
        let (mut least, mut is_over) = (1.0_f64, false);
        for place in bins.places(packet) {
            let bin = &mut bins.table[place];
            if bin.packets > self.bin_size {
                bin.probability = (bin.probability + self.increment).min(1.0);
                is_over = true;
            } else if bin.packets == 0 {
                bin.probability = (bin.probability - self.decrement).max(0.0);
            }
            least = least.min(bin.probability);
        }
        (least, is_over)
    }

    /// Whether an arrival is stored; it may be marked instead of dropped.
    fn admits(&mut self, id: PacketId, context: &mut QueueContext) -> bool {
        let packet = &mut context.packets[id];
        let mut bins = std::mem::take(&mut self.present);
        let (least, is_over) = self.learn(&mut bins, packet);
        self.present = bins;
        if least >= 1.0
            && let Some(mut next) = self.next.take()
        {
            self.learn(&mut next, packet);
            self.next = Some(next);
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
        context.rng.unit() >= least || self.ecn && packet.mark()
    }

    fn count(&mut self, packet: &Packet, change: i32) {
        self.present.count(packet, change);
        if let Some(next) = &mut self.next {
            next.count(packet, change);
        }
    }
}

impl Discipline for Sfb {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.prepare(context);
        if self.fifo.len() as i64 >= i64::from(self.limit) {
            context.dropped.push(packet);
        } else if self.admits(packet, context) {
            self.count(&context.packets[packet], 1);
            self.fifo.push(packet, context.packets);
        } else {
            context.dropped_early.push(packet);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let packet = self.fifo.pop(context.packets)?;
        self.count(&context.packets[packet], -1);
        Some(packet)
    }

    limited_to_packets!(fifo);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.fifo.drop_all(context);
        (self.present, self.next) = (Bins::default(), None);
        self.penalty_until = context.now;
    }
}
