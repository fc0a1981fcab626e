//! Links over the medium of IEEE 802.11.

use ackclock_engine::net::link::wifi::Settings;

use crate::error::ScenarioError;
use crate::model::described::described;
use crate::model::typed::{Rate, Size, Time};
use crate::tree::Tree;

described! {
    /// A Wi-Fi link: its two directions contend for one medium, and each access sends an aggregate of frames.
    ///
    /// A frame is sent at `phy_rate`, in symbols of `symbol`, behind a `preamble`; acknowledgments at `control_rate`. A
    /// direction that has packets waits until the medium was idle for `sifs` and `aifsn` times `slot`, and for a random
    /// number of slots up to its window. That is `cw_min`, and doubles up to `cw_max` at each collision; after more
    /// than `retries` of them the aggregate is lost. An aggregate has at most `max_frames` packets and `max_size` with
    /// their headers, and takes at most `max_airtime`; `max_frames = 1` is for no aggregation. `contenders` are other
    /// stations, which always have a full aggregate to send.
    ///
    /// The defaults are 802.11n at 5 GHz with one stream in 20 MHz, MCS 7, best effort: IEEE 802.11-2020, clauses 10.23
    /// (EDCA), 17 (OFDM) and 19 (HT).
    Wifi;
    /// The rate at which frames are sent.
    phy_rate: Rate = Rate::of("65 Mb/s"),
    /// The duration of an OFDM symbol with its guard interval.
    symbol: Time = Time::of("4 us"),
    /// What comes before the data of a transmission.
    preamble: Time = Time::of("36 us"),
    /// The rate of acknowledgments.
    control_rate: Rate = Rate::of("24 Mb/s"),
    /// The duration of a slot.
    slot: Time = Time::of("9 us"),
    /// The short interframe space.
    sifs: Time = Time::of("16 us"),
    /// Slots of the arbitration interframe space.
    aifsn: i64 = 3,
    /// The first contention window, slots.
    cw_min: i64 = 15,
    /// The largest contention window, slots.
    cw_max: i64 = 1023,
    /// Collisions in a row after which an aggregate is lost.
    retries: i64 = 7,
    /// The most frames in an aggregate.
    max_frames: i64 = 64,
    /// The most bytes in an aggregate.
    max_size: Size = Size::of("65535 B"),
    /// The longest transmission.
    max_airtime: Time = Time::of("5.484 ms"),
    /// Other stations that always have a full aggregate to send.
    contenders: i64 = 0,
}

/// The largest of all its whole numbers: a window of 802.11 has at most 15 bits.
const MOST: i64 = 32_767;

impl Wifi {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        let positive = [
            ("symbol", self.symbol.value, &self.symbol.text),
            ("slot", self.slot.value, &self.slot.text),
            ("max_airtime", self.max_airtime.value, &self.max_airtime.text),
        ];
        for (key, value, text) in positive {
            if value <= 0.0 {
                return Err(ScenarioError::new("must be more than 0").key(key).value(text.as_str()));
            }
        }
        let whole = [
            ("aifsn", self.aifsn, 1),
            ("cw_min", self.cw_min, 0),
            ("cw_max", self.cw_max, self.cw_min),
            ("retries", self.retries, 0),
            ("max_frames", self.max_frames, 1),
            ("contenders", self.contenders, 0),
        ];
        for (key, value, least) in whole {
            if value < least || value > MOST {
                let expected = format!("expected a whole number, {least} to {MOST}");
                return Err(ScenarioError::new(expected).key(key).value(Tree::Whole(value)));
            }
        }
        Ok(())
    }

    /// The engine's constants of the medium.
    pub fn settings(&self) -> Settings {
        Settings {
            phy_rate_bps: self.phy_rate.value,
            symbol_s: self.symbol.value,
            preamble_s: self.preamble.value,
            control_rate_bps: self.control_rate.value,
            slot_s: self.slot.value,
            sifs_s: self.sifs.value,
            aifsn: self.aifsn as u32,
            cw_min: self.cw_min as u32,
            cw_max: self.cw_max as u32,
            retries: self.retries as u32,
            max_frames: self.max_frames as u32,
            max_bytes: self.max_size.value,
            max_airtime_s: self.max_airtime.value,
            contenders: self.contenders as u32,
        }
    }
}
