//! XCP's controllers: how much the rates of all flows together are to change, and each packet's part in it.

use crate::packet::header::XcpHeader;

/// The control interval before a round-trip time is known, s.
pub const FIRST_INTERVAL_S: f64 = 0.05;
/// Katabi, Handley and Rohrs 2002, section 4: the efficiency controller's gains for spare bandwidth and for the queue.
const ALPHA: f64 = 0.4;
const BETA: f64 = 0.226;
/// Section 3.5: the part of the traffic that is moved from flow to flow even when nothing is spare.
const GAMMA: f64 = 0.1;
/// Bounds of the control interval, s.
const LONGEST_S: f64 = 1.0;
const SHORTEST_S: f64 = 0.001;
/// The shortest time over which the least length of the queue is taken, s.
const SHORTEST_QUEUE_S: f64 = 0.002;

/// What is allocated in a control interval, and what is measured for the next one. Rates are in bytes/s.
pub struct Controller {
    /// s
    pub interval_s: f64,
    /// The average round-trip time of the flows, s.
    pub mean_rtt_s: f64,
    /// The queue that stays, bytes: its least length over a round trip.
    pub standing: f64,
    least: f64,
    /// Bytes that arrived in the interval.
    pub arrived: f64,
    spacings_s: f64,
    rtts_by_spacing: f64,
    /// What is left to be given and taken in the interval.
    pub to_give: f64,
    pub to_take: f64,
    /// A packet's part: by its spacing, and by its bytes.
    give_per_spacing: f64,
    take_per_byte: f64,
}

impl Default for Controller {
    fn default() -> Controller {
        Controller {
            interval_s: FIRST_INTERVAL_S,
            mean_rtt_s: FIRST_INTERVAL_S,
            standing: 0.0,
            least: 0.0,
            arrived: 0.0,
            spacings_s: 0.0,
            rtts_by_spacing: 0.0,
            to_give: 0.0,
            to_take: 0.0,
            give_per_spacing: 0.0,
            take_per_byte: 0.0,
        }
    }
}

impl Controller {
    /// A packet of so many bytes has come, with a header or without.
    pub fn arrive(&mut self, bytes: f64, header: Option<&XcpHeader>) {
        self.arrived += bytes;
        if let Some(header) = header.filter(|header| header.asks && header.rtt_s != 0.0) {
            self.spacings_s += header.spacing_s;
            let rtt_s = if header.rtt_s < LONGEST_S { header.rtt_s } else { LONGEST_S };
            self.rtts_by_spacing += rtt_s * header.spacing_s;
        }
    }

    /// The queue has so many bytes, and the next packet goes.
    pub fn note_length(&mut self, bytes: f64) {
        if bytes < self.least {
            self.least = bytes;
        }
    }

    /// A packet goes that asks: it gets its part, unless a router before was less generous. What it was given and taken.
    pub fn answer(&mut self, bytes: f64, header: &mut XcpHeader, router: u32) -> Option<(f64, f64)> {
        if header.rtt_s == 0.0 {
            header.delta = 0.0;
            return None;
        }
        let mut given = self.to_give.min(self.give_per_spacing * header.spacing_s);
        let mut taken = self.to_take.min(self.take_per_byte * bytes);
        let part = given - taken;
        if header.delta >= part {
            header.delta = part;
            header.controlling = router;
        } else {
            taken = self.to_take.min(taken + (part - header.delta));
            given = header.delta + taken;
        }
        self.to_give = (self.to_give - given).max(0.0);
        self.to_take = (self.to_take - taken).max(0.0);
        if self.to_give == 0.0 {
            self.give_per_spacing = 0.0;
        }
        if self.to_take == 0.0 {
            self.take_per_byte = 0.0;
        }
        Some((given, taken))
    }

    /// A control interval is over on a link of `capacity` bytes/s: what is spare is shared out over the next one.
    pub fn share_out(&mut self, capacity: f64) {
        let rate = self.arrived / self.interval_s;
        self.mean_rtt_s =
            if self.spacings_s == 0.0 { FIRST_INTERVAL_S } else { self.rtts_by_spacing / self.spacings_s };
        let (mut spare, mut shuffled) = (0.0, 0.0);
        if self.arrived > 0.0 {
            spare = ALPHA * (capacity - rate) - BETA * self.standing / self.mean_rtt_s;
            shuffled = (GAMMA * rate - spare.abs()).max(0.0);
        }
        self.to_give = spare.max(0.0) + shuffled;
        self.to_take = (-spare).max(0.0) + shuffled;
        let spacings_s = if self.spacings_s == 0.0 { 1.0 } else { self.spacings_s };
        (self.give_per_spacing, self.take_per_byte) =
            if self.arrived > 0.0 { (self.to_give / spacings_s, self.to_take / self.arrived) } else { (0.0, 0.0) };
        (self.arrived, self.spacings_s, self.rtts_by_spacing) = (0.0, 0.0, 0.0);
        self.interval_s = self.mean_rtt_s.max(SHORTEST_S);
    }

    /// The time over which the queue's least length is taken is over, and it has `bytes`. How long the next one is, s.
    pub fn take_least(&mut self, bytes: f64, capacity: f64) -> f64 {
        self.standing = self.least;
        self.least = bytes;
        ((self.mean_rtt_s - bytes / capacity) / 2.0).max(SHORTEST_QUEUE_S)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(window: f64, rtt_s: f64) -> XcpHeader {
        XcpHeader { asks: true, rtt_s, spacing_s: rtt_s / window, delta: 1e24, ..XcpHeader::default() }
    }

    // Katabi, Handley and Rohrs, equations 1 to 4, per second: phi = 0.4 * spare rate - 0.226 * queue / d; the shuffled
    // traffic is a tenth of the input less |phi|; all of it is given away if as many packets come as came.
    #[test]
    fn what_is_spare_is_shared_out() {
        let mut link = Controller::default();
        for _ in 0..10 {
            link.arrive(1000.0, Some(&asking(4.0, 0.5)));
        }
        link.arrive(1000.0, Some(&XcpHeader::default()));
        link.share_out(1_000_000.0);
        // 11 000 bytes in 0.05 s are 220 000 bytes/s: 0.4 * 780 000 = 312 000, nothing shuffled.
        assert_eq!((link.mean_rtt_s, link.interval_s), (0.5, 0.5));
        assert_eq!((link.to_give, link.to_take), (312_000.0, 0.0));
        let mut header = asking(4.0, 0.5);
        assert_eq!(link.answer(1000.0, &mut header, 7), Some((31_200.0, 0.0)));
        assert_eq!((header.delta, header.controlling), (31_200.0, 7));
        // A router before gave less: that stays, and what is left over is left to others.
        let mut header = XcpHeader { delta: 10_000.0, ..asking(4.0, 0.5) };
        assert_eq!(link.answer(1000.0, &mut header, 7), Some((10_000.0, 0.0)));
        assert_eq!((header.delta, header.controlling), (10_000.0, 0));
        assert!((link.to_give - 270_800.0).abs() < 1e-6);
        // Without a round-trip time there is nothing to answer.
        let mut header = asking(4.0, 0.0);
        assert_eq!(link.answer(1000.0, &mut header, 7), None);
        assert_eq!(header.delta, 0.0);
    }

    #[test]
    fn a_full_link_with_a_queue_takes_and_shuffles() {
        let mut link = Controller::default();
        link.note_length(0.0);
        assert_eq!(link.take_least(3000.0, 100_000.0), (0.05 - 0.03) / 2.0);
        link.note_length(2000.0);
        assert_eq!(link.take_least(8000.0, 100_000.0), 0.002);
        assert_eq!(link.standing, 2000.0);
        for _ in 0..5 {
            link.arrive(1000.0, Some(&asking(1.0, 2.0)));
        }
        link.share_out(100_000.0);
        // Round trips count up to one second: phi = 0 - 0.226 * 2000 / 1; shuffled 10 000 - 452.
        assert_eq!((link.mean_rtt_s, link.interval_s), (1.0, 1.0));
        assert_eq!((link.to_give, link.to_take), (9548.0, 10_000.0));
        // Spacings of 2 s: each packet's part is 9548 / 10 * 2 given and 10 000 / 5000 * 1000 taken.
        let mut header = asking(1.0, 2.0);
        let (given, taken) = link.answer(1000.0, &mut header, 0).unwrap();
        assert!((given - 1909.6).abs() < 1e-9 && taken == 2000.0);
        assert!((header.delta + 90.4).abs() < 1e-9);
    }

    #[test]
    fn a_silent_link_gives_nothing() {
        let mut link = Controller::default();
        link.share_out(100_000.0);
        assert_eq!((link.to_give, link.to_take, link.mean_rtt_s), (0.0, 0.0, 0.05));
        assert_eq!(link.answer(1000.0, &mut asking(1.0, 0.1), 0), Some((0.0, 0.0)));
    }
}
