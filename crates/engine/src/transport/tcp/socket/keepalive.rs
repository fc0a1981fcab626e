//! Keepalive probes, and the end of FIN-WAIT-2 of an orphan.
//!
//! Source: RFC 1122, 4.2.3.6; RFC 5482 (user timeout); Linux's `tcp_keepalive_timer`, `tcp_set_keepalive`.
//! What it decides: when an idle connection is probed and given up.
//! Departures: none.
//! Not implemented: nothing.
//! Checked against: by hand, in the tests of [`super`].

use super::clock::{Duration, Instant};
use super::config::Config;
use super::{Socket, SocketError, TcpState};

/// Settings and timer.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepAlive {
    /// `SO_KEEPALIVE`.
    pub is_on: bool,
    /// Idle time before the first probe.
    pub time: Duration,
    /// Time between probes.
    pub interval: Duration,
    /// Probes before the connection is given up.
    pub probes: u8,
    /// When the timer expires; it also ends FIN-WAIT-2 of an orphan.
    pub timer: Option<Instant>,
}

impl KeepAlive {
    /// Off, with the default times.
    pub(super) fn new(config: &Config) -> KeepAlive {
        KeepAlive {
            is_on: false,
            time: config.keepalive_time,
            interval: config.keepalive_interval,
            probes: config.keepalive_probes,
            timer: None,
        }
    }
}

impl Socket {
    /// Starts the timer if keepalive is on.
    pub(super) fn start_keepalive(&mut self, now: Instant) {
        if self.keepalive.is_on {
            self.keepalive.timer = Some(now + self.keepalive.time);
        }
    }

    /// Sets `SO_KEEPALIVE` (`tcp_set_keepalive`).
    pub(super) fn set_keepalive(&mut self, now: Instant, is_on: bool) {
        let was_on = std::mem::replace(&mut self.keepalive.is_on, is_on);
        if matches!(self.state, TcpState::Closed | TcpState::Listen) {
            return;
        }
        if is_on && !was_on {
            self.keepalive.timer = Some(now + self.keepalive.time);
        } else if !is_on {
            self.keepalive.timer = None;
        }
    }

    /// Time since something arrived (`keepalive_time_elapsed`).
    fn keepalive_elapsed(&self, now: Instant) -> Duration {
        now.since(self.rcv.ack.lrcvtime.max(self.snd.rcv_tstamp))
    }

    /// The timer expired (`tcp_keepalive_timer`).
    pub(super) fn keepalive_timer(&mut self, now: Instant) {
        self.keepalive.timer = None;
        if self.state == TcpState::FinWait2 && self.is_dead {
            self.orphan_timer(now);
            return;
        }
        if !self.keepalive.is_on || matches!(self.state, TcpState::Closed | TcpState::SynSent) {
            return;
        }
        if !self.all_acked() {
            self.keepalive.timer = Some(now + self.keepalive.time);
            return;
        }
        let elapsed = self.keepalive_elapsed(now);
        if elapsed < self.keepalive.time {
            self.keepalive.timer = Some(now + Duration(self.keepalive.time.0 - elapsed.0));
            return;
        }
        let probes_out = self.snd.probes_out;
        let is_over = match self.snd.user_timeout {
            None => probes_out >= self.keepalive.probes,
            Some(user_timeout) => elapsed >= user_timeout && probes_out > 0,
        };
        if is_over {
            self.send_active_reset(now);
            self.fail(SocketError::TimedOut);
            return;
        }
        self.write_wakeup(now);
        self.snd.probes_out += 1;
        self.keepalive.timer = Some(now + self.keepalive.interval);
    }

    /// The first part of FIN-WAIT-2 of an orphan is over.
    fn orphan_timer(&mut self, now: Instant) {
        if self.linger2.is_none_or(|linger2| linger2 >= 0) {
            let left = self.fin_time().0.saturating_sub(self.config.time_wait.0);
            if left > 0 {
                self.enter_orphan_fin_wait2(now, Duration(left));
                return;
            }
        }
        self.send_active_reset(now);
        self.done();
    }
}
