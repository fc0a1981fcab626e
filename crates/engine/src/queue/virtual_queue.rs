//! Adaptive Virtual Queue (AVQ): packets that overflow a slower virtual queue are dropped or marked in the real queue.
//!
//! Source: S. Kunniyur and R. Srikant, "Analysis and design of an adaptive virtual queue (AVQ) algorithm for active
//! queue management", ACM SIGCOMM 2001, as ns-2.35's `Queue/Vq` computes it, with a token bucket.
//! What it decides: each arrival also enters the virtual queue. Its capacity adapts towards `gamma` times the link's
//! rate. When an arrival overflows the virtual queue, this packet, or the oldest one instead, is dropped or marked. A
//! real queue above its limit also drops.
//! Departures: a packet dropped twice ends the run with an error; ns-2 aborts.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit, Watched, lengths_of, watches};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "virtual_queue",
    about: "adaptive virtual queue: drops or marks what overflows a queue with a slower link (Kunniyur and Srikant 2001)",
    make: || Box::new(VirtualQueue::default()),
};

/// Smoothing parameter of the virtual capacity (alpha in the paper).
const ADAPTATION: f64 = 0.15;

#[derive(Params)]
struct VirtualQueue {
    fifo: Fifo,
    /// Maximum queue length, packets (times `mean_pktsize`: bytes).
    #[param("packets")]
    limit: i32,
    /// Whether both queues are counted in bytes.
    #[param("flag")]
    queue_in_bytes: bool,
    /// Mean packet size, bytes.
    #[param("bytes")]
    mean_pktsize: i32,
    /// The virtual capacity at the first packet, in parts of the link's.
    #[param("")]
    ecnlim: f64,
    /// The virtual queue's limit, in parts of the real one's.
    #[param("")]
    buflim: f64,
    /// Target rate, as a share of the link's.
    #[param("")]
    gamma: f64,
    /// Whether packets are marked instead of dropped.
    #[param("flag")]
    markpkts: bool,
    /// Whether the oldest packet is marked.
    #[param("flag")]
    markfront: bool,
    /// Whether the oldest packet is dropped.
    #[param("flag")]
    drop_front: bool,
    #[param(state, name = "curq", field = value)]
    length_seen: Watched<i32>,
    /// The real length as ns-2 counts it: a drop from the front subtracts the size of the arriving packet.
    length: i64,
    /// bit/s until the first packet, then units of the queue (bytes or packets) per second.
    capacity: f64,
    virtual_capacity: f64,
    virtual_length: f64,
    /// Whether a packet has arrived.
    has_begun: bool,
    adapted_at: Time,
    drained_at: Time,
}

impl Default for VirtualQueue {
    fn default() -> VirtualQueue {
        VirtualQueue {
            fifo: Fifo::default(),
            limit: 50,
            queue_in_bytes: true,
            mean_pktsize: 1000,
            ecnlim: 0.8,
            buflim: 1.0,
            gamma: 0.98,
            markpkts: false,
            markfront: false,
            drop_front: false,
            length_seen: Watched::default(),
            length: 0,
            capacity: 0.0,
            virtual_capacity: 0.0,
            virtual_length: 0.0,
            has_begun: false,
            adapted_at: Time::ZERO,
            drained_at: Time::ZERO,
        }
    }
}

impl VirtualQueue {
    /// The length that a packet of this size adds, bytes or packets.
    fn share(&self, size: i32) -> i32 {
        if self.queue_in_bytes { size } else { 1 }
    }

    fn begin(&mut self, now: Time) {
        self.has_begun = true;
        self.capacity /= if self.queue_in_bytes { 8.0 } else { 8.0 * f64::from(self.mean_pktsize) };
        self.virtual_capacity = self.capacity * self.ecnlim;
        self.adapted_at = now;
        self.drained_at = now;
    }

    fn drain(&mut self, now: Time) {
        self.virtual_length -= self.virtual_capacity * (now - self.drained_at);
        self.drained_at = now;
        if self.virtual_length < 0.0 {
            self.virtual_length = 0.0;
        }
    }

    fn adapt(&mut self, now: Time, share: f64) {
        let earned = ADAPTATION * self.gamma * self.capacity * (now - self.adapted_at);
        self.virtual_capacity = self.virtual_capacity + earned - ADAPTATION * share;
        if self.virtual_capacity > self.capacity {
            self.virtual_capacity = self.capacity;
        }
        if self.virtual_capacity < 0.0 {
            self.virtual_capacity = 0.0;
        }
        self.adapted_at = now;
    }

    fn mark(&self, packet: PacketId, context: &mut QueueContext) {
        let marked = if self.markfront { self.fifo.get(0) } else { Some(packet) };
        if let Some(marked) = marked {
            context.packets[marked].mark();
        }
    }

    /// Drops the oldest packet, or the arriving one, and subtracts `share` from the length.
    fn discard(&mut self, packet: PacketId, share: i32, context: &mut QueueContext) {
        if self.drop_front {
            let Some(oldest) = self.fifo.pop(context.packets) else { return };
            context.dropped.push(oldest);
        } else if self.fifo.pop_newest_if(packet, context.packets) {
            context.dropped.push(packet);
        } else {
            *context.error = Some("a virtual queue dropped a packet twice".into());
        }
        self.length -= i64::from(share);
    }
}

impl Discipline for VirtualQueue {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let now = context.now;
        let share = self.share(context.packets[packet].size);
        self.fifo.push(packet, context.packets);
        self.length += i64::from(share);
        if !self.has_begun {
            self.begin(now);
        }
        self.drain(now);
        self.virtual_length += f64::from(share);
        let unit = if self.queue_in_bytes { self.mean_pktsize } else { 1 };
        let overflows = self.virtual_length > self.buflim * f64::from(self.limit) * f64::from(unit);
        if overflows {
            self.virtual_length -= f64::from(share);
            if self.virtual_length < 0.0 {
                self.virtual_length = 0.0;
            }
            if self.markpkts {
                self.mark(packet, context);
            } else {
                self.discard(packet, share, context);
            }
        }
        // Dropped packets do not count as arrivals.
        if !overflows || self.markpkts {
            self.adapt(now, f64::from(share));
        }
        if self.length > i64::from(self.limit.wrapping_mul(unit)) {
            self.discard(packet, share, context);
        }
        self.length_seen.set(self.length as i32, "curq", context);
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let next = self.fifo.pop(context.packets)?;
        self.length -= i64::from(self.share(context.packets[next].size));
        self.length_seen.set(self.length as i32, "curq", context);
        Some(next)
    }

    fn limit(&self) -> QueueLimit {
        // In bytes ns-2 subtracts the size of the arriving packet, whichever packet it drops.
        if self.queue_in_bytes { QueueLimit::Others } else { QueueLimit::Packets(i64::from(self.limit)) }
    }

    lengths_of!(fifo);

    own_params!();

    watches!("curq" => length_seen);

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        match name {
            "link" => {
                self.capacity = context.rate_bps;
                Ok(String::new())
            }
            _ => Err(format!("virtual_queue has no command {name}; it has link")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::VirtualQueue;
    use crate::time::Time;

    // 8 Mb/s is 1 MB/s, of which 0.8 drain: 80 kB in 0.1 s.
    #[test]
    fn the_virtual_queue_drains_at_its_part_of_the_rate() {
        let mut queue = VirtualQueue { capacity: 8e6, ..VirtualQueue::default() };
        queue.begin(Time(1.0));
        queue.virtual_length = 100_000.0;
        queue.drain(Time(1.1));
        assert!((queue.virtual_length - 20_000.0).abs() < 1e-3);
        queue.drain(Time(2.0));
        assert_eq!(queue.virtual_length, 0.0);
    }
}
