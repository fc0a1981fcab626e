//! Links over 5G NR.

use crate::error::ScenarioError;
use crate::model::described::described;
use crate::model::shape::words;
use crate::model::typed::{Number, Time};
use crate::tree::Tree;

/// The directions of a radio link.
pub const DIRECTIONS: [&str; 2] = ["downlink", "uplink"];

/// OFDM symbols of a slot with the normal cyclic prefix: TS 38.211, table 4.3.2-1.
pub const SYMBOLS: i64 = 14;

/// The largest number of resource blocks: TS 38.101-1, table 5.3.2-1.
const MOST_BLOCKS: i64 = 273;

described! {
    /// A link over 5G NR: it sends at the ends of its direction's slots, as much as the channel's
    /// quality allows.
    ///
    /// `direction` is `downlink` or `uplink`. A link's reverse direction is the other one, unless it has a process of its
    /// own. `slots` are its slots in turn: `D` downlink, `U` uplink, `S` special, with `special_downlink` and
    /// `special_uplink` symbols of both. `D` alone is the downlink of FDD.
    ///
    /// The carrier has `resource_blocks` of 12 subcarriers each, `subcarrier_khz` apart, and `layers`. The share `overhead`
    /// of its symbols carries no data. The ratio of signal to interference and noise is `sinr_db` on average. It varies by
    /// `shadowing_db`, and forgets while a terminal of `speed_kmh` moves by `correlation_m`. It is reported each
    /// `report_interval`. A block fails with the probability `bler` and is retransmitted after `harq_rtt` or more; what
    /// came after it waits. The resource blocks of each slot are shared with `users` others.
    ///
    /// The defaults are a carrier of 100 MHz below 7 GHz, two layers, and a pedestrian in sight of an urban macro cell;
    /// docs/guide/paths.md has the source of each.
    Nr;
    /// `downlink` or `uplink`.
    direction: String [words(DIRECTIONS)] = "downlink".into(),
    /// Subcarrier spacing, kHz: 15, 30 or 60. A slot is 15 kHz by this, ms.
    subcarrier_khz: i64 = 30,
    /// Resource blocks of 12 subcarriers.
    resource_blocks: i64 = 273,
    /// Spatial layers.
    layers: i64 = 2,
    /// The share of symbols that are not data; 0.14 in the downlink and 0.08 in the uplink unless given.
    overhead: Option<Number> = None,
    /// The slots in turn: `D` is downlink, `U` uplink, `S` special, with symbols of both. `D` alone is the downlink of FDD.
    slots: String = "DDDSU".into(),
    /// Downlink symbols of a special slot.
    special_downlink: i64 = 10,
    /// Uplink symbols of a special slot.
    special_uplink: i64 = 2,
    /// The mean ratio of signal to interference and noise, dB.
    sinr_db: Number = Number::new(15.0),
    /// The standard deviation of shadow fading, dB.
    shadowing_db: Number = Number::new(4.0),
    /// The distance over which shadow fading falls to 1/e of its correlation, m.
    correlation_m: Number = Number::new(37.0),
    /// How fast the terminal moves, km/h.
    speed_kmh: Number = Number::new(3.0),
    /// The time between two reports of the channel's quality.
    report_interval: Time = Time::of("10 ms"),
    /// The probability that a transport block is not received, at each transmission.
    bler: Number = Number::new(0.1),
    /// The minimum time from the end of a block's transmission to its next one.
    harq_rtt: Time = Time::of("4 ms"),
    /// Other terminals that always have data for this direction. All have the same number of resource blocks of each slot.
    users: i64 = 0,
}

impl Nr {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        if !DIRECTIONS.contains(&self.direction.as_str()) {
            let expected = format!("expected one of {}", DIRECTIONS.join(", "));
            return Err(ScenarioError::new(expected).key("direction").value(self.direction.as_str()));
        }
        if ![15, 30, 60].contains(&self.subcarrier_khz) {
            let error = ScenarioError::new("expected 15, 30 or 60").key("subcarrier_khz");
            return Err(error.value(Tree::Whole(self.subcarrier_khz)));
        }
        let whole = [
            ("resource_blocks", self.resource_blocks, 1, MOST_BLOCKS),
            ("layers", self.layers, 1, 8),
            ("special_downlink", self.special_downlink, 0, SYMBOLS),
            ("special_uplink", self.special_uplink, 0, SYMBOLS - self.special_downlink),
            ("users", self.users, 0, self.resource_blocks - 1),
        ];
        for (key, value, least, most) in whole {
            if !(least..=most).contains(&value) {
                let expected = format!("expected a whole number, {least} to {most}");
                return Err(ScenarioError::new(expected).key(key).value(Tree::Whole(value)));
            }
        }
        let real = [
            ("overhead", self.overhead.unwrap_or(Number::new(0.0)), 0.0, 0.99),
            ("sinr_db", self.sinr_db, -50.0, 100.0),
            ("shadowing_db", self.shadowing_db, 0.0, 50.0),
            ("correlation_m", self.correlation_m, 0.001, 1e6),
            ("speed_kmh", self.speed_kmh, 0.0, 1e6),
            ("bler", self.bler, 0.0, 0.99),
        ];
        for (key, number, least, most) in real {
            if !(least..=most).contains(&number.value) {
                let expected = format!("expected a number from {least} to {most}");
                return Err(ScenarioError::new(expected).key(key).value(number.given()));
            }
        }
        if self.report_interval.value < self.slot_s() {
            let expected = format!("expected at least a slot, {} ms", 1000.0 * self.slot_s());
            return Err(ScenarioError::new(expected).key("report_interval").value(self.report_interval.text.as_str()));
        }
        if self.slots.is_empty() || self.slots.len() > 1000 || self.slots.chars().any(|slot| !"DSU".contains(slot)) {
            let error = ScenarioError::new("expected 1 to 1000 of the letters D, S and U").key("slots");
            return Err(error.value(self.slots.as_str()));
        }
        if (0..self.slots.len()).all(|slot| self.symbols(slot) == 0) {
            let expected = format!("expected a slot with symbols of the {}", self.direction);
            return Err(ScenarioError::new(expected).key("slots").value(self.slots.as_str()));
        }
        Ok(())
    }

    /// The duration of a slot, s: TS 38.211, table 4.3.2-1.
    pub fn slot_s(&self) -> f64 {
        0.015 / self.subcarrier_khz as f64
    }

    /// How many symbols of this direction a slot has.
    pub fn symbols(&self, slot: usize) -> i64 {
        let is_down = self.direction == DIRECTIONS[0];
        match self.slots.as_bytes()[slot % self.slots.len()] {
            b'D' if is_down => SYMBOLS,
            b'U' if !is_down => SYMBOLS,
            b'S' if is_down => self.special_downlink,
            b'S' => self.special_uplink,
            _ => 0,
        }
    }

    /// Bits of a slot with so many symbols, at a spectral efficiency in bits per symbol and subcarrier: TS 38.306, 4.1.2, for
    /// one slot.
    pub fn bits(&self, symbols: i64, efficiency: f64) -> f64 {
        let is_down = self.direction == DIRECTIONS[0];
        let overhead = self.overhead.map_or(if is_down { 0.14 } else { 0.08 }, |overhead| overhead.value);
        let blocks = self.resource_blocks / (self.users + 1);
        (self.layers * blocks * 12 * symbols) as f64 * efficiency * (1.0 - overhead)
    }

    /// The process of a link's reverse direction, where the link has this one. If no slot is left for it, the carrier is one
    /// of a pair (FDD), and the other carrier has slots of its direction alone.
    pub fn reversed(&self) -> Nr {
        let is_down = self.direction == DIRECTIONS[0];
        let mut reversed = Nr { direction: DIRECTIONS[usize::from(is_down)].into(), ..self.clone() };
        if (0..self.slots.len()).all(|slot| reversed.symbols(slot) == 0) {
            reversed.slots = if is_down { "U" } else { "D" }.into();
        }
        reversed
    }
}
