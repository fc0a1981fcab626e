//! A receive window that is sized by what arrives, so that it is not what limits the sender.
//!
//! Source: M. Fisk, W. Feng, "Dynamic right-sizing in TCP", LACSI 2001; Linux as its documentation describes it
//! (ip-sysctl, `tcp_moderate_rcvbuf`, `tcp_rmem`) and as it behaves.
//! What it decides: the room that ACKs tell of. Once in a round trip the receiver looks at what has come in order in it. If
//! that is more than in any before, the window is to be twice as much, and more by what the rate has grown by; it opens
//! by two packets at most for each that comes, and never closes.
//! Departures: packets are counted, not bytes of memory; the application reads at once.
//! Not implemented: memory that is short; a buffer that the application sets.
//! Checked against: by hand, below; the running kernel's windows (docs/kernel.md).

/// The weight of a sample in the receiver's smoothed round trip.
const GAIN: f64 = 0.125;
/// What the first round trip is compared with, packets: the initial window of a sender.
const FIRST: f64 = 10.0;
/// Packets by which the window opens for each that comes.
const STEP: f64 = 2.0;

/// The window of a receiver.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceiveWindow {
    /// Packets of room that ACKs tell of.
    room: f64,
    /// Packets of room that there may be.
    allowed: f64,
    /// The most packets in a round trip so far.
    most: f64,
    rtt_s: Option<f64>,
    /// When the present round trip began, and the next packet in order then.
    began_s: f64,
    began_at: i32,
}

impl ReceiveWindow {
    /// A window of `first` packets.
    pub fn new(first: f64, now_s: f64) -> ReceiveWindow {
        ReceiveWindow {
            room: first,
            allowed: first,
            most: first.min(FIRST),
            began_s: now_s,
            ..ReceiveWindow::default()
        }
    }

    /// Packets of room beyond what is in order.
    pub fn room(&self) -> i32 {
        self.room as i32
    }

    /// A packet has come that echoes the time of an ACK: that long is a round trip.
    pub fn sample(&mut self, rtt_s: f64) {
        self.rtt_s = Some(self.rtt_s.map_or(rtt_s, |smoothed_s| smoothed_s + GAIN * (rtt_s - smoothed_s)));
    }

    /// A packet has come; `next` is now the next one in order, `ahead` packets are between it and the highest that came. There
    /// is never room for more than `limit`.
    pub fn take(&mut self, next: i32, ahead: i32, limit: f64, now_s: f64) {
        self.room = (self.room + STEP).min(self.allowed);
        let Some(rtt_s) = self.rtt_s else { return };
        if now_s - self.began_s < rtt_s {
            return;
        }
        let came = f64::from(next - self.began_at);
        if came > self.most {
            // One round trip late, so twice as much; and if it still doubles, that too.
            let growth = (came - self.most) / self.most;
            let wanted = 2.0 * came * (1.0 + 2.0 * growth) + f64::from(ahead.max(0));
            self.allowed = self.allowed.max(wanted.min(limit));
            self.most = came;
        }
        (self.began_s, self.began_at) = (now_s, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand: 10 packets in a round trip of 100 ms are what was expected; 30 in the next are thrice that: 2 * 30 * (1 + 2 *
    // (30 - 10) / 10) = 300 packets. The window of 45 gets there by two for each packet.
    #[test]
    fn the_window_stays_ahead_of_a_rate_that_doubles() {
        let mut window = ReceiveWindow::new(45.0, 0.0);
        window.sample(0.1);
        for next in 1..=10 {
            window.take(next, 0, 2000.0, 0.1);
        }
        assert_eq!((window.room(), window.allowed, window.most), (45, 45.0, 10.0));
        for next in 12..=31 {
            window.take(next, 0, 2000.0, 0.15);
        }
        assert_eq!(window.room(), 45, "within the round trip nothing is judged");
        window.take(31, 0, 2000.0, 0.25);
        assert_eq!((window.allowed, window.most), (2.0 * 30.0 * (1.0 + 2.0 * 2.0), 30.0));
        for _ in 0..10 {
            window.take(31, 0, 2000.0, 0.26);
        }
        assert_eq!(window.room(), 65);
    }

    #[test]
    fn it_neither_passes_its_limit_nor_closes() {
        let mut window = ReceiveWindow::new(45.0, 0.0);
        window.sample(0.1);
        window.take(1000, 0, 100.0, 0.2);
        assert_eq!(window.allowed, 100.0);
        window.take(1001, 0, 50.0, 0.4);
        assert_eq!(window.allowed, 100.0);
    }
}
