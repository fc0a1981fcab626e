//! Gibbens-Kelly virtual queue marking: from an overflow of a slower virtual queue until it is empty, all packets are
//! marked.
//!
//! Source: R. J. Gibbens and F. P. Kelly, "Resource pricing and the evolution of congestion control", Automatica
//! 35(12), 1999, as ns-2.35's `Queue/GK` computes it.
//! What it decides: each arrival also enters a virtual queue. Its limit and capacity are `ecnlim` times those of the
//! real queue. From its overflow until it is empty, ECN-capable packets are marked as they leave. When the real queue
//! reaches its limit, a packet is dropped.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Discipline, Entry, Fifo, QueueContext, Watched, limited_to_packets, watches};
use crate::packet::PacketId;
use crate::params::{Params, own_params};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "gibbens_kelly",
    about: "marks all that leaves, from the overflow of a queue with a slower link until that is empty (Gibbens and Kelly 1999)",
    make: || Box::new(GibbensKelly::default()),
};

#[derive(Params)]
struct GibbensKelly {
    fifo: Fifo,
    /// Maximum queue length, packets, including the arriving one; one is dropped when it is reached.
    #[param("packets")]
    limit: i32,
    /// The virtual queue's limit and capacity, in parts of the real ones.
    #[param("")]
    ecnlim: f64,
    /// Mean packet size, bytes.
    #[param("bytes")]
    mean_pktsize: i32,
    /// Whether the oldest packet is dropped.
    #[param("flag")]
    drop_front: bool,
    #[param(state, name = "curq", field = value)]
    length_seen: Watched<i32>,
    packets_per_s: f64,
    virtual_length: f64,
    drained_at: Time,
    /// Whether the virtual queue has overflowed since it was empty.
    marks: bool,
}

impl Default for GibbensKelly {
    fn default() -> GibbensKelly {
        GibbensKelly {
            fifo: Fifo::default(),
            limit: 50,
            ecnlim: 0.95,
            mean_pktsize: 1000,
            drop_front: false,
            length_seen: Watched::default(),
            packets_per_s: 0.0,
            virtual_length: 0.0,
            drained_at: Time::ZERO,
            marks: false,
        }
    }
}

impl GibbensKelly {
    fn drain(&mut self, now: Time) {
        if self.virtual_length > 0.0 {
            self.virtual_length -= self.ecnlim * self.packets_per_s * (now - self.drained_at);
            self.drained_at = now;
            if self.virtual_length <= 0.0 {
                self.virtual_length = 0.0;
                self.marks = false;
            }
        }
    }
}

impl Discipline for GibbensKelly {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        self.fifo.push(packet, context.packets);
        self.drain(context.now);
        self.virtual_length += 1.0;
        if self.virtual_length > self.ecnlim * f64::from(self.limit) {
            self.marks = true;
            self.virtual_length -= 1.0;
        }
        if self.fifo.len() as i64 >= i64::from(self.limit) {
            let dropped =
                if self.drop_front { self.fifo.pop(context.packets) } else { self.fifo.pop_newest(context.packets) };
            context.dropped.extend(dropped);
        }
        self.length_seen.set(self.fifo.len() as i32, "curq", context);
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.drain(context.now);
        let next = self.fifo.pop(context.packets)?;
        if self.marks {
            context.packets[next].mark();
        }
        Some(next)
    }

    fn found_empty(&mut self, at: Time) {
        self.drain(at);
    }

    limited_to_packets!(fifo);

    own_params!();

    watches!("curq" => length_seen);

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        match name {
            "link" => {
                self.packets_per_s = context.rate_bps / (8.0 * f64::from(self.mean_pktsize));
                Ok(String::new())
            }
            _ => Err(format!("gibbens_kelly has no command {name}; it has link")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GibbensKelly;
    use crate::time::Time;

    #[test]
    fn marking_ends_when_the_virtual_queue_is_empty() {
        let mut queue = GibbensKelly { packets_per_s: 100.0, virtual_length: 19.0, marks: true, ..Default::default() };
        queue.drain(Time(0.1));
        assert!(queue.marks);
        queue.drain(Time(0.3));
        assert!(!queue.marks);
    }
}
