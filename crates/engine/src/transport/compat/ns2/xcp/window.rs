//! XCP's window rule: the routers' feedback changes the rate.
//!
//! Source: D. Katabi, M. Handley, C. Rohrs, "Congestion control for high bandwidth-delay product networks", SIGCOMM
//! 2002, section 3.2; draft-falk-xcp-spec, as ns-2.35's `XcpEndsys` computes it.
//! What it decides: the window after feedback, and the rate that a sender requests.
//! Departures: none.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

/// The requested rate, bytes/s: effectively unlimited.
const MOST: f64 = 1e24;
/// Gain exponent of the smoothed round-trip time: a sample has weight 2^-3.
const EXPONENT: u32 = 3;
const FRACTION: u32 = 5 + EXPONENT;

/// The RTT estimate of an XCP endpoint, finer than that of TCP's timer.
#[derive(Debug, Default)]
pub struct Xcp {
    /// In ticks, times 2^8; 0 before there is a sample.
    srtt: i64,
    /// s
    srtt_s: f64,
}

impl Xcp {
    /// Starts a connection without an estimate. The next sample is still added to the old average.
    pub fn forget(&mut self) {
        self.srtt_s = 0.0;
    }

    /// The smoothed round-trip time, s; 0 before the first sample.
    pub fn srtt_s(&self) -> f64 {
        self.srtt_s
    }

    /// Adds an RTT sample of `ticks` ticks of `tick_s` seconds.
    pub fn sample(&mut self, ticks: i32, tick_s: f64) {
        let ticks = i64::from(ticks);
        self.srtt = if self.srtt == 0 {
            ticks << FRACTION
        } else {
            self.srtt + (ticks << (FRACTION - EXPONENT)) - ((self.srtt + (1 << (EXPONENT - 1))) >> EXPONENT)
        };
        self.srtt_s = self.srtt as f64 * tick_s / f64::from(1u32 << FRACTION);
    }

    /// The window, in packets of `size` bytes, after feedback in bytes/s: at least one packet, at most `most` (0: no
    /// limit).
    pub fn window(&self, cwnd: f64, feedback: f64, size: i32, most: i32) -> f64 {
        let next = cwnd + feedback * self.srtt_s / f64::from(size);
        let next = if most != 0 && next > f64::from(most) { f64::from(most) } else { next };
        if next < 1.0 { 1.0 } else { next }
    }

    /// The rate of a window, bytes/s; 0 without an RTT estimate.
    pub fn rate(&self, window: i32, size: i32) -> f64 {
        if self.srtt_s == 0.0 { 0.0 } else { f64::from(window.wrapping_mul(size)) / self.srtt_s }
    }

    /// The interval between packets of a window, s, and the requested rate change, bytes/s.
    pub fn wish(&self, window: i32, size: i32) -> (f64, f64) {
        if self.srtt_s == 0.0 {
            return (0.0, 0.0);
        }
        (self.srtt_s / f64::from(window), MOST - self.rate(window, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Computed by hand, with ticks of 10 ms: the first sample is the mean; each further one moves it by an eighth,
    // rounded to 1/256 tick.
    #[test]
    fn the_round_trip_is_smoothed_in_parts_of_a_tick() {
        let mut law = Xcp::default();
        assert_eq!(law.wish(10, 1000), (0.0, 0.0));
        law.sample(8, 0.01);
        assert_eq!((law.srtt, law.srtt_s()), (2048, 0.08));
        law.sample(16, 0.01);
        // 2048 + 512 - (2052 >> 3)
        assert_eq!((law.srtt, law.srtt_s()), (2304, 0.09));
        law.forget();
        assert_eq!(law.srtt_s(), 0.0);
        law.sample(9, 0.01);
        assert_eq!(law.srtt, 2304 + 288 - 288);
    }

    // Katabi, Handley and Rohrs, section 3.2: cwnd = max(cwnd + feedback, one packet); feedback in bytes/s equals
    // feedback * rtt bytes.
    #[test]
    fn feedback_times_the_round_trip_moves_the_window() {
        let mut law = Xcp::default();
        law.sample(10, 0.01);
        assert_eq!(law.window(20.0, 50_000.0, 1000, 0), 25.0);
        assert_eq!(law.window(20.0, 50_000.0, 1000, 22), 22.0);
        assert_eq!(law.window(20.0, -300_000.0, 1000, 22), 1.0);
        assert_eq!(law.rate(20, 1000), 200_000.0);
        assert_eq!(law.wish(20, 1000), (0.005, 1e24 - 200_000.0));
    }
}
