//! A packet on a link (hop), and the binary format of a chunk of hops.

/// Max rows per chunk.
pub const ROWS: usize = 1 << 16;

/// Bytes per row in the recording's file.
pub const BYTES: usize = 56;

/// Bits of [`Hop::flags`].
pub mod flag {
    /// The packet leaves the link with an ECN mark.
    pub const MARKED: u8 = 1;
    /// The queue dropped it.
    pub const DROPPED: u8 = 2;
    /// It was lost on the link.
    pub const LOST: u8 = 4;
    /// A retransmission.
    pub const AGAIN: u8 = 8;
}

/// Bits of [`Hop::way`].
pub mod way {
    /// In the direction from the flow's destination to its source.
    pub const BACK: u8 = 1;
    /// On the first link of the path.
    pub const SETS_OUT: u8 = 2;
    /// On the last link of the path.
    pub const LAST: u8 = 4;
}

/// A packet on a link. Times of events that have not occurred are NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hop {
    /// Enqueue time, s.
    pub enqueue_s: f64,
    /// Dequeue time, which is the start of transmission, s.
    pub start_s: f64,
    /// Arrival of the last bit at the far end, s.
    pub arrive_s: f64,
    /// Time of the drop or loss, s.
    pub drop_s: f64,
    /// Packet id.
    pub uid: u32,
    /// Bytes on the wire.
    pub size_bytes: u32,
    /// Sequence number; 2^32 - 1 if none.
    pub seq: u32,
    /// Link number.
    pub link: u16,
    /// Flow number.
    pub flow: u16,
    /// Number of the packet type.
    pub kind: u8,
    /// See [`flag`].
    pub flags: u8,
    /// See [`way`].
    pub way: u8,
}

impl Hop {
    /// Whether it travels from the flow's source to its destination.
    pub fn is_forth(&self) -> bool {
        self.way & way::BACK == 0
    }

    /// When it leaves the queue, by transmission or drop, s; NaN while it waits.
    pub fn leaves_s(&self) -> f64 {
        if self.start_s.is_nan() { self.drop_s } else { self.start_s }
    }

    /// The time of its last event, s.
    pub fn reach_s(&self) -> f64 {
        [self.enqueue_s, self.start_s, self.arrive_s, self.drop_s].into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether it has arrived or was dropped or lost.
    pub fn is_over(&self) -> bool {
        !self.arrive_s.is_nan() || !self.drop_s.is_nan() || self.flags & flag::LOST != 0
    }

    /// Encodes a row of the recording's file.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut out = [0; BYTES];
        out[0..8].copy_from_slice(&self.enqueue_s.to_le_bytes());
        out[8..16].copy_from_slice(&self.start_s.to_le_bytes());
        out[16..24].copy_from_slice(&self.arrive_s.to_le_bytes());
        out[24..32].copy_from_slice(&self.drop_s.to_le_bytes());
        out[32..36].copy_from_slice(&self.uid.to_le_bytes());
        out[36..40].copy_from_slice(&self.size_bytes.to_le_bytes());
        out[40..44].copy_from_slice(&self.seq.to_le_bytes());
        out[44..46].copy_from_slice(&self.link.to_le_bytes());
        out[46..48].copy_from_slice(&self.flow.to_le_bytes());
        out[48..51].copy_from_slice(&[self.kind, self.flags, self.way]);
        out
    }

    /// Decodes a row of the recording's file.
    pub fn of_bytes(row: &[u8; BYTES]) -> Hop {
        let real = |at: usize| f64::from_le_bytes(row[at..at + 8].try_into().expect("eight bytes"));
        let whole = |at: usize| u32::from_le_bytes(row[at..at + 4].try_into().expect("four bytes"));
        let short = |at: usize| u16::from_le_bytes(row[at..at + 2].try_into().expect("two bytes"));
        Hop {
            enqueue_s: real(0),
            start_s: real(8),
            arrive_s: real(16),
            drop_s: real(24),
            uid: whole(32),
            size_bytes: whole(36),
            seq: whole(40),
            link: short(44),
            flow: short(46),
            kind: row[48],
            flags: row[49],
            way: row[50],
        }
    }
}

/// End of a packet's transmission, s; its start if the rate is unknown.
pub fn sent_s(hop: &Hop, rate_bps: Option<f64>) -> f64 {
    let Some(rate_bps) = rate_bps else { return hop.start_s };
    let sent_s = hop.start_s + 8.0 * f64::from(hop.size_bytes) / rate_bps;
    if hop.arrive_s < sent_s { hop.arrive_s } else { sent_s }
}

/// Encodes a chunk for the player: a header of 16 bytes, then the columns, each padded to 8 bytes. `rates_bps` are the
/// links' rates.
pub fn packed(hops: &[Hop], rates_bps: &[Option<f64>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + hops.len() * 64);
    out.extend_from_slice(b"ACKH");
    out.extend_from_slice(&1u32.to_le_bytes());
    out.extend_from_slice(&(hops.len() as u32).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    column(&mut out, hops, |hop| hop.enqueue_s.to_le_bytes());
    column(&mut out, hops, |hop| hop.start_s.to_le_bytes());
    column(&mut out, hops, |hop| sent_s(hop, rates_bps[usize::from(hop.link)]).to_le_bytes());
    column(&mut out, hops, |hop| hop.arrive_s.to_le_bytes());
    column(&mut out, hops, |hop| hop.drop_s.to_le_bytes());
    column(&mut out, hops, |hop| hop.uid.to_le_bytes());
    column(&mut out, hops, |hop| hop.size_bytes.to_le_bytes());
    column(&mut out, hops, |hop| hop.link.to_le_bytes());
    column(&mut out, hops, |hop| hop.flow.to_le_bytes());
    column(&mut out, hops, |hop| [hop.kind]);
    column(&mut out, hops, |hop| [hop.flags]);
    column(&mut out, hops, |hop| hop.seq.to_le_bytes());
    out
}

fn column<const N: usize>(out: &mut Vec<u8>, hops: &[Hop], value: impl Fn(&Hop) -> [u8; N]) {
    hops.iter().for_each(|hop| out.extend_from_slice(&value(hop)));
    out.resize(out.len().next_multiple_of(8), 0);
}
