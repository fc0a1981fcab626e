//! First in, first out; a packet that finds the queue full is lost.
//!
//! Source: ns-2.35's `Queue/DropTail`.
//! What it decides: an arriving packet is dropped when with it the queue would *reach* the limit, so that a limit of n
//! holds n - 1 while the transmitter works on another one.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/ns2).

use super::{Discipline, Entry, Fifo, QueueContext};
use crate::packet::PacketId;
use crate::params;
use crate::params::Value;
use crate::units::Time;

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "drop_tail",
    about: "first in, first out; what does not fit is dropped",
    make: || Box::new(DropTail::default()),
};

/// A drop-tail queue.
pub struct DropTail {
    fifo: Fifo,
    /// The limit in packets (and, times `mean_packet_bytes`, in bytes).
    limit_packets: i32,
    /// Whether the limit counts bytes.
    in_bytes: bool,
    /// Bytes that a packet of the limit stands for.
    mean_packet_bytes: i32,
    /// Whether the oldest packet is dropped instead of the arriving one.
    drop_front: bool,
    /// Whether the true average length is kept.
    summary_stats: bool,
    average: TrueAverage,
}

impl Default for DropTail {
    fn default() -> DropTail {
        DropTail {
            fifo: Fifo::default(),
            limit_packets: 50,
            in_bytes: false,
            mean_packet_bytes: 500,
            drop_front: false,
            summary_stats: false,
            average: TrueAverage::default(),
        }
    }
}

params!(DropTail { limit_packets, in_bytes, mean_packet_bytes, drop_front, summary_stats });

/// The time-weighted average length since the start.
#[derive(Default)]
pub struct TrueAverage {
    average: f64,
    until_s: f64,
}

impl TrueAverage {
    /// The queue had this length until now.
    pub fn update(&mut self, now: Time, length: f64) {
        let lasted = now.secs() - self.until_s;
        if lasted > 0.0 {
            self.average = (self.until_s * self.average + lasted * length) / now.secs();
            self.until_s = now.secs();
        }
    }

    /// The average and the instant, s, up to which it counts.
    pub fn get(&self) -> (f64, f64) {
        (self.average, self.until_s)
    }
}

impl DropTail {
    fn length(&self) -> f64 {
        if self.in_bytes { self.fifo.bytes() as f64 } else { self.fifo.len() as f64 }
    }

    fn is_full_for(&self, size: i32) -> bool {
        if self.in_bytes {
            let limit = i64::from(self.limit_packets.wrapping_mul(self.mean_packet_bytes) as u32);
            self.fifo.bytes() + i64::from(size) >= limit
        } else {
            self.fifo.len() as i64 + 1 >= i64::from(self.limit_packets)
        }
    }
}

impl Discipline for DropTail {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if self.summary_stats {
            self.average.update(context.now, self.length());
        }
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
        if self.summary_stats {
            self.average.update(context.now, self.length());
        }
        self.fifo.pop(context.packets)
    }

    fn len_packets(&self) -> usize {
        self.fifo.len()
    }

    fn len_bytes(&self) -> i64 {
        self.fifo.bytes()
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name)
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value)
    }

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        match name {
            "printstats" => {
                let (average, until_s) = self.average.get();
                let unit = if self.in_bytes { " (in bytes)" } else { "" };
                Ok(format!("True average queue: {average:5.3}{unit} time: {until_s:5.3}\n"))
            }
            "shrink-queue" => {
                while self.length()
                    > f64::from(self.limit_packets)
                        * if self.in_bytes { f64::from(self.mean_packet_bytes) } else { 1.0 }
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
