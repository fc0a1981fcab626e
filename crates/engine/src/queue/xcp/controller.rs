//! XCP's efficiency and fairness controllers: the aggregate rate change per control interval, and each packet's
//! feedback.

use crate::packet::header::XcpHeader;

/// Control interval until a round-trip time is measured, s.
pub const FIRST_INTERVAL_S: f64 = 0.05;
/// Katabi, Handley and Rohrs 2002, section 4: gains of the efficiency controller for spare bandwidth and queue.
const ALPHA: f64 = 0.4;
const BETA: f64 = 0.226;
/// Section 3.5: the fraction of the traffic that is shuffled between flows even without spare bandwidth.
const GAMMA: f64 = 0.1;
/// Bounds of the control interval, s.
const LONGEST_S: f64 = 1.0;
const SHORTEST_S: f64 = 0.001;
/// Minimum interval over which the minimum queue length is taken, s.
const SHORTEST_QUEUE_S: f64 = 0.002;

/// The feedback to allocate in this control interval, and the measurements for the next one. Rates are in bytes/s.
pub struct Controller {
    /// Control interval, s.
    pub interval_s: f64,
    /// Mean round-trip time of the flows, s.
    pub mean_rtt_s: f64,
    /// Persistent queue, bytes: the minimum length over a round-trip time.
    pub standing: f64,
    least: f64,
    /// Bytes that arrived in this interval.
    pub arrived: f64,
    spacings_s: f64,
    rtts_by_spacing: f64,
    /// Remaining positive and negative feedback of this interval.
    pub to_give: f64,
    pub to_take: f64,
    /// Scale factors of a packet's feedback: positive per spacing, negative per byte.
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
    /// Counts an arriving packet of `bytes` bytes, with or without an XCP header.
    pub fn arrive(&mut self, bytes: f64, header: Option<&XcpHeader>) {
        self.arrived += bytes;
        if let Some(header) = header.filter(|header| header.asks && header.rtt_s != 0.0) {
            self.spacings_s += header.spacing_s;
            let rtt_s = if header.rtt_s < LONGEST_S { header.rtt_s } else { LONGEST_S };
            self.rtts_by_spacing += rtt_s * header.spacing_s;
        }
    }

    /// Records the queue length before a packet is dequeued.
    pub fn note_length(&mut self, bytes: f64) {
        if bytes < self.least {
            self.least = bytes;
        }
    }

    /// Computes a departing packet's feedback and writes it to the header, unless an earlier router allows less.
    /// Returns the positive and negative feedback allocated; `None` if the round-trip time is unknown.
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

    /// Ends a control interval on a link of `capacity` bytes/s: computes the aggregate feedback for the next one.
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

    /// Ends the interval of the minimum queue length; the queue has `bytes` now. Returns the length of the next
    /// interval, s.
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

    // Katabi, Handley and Rohrs, equations 1 to 4, per second: phi = 0.4 * spare rate - 0.226 * queue / d. The shuffled
    // traffic is a tenth of the input minus |phi|. All of it is allocated if as many packets arrive as before.
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
        // An earlier router gave less: its feedback stays, and the rest remains for other packets.
        let mut header = XcpHeader { delta: 10_000.0, ..asking(4.0, 0.5) };
        assert_eq!(link.answer(1000.0, &mut header, 7), Some((10_000.0, 0.0)));
        assert_eq!((header.delta, header.controlling), (10_000.0, 0));
        assert!((link.to_give - 270_800.0).abs() < 1e-6);
        // Without a round-trip time there is no feedback.
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
        // Round-trip times are limited to one second: phi = 0 - 0.226 * 2000 / 1; shuffled 10 000 - 452.
        assert_eq!((link.mean_rtt_s, link.interval_s), (1.0, 1.0));
        assert_eq!((link.to_give, link.to_take), (9548.0, 10_000.0));
        // With spacings of 2 s, each packet gets 9548 / 10 * 2 positive and 10 000 / 5000 * 1000 negative feedback.
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
