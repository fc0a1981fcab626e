//! Receive window autotuning: sizes the window by the arrival rate, so that it does not limit the sender.
//!
//! Source: M. Fisk, W. Feng, "Dynamic right-sizing in TCP", LACSI 2001; Linux as its documentation describes it
//! (ip-sysctl, `tcp_moderate_rcvbuf`, `tcp_rmem`) and as it behaves.
//! What it decides: the window that ACKs carry. Once per round trip, the receiver counts the in-order packets that
//! arrived in it. If they are more than in any round trip before, the window becomes twice that number, plus a share
//! for the growth of the rate. The window opens by at most two packets per arriving packet, and never closes.
//! Departures: packets are counted, not bytes of memory; the application reads immediately.
//! Not implemented: memory pressure; a buffer size that the application sets.
//! Checked against: by hand, below; the running kernel's windows (docs/kernel.md).

/// The weight of a sample in the receiver's smoothed RTT.
const GAIN: f64 = 0.125;
/// Reference for the first round trip, packets: a sender's initial window.
const FIRST: f64 = 10.0;
/// Packets by which the window opens per arriving packet.
const STEP: f64 = 2.0;

/// The window of a receiver.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceiveWindow {
    /// The window that ACKs carry, packets.
    room: f64,
    /// The target window, packets.
    allowed: f64,
    /// Max packets in a round trip so far.
    most: f64,
    rtt_s: Option<f64>,
    /// Start of the present round trip, and the next in-order packet at that time.
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

    /// The window beyond the in-order packets, packets.
    pub fn room(&self) -> i32 {
        self.room as i32
    }

    /// RTT sample from a packet that echoes an ACK's timestamp, s.
    pub fn sample(&mut self, rtt_s: f64) {
        self.rtt_s = Some(self.rtt_s.map_or(rtt_s, |smoothed_s| smoothed_s + GAIN * (rtt_s - smoothed_s)));
    }

    /// A packet arrived. `next` is the next in-order packet, `ahead` the number of packets from there to the highest
    /// one received. `limit` is the max window.
    pub fn take(&mut self, next: i32, ahead: i32, limit: f64, now_s: f64) {
        self.room = (self.room + STEP).min(self.allowed);
        let Some(rtt_s) = self.rtt_s else { return };
        if now_s - self.began_s < rtt_s {
            return;
        }
        let came = f64::from(next - self.began_at);
        if came > self.most {
            // The measurement is one round trip late, so double it; add a share if the rate is still growing.
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

    // By hand: 10 packets in a round trip of 100 ms are as expected. 30 in the next one are three times that: 2 * 30 *
    // (1 + 2 * (30 - 10) / 10) = 300 packets. The window of 45 opens by two per packet.
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
