//! The socket state that a Linux sender shares with its congestion control, and Reno's growth, which most controls use
//! as a fallback.
//!
//! Source: RFC 5681; RFC 3465 for byte counting; Linux 2.6.22's Reno, as in ns-2.35.

use super::tunable::MAX_TUNABLES;

/// The congestion avoidance state of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaState {
    /// Normal operation.
    #[default]
    Open,
    /// Recovery from a loss or an ECN echo.
    Recovery,
    /// Recovery from a timeout.
    Loss,
}

/// TCP-LP's report on each ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Flags, window, rate of the peer's clock, minimum, maximum and smoothed one-way delay.
    pub fields: [u64; 6],
}

/// The socket state for a congestion control. Sequence numbers count bytes, windows packets.
#[derive(Clone, Debug, Default)]
pub struct Socket {
    /// The next byte to send.
    pub snd_nxt: u64,
    /// The first byte not acknowledged.
    pub snd_una: u64,
    /// Segment size, bytes.
    pub mss: u64,
    /// The smoothed round-trip time, eighths of a jiffy.
    pub srtt: u64,
    /// The peer's timestamp of the last ACK, jiffies.
    pub rcv_tsval: u64,
    /// The timestamp that the last ACK echoed, jiffies.
    pub rcv_tsecr: u64,
    /// The last ACK had a timestamp.
    pub saw_tstamp: bool,
    /// The slow-start threshold.
    pub snd_ssthresh: u64,
    /// The window.
    pub snd_cwnd: u64,
    /// ACKs counted towards the next packet of growth.
    pub snd_cwnd_cnt: u32,
    /// The maximum window.
    pub snd_cwnd_clamp: u32,
    /// Bytes acknowledged and not yet used for growth.
    pub bytes_acked: u64,
    /// The congestion avoidance state.
    pub state: CaState,
    /// The time, jiffies.
    pub jiffies: u64,
    /// The time, ns.
    pub nanoseconds: i64,
    /// Maximum burst after recovery, packets.
    pub max_burst: u8,
    /// The control's report on this ACK.
    pub remark: Option<Remark>,
    /// A division by zero occurred.
    pub divided_by_zero: bool,
    pub(super) remarks_wanted: bool,
    pub(super) counts_bytes: u8,
    pub(super) tunables: [i32; MAX_TUNABLES],
}

impl Socket {
    /// A socket with this window and defaults otherwise.
    pub fn new(snd_cwnd: u64) -> Socket {
        Socket { snd_cwnd, ..Socket::default() }
    }

    /// The control's tunable with index `number`.
    #[inline]
    pub(super) fn tunable(&self, number: usize) -> i32 {
        self.tunables[number]
    }

    /// Reports a remark, if remarks are enabled.
    pub(super) fn remark(&mut self, fields: [u64; 6]) {
        if self.remarks_wanted {
            self.remark = Some(Remark { fields });
        }
    }

    /// Division; records a division by zero, where ns-2 crashes.
    #[inline]
    pub(super) fn divide(&mut self, dividend: u64, divisor: u64) -> u64 {
        dividend.checked_div(divisor).unwrap_or_else(|| {
            self.divided_by_zero = true;
            0
        })
    }

    /// Microseconds since `then_ns`.
    pub(super) fn microseconds_since(&self, then_ns: i64) -> u64 {
        (self.nanoseconds.wrapping_sub(then_ns) / 1000) as u64
    }

    /// Begins with this parameter as slow-start threshold, unless it is 0.
    pub(super) fn start_at_ssthresh(&mut self, tunable: usize) {
        let initial = self.tunable(tunable);
        if initial != 0 {
            self.snd_ssthresh = i64::from(initial) as u64;
        }
    }

    /// Whether the window limits the sender, and not the application.
    #[inline]
    pub(super) fn is_cwnd_limited(&self, in_flight: u64) -> bool {
        in_flight >= self.snd_cwnd
    }

    /// Whether the sender is in slow start.
    #[inline]
    pub(super) fn in_slow_start(&self) -> bool {
        self.snd_cwnd <= self.snd_ssthresh
    }

    /// Grows the window by one packet, unless it is at its maximum.
    #[inline]
    pub(super) fn grow_by_one(&mut self) {
        if self.snd_cwnd < u64::from(self.snd_cwnd_clamp) {
            self.snd_cwnd = self.snd_cwnd.wrapping_add(1);
        }
    }

    /// Adds `packets` to `snd_cwnd_cnt`, modulo 2^32.
    #[inline]
    pub(super) fn save_up(&mut self, packets: u64) {
        self.snd_cwnd_cnt = self.snd_cwnd_cnt.wrapping_add(packets as u32);
    }

    /// Grows the window by one packet per `every` ACKs.
    #[inline]
    pub(super) fn grow_every(&mut self, every: u64) {
        if u64::from(self.snd_cwnd_cnt) >= every {
            self.grow_by_one();
            self.snd_cwnd_cnt = 0;
        } else {
            self.save_up(1);
        }
    }

    /// Slow start: doubles the window per round trip.
    pub(super) fn slow_start(&mut self) {
        let counts_bytes = self.counts_bytes;
        if counts_bytes != 0 && self.bytes_acked < self.mss {
            return;
        }
        let mut gain = self.snd_cwnd;
        if counts_bytes > 1 && self.bytes_acked >= self.mss.wrapping_mul(2) {
            gain = gain.wrapping_shl(1);
        }
        self.bytes_acked = 0;
        self.save_up(gain);
        while u64::from(self.snd_cwnd_cnt) >= self.snd_cwnd {
            if self.snd_cwnd == 0 && self.snd_cwnd_clamp == 0 {
                self.divided_by_zero = true; // ns-2 loops forever
                return;
            }
            self.snd_cwnd_cnt = self.snd_cwnd_cnt.wrapping_sub(self.snd_cwnd as u32);
            self.grow_by_one();
        }
    }

    /// Reno's window growth.
    pub(super) fn reno_cong_avoid(&mut self, in_flight: u64) {
        if !self.is_cwnd_limited(in_flight) {
            return;
        }
        if self.in_slow_start() {
            self.slow_start();
        } else if self.counts_bytes != 0 {
            let window = self.snd_cwnd.wrapping_mul(self.mss);
            if self.bytes_acked >= window {
                self.bytes_acked -= window;
                self.grow_by_one();
            }
        } else {
            self.grow_every(self.snd_cwnd);
        }
    }

    /// Reno's threshold after congestion.
    pub(super) fn reno_ssthresh(&self) -> u64 {
        (self.snd_cwnd >> 1).max(2)
    }

    /// Limits the window to at least two packets and at most the maximum. Two takes precedence, as in Linux.
    pub(super) fn hold_window(&mut self) {
        if self.snd_cwnd < 2 {
            self.snd_cwnd = 2;
        } else {
            self.snd_cwnd = self.snd_cwnd.min(u64::from(self.snd_cwnd_clamp));
        }
    }

    /// Limits the maximum window, to avoid overflow in products.
    pub(super) fn clamp_for_products(&mut self) {
        self.snd_cwnd_clamp = self.snd_cwnd_clamp.min(u32::MAX / 128);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(cwnd: u64, ssthresh: u64) -> Socket {
        let mut socket =
            Socket { snd_cwnd: cwnd, snd_ssthresh: ssthresh, snd_cwnd_clamp: 100, mss: 1000, ..Socket::default() };
        socket.look_at(&crate::transport::compat::linux26::cc::Kernel::default(), None);
        socket
    }

    // RFC 3465: slow start by one packet per packet acknowledged, then by one per window acknowledged.
    #[test]
    fn reno_counts_bytes() {
        let mut socket = socket(10, 10);
        socket.bytes_acked = 1000;
        socket.reno_cong_avoid(10);
        assert_eq!((socket.snd_cwnd, socket.bytes_acked), (11, 0));
        for acked in 1..=10 {
            socket.bytes_acked = acked * 1000;
            socket.reno_cong_avoid(11);
            assert_eq!(socket.snd_cwnd, 11);
        }
        socket.bytes_acked = 11_000;
        socket.reno_cong_avoid(11);
        assert_eq!((socket.snd_cwnd, socket.bytes_acked), (12, 0));
    }

    #[test]
    fn a_sender_short_of_data_does_not_grow() {
        let mut socket = socket(10, 20);
        socket.bytes_acked = 1000;
        socket.reno_cong_avoid(9);
        assert_eq!(socket.snd_cwnd, 10);
    }

    #[test]
    fn divisions_by_zero_are_noted() {
        let mut socket = socket(10, 20);
        assert_eq!(socket.divide(7, 2), 3);
        assert!(!socket.divided_by_zero);
        socket.divide(7, 0);
        assert!(socket.divided_by_zero);
    }
}
