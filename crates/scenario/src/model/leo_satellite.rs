//! Links over satellites in low Earth orbit.

use crate::error::ScenarioError;
use crate::model::loss::Loss;
use crate::model::typed::{Described, Rate, Time, described};
use crate::outside::Nothing;
use crate::tree::Tree;

described! {
    /// A link over satellites in low Earth orbit: at each hand-over it gets another rate and another delay.
    ///
    /// The hand-overs are those of Starlink, each 15 s at 12, 27, 42 and 57 s after the minute. docs/guide/paths.md has
    /// the source of each default.
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
