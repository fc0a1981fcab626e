//! A segment in the sender's queues, with what Linux keeps in `struct tcp_skb_cb`.
//!
//! Source: Linux, include/net/tcp.h (`struct tcp_skb_cb`) and net/ipv4/tcp_output.c (`tcp_fragment`, `tcp_trim_head`).
//! What it decides: how a segment is split and trimmed, and how many packets it stands for.
//! Departures: no payload and no buffers. Not implemented: the urgent pointer.
//! Checked against: by hand, below.

use super::super::segment::flag;
use super::super::seq::SeqNum;

/// The bits of [`Skb::sacked`].
pub mod tag {
    /// `TCPCB_SACKED_ACKED`: reported by SACK.
    pub const SACKED_ACKED: u8 = 0x01;
    /// `TCPCB_SACKED_RETRANS`: retransmitted, and the retransmission is in flight.
    pub const SACKED_RETRANS: u8 = 0x02;
    /// `TCPCB_LOST`: marked lost.
    pub const LOST: u8 = 0x04;
    /// `TCPCB_EVER_RETRANS`: retransmitted at least once, tail loss probes included.
    pub const EVER_RETRANS: u8 = 0x80;
    /// `TCPCB_RETRANS`: any of the two.
    pub const RETRANS: u8 = SACKED_RETRANS | EVER_RETRANS;
}

/// Delivery-rate state at the last transmission (draft-ietf-ccwg-bbr, 4.1.2.1: the fields of `P`).
#[derive(Clone, Copy, Debug, Default)]
pub struct TxState {
    /// `P.delivered`: packets delivered.
    pub delivered: u32,
    /// Packets delivered with an ECN mark.
    pub delivered_ce: u32,
    /// `P.delivered_time`, us; 0 once the segment has been delivered.
    pub delivered_mstamp: u64,
    /// `P.first_send_time`, us.
    pub first_tx_mstamp: u64,
    /// Packets marked lost.
    pub lost: u32,
    /// `P.tx_in_flight`: packets in flight, this one included.
    pub in_flight: u32,
    /// `P.is_app_limited`.
    pub is_app_limited: bool,
}

/// A segment: payload, or a SYN or FIN. It stands for [`Skb::pcount`] packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Skb {
    /// Sequence number of the first byte, or of the SYN.
    pub seq: SeqNum,
    /// The sequence number after the segment, SYN and FIN included.
    pub end_seq: SeqNum,
    /// Bytes of payload.
    pub len: u32,
    /// Control bits.
    pub flags: u16,
    /// Scoreboard bits ([`tag`]).
    pub sacked: u8,
    /// `MSG_EOR`: nothing may be appended.
    pub eor: bool,
    /// Packets that the segment stands for (`tcp_gso_segs`); 0 if not computed yet.
    pub pcount: u32,
    /// Bytes of payload of each packet (`tcp_gso_size`); 0 if it is one packet.
    pub gso_size: u32,
    /// The time of the last transmission, ns (`skb_mstamp_ns`).
    pub mstamp_ns: u64,
    /// Delivery-rate state.
    pub tx: TxState,
}

impl Skb {
    /// `tcp_skb_timestamp_us`: the time of the last transmission, us.
    #[inline]
    pub fn timestamp_us(&self) -> u64 {
        self.mstamp_ns / 1_000
    }

    /// `tcp_set_skb_tso_segs`: computes the packets for this MSS; returns them.
    #[inline]
    pub fn set_tso_segs(&mut self, mss: u32) -> u32 {
        if self.len <= mss {
            (self.gso_size, self.pcount) = (0, 1);
        } else {
            (self.gso_size, self.pcount) = (mss, self.len.div_ceil(mss));
        }
        self.pcount
    }

    /// Whether any of these scoreboard bits is set.
    #[inline]
    pub fn has(&self, tags: u8) -> bool {
        self.sacked & tags != 0
    }

    /// Splits the segment after `len` bytes of payload; returns the second part. PSH, FIN and the end of a record move
    /// to it. Both parts keep the scoreboard bits and the time of transmission.
    pub fn split(&mut self, len: u32, mss: u32) -> Skb {
        debug_assert!(len < self.len || (len == self.len && self.flags & flag::FIN != 0));
        let mut rest = *self;
        rest.seq = self.seq.add(len);
        rest.len = self.len - len;
        self.end_seq = rest.seq;
        self.len = len;
        self.flags &= !(flag::FIN | flag::PSH);
        self.eor = false;
        self.set_tso_segs(mss);
        rest.set_tso_segs(mss);
        rest
    }

    /// `tcp_trim_head`: removes `len` acknowledged bytes from the front.
    pub fn trim_head(&mut self, len: u32) {
        self.seq = self.seq.add(len);
        self.len -= len;
        if self.pcount > 1 {
            self.set_tso_segs(self.gso_size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 3500 bytes at an MSS of 1000 are 4 packets; split after 2000: 2 and 2, and only the second part keeps FIN and PSH.
    #[test]
    fn a_split_keeps_bytes_and_moves_the_flags() {
        let mut skb = Skb {
            seq: SeqNum(u32::MAX - 99),
            end_seq: SeqNum(u32::MAX - 99).add(3501),
            len: 3500,
            flags: flag::ACK | flag::PSH | flag::FIN,
            eor: true,
            ..Skb::default()
        };
        assert_eq!(skb.set_tso_segs(1000), 4);
        let rest = skb.split(2000, 1000);
        assert_eq!((skb.len, skb.pcount, skb.end_seq), (2000, 2, SeqNum(1900)));
        assert_eq!((rest.seq, rest.len, rest.pcount, rest.end_seq), (SeqNum(1900), 1500, 2, SeqNum(3401)));
        assert_eq!((skb.flags, skb.eor), (flag::ACK, false));
        assert_eq!((rest.flags, rest.eor), (flag::ACK | flag::PSH | flag::FIN, true));
        skb.trim_head(1500);
        assert_eq!((skb.seq, skb.len, skb.pcount), (SeqNum(1400), 500, 1));
    }
}
