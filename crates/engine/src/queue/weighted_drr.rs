//! Weighted Deficit Round Robin: each class has its own quantum and thus its share of the link.
//!
//! Source: M. Shreedhar and G. Varghese, "Efficient fair queueing using deficit round robin", SIGCOMM 1995, section 3,
//! with packets' priorities as classes (tc-drr(8)).
//! What it decides: nonempty classes take turns. A turn adds the class's quantum to its deficit and sends what the
//! deficit allows. A class that becomes empty loses its deficit. A full class drops its arrivals.
//! Departures: a quantum below 1 counts as 1.
//! Not implemented: disciplines other than drop-tail in the classes.
//! Checked against: an independent transcription, packet by packet; shares by hand (tests/spec/test_aqm.py).

use std::collections::VecDeque;

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit};
use crate::packet::PacketId;
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "weighted_drr",
    about: "deficit round robin over classes, by the packets' priority, each with its share (Shreedhar and Varghese 1995)",
    make: || Box::new(WeightedDrr::default()),
};

#[derive(Default)]
struct Class {
    fifo: Fifo,
    deficit: i64,
}

#[derive(Params)]
struct WeightedDrr {
    /// Maximum queue length of a class, packets.
    #[param("packets")]
    limit: i32,
    /// Quantum per round of the class of priority 0, bytes.
    #[param("bytes")]
    quantum_0: i32,
    /// The same of priority 1.
    #[param("bytes")]
    quantum_1: i32,
    /// The same of priority 2.
    #[param("bytes")]
    quantum_2: i32,
    /// The same of priority 3 and above.
    #[param("bytes")]
    quantum_3: i32,
    classes: [Class; 4],
    /// Nonempty classes in the order of service.
    turns: VecDeque<usize>,
}

impl Default for WeightedDrr {
    fn default() -> WeightedDrr {
        WeightedDrr {
            limit: 50,
            quantum_0: 1514,
            quantum_1: 1514,
            quantum_2: 1514,
            quantum_3: 1514,
            classes: Default::default(),
            turns: VecDeque::new(),
        }
    }
}

impl WeightedDrr {
    fn quantum(&self, class: usize) -> i64 {
        let quanta = [self.quantum_0, self.quantum_1, self.quantum_2, self.quantum_3];
        i64::from(quanta[class].max(1))
    }
}

impl Discipline for WeightedDrr {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let place = context.packets[packet].prio.clamp(0, 3) as usize;
        let class = &mut self.classes[place];
        if class.fifo.len() as i64 >= i64::from(self.limit) {
            context.dropped.push(packet);
            return;
        }
        class.fifo.push(packet, context.packets);
        if class.fifo.len() == 1 {
            self.turns.push_back(place);
            self.classes[place].deficit = if self.turns.len() == 1 { self.quantum(place) } else { 0 };
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        loop {
            let place = *self.turns.front()?;
            let class = &mut self.classes[place];
            let size = i64::from(context.packets[class.fifo.get(0)?].size);
            if class.deficit < size {
                self.turns.rotate_left(1);
                let next = *self.turns.front()?;
                self.classes[next].deficit += self.quantum(next);
                continue;
            }
            class.deficit -= size;
            let next = class.fifo.pop(context.packets);
            if class.fifo.is_empty() {
                class.deficit = 0;
                self.turns.pop_front();
                if let Some(&next) = self.turns.front() {
                    self.classes[next].deficit += self.quantum(next);
                }
            }
            return next;
        }
    }

    fn can_bypass(&self) -> bool {
        self.limit > 0
    }

    fn limit(&self) -> QueueLimit {
        QueueLimit::Packets(i64::from(self.limit.max(0)) * self.classes.len() as i64)
    }

    fn len_packets(&self) -> usize {
        self.classes.iter().map(|class| class.fifo.len()).sum()
    }

    fn len_bytes(&self) -> i64 {
        self.classes.iter().map(|class| class.fifo.bytes()).sum()
    }

    own_params!();
}
