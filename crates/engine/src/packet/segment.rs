//! A TCP segment with its options (RFC 9293, 3.1), and the ECN field of its IP header (RFC 3168, 5).
//!
//! Payload is a number of bytes: a simulation does not carry their contents.

use super::seq::SeqNum;

/// Control bits of the TCP header, in the positions of the wire (RFC 9293, 3.1; AE: RFC 9768, 3.1).
pub mod flag {
    /// The sender has no more data.
    pub const FIN: u16 = 0x001;
    /// Synchronize sequence numbers.
    pub const SYN: u16 = 0x002;
    /// Reset the connection.
    pub const RST: u16 = 0x004;
    /// Push.
    pub const PSH: u16 = 0x008;
    /// The acknowledgement field is valid.
    pub const ACK: u16 = 0x010;
    /// The urgent pointer is valid.
    pub const URG: u16 = 0x020;
    /// ECN-Echo.
    pub const ECE: u16 = 0x040;
    /// Congestion window reduced.
    pub const CWR: u16 = 0x080;
    /// Accurate ECN.
    pub const AE: u16 = 0x100;
}

/// The ECN field of the IP header (RFC 3168, 5), with the values of its two bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnCodepoint {
    /// Not ECN-capable.
    #[default]
    NotEct = 0b00,
    /// ECN-capable, ECT(1): the sender's response is scalable (RFC 9331).
    Ect1 = 0b01,
    /// ECN-capable, ECT(0).
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl EcnCodepoint {
    /// The code point of the two lowest bits of the traffic class or TOS byte.
    pub fn from_bits(bits: u8) -> EcnCodepoint {
        match bits & 0b11 {
            0b01 => EcnCodepoint::Ect1,
            0b10 => EcnCodepoint::Ect0,
            0b11 => EcnCodepoint::Ce,
            _ => EcnCodepoint::NotEct,
        }
    }
}

/// A SACK block: the first sequence number received, and the one after the last (RFC 2018, 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// Left edge.
    pub start: SeqNum,
    /// Right edge.
    pub end: SeqNum,
}

/// Max SACK blocks that fit into the options without timestamps (RFC 2018, 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// The timestamps option (RFC 7323, 3.2), in the sender's timestamp ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval.
    pub val: u32,
    /// TSecr.
    pub ecr: u32,
}

/// The AccECN option: byte counters modulo 2^24 (RFC 9768, 3.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccEcnOption {
    /// Bytes received with ECT(0), `ee0b`; `None` where the option is cut short.
    pub ee0b: Option<u32>,
    /// Bytes received with CE, `eceb`.
    pub eceb: Option<u32>,
    /// Bytes received with ECT(1), `ee1b`.
    pub ee1b: Option<u32>,
    /// Whether ECT(1)'s counter comes first (option kind 174, else 172).
    pub is_order_1: bool,
}

/// TCP options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum segment size, bytes (SYN only).
    pub mss: Option<u16>,
    /// Window scale, a shift count (SYN only; RFC 7323, 2).
    pub window_scale: Option<u8>,
    /// SACK permitted (SYN only; RFC 2018, 2).
    pub sack_permitted: bool,
    /// Timestamps.
    pub timestamps: Option<Timestamps>,
    /// SACK blocks.
    sack: [SackBlock; MAX_SACK_BLOCKS],
    sack_count: u8,
    /// AccECN counters.
    pub acc_ecn: Option<AccEcnOption>,
}

impl Options {
    /// Bytes of the options on the wire, as Linux writes and pads them.
    pub fn wire_len(&self) -> u32 {
        let mut bytes = 0;
        bytes += if self.mss.is_some() { 4 } else { 0 };
        bytes += if self.window_scale.is_some() { 4 } else { 0 };
        bytes += if self.timestamps.is_some() {
            12
        } else if self.sack_permitted {
            4
        } else {
            0
        };
        bytes += if self.sack_count > 0 { 4 + 8 * u32::from(self.sack_count) } else { 0 };
        if let Some(acc_ecn) = &self.acc_ecn {
            let fields = [acc_ecn.ee0b, acc_ecn.eceb, acc_ecn.ee1b].iter().flatten().count() as u32;
            bytes += (2 + 3 * fields).next_multiple_of(4);
        }
        bytes
    }

    /// Appends the options as Linux writes them: kinds of RFC 9293 (1, 2), RFC 7323 (3, 8), RFC 2018 (4, 5), RFC 9768 (172,
    /// 174). The bytes are [`Options::wire_len`] many.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        if let Some(mss) = self.mss {
            out.extend_from_slice(&[2, 4]);
            out.extend_from_slice(&mss.to_be_bytes());
        }
        match (&self.timestamps, self.sack_permitted) {
            (Some(timestamps), permitted) => {
                out.extend_from_slice(if permitted { &[4, 2] } else { &[1, 1] });
                out.extend_from_slice(&[8, 10]);
                out.extend_from_slice(&timestamps.val.to_be_bytes());
                out.extend_from_slice(&timestamps.ecr.to_be_bytes());
            }
            (None, true) => out.extend_from_slice(&[1, 1, 4, 2]),
            (None, false) => {}
        }
        if let Some(shift) = self.window_scale {
            out.extend_from_slice(&[1, 3, 3, shift]);
        }
        if self.sack_count > 0 {
            out.extend_from_slice(&[1, 1, 5, 2 + 8 * self.sack_count]);
            for block in self.sack_blocks() {
                out.extend_from_slice(&block.start.0.to_be_bytes());
                out.extend_from_slice(&block.end.0.to_be_bytes());
            }
        }
        if let Some(acc_ecn) = &self.acc_ecn {
            let mut fields = [acc_ecn.ee0b, acc_ecn.eceb, acc_ecn.ee1b];
            if acc_ecn.is_order_1 {
                fields.reverse();
            }
            let fields: Vec<u32> = fields.into_iter().flatten().collect();
            out.extend_from_slice(&[if acc_ecn.is_order_1 { 174 } else { 172 }, 2 + 3 * fields.len() as u8]);
            for field in fields {
                out.extend_from_slice(&field.to_be_bytes()[1..]);
            }
        }
        while !(out.len() - start).is_multiple_of(4) {
            out.push(1);
        }
        debug_assert_eq!(out.len() - start, self.wire_len() as usize);
    }

    /// The SACK blocks in the order of the wire.
    #[inline]
    pub fn sack_blocks(&self) -> &[SackBlock] {
        &self.sack[..usize::from(self.sack_count)]
    }

    /// Appends a SACK block; ignored if there are [`MAX_SACK_BLOCKS`] already.
    pub fn push_sack(&mut self, block: SackBlock) {
        if usize::from(self.sack_count) < MAX_SACK_BLOCKS {
            self.sack[usize::from(self.sack_count)] = block;
            self.sack_count += 1;
        }
    }
}

/// Bytes of IPv4 and TCP headers without options.
pub const HEADERS: u32 = 40;

/// A segment. With segmentation offload, its payload may be longer than one MSS; then it stands for several packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first byte, or of the SYN.
    pub seq: SeqNum,
    /// The acknowledgement number; valid with [`flag::ACK`].
    pub ack: SeqNum,
    /// Control bits ([`flag`]).
    pub flags: u16,
    /// The window field as on the wire, not scaled.
    pub window: u16,
    /// Bytes of payload.
    pub payload: u32,
    /// Bytes of payload in each packet that the segment stands for, except the last; 0 if it is one packet.
    pub gso_size: u32,
    /// Options.
    pub options: Options,
    /// The ECN field of the IP header.
    pub ecn: EcnCodepoint,
}

impl Segment {
    /// Cuts off the first packet that the segment stands for; `None` if it is one packet. PSH and FIN belong to the last,
    /// CWR to the first (RFC 3168, 6.1.2), but with AccECN to all, where it is a bit of a counter (`tcp_gso_segment`).
    #[inline]
    pub fn cut(&mut self, is_acc_ecn: bool) -> Option<Segment> {
        if self.gso_size == 0 || self.payload <= self.gso_size {
            return None;
        }
        let (payload, flags) = (self.gso_size, self.flags & !(flag::PSH | flag::FIN));
        let first = Segment { payload, flags, gso_size: 0, ..*self };
        self.seq = self.seq.add(payload);
        self.payload -= payload;
        if !is_acc_ecn {
            self.flags &= !flag::CWR;
        }
        Some(first)
    }

    /// Whether all of these control bits are set.
    #[inline]
    pub fn has(&self, flags: u16) -> bool {
        self.flags & flags == flags
    }

    /// Sequence space that the segment takes: payload, SYN and FIN.
    #[inline]
    pub fn seq_len(&self) -> u32 {
        self.payload + u32::from(self.has(flag::SYN)) + u32::from(self.has(flag::FIN))
    }

    /// The sequence number after the segment.
    #[inline]
    pub fn end_seq(&self) -> SeqNum {
        self.seq.add(self.seq_len())
    }

    /// Length of the IP and TCP headers, bytes.
    #[inline]
    pub fn header_len(&self) -> u32 {
        HEADERS + self.options.wire_len()
    }

    /// Length of the IP packet, bytes: headers and payload.
    #[inline]
    pub fn ip_len(&self) -> u32 {
        self.header_len() + self.payload
    }

    /// Packets that the segment stands for.
    pub fn packets(&self) -> u32 {
        if self.gso_size == 0 { 1 } else { self.payload.div_ceil(self.gso_size).max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Linux's tcp_gso_segment: FIN and PSH belong to the last packet, CWR to the first, but with AccECN to all.
    #[test]
    fn bits_of_the_packets_of_a_segment() {
        let flags = flag::ACK | flag::CWR | flag::PSH;
        let segment = Segment { flags, payload: 250, gso_size: 100, ..Segment::default() };
        for (is_acc_ecn, cwr) in [(false, [true, false, false]), (true, [true; 3])] {
            let (mut rest, mut packets) = (segment, Vec::new());
            packets.extend(std::iter::from_fn(|| rest.cut(is_acc_ecn)));
            packets.push(rest);
            let payloads: Vec<_> = packets.iter().map(|packet| (packet.seq.0, packet.payload)).collect();
            assert_eq!(payloads, [(0, 100), (100, 100), (200, 50)]);
            assert_eq!(packets.iter().map(|packet| packet.has(flag::CWR)).collect::<Vec<_>>(), cwr);
            assert_eq!(packets.iter().map(|packet| packet.has(flag::PSH)).collect::<Vec<_>>(), [false, false, true]);
        }
    }
}
