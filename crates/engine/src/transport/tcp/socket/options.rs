//! Socket options (`setsockopt`).
//!
//! Source: Linux's `do_tcp_setsockopt`, `sk_setsockopt`, `tcp_sock_set_quickack`, `tcp_sock_set_keepidle_locked`.
//! What it decides: which settings a running connection may change, and their limits.
//! Departures: none.
//! Not implemented: options that have no effect in a simulation.
//! Checked against: packetdrill.

use super::clock::{Duration, Instant};
use super::receiver::delayed_ack::pending;
use super::{Socket, SocketError, SocketOption, TcpState};

/// Limits of options (`MAX_TCP_KEEPIDLE`, `MAX_TCP_KEEPINTVL`, `MAX_TCP_KEEPCNT`, `MAX_TCP_SYNCNT`).
const MAX_KEEP_SECS: u32 = 32_767;
const MAX_KEEP_COUNT: u8 = 127;
const MAX_SYN_COUNT: u8 = 127;
/// Smallest and largest `TCP_MAXSEG`, bytes (`TCP_MIN_MSS`, `MAX_TCP_WINDOW`).
const MIN_MAXSEG: u16 = 88;
const MAX_MAXSEG: u16 = 32_767;
/// Longest `TCP_LINGER2`, s (`TCP_FIN_TIMEOUT_MAX`).
const MAX_LINGER2_SECS: i32 = 120;

/// `Ok` if the value is valid.
fn check(is_valid: bool) -> Result<(), SocketError> {
    if is_valid { Ok(()) } else { Err(SocketError::Invalid) }
}

impl Socket {
    /// Sets a socket option.
    pub(super) fn setsockopt(&mut self, now: Instant, option: SocketOption) -> Result<(), SocketError> {
        match option {
            SocketOption::QuickAck(is_on) => self.set_quickack(now, is_on),
            SocketOption::ReceiveBuffer(bytes) => self.set_rcvbuf(bytes),
            SocketOption::ReceiveLowWater(bytes) => {
                self.set_rcvlowat(bytes);
                self.data_ready_after_option();
            }
            SocketOption::WindowClamp(bytes) => {
                check(bytes != 0 || self.state == TcpState::Closed)?;
                self.set_window_clamp(bytes);
            }
            SocketOption::MaxSegment(mss) => {
                check(mss == 0 || (MIN_MAXSEG..=MAX_MAXSEG).contains(&mss))?;
                self.rx_opt.user_mss = mss;
            }
            SocketOption::UserTimeout(ms) => {
                self.snd.user_timeout = (ms > 0).then(|| Duration::from_millis(u64::from(ms)));
            }
            SocketOption::KeepAlive(is_on) => self.set_keepalive(now, is_on),
            SocketOption::KeepIdle(secs) => {
                check((1..=MAX_KEEP_SECS).contains(&secs))?;
                self.set_keepidle(now, Duration::from_secs(u64::from(secs)));
            }
            SocketOption::KeepInterval(secs) => {
                check((1..=MAX_KEEP_SECS).contains(&secs))?;
                self.keepalive.interval = Duration::from_secs(u64::from(secs));
            }
            SocketOption::KeepCount(count) => {
                check((1..=MAX_KEEP_COUNT).contains(&count))?;
                self.keepalive.probes = count;
            }
            SocketOption::Linger2(secs) => {
                self.linger2 = match secs {
                    ..0 => Some(-1),
                    0 => None,
                    _ => Some(secs.min(MAX_LINGER2_SECS)),
                };
            }
            SocketOption::Linger(secs) => self.linger = secs,
            SocketOption::SynCount(count) => {
                check((1..=MAX_SYN_COUNT).contains(&count))?;
                self.syn_count = Some(count);
            }
            SocketOption::DeferAccept(secs) => self.defer_accept = self.secs_to_retrans(secs),
            option => self.set_sender_option(now, option)?,
        }
        Ok(())
    }

    /// `TCP_QUICKACK` (`__tcp_sock_set_quickack`).
    fn set_quickack(&mut self, now: Instant, is_on: bool) {
        if !is_on {
            self.rcv.ack.pingpong = self.config.pingpong_thresh;
            return;
        }
        self.rcv.ack.pingpong = 0;
        if matches!(self.state, TcpState::Established | TcpState::CloseWait) && self.rcv.ack.is_scheduled() {
            self.rcv.ack.pending |= pending::PUSHED;
            self.cleanup_rbuf(now, true);
        }
    }

    /// `TCP_KEEPIDLE`: a running timer counts from the last segment (`tcp_sock_set_keepidle_locked`).
    fn set_keepidle(&mut self, now: Instant, idle: Duration) {
        self.keepalive.time = idle;
        if self.keepalive.is_on && !matches!(self.state, TcpState::Closed | TcpState::Listen) {
            let elapsed = now.since(self.rcv.ack.lrcvtime.max(self.snd.rcv_tstamp));
            self.keepalive.timer = Some(now + Duration(idle.0.saturating_sub(elapsed.0)));
        }
    }

    /// Timeouts of a SYN-ACK that fill so many seconds (`secs_to_retrans`).
    fn secs_to_retrans(&self, secs: u32) -> u8 {
        let mut timeout = self.config.rto_init;
        let total = Duration::from_secs(u64::from(secs));
        if secs == 0 {
            return 0;
        }
        let (mut count, mut period) = (1u8, timeout);
        while total > period && count < 255 {
            count += 1;
            timeout = Duration(timeout.0 * 2).min(self.config.rto_max);
            period = period + timeout;
        }
        count
    }

    /// The low-water mark has changed: the application may be woken now.
    fn data_ready_after_option(&mut self) {
        if self.rcv.readable() > 0 {
            self.data_ready();
        }
    }
}
