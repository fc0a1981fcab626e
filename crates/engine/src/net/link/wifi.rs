//! Wi-Fi: stations contend for a medium, and each access sends an aggregate of frames that arrive together.
//!
//! Source: IEEE 802.11-2020: contention of EDCA (clause 10.23), A-MPDUs (9.7, 10.12), durations of OFDM and HT PPDUs
//! (clauses 17, 19). As text: E. Perahia and R. Stacey, "Next Generation Wireless LANs", 2nd edition, 2013. The law of
//! contention is that of G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE
//! JSAC 18(3), 2000.
//! What it decides: a station that has packets waits until the medium was idle for its interframe space and a random
//! number of slots, counted down while the medium is idle. Then it sends as many of them as an aggregate may hold, and
//! gets a block acknowledgment. Stations whose waits end in the same slot collide: nothing arrives, they double the
//! range of the random number and try again. A link's two directions are two stations of one medium. Further ones, which
//! always have a full aggregate to send, are `contenders`.
//! Departures: a station that finds the medium idle at an arrival, and whose wait is over, sends at once and not at the
//! border of a slot. After a collision all stations wait as long.
//! Not implemented: frames that are lost on the air (a link's losses come behind it), rate adaptation, RTS/CTS, several
//! PPDUs in a TXOP, hidden stations.
//! Checked against: ns-3.37 (tests/oracle/test_ns3_wifi.py), Bianchi's equations (tests/spec/test_wifi.py).

use crate::event::timer::TimerId;
use crate::net::ids::LinkId;
use crate::packet::PacketId;
use crate::time::Time;

/// LLC and SNAP headers, the header of a QoS data frame, and its check sequence, bytes.
const FRAME_OVERHEAD: i64 = 8 + 26 + 4;
/// The delimiter before each frame of an aggregate, and what frames are padded to, bytes.
const DELIMITER: i64 = 4;
/// Bits before and behind the data of an OFDM transmission: SERVICE and tail.
const SERVICE_AND_TAIL_BITS: i64 = 16 + 6;
/// Preamble and signal field of a transmission without HT, and its symbols, s.
const CONTROL_PREAMBLE_S: f64 = 20e-6;
const CONTROL_SYMBOL_S: f64 = 4e-6;
/// Frames that acknowledge: one frame; the frames of an aggregate (compressed block acknowledgment).
const ACK_BYTES: i64 = 14;
const BLOCK_ACK_BYTES: i64 = 32;
/// Size of the packets that contenders send, and that the nominal rate assumes, bytes.
const NOMINAL_BYTES: i64 = 1500;

/// Index of a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediumId(pub u32);

/// The constants of a medium, the same for all its stations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Rate at which frames are sent, bit/s.
    pub phy_rate_bps: f64,
    /// Duration of an OFDM symbol, guard interval included, s.
    pub symbol_s: f64,
    /// What comes before the data of a transmission, s.
    pub preamble_s: f64,
    /// Rate of acknowledgments, bit/s.
    pub control_rate_bps: f64,
    /// Duration of a slot, s.
    pub slot_s: f64,
    /// The short interframe space, s.
    pub sifs_s: f64,
    /// Slots of the arbitration interframe space behind a SIFS.
    pub aifsn: u32,
    /// The first and the largest contention window: the largest number of slots that is drawn.
    pub cw_min: u32,
    /// See `cw_min`.
    pub cw_max: u32,
    /// Collisions in a row after which an aggregate is lost.
    pub retries: u32,
    /// The most frames in an aggregate; 1 for no aggregation.
    pub max_frames: u32,
    /// The most bytes in an aggregate.
    pub max_bytes: i64,
    /// The longest transmission, s.
    pub max_airtime_s: f64,
    /// Stations besides those of the links that always have a full aggregate of packets of 1500 bytes.
    pub contenders: u32,
}

/// Duration of an OFDM transmission whose preamble, symbols and rate are these, s.
fn ofdm_s(preamble_s: f64, symbol_s: f64, rate_bps: f64, bytes: i64) -> f64 {
    let bits_per_symbol = (rate_bps * symbol_s).round().max(1.0) as i64;
    let bits = SERVICE_AND_TAIL_BITS + 8 * bytes;
    preamble_s + symbol_s * ((bits + bits_per_symbol - 1) / bits_per_symbol) as f64
}

impl Settings {
    /// The arbitration interframe space, s.
    pub fn aifs_s(&self) -> f64 {
        self.sifs_s + f64::from(self.aifsn) * self.slot_s
    }

    /// Duration of a transmission of so many bytes of frames, s.
    pub fn sending_s(&self, bytes: i64) -> f64 {
        ofdm_s(self.preamble_s, self.symbol_s, self.phy_rate_bps, bytes)
    }

    /// What follows a transmission until the medium is idle again: a SIFS and the acknowledgment, s.
    pub fn answer_s(&self, frames: u32) -> f64 {
        let bytes = if frames == 1 { ACK_BYTES } else { BLOCK_ACK_BYTES };
        self.sifs_s + ofdm_s(CONTROL_PREAMBLE_S, CONTROL_SYMBOL_S, self.control_rate_bps, bytes)
    }

    /// Bytes of an aggregate of `frames` frames and `bytes` bytes after a packet is added to it; `None` if it does not
    /// fit. The first packet always fits.
    pub fn add(&self, frames: u32, bytes: i64, packet_bytes: i64) -> Option<i64> {
        let frame = packet_bytes + FRAME_OVERHEAD;
        let sum = match frames {
            0 => return Some(frame),
            // The first frame gets a delimiter when it is not alone.
            1 => padded(bytes + DELIMITER) + DELIMITER + frame,
            _ => padded(bytes) + DELIMITER + frame,
        };
        let fits = frames < self.max_frames && sum <= self.max_bytes && self.sending_s(sum) <= self.max_airtime_s;
        fits.then_some(sum)
    }

    /// Frames and bytes of a full aggregate of packets of 1500 bytes.
    pub fn full(&self) -> (u32, i64) {
        let (mut frames, mut bytes) = (0, 0);
        while let Some(sum) = self.add(frames, bytes, NOMINAL_BYTES) {
            (frames, bytes) = (frames + 1, sum);
        }
        (frames, bytes)
    }

    /// What a station that is alone delivers of packets of 1500 bytes, bit/s: a full aggregate each time, after the mean
    /// wait.
    pub fn rate_bps(&self) -> f64 {
        let (frames, bytes) = self.full();
        let wait_s = self.aifs_s() + f64::from(self.cw_min) / 2.0 * self.slot_s;
        let each_s = wait_s + self.sending_s(bytes) + self.answer_s(frames);
        (8 * NOMINAL_BYTES * i64::from(frames)) as f64 / each_s
    }

    /// # Errors
    /// What is wrong with the numbers.
    pub fn check(&self) -> Result<(), String> {
        let rates = [self.phy_rate_bps, self.control_rate_bps, self.symbol_s, self.slot_s, self.max_airtime_s];
        if !rates.iter().all(|&number| number > 0.0 && number.is_finite()) {
            return Err("rates and durations of a medium must be positive".into());
        }
        if !(self.preamble_s >= 0.0 && self.sifs_s >= 0.0) {
            return Err("preamble and interframe space must not be negative".into());
        }
        if self.max_frames == 0 || self.cw_max < self.cw_min {
            return Err("an aggregate has a frame, and the largest window is no smaller than the first".into());
        }
        Ok(())
    }
}

fn padded(bytes: i64) -> i64 {
    (bytes + 3) / 4 * 4
}

/// A station's part in the contention.
pub(in crate::net) struct Station {
    /// The link whose packets it sends; none for a contender.
    pub(in crate::net) link: Option<LinkId>,
    /// Since when it has something to send.
    pub(in crate::net) waits_since: Option<Time>,
    /// Idle slots until it may send.
    pub(in crate::net) backoff: u32,
    pub(in crate::net) cw: u32,
    pub(in crate::net) collisions: u32,
    /// The aggregate that it sends, kept after a collision, and its bytes with all headers.
    pub(in crate::net) frames: Vec<PacketId>,
    pub(in crate::net) bytes: i64,
    /// A packet that did not fit into the last aggregate.
    pub(in crate::net) next: Option<PacketId>,
}

/// What a medium does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::net) enum State {
    /// It is idle; stations may wait.
    Idle,
    /// A transmission or a collision is under way.
    Busy,
}

/// A medium and its stations.
pub struct Medium {
    /// Its constants.
    pub settings: Settings,
    pub(in crate::net) stations: Vec<Station>,
    pub(in crate::net) state: State,
    /// When it became idle.
    pub(in crate::net) idle_since: Time,
    /// The stations that send.
    pub(in crate::net) senders: Vec<usize>,
    pub(in crate::net) timer: TimerId,
}

impl Medium {
    /// A medium without links, idle for long.
    pub(in crate::net) fn new(settings: Settings, timer: TimerId) -> Medium {
        let contenders = (0..settings.contenders).map(|_| Station::new(None, &settings));
        Medium {
            settings,
            stations: contenders.collect(),
            state: State::Idle,
            idle_since: Time(-1.0),
            senders: Vec::new(),
            timer,
        }
    }

    /// When a station may send, if it waits and no other one sends before.
    pub(in crate::net) fn ready_at(&self, station: &Station) -> Option<Time> {
        let waits_since = station.waits_since?;
        let slots_s = self.settings.aifs_s() + f64::from(station.backoff) * self.settings.slot_s;
        Some(Time((self.idle_since + slots_s).secs().max(waits_since.secs())))
    }

    /// The first instant at which a station may send.
    pub(in crate::net) fn next_at(&self) -> Option<Time> {
        let ready = self.stations.iter().filter_map(|station| self.ready_at(station));
        ready.min_by(|one, other| one.secs().total_cmp(&other.secs()))
    }

    /// The idle slots that have passed at `now`.
    pub(in crate::net) fn slots_passed(&self, now: Time) -> u32 {
        ((now - (self.idle_since + self.settings.aifs_s())) / self.settings.slot_s).floor().max(0.0) as u32
    }
}

impl Station {
    pub(in crate::net) fn new(link: Option<LinkId>, settings: &Settings) -> Station {
        Station {
            link,
            waits_since: None,
            backoff: 0,
            cw: settings.cw_min,
            collisions: 0,
            frames: Vec::new(),
            bytes: 0,
            next: None,
        }
    }
}

/// What a link knows of its medium.
pub(crate) struct OnMedium {
    pub(crate) medium: MediumId,
    pub(crate) station: usize,
    /// Packets that have left the queue and are not yet on their way.
    pub(crate) held: u32,
    /// Their bytes.
    pub(crate) held_bytes: u64,
    /// How long its transmissions, with their acknowledgments, take in all, s, and until when the last one does.
    pub(crate) airtime_s: f64,
    pub(crate) until_s: f64,
}

#[cfg(test)]
mod tests {
    use super::Settings;

    /// 802.11n at 5 GHz, 20 MHz, one stream, MCS 7, best effort.
    const N: Settings = Settings {
        phy_rate_bps: 65e6,
        symbol_s: 4e-6,
        preamble_s: 36e-6,
        control_rate_bps: 24e6,
        slot_s: 9e-6,
        sifs_s: 16e-6,
        aifsn: 3,
        cw_min: 15,
        cw_max: 1023,
        retries: 7,
        max_frames: 64,
        max_bytes: 65_535,
        max_airtime_s: 5.484e-3,
        contenders: 0,
    };

    // By hand, with 260 bits per symbol and 96 of an acknowledgment:
    // AIFS = 16 + 3 * 9 = 43 us. One frame of 1538 bytes: 22 + 12304 bits are 47.4 symbols, so 36 + 4 * 48 = 228 us;
    // its ACK: 22 + 112 bits are 1.4 symbols, so 16 + 20 + 8 = 44 us.
    // Each further frame takes 1540 + 4 bytes, so n frames 1544 n - 2. 28 of them: 22 + 345840 bits are 1330.2 symbols, so
    // 36 + 4 * 1331 = 5360 us; 29 would take 36 + 4 * 1379 = 5552 us. A block acknowledgment: 22 + 256 bits are 2.9
    // symbols, so 16 + 20 + 12 = 48 us.
    #[test]
    fn durations_are_those_of_the_standard() {
        let us = |s: f64| (s * 1e6).round() as i64;
        assert_eq!(us(N.aifs_s()), 43);
        let alone = Settings { max_frames: 1, ..N };
        assert_eq!(alone.full(), (1, 1538));
        assert_eq!((us(alone.sending_s(1538)), us(alone.answer_s(1))), (228, 44));
        assert_eq!(N.full(), (28, 28 * 1544 - 2));
        assert_eq!((us(N.sending_s(28 * 1544 - 2)), us(N.answer_s(28))), (5360, 48));
        // 28 * 12000 bits in 43 + 67.5 + 5360 + 48 us, and 12000 in 43 + 67.5 + 228 + 44.
        assert!((N.rate_bps() - 336e3 / 5518.5e-6).abs() < 1.0);
        assert!((alone.rate_bps() - 12e3 / 382.5e-6).abs() < 1.0);
    }

    #[test]
    fn an_aggregate_is_bounded_by_frames_and_bytes_too() {
        let bytes = |max_bytes| Settings { max_bytes, ..N }.full().0;
        assert_eq!((bytes(3 * 1544 - 2), bytes(3 * 1544 - 3)), (3, 2));
        assert_eq!(Settings { max_frames: 5, ..N }.full().0, 5);
        // A packet that is too long for all bounds is sent alone.
        assert_eq!(Settings { max_airtime_s: 1e-6, ..N }.full().0, 1);
    }
}
