//! The chunks of SCTP packets (RFC 4960, section 3.3), with the layout in memory that ns-2.35 gives them.

/// Bytes of a DATA chunk's header.
pub const DATA_HEADER: u32 = 16;

/// A chunk.
#[derive(Clone, Debug, PartialEq)]
pub enum Chunk {
    /// DATA.
    Data(Data),
    /// INIT.
    Init(Init),
    /// INIT ACK.
    InitAck(Init),
    /// SACK.
    Sack(Sack),
    /// SACK with blocks that the receiver does not discard any more (draft-natarajan-tsvwg-sctp-nrsack).
    NonRenegableSack(Sack),
    /// HEARTBEAT.
    Heartbeat(Heartbeat),
    /// HEARTBEAT ACK.
    HeartbeatAck(Heartbeat),
    /// COOKIE ECHO.
    CookieEcho,
    /// COOKIE ACK.
    CookieAck,
    /// FORWARD TSN, with the new cumulative TSN (RFC 3758).
    ForwardTsn(u32),
    /// TIMESTAMP, an extension of ns-2's.
    Timestamp(Timestamp),
}

/// The fields of a DATA chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Transmission sequence number.
    pub tsn: u32,
    /// Stream identifier.
    pub stream: u16,
    /// Stream sequence number.
    pub ssn: u16,
    /// Bytes with the header, without padding.
    pub length: u16,
    /// Whether the receiver may deliver it out of order.
    pub is_unordered: bool,
}

/// The fields of INIT and INIT ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Init {
    /// Advertised receiver window, bytes.
    pub arwnd: u32,
    /// Number of outbound streams.
    pub streams: u16,
    /// Number of streams, from the first on, that are unreliable.
    pub unreliable: u16,
}

/// The fields of SACK.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sack {
    /// Cumulative TSN.
    pub cumulative: u32,
    /// Advertised receiver window, bytes.
    pub arwnd: u32,
    /// The words of 16 bits after these fields. SACK has the number of gap blocks, that of duplicate TSNs, and the
    /// blocks. A SACK that cannot be reneged has the numbers of its two sorts of blocks, that of duplicates, an unused
    /// word, and the blocks. The start and end of a block are relative to the cumulative TSN.
    pub words: Vec<u16>,
    /// Number of duplicate TSNs that it has room for.
    pub duplicates: u16,
    /// Flags of the chunk: with CMT, how many packets it acknowledges.
    pub packets: u8,
}

/// The fields of HEARTBEAT and HEARTBEAT ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heartbeat {
    /// When the HEARTBEAT was sent, s.
    pub sent_s: f64,
    /// The sender's number of the destination.
    pub destination: u32,
}

/// The fields of TIMESTAMP.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timestamp {
    /// When the packet was sent, s.
    pub sent_s: Option<f32>,
    /// The timestamp echoed, s.
    pub echo_s: Option<f32>,
}

impl Chunk {
    /// Bytes with padding, as ns-2 counts them.
    pub fn bytes(&self) -> u32 {
        match self {
            Chunk::Data(data) => padded(u32::from(data.length)),
            Chunk::Init(init) | Chunk::InitAck(init) => 24 + if init.unreliable > 0 { 4 } else { 0 },
            Chunk::Sack(sack) => 12 + 2 * sack.words.len() as u32 + 4 * u32::from(sack.duplicates),
            Chunk::NonRenegableSack(sack) => 12 + 2 * sack.words.len() as u32 + 4 * u32::from(sack.duplicates),
            Chunk::Heartbeat(_) | Chunk::HeartbeatAck(_) => 24,
            Chunk::CookieEcho | Chunk::CookieAck => 4,
            Chunk::ForwardTsn(_) => 8,
            Chunk::Timestamp(_) => 12,
        }
    }
}

/// A chunk's length, rounded up to 4 bytes.
pub fn padded(length: u32) -> u32 {
    length.next_multiple_of(4)
}

/// The chunks of a packet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chunks {
    /// All chunks, in order.
    pub all: Vec<Chunk>,
    /// The number of chunks at the start that traces leave out.
    pub untraced: usize,
}
