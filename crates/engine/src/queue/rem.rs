//! Random Exponential Marking (REM): a price grows while the input exceeds the capacity, and the probability grows with
//! the price.
//!
//! Source: S. Athuraliya, S. H. Low, V. H. Li and Q. Yin, "REM: active queue management", IEEE Network 15(3), 2001, as
//! ns-2.35's `Queue/REM` computes it.
//! What it decides: every `pupdtime` the price changes by `gamma` * (smoothed arrivals + 0.1 * (length - `pbo`) -
//! packets that the link can send). The probability is 1 - `phi`^-price. Packets are dropped with it on arrival, or
//! marked with it on departure. An arrival that would fill the queue to its limit is dropped.
//! Departures: a negative or infinite interval ends the run with an error; ns-2 stops without one.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Discipline, Entry, Fifo, QueueContext, QueueLimit, Watched, lengths_of, watches};
use crate::math::Math;
use crate::packet::PacketId;
use crate::params::{Params, own_params};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "rem",
    about: "random exponential marking: drops or marks with a probability that grows with a price (Athuraliya et al. 2001)",
    make: || Box::new(Rem::default()),
};

#[derive(Params)]
struct Rem {
    fifo: Fifo,
    /// Maximum queue length, packets (times `mean_pktsize`: bytes), including the arriving one, which is dropped when
    /// it is reached.
    #[param("packets")]
    limit: i32,
    /// Step of the price.
    #[param("")]
    gamma: f64,
    /// Base of the probability.
    #[param("")]
    phi: f64,
    /// Weight of a sample of arrivals in their average.
    #[param("")]
    inw: f64,
    /// Mean packet size, bytes.
    #[param("bytes")]
    mean_pktsize: f64,
    /// Time between updates, s.
    #[param("s")]
    pupdtime: f64,
    /// The target queue length.
    #[param("packets")]
    pbo: f64,
    /// Whether packets are marked as they leave, instead of dropped as they arrive.
    #[param("flag")]
    markpkts: bool,
    /// Whether arrivals and length are counted in bytes.
    #[param("flag")]
    qib: bool,
    /// The number of marked packets.
    #[param(state)]
    pmark: f64,
    #[param(state, name = "prob", field = value)]
    probability: Watched<f64>,
    #[param(state, name = "curq", field = value)]
    length_seen: Watched<i32>,
    packets_per_s: f64,
    price: f64,
    /// Packets or bytes since the last update, and their average in packets.
    arrived: f64,
    arrivals: f64,
    /// Bytes in the queue as ns-2 counts them: a reset sets this to zero although packets wait.
    bytes: i32,
}

impl Default for Rem {
    fn default() -> Rem {
        Rem {
            fifo: Fifo::default(),
            limit: 50,
            gamma: 0.001,
            phi: 1.001,
            inw: 1.0,
            mean_pktsize: 1000.0,
            pupdtime: 0.002,
            pbo: 20.0,
            markpkts: false,
            qib: false,
            pmark: 0.0,
            probability: Watched::default(),
            length_seen: Watched::default(),
            packets_per_s: 0.0,
            price: 0.0,
            arrived: 0.0,
            arrivals: 0.0,
            bytes: 0,
        }
    }
}

impl Rem {
    fn length(&self) -> i32 {
        if self.qib { self.bytes } else { self.fifo.len() as i32 }
    }

    fn learn_rate(&mut self, context: &QueueContext) {
        self.packets_per_s = context.rate_bps / (8.0 * self.mean_pktsize);
    }

    fn update(&mut self) -> f64 {
        let unit = if self.qib { self.mean_pktsize } else { 1.0 };
        self.arrivals = self.arrivals * (1.0 - self.inw) + self.inw * self.arrived / unit;
        self.arrived = 0.0;
        let excess = f64::from(self.length()) / unit - self.pbo;
        let can_leave = self.pupdtime * self.packets_per_s;
        self.price += self.gamma * (self.arrivals + 0.1 * excess - can_leave);
        if self.price < 0.0 {
            self.price = 0.0;
        }
        1.0 - self.phi.power(-self.price)
    }

    /// The probability for a packet of this size, bytes.
    fn probability_for(&self, size: i32) -> f64 {
        if self.qib { self.probability.value * f64::from(size) / self.mean_pktsize } else { self.probability.value }
    }

    fn is_dropped(&self, size: i32, context: &mut QueueContext) -> bool {
        let limit = f64::from(self.limit) * if self.qib { self.mean_pktsize } else { 1.0 };
        if f64::from(self.length()) >= limit {
            return true;
        }
        !self.markpkts && context.rng.unit() <= self.probability_for(size)
    }
}

impl Discipline for Rem {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        let size = context.packets[packet].size;
        self.arrived += if self.qib { f64::from(size) } else { 1.0 };
        self.fifo.push(packet, context.packets);
        self.bytes = self.bytes.wrapping_add(size);
        if self.is_dropped(size, context) {
            self.bytes = self.bytes.wrapping_sub(size);
            context.dropped.extend(self.fifo.pop_newest(context.packets));
        }
        self.length_seen.set(self.length(), "curq", context);
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        let next = self.fifo.pop(context.packets);
        if let Some(packet) = next {
            self.bytes = self.bytes.wrapping_sub(context.packets[packet].size);
        }
        if self.markpkts {
            // ns-2 draws even if there is no packet.
            let draw = context.rng.unit();
            if let Some(packet) = next {
                let packet = &mut context.packets[packet];
                if draw <= self.probability_for(packet.size) && packet.mark() {
                    self.pmark += 1.0;
                }
            }
        }
        self.length_seen.set(self.length(), "curq", context);
        next
    }

    fn counts_questions(&self) -> bool {
        true
    }

    fn timer(&mut self, context: &mut QueueContext) {
        let probability = self.update();
        self.probability.set(probability, "prob", context);
        context.wake_in_s = Some(self.pupdtime);
    }

    fn limit(&self) -> QueueLimit {
        if self.qib {
            QueueLimit::Bytes((f64::from(self.limit) * self.mean_pktsize) as i64)
        } else {
            QueueLimit::Packets(i64::from(self.limit))
        }
    }

    lengths_of!(fifo);

    own_params!();

    watches!("prob" => probability, "curq" => length_seen);

    /// Resets the price; stored packets stay in the queue.
    fn reset(&mut self, context: &mut QueueContext) {
        self.learn_rate(context);
        self.probability.set(0.0, "prob", context);
        (self.price, self.arrived, self.arrivals) = (0.0, 0.0, 0.0);
        (self.pmark, self.bytes) = (0.0, 0);
        context.wake_in_s = Some(self.pupdtime);
    }

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        match name {
            "link" => {
                self.learn_rate(context);
                Ok(String::new())
            }
            _ => Err(format!("rem has no command {name}; it has link")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rem;

    // 30 packets arrived where 10 can leave, and the length is 5 below the target: the price grows by (30 - 0.5 - 10) /
    // 10.
    #[test]
    fn the_price_follows_the_excess() {
        let mut rem = Rem { gamma: 0.1, phi: 2.0, pbo: 5.0, packets_per_s: 5000.0, arrived: 30.0, ..Rem::default() };
        let probability = rem.update();
        assert!((rem.price - 1.95).abs() < 1e-12);
        assert!((probability - (1.0 - 2f64.powf(-1.95))).abs() < 1e-12);
        rem.update();
        assert!((rem.price - 0.9).abs() < 1e-12);
    }
}
