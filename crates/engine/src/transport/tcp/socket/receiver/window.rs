//! The receive window: its first value, its growth, and silly-window avoidance.
//!
//! Source: RFC 9293, 3.8.6.2.2 (silly-window avoidance of the receiver); RFC 7323, 2.3 (scaling); Linux's
//! `tcp_select_initial_window`, `__tcp_select_window`, `tcp_select_window`, `tcp_grow_window`, `tcp_init_buffer_space`,
//! `tcp_set_window_clamp`, `tcp_set_rcvlowat`.
//! What it decides: the window that is offered.
//! Departures: none.
//! Not implemented: `tcp_app_win` other than its default 31; reserved memory; pressure on the host's memory.
//! Checked against: packetdrill; values that Linux sends, by hand, below.

use super::super::Socket;
use super::super::clock::Instant;
use super::super::rx_opt::TCP_MAX_WSCALE;
use super::super::segment::Segment;
use super::delayed_ack::pending;
use super::memory::truesize;

/// `tcp_app_win`: 1/2^31 of the window is kept for the application.
const TCP_APP_WIN: u32 = 31;
/// Initial congestion window, packets (`TCP_INIT_CWND`).
const TCP_INIT_CWND: u32 = 10;
/// Largest window for peers that read the field as signed (`MAX_TCP_WINDOW`).
const MAX_TCP_WINDOW: u32 = 32_767;
/// `net.core.rmem_max`, bytes.
const RMEM_MAX: u32 = 4_194_304;
/// Smallest receive buffer (`SOCK_MIN_RCVBUF`), bytes.
const SOCK_MIN_RCVBUF: u32 = 2304;

/// First window and what limits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct InitialWindow {
    /// Window, bytes.
    pub(in super::super) rcv_wnd: u32,
    /// Largest window that can be represented, bytes.
    pub(in super::super) window_clamp: u32,
    /// Shift count.
    pub(in super::super) rcv_wscale: u8,
}

impl Socket {
    /// Chooses the first window (`tcp_select_initial_window`): a multiple of `mss`, and a shift count for the largest
    /// buffer.
    pub(in super::super) fn select_initial_window(&self, mss: u32, wscale_ok: bool) -> InitialWindow {
        let mut clamp = self.rcv.window_clamp;
        let full_space = self.full_space().max(0) as u32;
        if self.rcv.rcvbuf_locked && (clamp > full_space || clamp == 0) {
            clamp = full_space;
        }
        if clamp == 0 {
            clamp = 65_535 << TCP_MAX_WSCALE;
        }
        let mut space = full_space.min(clamp).min(self.config.window_limit);
        if space > mss && mss > 0 {
            space -= space % mss;
        }
        let rcv_wnd = if self.config.workaround_signed_windows { space.min(MAX_TCP_WINDOW) } else { space };
        let mut rcv_wscale = 0;
        if wscale_ok {
            let most = space.max(self.config.rmem[2]).max(RMEM_MAX).min(clamp);
            rcv_wscale = (most.max(1).ilog2() as i32 - 15).clamp(0, i32::from(TCP_MAX_WSCALE)) as u8;
        }
        InitialWindow { rcv_wnd, window_clamp: clamp.min(65_535 << rcv_wscale), rcv_wscale }
    }

    /// The connection is established: limits and starting points of the window (`tcp_init_buffer_space`).
    pub(in super::super) fn init_buffer_space(&mut self, now: Instant) {
        self.rcv.rcvq_space.time = now;
        self.rcv.rcvq_space.seq = self.rcv.copied_seq;
        let advmss = self.rcv.advmss;
        let maxwin = self.full_space().max(0) as u32;
        let mut clamp = self.rcv.window_clamp;
        if clamp >= maxwin {
            clamp = maxwin;
            if maxwin > 4 * advmss {
                clamp = (maxwin - (maxwin >> TCP_APP_WIN)).max(4 * advmss);
            }
        }
        // One segment is kept free.
        if clamp > 2 * advmss && clamp + advmss > maxwin {
            clamp = (2 * advmss).max(maxwin.saturating_sub(advmss));
        }
        self.rcv.window_clamp = clamp;
        self.rcv.rcv_ssthresh = self.rcv.rcv_ssthresh.min(clamp);
        self.rcv.rcvq_space.space = self.rcv.rcv_ssthresh.min(self.rcv.rcv_wnd).min(TCP_INIT_CWND * advmss);
    }

    /// The window that could be offered now, bytes (`__tcp_select_window`): not shrunk, and not opened by less than a
    /// segment.
    pub(in super::super) fn select_window(&mut self) -> u32 {
        self.window_by_memory().min(self.config.window_limit)
    }

    fn window_by_memory(&mut self) -> u32 {
        let scale = self.rx_opt.rcv_wscale;
        let unit = 1i64 << scale;
        let mut free_space = self.space();
        let allowed_space = self.full_space();
        let full_space = i64::from(self.rcv.window_clamp).min(allowed_space);
        let mut mss = i64::from(self.rcv.ack.rcv_mss);
        if mss > full_space {
            mss = full_space;
            if mss <= 0 {
                return 0;
            }
        }
        let may_shrink = self.config.shrink_window && scale > 0;
        if may_shrink {
            free_space &= !(unit - 1);
        }
        if free_space < full_space >> 1 {
            self.rcv.ack.quick = 0;
            // Not more than there is because of the scaling.
            free_space &= !(unit - 1);
            if free_space < allowed_space >> 4 || free_space < mss || (may_shrink && free_space < unit) {
                return 0;
            }
        }
        let ssthresh = i64::from(self.rcv.rcv_ssthresh);
        if may_shrink {
            if free_space > ssthresh {
                free_space = (ssthresh + unit - 1) & !(unit - 1);
            }
            return free_space as u32;
        }
        free_space = free_space.min(ssthresh);
        if scale > 0 {
            // Rounded up, so that a small window does not become none.
            return ((free_space + unit - 1) & !(unit - 1)) as u32;
        }
        let window = i64::from(self.rcv.rcv_wnd);
        if window <= free_space - mss || window > free_space {
            (free_space - free_space % mss) as u32
        } else if mss == full_space && free_space > window + (full_space >> 1) {
            free_space as u32
        } else {
            window as u32
        }
    }

    /// Chooses the window of a segment that is sent now, and remembers it (`tcp_select_window`). Returns the field of
    /// the header.
    pub(in super::super) fn advertise_window(&mut self) -> u16 {
        if self.rcv.ack.pending & pending::NOMEM != 0 {
            self.rcv.rcv_wnd = 0;
            self.rcv.rcv_wup = self.rcv.rcv_nxt;
            self.rcv.update_max_rcv_wnd_seq();
            return 0;
        }
        let scale = self.rx_opt.rcv_wscale;
        let cur_win = self.rcv.receive_window();
        let mut new_win = self.select_window();
        if new_win < cur_win && (!self.config.shrink_window || scale == 0) {
            // RFC 9293, 3.8.6: the window does not shrink.
            new_win = cur_win.next_multiple_of(1 << scale);
        }
        self.rcv.rcv_wnd = new_win;
        self.rcv.rcv_wup = self.rcv.rcv_nxt;
        self.rcv.update_max_rcv_wnd_seq();
        let max = if scale == 0 && self.config.workaround_signed_windows { MAX_TCP_WINDOW } else { 65_535 << scale };
        (new_win.min(max) >> scale) as u16
    }

    /// Data arrived: raises the limit of the window (`tcp_grow_window`).
    pub(super) fn grow_window(&mut self, segment: &Segment) {
        let room = i64::from(self.rcv.window_clamp).min(self.space()) - i64::from(self.rcv.rcv_ssthresh);
        if room <= 0 {
            return;
        }
        let memory = truesize(segment);
        let mut incr = if self.win_from_space(i64::from(memory)) <= i64::from(segment.payload) {
            2 * self.rcv.advmss
        } else {
            self.grow_window_slowly(memory, segment.payload)
        };
        if incr > 0 {
            incr = incr.max(2 * segment.payload);
            self.rcv.rcv_ssthresh += (room as u32).min(incr);
            self.rcv.ack.quick |= 1;
        }
    }

    /// Growth for segments that take much memory for their payload (`__tcp_grow_window`).
    fn grow_window_slowly(&self, memory: u32, payload: u32) -> u32 {
        let mut memory = self.win_from_space(i64::from(memory)) >> 1;
        let mut window = self.win_from_space(i64::from(self.config.rmem[2])) >> 1;
        while i64::from(self.rcv.rcv_ssthresh) <= window {
            if memory <= i64::from(payload) {
                return 2 * self.rcv.ack.rcv_mss;
            }
            memory >>= 1;
            window >>= 1;
        }
        0
    }

    /// Sets the largest window (`TCP_WINDOW_CLAMP`; `tcp_set_window_clamp`), bytes.
    pub(in super::super) fn set_window_clamp(&mut self, bytes: u32) {
        let clamp = if bytes == 0 { 0 } else { bytes.max(SOCK_MIN_RCVBUF / 2) };
        let old = std::mem::replace(&mut self.rcv.window_clamp, clamp);
        if clamp == 0 || clamp == old {
            return;
        }
        let ssthresh = self.rcv.rcv_ssthresh;
        self.rcv.rcv_ssthresh =
            if clamp < old { ssthresh.min(clamp) } else { self.rcv.rcv_wnd.min(clamp).max(ssthresh) };
    }

    /// Sets the bytes for which the application is woken (`SO_RCVLOWAT`; `tcp_set_rcvlowat`); enlarges the buffer if
    /// they do not fit.
    pub(in super::super) fn set_rcvlowat(&mut self, bytes: u32) {
        let cap = if self.rcv.rcvbuf_locked { self.rcv.rcvbuf >> 1 } else { self.config.rmem[2] >> 1 };
        let bytes = bytes.min(cap);
        self.rcv.rcvlowat = bytes.max(1);
        if self.rcv.rcvbuf_locked {
            return;
        }
        let space = self.space_from_win(u64::from(bytes)).min(u64::from(u32::MAX)) as u32;
        if space > self.rcv.rcvbuf {
            self.rcv.rcvbuf = space;
            if self.rcv.window_clamp != 0 && self.rcv.window_clamp < bytes {
                self.rcv.window_clamp = bytes;
            }
        }
    }

    /// Sets the receive buffer (`SO_RCVBUF`), bytes; as in Linux it becomes twice that.
    pub(in super::super) fn set_rcvbuf(&mut self, bytes: u32) {
        self.rcv.rcvbuf = bytes.min(RMEM_MAX).saturating_mul(2).max(SOCK_MIN_RCVBUF);
        self.rcv.rcvbuf_locked = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::config::Config;
    use super::super::super::seq::SeqNum;
    use super::*;

    // Linux with its default buffer of 131072 bytes and an MTU of 1500: a SYN offers 64240, the answer to a SYN with
    // timestamps 65160; the shift count for 32 MB is 10 (log2(2^25) - 15), for 6 MB it is 7.
    #[test]
    fn the_first_window_is_that_of_linux() {
        let mut socket = Socket::new(Config::default(), SeqNum(0), 0);
        let window = socket.select_initial_window(1460, true);
        assert_eq!((window.rcv_wnd, window.rcv_wscale), (64_240, 10));
        assert_eq!(socket.select_initial_window(1448, true).rcv_wnd, 65_160);
        socket.config.rmem[2] = 6_291_456;
        assert_eq!(socket.select_initial_window(1460, true).rcv_wscale, 7);
        assert_eq!(socket.select_initial_window(1460, false).rcv_wscale, 0);
    }
}
