//! The MSS in use, and how many bytes the application's data are collected to.
//!
//! Source: RFC 9293, section 3.7.1; RFC 6691 (options); Linux, `tcp_sync_mss`, `tcp_current_mss`, `tcp_bound_to_half_wnd`,
//! `tcp_xmit_size_goal`.
//! What it decides: the payload of a full packet: the smaller of the path's and the peer's, less the options, and at most
//! half of the largest window that the peer ever offered.
//! Departures: none. Not implemented: path MTU discovery.
//! Checked against: by hand, below.

use super::super::Socket;
use super::Sender;

/// `TCP_MIN_SND_MSS`, bytes.
const MIN_SND_MSS: u32 = 48;
/// `TCP_MSS_DEFAULT`, bytes: the MSS of RFC 9293, 3.7.1, without the option.
const MSS_DEFAULT: u32 = 536;
/// `MAX_TCP_HEADER` and one, bytes: the room for headers in a segment of the interface's max size.
const GSO_HEADER_ROOM: u32 = 321;

impl Sender {
    /// `tcp_bound_to_half_wnd`: at most half of the largest window of the peer, bytes.
    fn bound_to_half_wnd(&self, bytes: u32) -> u32 {
        let cutoff = if self.max_window > MSS_DEFAULT { self.max_window / 2 } else { self.max_window };
        let least = 68_u32.saturating_sub(20 + self.header_options);
        if cutoff > 0 && bytes > cutoff { cutoff.max(least) } else { bytes }
    }

    /// `sk_gso_max_size`: max bytes of a segment, headers included, for an interface with `gso_max_size`.
    pub(super) fn gso_max_size(gso_max_size: u32) -> u32 {
        gso_max_size.saturating_sub(GSO_HEADER_ROOM)
    }
}

impl Socket {
    /// `tcp_sync_mss`: recomputes the MSS after the handshake, and when the peer offers a larger window than before.
    pub(in super::super) fn sync_mss(&mut self) {
        let snd = &mut self.snd;
        let mss = u32::from(self.config.mss.min(snd.mss_clamp)).max(MIN_SND_MSS) - snd.header_options;
        snd.mss_cache = snd.bound_to_half_wnd(mss);
    }

    /// `tcp_current_mss`: the MSS for a segment sent now, with the options that it has now, bytes.
    pub(in super::super) fn current_mss(&self) -> u32 {
        let more = i64::from(self.option_bytes()) - i64::from(self.snd.header_options);
        (i64::from(self.snd.mss_cache) - more).max(1) as u32
    }

    /// `tcp_xmit_size_goal`: what segments of the write queue are filled up to, bytes.
    pub(super) fn xmit_size_goal(&self, mss: u32) -> u32 {
        let most = self.snd.bound_to_half_wnd(Sender::gso_max_size(self.config.gso_max_size));
        let segments = (most / mss).min(self.config.gso_max_segs);
        (segments * mss).max(mss)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::config::Config;
    use super::super::super::seq::SeqNum;
    use super::*;

    // Half of 10,000 bytes is 5,000; a window of at most 536 bytes is used whole.
    #[test]
    fn small_windows_bound_segments() {
        let mut snd = Sender::new(&Config::default(), SeqNum(0));
        assert_eq!(snd.bound_to_half_wnd(1460), 1460, "no window yet");
        snd.max_window = 10_000;
        assert_eq!((snd.bound_to_half_wnd(1460), snd.bound_to_half_wnd(65_215)), (1460, 5_000));
        snd.max_window = 500;
        assert_eq!(snd.bound_to_half_wnd(1460), 500);
        snd.max_window = 60;
        assert_eq!(snd.bound_to_half_wnd(1460), 60);
    }
}
