//! Headers of single protocols. They are in their own pool, so that other packets have no cost.

use super::id::PacketId;
use super::segment::Segment;

/// A protocol header, in addition to the fields of [`crate::packet::Packet`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Header {
    /// The header of TFRC data packets.
    TfrcData(TfrcData),
    /// A TFRC receiver's feedback.
    TfrcReport(TfrcReport),
    /// RAP's header.
    Rap(RapHeader),
    /// The header of a media stream's data unit.
    Rtp(RtpHeader),
    /// Quick-Start's option.
    QuickStart(QuickStartOption),
    /// An admission request.
    Reservation(Reservation),
    /// XCP's congestion header.
    Xcp(XcpHeader),
    /// A TCP header with its options, from a TCP socket.
    Tcp(Segment),
    /// SCTP: the place of the packet's chunks in the pool.
    Sctp(u32),
    /// The packet contains another one, which it owns.
    Encapsulated(PacketId),
    /// What the packet contained was taken out.
    Decapsulated,
    /// The packet carries bytes; their number in the pool.
    Payload(u32),
}

/// An admission request of a flow, and the answer of the links on its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reservation {
    /// Token rate of the flow, bit/s.
    pub rate_bps: f64,
    /// Bucket depth of the flow, bits.
    pub bucket: f64,
    /// Whether all links so far have accepted the request.
    pub is_admitted: bool,
}

/// RFC 5348, section 3.2.1: the header of TFRC data packets. The timestamp is the packet's own field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfrcData {
    /// Sequence number.
    pub seqno: i32,
    /// The sender's smoothed round-trip time, s; 0 before there is one.
    pub rtt_s: f64,
    /// The retransmission timeout for the throughput equation, s.
    pub timeout_s: f64,
    /// The sending rate, bytes/s.
    pub rate: f64,
    /// Packet size, bytes.
    pub size: i32,
    /// Packet size of the TCP flow for comparison, bytes.
    pub fair_size: i32,
    /// The sender requests an immediate report.
    pub is_urgent: bool,
    /// Round counter of the sender: increases at each report, and at each timeout without reports.
    pub round: i32,
}

/// RFC 5348, section 3.2.2: the feedback of a TFRC receiver. The echoed timestamp is the packet's own field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfrcReport {
    /// Time between the receipt of the last data packet and this report, s.
    pub held_s: f64,
    /// Loss event rate, per packet.
    pub loss_event_rate: f64,
    /// Receive rate, packets/s.
    pub received_rate: f64,
    /// Losses since the last report.
    pub losses: i32,
    /// Rate of losses and marks per packet, over the whole flow.
    pub loss_rate: f64,
}

/// The kind of a Quick-Start option (RFC 4782).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickStartKind {
    /// A sender's rate request.
    Request,
    /// A receiver's rate response.
    Answer,
    /// A router has refused the request.
    Refused,
}

/// RFC 4782, section 3.1: Quick-Start's option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuickStartOption {
    /// Its kind.
    pub kind: QuickStartKind,
    /// The QS TTL: a random number, decremented by each router that approves. In a response it is the difference
    /// between the packet's TTL and the QS TTL.
    pub hops: i32,
    /// The coded rate.
    pub rate_code: i32,
}

/// The header of RAP packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RapHeader {
    /// Whether it is an ACK. In data the other fields are 0.
    pub is_ack: bool,
    /// The last packet received.
    pub last: i32,
    /// The last missing packet before it.
    pub missing: i32,
    /// The last received packet before that.
    pub before: i32,
}

/// What a receiver learns of a data unit from its RTP header and its payload. The sequence number is the packet's own field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RtpHeader {
    /// The number of its video frame, from 0.
    pub frame: u32,
    /// Bytes of the whole frame.
    pub frame_bytes: u32,
    /// When the frame was captured, s: RTP's timestamp.
    pub captured_s: f64,
    /// RTP's marker bit: the last data unit of its frame (RFC 3551, section 4.1).
    pub is_last: bool,
}

/// Katabi, Handley and Rohrs 2002, section 3.1, in the terms of draft-falk-xcp-spec: XCP's congestion header.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct XcpHeader {
    /// Whether it is in a data packet, which routers process. Otherwise only `returned` is used.
    pub asks: bool,
    /// The sender's RTT estimate, s; 0 before the first sample.
    pub rtt_s: f64,
    /// Time between two packets of the sender, s: RTT divided by the window.
    pub spacing_s: f64,
    /// Change of the sender's rate, bytes/s. The sender sets its request; each router on the path may lower it.
    pub delta: f64,
    /// Sum of the `delta` that the peer received since its last packet, bytes/s.
    pub returned: f64,
    /// The last router that lowered `delta`; 0 for none.
    pub controlling: u32,
}
