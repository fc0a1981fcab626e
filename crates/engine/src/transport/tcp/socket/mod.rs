//! A TCP socket: RFC 9293 as Linux 6.18 implements it, without input and output of its own.
//!
//! The owner passes in segments, application calls and time; it takes out segments ([`Socket::poll_transmit`]), events
//! ([`Socket::poll_event`]) and the time of the next timer ([`Socket::next_timeout`]). The socket reads no clock and knows
//! no network. An agent of the simulation and packetdrill scripts use the same socket.
//!
//! Sizes are in bytes, windows of congestion controls in packets, as in Linux.

mod acc_ecn;
pub mod clock;
mod close;
pub mod config;
mod ecn;
mod ecn_feedback;
mod handshake;
mod header;
pub mod info;
mod input;
mod keepalive;
mod options;
mod prediction;
mod receiver;
mod request;
mod rx_opt;
pub use crate::packet::segment;
pub use sender::progress::Progress;
pub use sender::steer::Totals;
mod sender;
pub use crate::packet::seq;
#[cfg(test)]
mod tests;
mod time_wait;
mod validate;

use std::collections::VecDeque;

use clock::Instant;
use config::Config;
use ecn::Ecn;
use handshake::Handshake;
use info::TcpInfo;
use keepalive::KeepAlive;
use receiver::Receiver;
use rx_opt::{OptionsReceived, TCP_MSS_DEFAULT};
use segment::Segment;
use sender::Sender;
use seq::SeqNum;
use time_wait::TimeWait;

/// The state of the connection (RFC 9293, 3.3.2), with Linux's numbers (`tcpi_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the RFC's")]
pub enum TcpState {
    Established = 1,
    SynSent = 2,
    SynReceived = 3,
    FinWait1 = 4,
    FinWait2 = 5,
    TimeWait = 6,
    #[default]
    Closed = 7,
    CloseWait = 8,
    LastAck = 9,
    Listen = 10,
    Closing = 11,
}

/// A notification for the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The connection is established.
    Connected,
    /// There are bytes to read, or the peer has closed its side.
    Readable,
    /// There is room in the send buffer again.
    Writable,
    /// The connection ended with an error.
    Failed(SocketError),
    /// The connection is closed on both sides.
    Closed,
}

/// Why a connection ended, or a call failed; the names are those of `errno`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketError {
    /// The peer reset the connection (`ECONNRESET`).
    ConnectionReset,
    /// The peer refused the connection (`ECONNREFUSED`).
    ConnectionRefused,
    /// No answer, retransmissions given up (`ETIMEDOUT`).
    TimedOut,
    /// The send side is shut down (`EPIPE`).
    BrokenPipe,
    /// There is no connection (`ENOTCONN`).
    NotConnected,
    /// The call would block (`EAGAIN`).
    WouldBlock,
    /// Already connected or connecting (`EISCONN`, `EALREADY`).
    AlreadyConnected,
    /// The call is invalid in this state (`EINVAL`).
    Invalid,
}

/// Flags of [`Socket::send`], as those of `send(2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendFlags {
    /// `MSG_MORE`: more follows; a short segment waits.
    pub more: bool,
    /// `MSG_EOR`: the end of a record; no later byte joins its segment.
    pub eor: bool,
}

/// Socket options that can be set at any time.
#[derive(Clone, Debug, PartialEq)]
pub enum SocketOption {
    /// `TCP_NODELAY`.
    NoDelay(bool),
    /// `TCP_CORK`.
    Cork(bool),
    /// `TCP_QUICKACK`.
    QuickAck(bool),
    /// `SO_SNDBUF`, bytes (Linux doubles it).
    SendBuffer(u32),
    /// `SO_RCVBUF`, bytes (Linux doubles it).
    ReceiveBuffer(u32),
    /// `SO_RCVLOWAT`, bytes.
    ReceiveLowWater(u32),
    /// `TCP_WINDOW_CLAMP`, bytes.
    WindowClamp(u32),
    /// `TCP_MAXSEG`, bytes.
    MaxSegment(u16),
    /// `TCP_CONGESTION`.
    CongestionControl(String),
    /// `SO_MAX_PACING_RATE`, bytes per second.
    MaxPacingRate(u64),
    /// `TCP_NOTSENT_LOWAT`, bytes.
    NotSentLowWater(u32),
    /// `TCP_USER_TIMEOUT`, ms.
    UserTimeout(u32),
    /// `SO_KEEPALIVE`.
    KeepAlive(bool),
    /// `TCP_KEEPIDLE`, s.
    KeepIdle(u32),
    /// `TCP_KEEPINTVL`, s.
    KeepInterval(u32),
    /// `TCP_KEEPCNT`.
    KeepCount(u8),
    /// `TCP_LINGER2`, s; negative: no FIN-WAIT-2.
    Linger2(i32),
    /// `SO_LINGER`: `None` off; `Some(0)` resets on close.
    Linger(Option<u32>),
    /// `TCP_SYNCNT`.
    SynCount(u8),
    /// `TCP_DEFER_ACCEPT`, s.
    DeferAccept(u32),
    /// `TCP_THIN_LINEAR_TIMEOUTS`.
    ThinLinearTimeouts(bool),
}

/// A TCP socket.
#[derive(Debug)]
pub struct Socket {
    config: Config,
    state: TcpState,
    /// Sending half: queues, windows, recovery.
    snd: Sender,
    /// Receiving half: queues, ACKs, window.
    rcv: Receiver,
    handshake: Handshake,
    /// Options received from the peer.
    rx_opt: OptionsReceived,
    ecn: Ecn,
    keepalive: KeepAlive,
    /// TIME-WAIT, or FIN-WAIT-2 without an owner.
    time_wait: Option<TimeWait>,
    /// The application has closed the socket (`SOCK_DEAD`).
    is_dead: bool,
    /// The sending side is shut down (`SEND_SHUTDOWN`).
    send_shutdown: bool,
    /// The application was told that the connection is over.
    is_finished: bool,
    /// Why the connection ended; the next call returns it.
    error: Option<SocketError>,
    /// `TCP_LINGER2`, s; negative: no FIN-WAIT-2 for an orphan.
    linger2: Option<i32>,
    /// `SO_LINGER`, s.
    linger: Option<u32>,
    /// `TCP_SYNCNT`.
    syn_count: Option<u8>,
    /// `TCP_DEFER_ACCEPT`, as a number of SYN-ACK timeouts.
    defer_accept: u8,
    /// Time of the latest call (`tcp_mstamp`).
    mstamp: Instant,
    /// Packets sent.
    segs_out: u32,
    /// Segments to send, oldest first.
    outgoing: VecDeque<Segment>,
    events: VecDeque<Event>,
}

impl Socket {
    /// Makes a closed socket. `iss` is the initial sequence number, `ts_offset` the value of its timestamp clock at time 0.
    pub fn new(config: Config, iss: SeqNum, ts_offset: u32) -> Socket {
        Socket {
            state: TcpState::Closed,
            snd: Sender::new(&config, iss),
            rcv: Receiver::new(&config),
            handshake: Handshake { iss, ts_offset, ..Handshake::default() },
            rx_opt: OptionsReceived { mss_clamp: TCP_MSS_DEFAULT as u16, ..OptionsReceived::default() },
            ecn: Ecn::default(),
            keepalive: KeepAlive::new(&config),
            time_wait: None,
            is_dead: false,
            send_shutdown: false,
            is_finished: false,
            error: None,
            linger2: None,
            linger: None,
            syn_count: None,
            defer_accept: 0,
            mstamp: Instant(0),
            segs_out: 0,
            outgoing: VecDeque::new(),
            events: VecDeque::new(),
            config,
        }
    }

    /// Waits for a SYN (`listen`). The socket itself becomes the connection of the first SYN.
    ///
    /// # Errors
    /// [`SocketError::Invalid`] if the socket is not closed.
    pub fn listen(&mut self) -> Result<(), SocketError> {
        if self.state != TcpState::Closed || self.is_finished {
            return Err(SocketError::Invalid);
        }
        self.state = TcpState::Listen;
        Ok(())
    }

    /// Sends a SYN (`connect`); [`Event::Connected`] or [`Event::Failed`] follows.
    ///
    /// # Errors
    /// [`SocketError::AlreadyConnected`] or [`SocketError::Invalid`] if the socket is in use.
    pub fn connect(&mut self, now: Instant) -> Result<(), SocketError> {
        self.mstamp = now;
        self.check_can_connect()?;
        self.start_connect(now);
        Ok(())
    }

    /// A segment arrives.
    pub fn on_segment(&mut self, now: Instant, segment: &Segment) {
        self.mstamp = now;
        self.segment_arrives(now, segment);
    }

    /// When the next timer expires; `None` if none is set.
    pub fn next_timeout(&self) -> Option<Instant> {
        if let Some(time_wait) = &self.time_wait {
            return Some(time_wait.deadline);
        }
        let mut earliest = self.sender_next_timeout();
        let mut take = |timer: Option<Instant>| {
            if let Some(timer) = timer {
                earliest = Some(earliest.map_or(timer, |earliest| earliest.min(timer)));
            }
        };
        take(self.rcv.ack.delack_expiry());
        take(self.rcv.ack.compressed_ack_timer);
        take(self.keepalive.timer);
        if let Some(request) = &self.handshake.request {
            take(Some(request.next_timeout()));
        }
        earliest
    }

    /// Runs the timers that have expired.
    pub fn on_timeout(&mut self, now: Instant) {
        self.mstamp = now;
        let is_over = |timer: Option<Instant>| timer.is_some_and(|time| time <= now);
        if let Some(time_wait) = self.time_wait {
            if time_wait.deadline <= now {
                self.done();
            }
            return;
        }
        if is_over(self.handshake.request.as_ref().map(|request| request.next_timeout())) {
            self.request_timer(now);
        }
        if is_over(self.rcv.ack.compressed_ack_timer) {
            self.compressed_ack_timer(now);
        }
        if is_over(self.rcv.ack.delack_expiry()) {
            self.delack_timer(now);
        }
        if is_over(self.keepalive.timer) {
            self.keepalive_timer(now);
        }
        if is_over(self.sender_next_timeout()) {
            self.sender_on_timeout(now);
        }
    }

    /// Whether there are segments to send.
    #[inline]
    pub fn has_segments(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// Takes all segments to send, oldest first; [`Socket::give_back`] returns their memory.
    #[inline]
    pub fn take_segments(&mut self) -> VecDeque<Segment> {
        std::mem::take(&mut self.outgoing)
    }

    /// The memory of segments that were sent, for further ones.
    #[inline]
    pub fn give_back(&mut self, mut sent: VecDeque<Segment>) {
        if self.outgoing.is_empty() {
            sent.clear();
            self.outgoing = sent;
        }
    }

    /// The next segment to send, if any.
    pub fn poll_transmit(&mut self) -> Option<Segment> {
        self.outgoing.pop_front()
    }

    /// The next event for the application, if any.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Queues bytes (`send`); returns how many fit into the send buffer. While the connection is opened, they wait.
    ///
    /// # Errors
    /// The error that ended the connection; [`SocketError::BrokenPipe`] after [`Socket::shutdown`];
    /// [`SocketError::NotConnected`]; [`SocketError::WouldBlock`] if the send buffer is full.
    pub fn send(&mut self, now: Instant, bytes: u64, flags: SendFlags) -> Result<u64, SocketError> {
        self.mstamp = now;
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.send_shutdown || self.is_finished {
            return Err(SocketError::BrokenPipe);
        }
        match self.state {
            TcpState::Established | TcpState::CloseWait => {}
            TcpState::SynSent | TcpState::SynReceived => return Err(SocketError::WouldBlock),
            TcpState::Closed | TcpState::Listen => return Err(SocketError::NotConnected),
            _ => return Err(SocketError::BrokenPipe),
        }
        match self.queue_bytes(now, bytes, flags) {
            0 if bytes > 0 => Err(SocketError::WouldBlock),
            accepted => Ok(accepted),
        }
    }

    /// Reads up to `bytes` bytes (`recv`); 0 after the peer's FIN.
    ///
    /// # Errors
    /// [`SocketError::WouldBlock`] if there is nothing to read; the error that ended the connection;
    /// [`SocketError::NotConnected`].
    pub fn receive(&mut self, now: Instant, bytes: u64) -> Result<u64, SocketError> {
        if matches!(self.state, TcpState::Listen) {
            return Err(SocketError::NotConnected);
        }
        self.mstamp = now;
        let copied = self.recvmsg(now, bytes);
        if copied > 0 || bytes == 0 || self.rcv.fin_received {
            return Ok(copied);
        }
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.rcv.rcv_shutdown {
            return Ok(0);
        }
        Err(if self.state == TcpState::Closed { SocketError::NotConnected } else { SocketError::WouldBlock })
    }

    /// Bytes that can be read without blocking (`SIOCINQ`).
    pub fn readable(&self) -> u64 {
        u64::from(self.rcv.readable())
    }

    /// Closes the sending side (`shutdown(SHUT_WR)`).
    ///
    /// # Errors
    /// [`SocketError::NotConnected`] if there is no connection.
    pub fn shutdown(&mut self, now: Instant) -> Result<(), SocketError> {
        if self.state == TcpState::Closed || self.is_finished {
            return Err(SocketError::NotConnected);
        }
        self.mstamp = now;
        self.shutdown_send(now);
        Ok(())
    }

    /// Closes the receiving side (`shutdown(SHUT_RD)`): the application reads what is queued and then the end. The peer is
    /// not told.
    ///
    /// # Errors
    /// [`SocketError::NotConnected`] if there is no connection.
    pub fn shutdown_receive(&mut self) -> Result<(), SocketError> {
        if self.state == TcpState::Closed || self.is_finished {
            return Err(SocketError::NotConnected);
        }
        self.rcv.rcv_shutdown = true;
        self.events.push_back(Event::Readable);
        Ok(())
    }

    /// Closes both sides (`close`). The connection ends in the background; if data was not read, it is reset.
    pub fn close(&mut self, now: Instant) {
        self.mstamp = now;
        self.close_socket(now);
    }

    /// Sets a socket option (`setsockopt`).
    ///
    /// # Errors
    /// [`SocketError::Invalid`] if the value is out of range.
    pub fn set_option(&mut self, now: Instant, option: SocketOption) -> Result<(), SocketError> {
        self.mstamp = now;
        self.setsockopt(now, option)
    }

    /// Whether there are events for the application.
    #[inline]
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// The state of the connection.
    #[inline]
    pub fn state(&self) -> TcpState {
        self.state
    }

    /// `TCP_INFO`.
    pub fn info(&self, now: Instant) -> TcpInfo {
        let mut info = TcpInfo::default();
        self.fill_receiver_info(&mut info, now);
        self.fill_sender_info(&mut info, now);
        self.fill_acc_ecn_info(&mut info);
        info
    }

    /// Whether no application owns the socket (`SOCK_DEAD`).
    fn is_orphan(&self) -> bool {
        self.is_dead
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }
}
