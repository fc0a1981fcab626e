//! Closing: FIN in both directions, half-closed connections, resets, orphans.
//!
//! Source: RFC 9293, 3.6 and 3.10.4; RFC 1122, 4.2.2.13; RFC 2525, 2.17 (RST for unread data); Linux's `tcp_fin`,
//! `tcp_close`, `tcp_shutdown`, `tcp_reset`, `tcp_done`, `tcp_fin_time`.
//! What it decides: which state follows, when the connection is reset instead, and how long an orphan waits in
//! FIN-WAIT-2.
//! Departures: `close` never blocks; a linger time other than 0 closes in the background.
//! Not implemented: the limits of orphans of a host.
//! Checked against: packetdrill scripts of `close` and `shutdown`; the tests of [`super`].

use super::clock::{Duration, Instant};
use super::segment::{Segment, flag};
use super::{Event, Socket, SocketError, TcpState};

impl Socket {
    /// The peer's FIN is in order (`tcp_fin`).
    pub(super) fn fin_arrived(&mut self, now: Instant) {
        self.rcv.ack.schedule();
        self.rcv.rcv_shutdown = true;
        self.rcv.fin_received = true;
        match self.state {
            TcpState::SynReceived | TcpState::Established => {
                self.state = TcpState::CloseWait;
                self.rcv.ack.pingpong = self.config.pingpong_thresh;
            }
            TcpState::FinWait1 => {
                self.send_ack(now);
                self.state = TcpState::Closing;
            }
            TcpState::FinWait2 => {
                self.send_ack(now);
                self.enter_time_wait(now);
            }
            _ => {}
        }
        // Data after a FIN is invalid.
        self.rcv.out_of_order.clear();
        self.rcv.sacks.reset();
    }

    /// Our FIN was acknowledged (in `tcp_rcv_state_process`). Returns whether the socket is not to process the segment
    /// any further.
    pub(super) fn enter_fin_wait2(&mut self, now: Instant, segment: &Segment) -> bool {
        self.state = TcpState::FinWait2;
        self.send_shutdown = true;
        if !self.is_dead {
            return false;
        }
        let fin = u32::from(segment.has(flag::FIN));
        let has_new_data = segment.seq_len() > 0 && segment.end_seq().sub(fin).after(self.rcv.rcv_nxt);
        if self.linger2.is_some_and(|linger2| linger2 < 0) || has_new_data {
            self.send_reset(segment);
            self.done();
            return true;
        }
        let timeout = self.fin_time();
        if timeout > self.config.time_wait {
            self.keepalive.timer = Some(now + Duration(timeout.0 - self.config.time_wait.0));
            false
        } else if segment.has(flag::FIN) {
            self.keepalive.timer = Some(now + timeout);
            false
        } else {
            self.enter_orphan_fin_wait2(now, timeout);
            true
        }
    }

    /// How long an orphan waits in FIN-WAIT-2 (`tcp_fin_time`): at least 3.5 RTO.
    pub(super) fn fin_time(&self) -> Duration {
        let least = Duration(self.rto().0 * 7 / 2);
        let wanted = match self.linger2 {
            Some(secs) if secs > 0 => Duration::from_secs(secs as u64),
            _ => self.config.fin_timeout,
        };
        wanted.max(least)
    }

    /// Closes the sending side (`tcp_shutdown`).
    pub(super) fn shutdown_send(&mut self, now: Instant) {
        self.send_shutdown = true;
        match self.state {
            TcpState::Established | TcpState::CloseWait => self.send_fin_if_open(now),
            TcpState::SynSent => self.done(),
            TcpState::Listen => self.state = TcpState::Closed,
            // A handshake that is not complete sends its FIN afterwards.
            _ => {}
        }
    }

    /// Sends FIN, if this side is open (`tcp_close_state`).
    pub(super) fn send_fin_if_open(&mut self, now: Instant) {
        self.state = match self.state {
            TcpState::Established | TcpState::SynReceived => TcpState::FinWait1,
            TcpState::CloseWait => TcpState::LastAck,
            _ => return,
        };
        self.queue_fin(now);
    }

    /// The application closes the socket (`tcp_close`).
    pub(super) fn close_socket(&mut self, now: Instant) {
        if self.is_dead {
            return;
        }
        let has_unread = self.rcv.readable() > 0;
        self.rcv.queue.clear();
        self.rcv.rcv_shutdown = true;
        self.send_shutdown = true;
        self.is_dead = true;
        match self.state {
            TcpState::Closed => return,
            TcpState::Listen => {
                self.state = TcpState::Closed;
                return;
            }
            TcpState::SynReceived if self.handshake.request.is_some() => {
                self.handshake.request = None;
                self.state = TcpState::Closed;
                return;
            }
            TcpState::SynSent => {
                self.done();
                return;
            }
            _ if self.time_wait.is_some() => return,
            _ => {}
        }
        if has_unread || self.linger == Some(0) {
            if self.needs_reset() {
                self.send_active_reset(now);
            }
            self.done();
            return;
        }
        self.send_fin_if_open(now);
        if self.state == TcpState::FinWait2 {
            self.orphan_in_fin_wait2(now);
        }
    }

    /// States in which an abort sends a RST (`tcp_need_reset`).
    fn needs_reset(&self) -> bool {
        matches!(
            self.state,
            TcpState::Established
                | TcpState::CloseWait
                | TcpState::FinWait1
                | TcpState::FinWait2
                | TcpState::SynReceived
        )
    }

    /// The application closed a socket in FIN-WAIT-2.
    fn orphan_in_fin_wait2(&mut self, now: Instant) {
        if self.linger2.is_some_and(|linger2| linger2 < 0) {
            self.send_active_reset(now);
            self.done();
            return;
        }
        let timeout = self.fin_time();
        if timeout > self.config.time_wait {
            self.keepalive.timer = Some(now + Duration(timeout.0 - self.config.time_wait.0));
        } else {
            self.enter_orphan_fin_wait2(now, timeout);
        }
    }

    /// A RST was accepted (`tcp_reset`).
    pub(super) fn reset_arrived(&mut self, _now: Instant) {
        let error = match self.state {
            TcpState::SynSent => SocketError::ConnectionRefused,
            TcpState::CloseWait => SocketError::BrokenPipe,
            TcpState::Closed => return,
            _ => SocketError::ConnectionReset,
        };
        self.fail(error);
    }

    /// The connection ends with an error (`tcp_done_with_error`).
    pub(super) fn fail(&mut self, error: SocketError) {
        self.error = Some(error);
        self.finish(Event::Failed(error));
    }

    /// The connection ends (`tcp_done`).
    pub(super) fn done(&mut self) {
        self.finish(Event::Closed);
    }

    /// Ends the connection, stops all timers and tells the application.
    fn finish(&mut self, event: Event) {
        if self.state == TcpState::Closed && self.is_finished {
            return;
        }
        self.state = TcpState::Closed;
        self.time_wait = None;
        self.handshake.request = None;
        self.keepalive.timer = None;
        self.rcv.ack.clear();
        self.rcv.ack.compressed_ack_timer = None;
        self.rcv.ack.compressed_ack = 0;
        self.rcv.out_of_order.clear();
        self.rcv.sacks.reset();
        self.rcv.rcv_shutdown = true;
        self.send_shutdown = true;
        self.write_queue_purge();
        self.tell_end(event);
    }

    /// Tells the application once that the connection is over.
    pub(super) fn tell_end(&mut self, event: Event) {
        if !self.is_finished {
            self.is_finished = true;
            self.events.push_back(event);
        }
    }
}
