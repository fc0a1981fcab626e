//! Options received from the peer: what was negotiated, and the timestamps of the segment being processed.
//!
//! Source: RFC 9293, 3.2 (MSS); RFC 7323, 2.2 (window scale), 3.2 and 4.3 (timestamps), 5.3 (PAWS); RFC 2018, 2 (SACK
//! permitted); Linux's `struct tcp_options_received`, `tcp_parse_options`, `tcp_paws_check`, `tcp_replace_ts_recent`.
//! What it decides: which options hold for the connection, which timestamp is echoed, and whether a segment is older
//! than what was received before it (PAWS).
//! Departures: `ts_recent_stamp` has the resolution of the socket's clock, not whole seconds.
//! Not implemented: MD5, TCP-AO, fast open, MPTCP.
//! Checked against: packetdrill scripts of `ts_recent`; by hand, below.

use super::Socket;
use super::clock::{Duration, Instant};
use super::config::Config;
use super::segment::{Segment, flag};

/// MSS if the peer sends no MSS option (RFC 9293, 3.7.1), bytes; Linux's `TCP_MSS_DEFAULT`.
pub(super) const TCP_MSS_DEFAULT: u32 = 536;
/// Largest window scale (RFC 7323, 2.3).
pub(super) const TCP_MAX_WSCALE: u8 = 14;
/// Bytes of the timestamps option with its padding, as Linux sends it.
pub(super) const TCPOLEN_TSTAMP_ALIGNED: u32 = 12;
/// A timestamp that is older than this is not compared any more (Linux's `TCP_PAWS_WRAP`, for timestamps in µs).
const TCP_PAWS_WRAP: Duration = Duration::from_secs(2147);
/// A RST is not held to PAWS after this time (`TCP_PAWS_MSL`).
const TCP_PAWS_MSL: Duration = Duration::from_secs(60);
/// Replay window of PAWS, timestamp ticks (`TCP_PAWS_WINDOW`).
pub(super) const TCP_PAWS_WINDOW: i32 = 1;

/// Options received; fields have Linux's names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OptionsReceived {
    /// Timestamp to echo next.
    pub ts_recent: u32,
    /// When `ts_recent` was stored; `None` before the first timestamp.
    pub ts_recent_stamp: Option<Instant>,
    /// TSval of the segment being processed.
    pub rcv_tsval: u32,
    /// TSecr of the segment being processed, without the offset of our clock; 0 if none.
    pub rcv_tsecr: u32,
    /// The segment being processed has timestamps.
    pub saw_tstamp: bool,
    /// Timestamps are used on this connection.
    pub tstamp_ok: bool,
    /// Window scaling was negotiated.
    pub wscale_ok: bool,
    /// SACK was negotiated.
    pub sack_ok: bool,
    /// Shift count of the windows that the peer sends.
    pub snd_wscale: u8,
    /// Shift count of the windows that we send.
    pub rcv_wscale: u8,
    /// MSS set by the application (`TCP_MAXSEG`); 0 if not set.
    pub user_mss: u16,
    /// Largest segment that the peer accepts.
    pub mss_clamp: u16,
}

impl OptionsReceived {
    /// Reads the options of a SYN or SYN-ACK (`tcp_parse_options`). `ts_offset` is the offset of our timestamp clock.
    pub(super) fn parse_syn(&mut self, config: &Config, segment: &Segment, ts_offset: u32) {
        let options = &segment.options;
        self.saw_tstamp = false;
        if let Some(mss) = options.mss
            && mss != 0
        {
            self.mss_clamp = if self.user_mss != 0 { mss.min(self.user_mss) } else { mss };
        }
        if let Some(scale) = options.window_scale
            && config.window_scaling
        {
            self.wscale_ok = true;
            self.snd_wscale = scale.min(TCP_MAX_WSCALE);
        }
        if config.timestamps {
            self.parse_timestamps(segment, ts_offset);
        }
        if options.sack_permitted && config.sack {
            self.sack_ok = true;
        }
    }

    /// Reads the timestamps of a segment.
    #[inline]
    pub(super) fn parse_timestamps(&mut self, segment: &Segment, ts_offset: u32) {
        self.saw_tstamp = false;
        if let Some(timestamps) = segment.options.timestamps {
            self.saw_tstamp = true;
            self.rcv_tsval = timestamps.val;
            self.rcv_tsecr = if timestamps.ecr == 0 { 0 } else { timestamps.ecr.wrapping_sub(ts_offset) };
        }
    }

    /// Forgets what was negotiated (`tcp_clear_options`).
    pub(super) fn clear(&mut self) {
        (self.tstamp_ok, self.sack_ok, self.wscale_ok, self.snd_wscale) = (false, false, false, 0);
    }

    /// Stores the segment's timestamp as the one to echo (`tcp_store_ts_recent`).
    pub(super) fn store_ts_recent(&mut self, now: Instant) {
        self.ts_recent = self.rcv_tsval;
        self.ts_recent_stamp = Some(now);
    }

    /// Whether the timestamp is acceptable (`tcp_paws_check`): at most `window` ticks older than `ts_recent`.
    pub(super) fn paws_check(&self, now: Instant, window: i32) -> bool {
        if self.ts_recent.wrapping_sub(self.rcv_tsval) as i32 <= window || self.ts_recent == 0 {
            return true;
        }
        self.ts_recent_stamp.is_none_or(|stamp| now >= stamp + TCP_PAWS_WRAP)
    }

    /// Whether PAWS rejects a segment of a connection that is opening or has closed (`tcp_paws_reject`).
    pub(super) fn paws_reject(&self, now: Instant, is_rst: bool) -> bool {
        if self.paws_check(now, 0) {
            return false;
        }
        !(is_rst && self.ts_recent_stamp.is_none_or(|stamp| now >= stamp + TCP_PAWS_MSL))
    }
}

impl Socket {
    /// TSval of a segment that is sent now: our timestamp clock counts milliseconds.
    #[inline]
    pub(super) fn tsval(&self, now: Instant) -> u32 {
        self.timestamp_ms(now).wrapping_add(self.handshake.ts_offset)
    }

    /// Our timestamp clock without its offset, ms.
    #[inline]
    pub(super) fn timestamp_ms(&self, now: Instant) -> u32 {
        now.as_millis() as u32
    }

    /// The timestamp that a segment echoes, without the offset of our clock; `None` if it has none, or 0.
    pub(super) fn rcv_tsecr(&self, segment: &Segment) -> Option<u32> {
        let timestamps =
            segment.options.timestamps.filter(|timestamps| self.rx_opt.tstamp_ok && timestamps.ecr != 0)?;
        Some(timestamps.ecr.wrapping_sub(self.handshake.ts_offset))
    }

    /// Updates the timestamp to echo, if the segment begins at or before the last ACK sent (RFC 7323, 4.3;
    /// `tcp_replace_ts_recent`).
    pub(super) fn replace_ts_recent(&mut self, now: Instant, segment: &Segment) {
        if self.rx_opt.saw_tstamp && !segment.seq.after(self.rcv.rcv_wup) && self.rx_opt.paws_check(now, 0) {
            self.ecn.acc.has_ts_progress = (self.rx_opt.rcv_tsval.wrapping_sub(self.rx_opt.ts_recent) as i32) > 0;
            self.rx_opt.store_ts_recent(now);
        }
    }

    /// Whether PAWS discards a segment (`tcp_paws_discard`): a duplicate pure ACK that is slightly old may pass.
    pub(super) fn paws_discard(&self, now: Instant, segment: &Segment) -> bool {
        !self.rx_opt.paws_check(now, TCP_PAWS_WINDOW) && !self.is_disordered_ack(segment)
    }

    /// Whether a segment with an old timestamp is only a reordered duplicate ACK (`tcp_disordered_ack`).
    fn is_disordered_ack(&self, segment: &Segment) -> bool {
        let age = self.rx_opt.ts_recent.wrapping_sub(self.rx_opt.rcv_tsval) as i32;
        // The most ticks that the peer's clock can advance in an RTO, at 1200 Hz.
        let replay = (self.rto().as_millis() * 1200 / 1000).min(i32::MAX as u64) as i32;
        segment.has(flag::ACK)
            && segment.seq_len() == 0
            && segment.seq == self.rcv.rcv_nxt
            && segment.ack == self.snd.snd_una
            && !self.may_update_window(segment)
            && age <= replay
    }

    /// Whether the segment would change the send window (`tcp_may_update_window`).
    fn may_update_window(&self, segment: &Segment) -> bool {
        let window = u32::from(segment.window) << self.rx_opt.snd_wscale;
        segment.ack.after(self.snd.snd_una)
            || segment.seq.after(self.snd.snd_wl1)
            || (segment.seq == self.snd.snd_wl1 && (window > self.snd.snd_wnd || window == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 7323, 5.3: a segment whose timestamp is older than TS.Recent is not acceptable; after 24 days TS.Recent is
    // invalid (Linux: 2147 s, since a clock of microseconds wraps that fast).
    #[test]
    fn old_timestamps_are_rejected_while_they_can_be_compared() {
        let mut options = OptionsReceived { rcv_tsval: 1000, ..OptionsReceived::default() };
        options.store_ts_recent(Instant(0));
        options.rcv_tsval = 999;
        assert!(!options.paws_check(Instant(0), 0) && options.paws_check(Instant(0), 1));
        assert!(options.paws_check(Instant(0) + TCP_PAWS_WRAP, 0));
        assert!(options.paws_reject(Instant(0), true) && !options.paws_reject(Instant(0) + TCP_PAWS_MSL, true));
    }
}
