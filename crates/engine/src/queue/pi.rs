//! PI controller AQM: at fixed intervals the drop probability follows the queue length and its change.
//!
//! Source: C. Hollot, V. Misra, D. Towsley and W. Gong, "On designing improved controllers for AQM routers supporting
//! TCP flows", IEEE INFOCOM 2001, as ns-2.35's `Queue/PI` computes it.
//! What it decides: `w` times per second the probability changes by `a` * (length - `qref`) - `b` * (previous length -
//! `qref`). Each arrival is dropped or marked with that probability. A full queue drops the arrival.
//! Departures: a negative or infinite interval ends the run with an error; ns-2 stops without one.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit, Watched, lengths_of, watches};
use crate::packet::PacketId;
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "pi",
    about: "proportional-integral controller: the drop probability steers the length to a set point (Hollot et al. 2001)",
    make: || Box::new(Pi::default()),
};

#[derive(Params)]
struct Pi {
    fifo: Fifo,
    /// Maximum queue length, packets (times `mean_pktsize`: bytes).
    #[param("packets")]
    limit: i32,
    /// Whether big packets are dropped more often, in proportion to their bytes.
    #[param("flag")]
    bytes: bool,
    /// Whether the length is counted in bytes.
    #[param("flag")]
    queue_in_bytes: bool,
    /// Mean packet size, bytes.
    #[param("bytes")]
    mean_pktsize: i32,
    /// Weight of the current distance from the set point, per packet.
    #[param("")]
    a: f64,
    /// Weight of the distance one interval before, per packet.
    #[param("")]
    b: f64,
    /// Updates per second.
    #[param("")]
    w: f64,
    /// The set point.
    #[param("packets")]
    qref: f64,
    /// Whether ECN-capable packets are marked.
    #[param("flag")]
    setbit: bool,
    #[param(state, name = "prob", field = value)]
    probability: Watched<f64>,
    #[param(state, name = "curq", field = value)]
    length_seen: Watched<i32>,
    /// The length at the last update.
    length_before: i32,
}

impl Default for Pi {
    fn default() -> Pi {
        Pi {
            fifo: Fifo::default(),
            limit: 50,
            bytes: false,
            queue_in_bytes: false,
            mean_pktsize: 500,
            a: 0.000_018_22,
            b: 0.000_018_16,
            w: 170.0,
            qref: 50.0,
            setbit: false,
            probability: Watched::default(),
            length_seen: Watched::default(),
            length_before: 0,
        }
    }
}

impl Pi {
    fn length(&self) -> i32 {
        if self.queue_in_bytes { self.fifo.bytes() as i32 } else { self.fifo.len() as i32 }
    }

    /// The error: length minus `qref`, packets.
    fn error(&self, length: i32) -> f64 {
        let packets = f64::from(length) / if self.queue_in_bytes { f64::from(self.mean_pktsize) } else { 1.0 };
        packets - self.qref
    }

    fn update(&mut self, context: &mut QueueContext) {
        let length = self.length();
        let next = self.a * self.error(length) - self.b * self.error(self.length_before) + self.probability.value;
        self.probability.set(next.clamp(0.0, 1.0), "prob", context);
        self.length_before = length;
        context.wake_in_s = Some(1.0 / self.w);
    }

    /// Whether this packet is randomly dropped; a packet that is marked instead is kept.
    fn drops_early(&self, packet: PacketId, context: &mut QueueContext) -> bool {
        let packet = &mut context.packets[packet];
        let mut probability = self.probability.value;
        if self.bytes {
            probability = probability * f64::from(packet.size) / f64::from(self.mean_pktsize);
            if probability > 1.0 {
                probability = 1.0;
            }
        }
        let is_picked = context.rng.unit() <= probability;
        is_picked && !(self.setbit && packet.mark())
    }
}

impl Discipline for Pi {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let length = self.length();
        self.length_seen.set(length, "curq", context);
        let limit = if self.queue_in_bytes { self.limit.wrapping_mul(self.mean_pktsize) } else { self.limit };
        if length >= limit {
            context.dropped.push(packet);
        } else if self.drops_early(packet, context) {
            context.dropped_early.push(packet);
        } else {
            self.fifo.push(packet, context.packets);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let next = self.fifo.pop(context.packets);
        self.length_seen.set(self.length(), "curq", context);
        next
    }

    fn timer(&mut self, context: &mut QueueContext) {
        self.update(context);
    }

    fn limit(&self) -> QueueLimit {
        if self.queue_in_bytes {
            QueueLimit::Bytes(i64::from(self.limit.wrapping_mul(self.mean_pktsize)))
        } else {
            QueueLimit::Packets(i64::from(self.limit))
        }
    }

    lengths_of!(fifo);

    own_params!();

    watches!("prob" => probability, "curq" => length_seen);

    fn reset(&mut self, context: &mut QueueContext) {
        self.probability.set(0.0, "prob", context);
        self.length_before = 0;
        self.length_seen.set(0, "curq", context);
        self.update(context);
        while let Some(packet) = self.dequeue(context) {
            context.dropped.push(packet);
        }
    }

    fn command(&mut self, name: &str, _: &mut QueueContext) -> Result<String, String> {
        match name {
            "link" => Ok(String::new()),
            _ => Err(format!("pi has no command {name}; it has link")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pi;

    // a (8 - 4) - b (2 - 4), in packets and in bytes of 500 a packet.
    #[test]
    fn the_distance_from_the_set_point_is_in_packets() {
        let mut pi = Pi { qref: 4.0, ..Pi::default() };
        assert_eq!((pi.error(8), pi.error(2)), (4.0, -2.0));
        pi.queue_in_bytes = true;
        assert_eq!((pi.error(4000), pi.error(1000)), (4.0, -2.0));
    }
}
