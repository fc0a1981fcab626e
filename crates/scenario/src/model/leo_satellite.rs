//! Links over satellites in low Earth orbit.

use crate::error::ScenarioError;
use crate::model::described::{Described, described};
use crate::model::loss::Loss;
use crate::model::typed::{Rate, Time};
use crate::outside::Nothing;
use crate::tree::Tree;

described! {
    /// A link over satellites in low Earth orbit: at each hand-over it gets another rate and another delay.
    ///
    /// Hand-overs come each `interval`, from `first` on. After each the rate is uniformly distributed from `min_rate`
    /// to `max_rate`, in each direction for itself. The path adds a delay up to `spread` to the link's own, the same in
    /// both directions. Nothing is sent for `pause`. With `cut`, what is on its way at a hand-over is lost. Each packet
    /// is delayed by up to `jitter` more, without reordering.
    ///
    /// The defaults are those of Starlink; docs/guide/paths.md has the source of each.
    LeoSatellite;
    /// The time between two hand-overs.
    interval: Time = Time::of("15 s"),
    /// The instant of the first hand-over.
    first: Time = Time::of("12 s"),
    /// The lowest rate.
    min_rate: Rate = Rate::of("10 Mb/s"),
    /// The highest rate.
    max_rate: Rate = Rate::of("70 Mb/s"),
    /// The largest delay that a path adds to the link's, in each direction.
    spread: Time = Time::of("10 ms"),
    /// How long nothing is sent after a hand-over.
    pause: Time = Time::of("50 ms"),
    /// Whether what is on its way at a hand-over is lost.
    cut: bool = true,
    /// The largest random delay of a packet, without reordering.
    jitter: Time = Time::of("14 ms"),
}

impl LeoSatellite {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        let interval = &self.interval;
        if interval.value <= 0.0 {
            return Err(ScenarioError::new("must be more than 0").key("interval").value(interval.text.as_str()));
        }
        if self.max_rate.value < self.min_rate.value {
            let expected = format!("expected at least `min_rate`, {}", self.min_rate.text);
            return Err(ScenarioError::new(expected).key("max_rate").value(self.max_rate.text.as_str()));
        }
        if self.pause.value >= interval.value {
            let expected = format!("expected less than `interval`, {}", interval.text);
            return Err(ScenarioError::new(expected).key("pause").value(self.pause.text.as_str()));
        }
        Ok(())
    }

    /// The random delays of packets.
    pub fn jitter_of_packets(&self) -> Loss {
        let table = [
            ("rate".to_owned(), Tree::Real(1.0)),
            ("delay".to_owned(), "0 s".into()),
            ("max_delay".to_owned(), self.jitter.text.as_str().into()),
            ("in_order".to_owned(), Tree::Flag(true)),
            ("place".to_owned(), "wire".into()),
        ];
        Loss::of(&table, false, &Nothing).expect("packets may be delayed at random")
    }
}
