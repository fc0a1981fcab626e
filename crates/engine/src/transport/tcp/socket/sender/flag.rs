//! What an ACK did, as bits.
//!
//! Source: Linux, net/ipv4/tcp_input.c (`FLAG_*`). What it decides: nothing. Departures: none. Not implemented: bits of the
//! fast path, Fast Open and challenge ACKs. Checked against: nothing; it has no rule of its own.

/// What an ACK did (Linux's `FLAG_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flag(u32);

impl Flag {
    /// The segment has payload.
    pub const DATA: Flag = Flag(0x01);
    /// It may have changed the peer's window.
    pub const WIN_UPDATE: Flag = Flag(0x02);
    /// It acknowledges new data.
    pub const DATA_ACKED: Flag = Flag(0x04);
    /// Some of it had been retransmitted.
    pub const RETRANS_DATA_ACKED: Flag = Flag(0x08);
    /// It acknowledges a SYN.
    pub const SYN_ACKED: Flag = Flag(0x10);
    /// SACK newly reports data.
    pub const DATA_SACKED: Flag = Flag(0x20);
    /// It echoes a mark.
    pub const ECE: Flag = Flag(0x40);
    /// A retransmission is marked lost.
    pub const LOST_RETRANS: Flag = Flag(0x80);
    /// It acknowledges data that were sent before the recovery and never retransmitted.
    pub const ORIG_SACK_ACKED: Flag = Flag(0x200);
    /// It advances SND.UNA.
    pub const SND_UNA_ADVANCED: Flag = Flag(0x400);
    /// It carries a D-SACK.
    pub const DSACKING_ACK: Flag = Flag(0x800);
    /// The RTO or TLP timer must be set.
    pub const SET_XMIT_TIMER: Flag = Flag(0x1000);
    /// The segment at SND.UNA was reported by SACK: the peer has dropped it.
    pub const SACK_RENEGING: Flag = Flag(0x2000);
    /// It is probably a delayed ACK.
    pub const ACK_MAYBE_DELAYED: Flag = Flag(0x10000);
    /// A D-SACK of the tail loss probe.
    pub const DSACK_TLP: Flag = Flag(0x20000);

    /// It acknowledges data or a SYN.
    pub const ACKED: Flag = Flag(Self::DATA_ACKED.0 | Self::SYN_ACKED.0);
    /// It is no duplicate ACK.
    pub const NOT_DUP: Flag = Flag(Self::DATA.0 | Self::WIN_UPDATE.0 | Self::ACKED.0);
    /// It needs the congestion machine.
    pub const CA_ALERT: Flag = Flag(Self::DATA_SACKED.0 | Self::ECE.0 | Self::DSACKING_ACK.0);
    /// It delivers data.
    pub const FORWARD_PROGRESS: Flag = Flag(Self::ACKED.0 | Self::DATA_SACKED.0);

    /// Whether any of these bits is set.
    #[inline]
    pub fn has(self, bits: Flag) -> bool {
        self.0 & bits.0 != 0
    }

    /// Sets these bits.
    #[inline]
    pub fn insert(&mut self, bits: Flag) {
        self.0 |= bits.0;
    }

    /// Clears these bits.
    #[inline]
    pub fn remove(&mut self, bits: Flag) {
        self.0 &= !bits.0;
    }
}
