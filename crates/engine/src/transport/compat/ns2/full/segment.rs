//! The segment header of two-way TCP, and RFC 793's connection states.

use crate::net::Network;
use crate::packet::{PacketId, flag};

/// TCP header flags, numbered as in RFC 793 and RFC 3168.
pub mod bit {
    /// The sender has no more data.
    pub const FIN: u8 = 0x01;
    /// Carries the sender's initial sequence number.
    pub const SYN: u8 = 0x02;
    /// The sender's buffer is now empty.
    pub const PUSH: u8 = 0x08;
    /// The acknowledgement number is valid.
    pub const ACK: u8 = 0x10;
    /// ECN-Echo (ECE).
    pub const ECN_ECHO: u8 = 0x40;
    /// Congestion Window Reduced (CWR).
    pub const REDUCED: u8 = 0x80;
}

/// Why a segment is sent; a field of the packet.
pub mod reason {
    /// A normal transmission.
    pub const NORMAL: u8 = 0;
    /// After a timeout; counted as a retransmission.
    pub const TIMEOUT: u8 = 1;
    /// After duplicate ACKs; counted as a retransmission.
    pub const DUPLICATES: u8 = 2;
    /// Sent by a timer; counted as a retransmission.
    pub const TIMER: u8 = 4;
}

/// RFC 793's states, without TIME-WAIT: the end that closes first is closed when it receives the peer's FIN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// No connection.
    #[default]
    Closed,
    /// Waiting for a SYN.
    Listen,
    /// Sent a SYN.
    SynSent,
    /// Sent and received a SYN.
    SynReceived,
    /// Open.
    Established,
    /// The peer has sent its FIN.
    CloseWait,
    /// Sent a FIN.
    FinWait1,
    /// Both ends have sent a FIN.
    Closing,
    /// Sent a FIN after the peer's.
    LastAck,
    /// The FIN sent was acknowledged.
    FinWait2,
}

impl State {
    /// Whether the peer's SYN has arrived.
    pub fn has_syn(self) -> bool {
        self >= State::SynReceived
    }

    /// Whether no more data can arrive: after the peer's FIN, or without a connection. Does not cover LAST-ACK.
    pub fn has_fin(self) -> bool {
        matches!(self, State::Closing | State::Closed | State::CloseWait)
    }

    /// The flags of a segment sent in this state.
    pub fn flags(self) -> u8 {
        match self {
            State::Listen => 0,
            State::SynSent => bit::SYN,
            State::SynReceived => bit::SYN | bit::ACK,
            State::FinWait1 | State::Closing | State::LastAck => bit::FIN | bit::ACK,
            State::Closed | State::Established | State::CloseWait | State::FinWait2 => bit::ACK,
        }
    }
}

/// A received segment; the fields shrink as parts of it are processed.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// The segment's packet; it holds the SACK blocks.
    pub packet: PacketId,
    /// Its first byte.
    pub seqno: i32,
    /// The next byte that the sender expects.
    pub ackno: i32,
    /// The flags in its header.
    pub came_with: u8,
    /// The flags not yet processed.
    pub flags: u8,
    /// Data bytes not yet processed.
    pub len: i32,
    /// Bytes by the packet's size, without the trimmed part; a trimmed SYN counts as one byte.
    pub body: i32,
    /// Bits of [`flag`].
    pub ecn: u16,
    /// The sender's timestamp, s.
    pub ts: f64,
    /// The timestamp echoed, s.
    pub ts_echo: f64,
    /// Flow id.
    pub fid: i32,
    /// Number of SACK blocks.
    pub blocks: usize,
    /// Header size, bytes.
    header_len: i32,
    has_flags: bool,
}

impl Segment {
    /// Reads a segment's header.
    pub fn read(packet: PacketId, net: &Network) -> Segment {
        let header = &net.packets[packet];
        let len = header.size - header.header_len;
        Segment {
            packet,
            seqno: header.seqno,
            ackno: header.ackno,
            came_with: header.tcp_flags,
            flags: header.tcp_flags,
            len,
            body: len,
            ecn: header.flags,
            ts: header.ts,
            ts_echo: header.ts_echo,
            fid: header.fid,
            blocks: net.packets.sack(packet).len(),
            header_len: header.header_len,
            has_flags: !net.lacks_flags,
        }
    }

    /// Whether one of these flags is not yet processed.
    pub fn has(&self, bits: u8) -> bool {
        self.flags & bits != 0
    }

    /// Whether the packet has this bit of [`flag`].
    pub fn carries(&self, bit: u16) -> bool {
        self.ecn & bit != 0
    }

    /// Whether the ECE flag is set.
    pub fn echoes_mark(&self) -> bool {
        self.carries(flag::ECN_ECHO)
    }

    /// Whether it gives an RTT sample ([`Network::lacks_flags`]).
    pub fn is_timed(&self) -> bool {
        if self.has_flags { !self.carries(flag::NO_TIMESTAMP) } else { (self.header_len + self.body) % 256 == 0 }
    }
}
