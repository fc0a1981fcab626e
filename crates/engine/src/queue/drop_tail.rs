//! Drop-tail FIFO: a packet that finds the queue full is dropped.
//!
//! Source: ns-2.35's `Queue/DropTail`.
//! What it decides: an arriving packet is dropped if the queue with it would *reach* the limit. A limit of n thus holds
//! n - 1 packets while the transmitter sends another one.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit, TrueAverage, lengths_of};
use crate::packet::{PacketId, PacketPool};
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "drop_tail",
    about: "first in, first out; what does not fit is dropped (ns-2.35's DropTail)",
    make: || Box::new(DropTail::default()),
};

/// A drop-tail queue.
#[derive(Params)]
pub struct DropTail {
    fifo: Fifo,
    /// The limit in packets (and, times `mean_pktsize`, in bytes).
    #[param("packets")]
    limit: i32,
    /// Whether the limit counts bytes.
    #[param("flag")]
    queue_in_bytes: bool,
    /// Bytes per packet of the limit.
    #[param("bytes")]
    mean_pktsize: i32,
    /// Whether the oldest packet is dropped instead of the arriving one.
    #[param("flag")]
    drop_front: bool,
    /// Whether the true average length is kept.
    #[param("flag")]
    summarystats: bool,
    average: Option<Box<TrueAverage>>,
}

impl Default for DropTail {
    fn default() -> DropTail {
        DropTail {
            fifo: Fifo::default(),
            limit: 50,
            queue_in_bytes: false,
            mean_pktsize: 500,
            drop_front: false,
            summarystats: false,
            average: None,
        }
    }
}

impl DropTail {
    fn length(&self) -> f64 {
        if self.queue_in_bytes { self.fifo.bytes() as f64 } else { self.fifo.len() as f64 }
    }

    /// The queue had this length until now.
    #[inline]
    fn sample(&mut self, now: Time, length: f64) {
        if self.summarystats {
            self.average.get_or_insert_default().update(now, length);
        }
    }

    /// The limit in bytes. As in ns-2 it wraps beyond 2^31, and nothing fits into a queue with a negative one.
    fn limit_bytes(&self) -> i64 {
        i64::from(self.limit.wrapping_mul(self.mean_pktsize))
    }

    fn is_full_for(&self, size: i32) -> bool {
        if self.queue_in_bytes {
            self.fifo.bytes() + i64::from(size) >= self.limit_bytes()
        } else {
            self.fifo.len() as i64 + 1 >= i64::from(self.limit)
        }
    }
}

impl Discipline for DropTail {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.sample(context.now, self.length());
        if !self.is_full_for(context.packets[packet].size) {
            self.fifo.push(packet, context.packets);
        } else if self.drop_front {
            self.fifo.push(packet, context.packets);
            context.dropped.extend(self.fifo.pop(context.packets));
        } else {
            context.dropped.push(packet);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.sample(context.now, self.length());
        self.fifo.pop(context.packets)
    }

    fn store(&mut self, packet: PacketId, packets: &PacketPool) -> bool {
        let fits = !self.summarystats && !self.is_full_for(packets[packet].size);
        if fits {
            self.fifo.push(packet, packets);
        }
        fits
    }

    fn take(&mut self, packets: &PacketPool) -> Option<(PacketId, bool)> {
        if self.summarystats {
            return None;
        }
        self.fifo.pop(packets).map(|packet| (packet, !self.fifo.is_empty()))
    }

    fn found_empty(&mut self, at: Time) {
        self.sample(at, 0.0);
    }

    fn can_bypass(&self) -> bool {
        !self.summarystats && !self.queue_in_bytes && self.limit > 1
    }

    fn limit(&self) -> QueueLimit {
        match (self.queue_in_bytes, self.drop_front) {
            (false, _) => QueueLimit::Packets(i64::from(self.limit)),
            (true, false) => QueueLimit::Bytes(self.limit_bytes().max(0)),
            // A large packet may replace a small one.
            (true, true) => QueueLimit::Others,
        }
    }

    lengths_of!(fifo);

    own_params!();

    fn reset(&mut self, context: &mut QueueContext) {
        self.average = None;
        while let Some(packet) = self.dequeue(context) {
            context.dropped.push(packet);
        }
    }

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        match name {
            "printstats" => Ok(self.average.as_deref().unwrap_or(&TrueAverage::default()).line(self.queue_in_bytes)),
            "shrink-queue" => {
                while self.length()
                    > f64::from(self.limit) * if self.queue_in_bytes { f64::from(self.mean_pktsize) } else { 1.0 }
                {
                    let gone = if self.drop_front {
                        self.fifo.pop(context.packets)
                    } else {
                        self.fifo.pop_newest(context.packets)
                    };
                    context.dropped.extend(gone);
                }
                Ok(String::new())
            }
            _ => Err(format!("drop_tail has no command {name}; it has printstats and shrink-queue")),
        }
    }
}
