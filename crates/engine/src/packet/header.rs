//! Headers that only the packets of some protocols carry. They are in a pool of their own, so that other packets pay
//! nothing for them.

/// What a packet carries beside [`crate::packet::Packet`]'s own fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Header {
    /// What a TFRC sender tells with each packet.
    TfrcData(TfrcData),
    /// What a TFRC receiver reports.
    TfrcReport(TfrcReport),
    /// RAP's header.
    Rap(RapHeader),
    /// Quick-Start's option.
    QuickStart(QuickStartOption),
    /// AccECN's option.
    AccEcn(AccEcnOption),
    /// What a flow asks of the links on its way.
    Reservation(Reservation),
    /// XCP's congestion header.
    Xcp(XcpHeader),
}

/// What a flow asks of the links on its way, and their answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reservation {
    /// Its rate, bit/s.
    pub rate_bps: f64,
    /// Its bucket, bits.
    pub bucket: f64,
    /// Whether no link has refused it so far.
    pub is_admitted: bool,
}

/// RFC 5348, section 3.2.1: what a TFRC sender tells with each packet. The time of sending is the packet's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfrcData {
    /// Sequence number.
    pub seqno: i32,
    /// The sender's smoothed round-trip time, s; 0 before there is one.
    pub rtt_s: f64,
    /// The timeout that the throughput equation is to use, s.
    pub timeout_s: f64,
    /// The rate at which the sender sends, bytes/s.
    pub rate: f64,
    /// Bytes of a packet.
    pub size: i32,
    /// Bytes of a packet of the TCP that the flow is compared with.
    pub fair_size: i32,
    /// The sender wants a report at once.
    pub is_urgent: bool,
    /// Counts the sender's rounds: reports taken in, and timeouts for want of them.
    pub round: i32,
}

/// RFC 5348, section 3.2.2: what a TFRC receiver reports. The time of the last packet is echoed in the packet itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfrcReport {
    /// How long the last packet's time stayed here before it was echoed, s.
    pub held_s: f64,
    /// Loss events by packet.
    pub loss_event_rate: f64,
    /// The rate at which packets came in, packets/s.
    pub received_rate: f64,
    /// Losses since the last report.
    pub losses: i32,
    /// Losses and marks by packet, over all time.
    pub loss_rate: f64,
}

/// What a Quick-Start option is (RFC 4782).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickStartKind {
    /// A sender asks for a rate.
    Request,
    /// A receiver tells what became of the request.
    Answer,
    /// A router has said no.
    Refused,
}

/// RFC 4782, section 3.1: Quick-Start's option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuickStartOption {
    /// What it is.
    pub kind: QuickStartKind,
    /// A random number of the sender's less one for each router that agreed; in an answer what the packet's hops
    /// differ from it by.
    pub hops: i32,
    /// The rate, coded.
    pub rate_code: i32,
}

/// RFC 9768, section 3.2.3: AccECN's option: of counters of bytes that came the last 24 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccEcnOption {
    /// How many of the three fields are sent, from the first.
    pub fields: u8,
    /// Order 1: the first field is that of ECT(1) and the last that of ECT(0), not the other way about.
    pub ect_1_first: bool,
    /// Bytes that came with ECT(0).
    pub ect_0: u32,
    /// Bytes that came marked.
    pub ce: u32,
    /// Bytes that came with ECT(1).
    pub ect_1: u32,
}

impl AccEcnOption {
    /// Bytes of the option, without padding.
    pub fn length(&self) -> i32 {
        2 + 3 * i32::from(self.fields)
    }
}

/// What a RAP receiver tells with each ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RapHeader {
    /// Whether it is an ACK; else it is data, and the rest is 0.
    pub is_ack: bool,
    /// The last packet received.
    pub last: i32,
    /// The last one missing below it.
    pub missing: i32,
    /// The last one received below that.
    pub before: i32,
}

/// Katabi, Handley and Rohrs 2002, section 3.1, in the terms of draft-falk-xcp-spec: XCP's congestion header.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct XcpHeader {
    /// Whether it goes with data, which routers answer; else only what is returned counts.
    pub asks: bool,
    /// The sender's estimate of the round-trip time, s; 0 before there is one.
    pub rtt_s: f64,
    /// The time between two packets of the sender's, s: the round trip over the window.
    pub spacing_s: f64,
    /// By how much the sender may change its rate, bytes/s. It asks for more than there is, and each router on the way may
    /// lower it.
    pub delta: f64,
    /// What the peer was told in `delta` since its last packet, bytes/s.
    pub returned: f64,
    /// The router that lowered `delta` last; 0 at first.
    pub controlling: u32,
}
