//! A segment's header, and the states of a connection.

use crate::net::Network;
use crate::packet::{PacketId, flag};

/// Bits of a segment's flags, as RFC 793 and RFC 3168 number them.
pub mod bit {
    /// The sender has no more bytes.
    pub const FIN: u8 = 0x01;
    /// The sender's first sequence number.
    pub const SYN: u8 = 0x02;
    /// The sender's buffer is empty now.
    pub const PUSH: u8 = 0x08;
    /// The acknowledgement number counts.
    pub const ACK: u8 = 0x10;
    /// A congestion mark is echoed.
    pub const ECN_ECHO: u8 = 0x40;
    /// The window was reduced.
    pub const REDUCED: u8 = 0x80;
}

/// Why a segment is sent, as its packet carries it.
pub mod reason {
    /// As usual.
    pub const NORMAL: u8 = 0;
    /// After a timeout, in the counts of what was retransmitted.
    pub const TIMEOUT: u8 = 1;
    /// After duplicate ACKs.
    pub const DUPLICATES: u8 = 2;
    /// What a timer sends; it counts as retransmitted.
    pub const TIMER: u8 = 4;
}

/// RFC 793's states. There is no TIME-WAIT: the end that closes first is closed when it has the peer's FIN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// No connection.
    #[default]
    Closed,
    /// Waiting for a SYN.
    Listen,
    /// Sent a SYN.
    SynSent,
    /// Sent and received one.
    SynReceived,
    /// Open.
    Established,
    /// The peer has no more bytes.
    CloseWait,
    /// Sent a FIN.
    FinWait1,
    /// Both have sent a FIN at once.
    Closing,
    /// Sent a FIN after the peer's.
    LastAck,
    /// The FIN sent was acknowledged.
    FinWait2,
}

impl State {
    /// Whether the peer's SYN has come.
    pub fn has_syn(self) -> bool {
        self >= State::SynReceived
    }

    /// Whether the peer's FIN has come, so far as that matters for its bytes.
    pub fn has_fin(self) -> bool {
        matches!(self, State::Closing | State::Closed | State::CloseWait)
    }

    /// The flags that a segment sent in this state carries.
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

/// A segment that has arrived, as far as it is not yet used up.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Its packet, for the SACK blocks.
    pub packet: PacketId,
    /// First byte.
    pub seqno: i32,
    /// The next byte that the sender expects.
    pub ackno: i32,
    /// The flags it came with.
    pub came_with: u8,
    /// The flags that still count.
    pub flags: u8,
    /// Bytes that still count.
    pub len: i32,
    /// Bytes by the packet's size: a SYN that is cut off counts as one less.
    pub body: i32,
    /// Bits of [`flag`].
    pub ecn: u16,
    /// The sender's timestamp, s.
    pub ts: f64,
    /// The timestamp echoed, s.
    pub ts_echo: f64,
    /// Flow id.
    pub fid: i32,
    /// How many SACK blocks it carries.
    pub blocks: usize,
    /// Bytes of its header.
    header_len: i32,
    has_flags: bool,
}

impl Segment {
    /// Reads a segment.
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

    /// Whether one of these flags still counts.
    pub fn has(&self, bits: u8) -> bool {
        self.flags & bits != 0
    }

    /// Whether its packet carries this bit of [`flag`].
    pub fn carries(&self, bit: u16) -> bool {
        self.ecn & bit != 0
    }

    /// Whether it echoes a congestion mark.
    pub fn echoes_mark(&self) -> bool {
        self.carries(flag::ECN_ECHO)
    }

    /// Whether its round trip may be measured ([`Network::lacks_flags`]).
    pub fn is_timed(&self) -> bool {
        if self.has_flags { !self.carries(flag::NO_TIMESTAMP) } else { (self.header_len + self.body) % 256 == 0 }
    }
}
