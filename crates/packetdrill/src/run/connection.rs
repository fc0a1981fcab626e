//! A socket of the engine with what the script knows of it.

use std::collections::BTreeMap;

use ackclock_engine::transport::tcp::socket::clock::Instant;
use ackclock_engine::transport::tcp::socket::segment::{Segment, flag};
use ackclock_engine::transport::tcp::socket::{Event, SendFlags, Socket, SocketError, TcpState};

use super::wire::{self, SequenceMap};
use crate::script::{Packet, TcpOption, TcpPacket};

/// A connection, from its first SYN on.
pub(super) struct Connection {
    pub(super) socket: Socket,
    pub(super) map: SequenceMap,
    has_remote_isn: bool,
    has_script_isn: bool,
    /// The listening descriptor that it came from.
    pub(super) listener: Option<i64>,
    /// Whether `accept` has returned it.
    pub(super) is_accepted: bool,
    /// Whether the handshake is complete, now or in the past.
    pub(super) was_established: bool,
    /// Whether a call has begun to connect and none has reported the end of it.
    pub(super) is_connecting: bool,
    /// The error that the next call, or `SO_ERROR`, reports.
    pub(super) error: Option<SocketError>,
    /// Whether the send buffer has room: false after a call found none, until the socket says otherwise.
    pub(super) is_writable: bool,
    /// Bytes that the application has written.
    pub(super) bytes_written: u64,
    /// The socket's value of each timestamp in the script.
    timestamps: BTreeMap<u32, u32>,
    first_timestamp: Option<(u32, u32)>,
}

impl Connection {
    pub(super) fn new(socket: Socket, iss: u32, listener: Option<i64>) -> Connection {
        Connection {
            socket,
            map: SequenceMap { local: iss, ..SequenceMap::default() },
            has_remote_isn: false,
            has_script_isn: false,
            listener,
            is_accepted: listener.is_none(),
            was_established: false,
            is_connecting: false,
            error: None,
            is_writable: true,
            bytes_written: 0,
            timestamps: BTreeMap::new(),
            first_timestamp: None,
        }
    }

    /// Injects a packet.
    pub(super) fn inject(
        &mut self,
        now: Instant,
        packet: &Packet,
        tcp: &TcpPacket,
        gso_size: Option<u32>,
        scales_echo: bool,
    ) -> Result<Segment, String> {
        // The first packet to a listener defines the peer's sequence numbers, as does a SYN to a client.
        if !self.has_remote_isn && (tcp.flags & flag::SYN != 0 || self.listener.is_some()) {
            self.map.remote = tcp.seq;
            self.has_remote_isn = true;
        }
        let mut segment = wire::segment(packet, tcp, &self.map, |echo| self.timestamp(echo, scales_echo))?;
        segment.gso_size = gso_size.filter(|size| segment.payload > *size).unwrap_or(0);
        self.socket.on_segment(now, &segment);
        Ok(segment)
    }

    /// The socket's value of a timestamp that the script echoes.
    fn timestamp(&self, echo: u32, scales_echo: bool) -> Result<u32, String> {
        match (self.timestamps.get(&echo), self.first_timestamp) {
            (Some(live), _) => Ok(*live),
            (None, Some((script, live))) if scales_echo => Ok(echo.wrapping_sub(script).wrapping_add(live)),
            _ => Err(format!(
                "unable to infer live TS ecr for script TS ecr {echo}; no matching or preceding outbound TS val"
            )),
        }
    }

    /// The packet that came out, in the script's numbers. `expected` is the packet that the script has there.
    pub(super) fn outbound(&mut self, expected: &TcpPacket, segment: &Segment) -> TcpPacket {
        if expected.flags & flag::SYN != 0 && segment.has(flag::SYN) && !self.has_script_isn {
            self.map.script_local = expected.seq;
            self.has_script_isn = true;
        }
        wire::packet(segment, &self.map)
    }

    /// Remembers which of our timestamps the script's stands for, and translates ours; returns the script's and ours.
    pub(super) fn match_timestamps(&mut self, expected: &TcpPacket, actual: &mut TcpPacket) -> Option<(u32, u32)> {
        let script = timestamp_value(expected)?;
        let option =
            actual.options.iter_mut().flatten().find(|option| matches!(option, TcpOption::Timestamps { .. }))?;
        let TcpOption::Timestamps { val, .. } = option else { return None };
        self.timestamps.insert(script, *val);
        let (first_script, first) = *self.first_timestamp.get_or_insert((script, *val));
        *val = val.wrapping_sub(first).wrapping_add(first_script);
        Some((script, *val))
    }

    /// Takes the socket's events in.
    pub(super) fn take_events(&mut self) {
        while let Some(event) = self.socket.poll_event() {
            match event {
                Event::Connected => self.was_established = true,
                Event::Writable => self.is_writable = true,
                Event::Failed(error) => {
                    self.error = Some(error);
                    self.is_writable = true;
                }
                Event::Readable | Event::Closed => {}
            }
        }
        let state = self.socket.state();
        let is_opening =
            matches!(state, TcpState::Closed | TcpState::Listen | TcpState::SynSent | TcpState::SynReceived);
        self.was_established |= !is_opening;
    }

    /// `send`: the bytes that fit.
    pub(super) fn send(&mut self, now: Instant, bytes: u64, flags: SendFlags) -> Result<u64, SocketError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let sent = self.socket.send(now, bytes, flags);
        let accepted = sent.unwrap_or(0);
        self.bytes_written += accepted;
        if accepted < bytes && !matches!(sent, Err(error) if error != SocketError::WouldBlock) {
            self.is_writable = false;
        }
        self.take_events();
        sent
    }

    /// `recv`: the bytes that are there.
    pub(super) fn receive(&mut self, now: Instant, bytes: u64) -> Result<u64, SocketError> {
        let read = self.socket.receive(now, bytes);
        self.take_events();
        match read {
            Err(SocketError::WouldBlock) => self.error.take().map_or(read, Err),
            _ => read,
        }
    }

    /// Whether the peer has sent FIN.
    pub(super) fn has_fin(&self) -> bool {
        use TcpState::{CloseWait, Closing, LastAck, TimeWait};
        matches!(self.socket.state(), CloseWait | Closing | LastAck | TimeWait)
    }

    /// `SIOCINQ`: bytes that wait for the application.
    pub(super) fn unread(&self) -> u64 {
        self.socket.readable()
    }

    /// `SIOCOUTQ`: bytes that the peer has not acknowledged.
    pub(super) fn unacknowledged(&self, now: Instant) -> u64 {
        // A client's SYN counts as one byte acknowledged.
        let syn = u64::from(self.listener.is_none());
        self.bytes_written.saturating_sub(self.socket.info(now).tcpi_bytes_acked.saturating_sub(syn))
    }

    /// `SIOCOUTQNSD`: bytes never sent.
    pub(super) fn unsent(&self, now: Instant) -> u64 {
        u64::from(self.socket.info(now).tcpi_notsent_bytes)
    }
}

fn timestamp_value(packet: &TcpPacket) -> Option<u32> {
    packet.options.iter().flatten().find_map(|option| match option {
        TcpOption::Timestamps { val, .. } => Some(*val),
        _ => None,
    })
}
