//! The types of packets.

/// The type of a packet, as in traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketKind {
    /// A segment of a one-way TCP.
    #[default]
    Tcp,
    /// An acknowledgement of a one-way TCP.
    Ack,
    /// UDP data of any other source.
    Udp,
    /// Constant bit rate over UDP.
    Cbr,
    /// An exponential on/off source over UDP.
    Exp,
    /// A Pareto on/off source over UDP.
    Pareto,
    /// A segment of an interactive (telnet) source.
    Telnet,
    /// A segment of a file transfer marked as such.
    Ftp,
    /// A distance-vector routing message.
    RtProtoDv,
    /// A link-state routing message.
    RtProtoLs,
    /// A text message.
    Message,
    /// A ping.
    Ping,
    /// Data of a TFRC flow.
    Tfrc,
    /// A report of a TFRC receiver.
    TfrcReport,
    /// Data of a RAP flow.
    RapData,
    /// An acknowledgement of a RAP flow.
    RapAck,
    /// An admission request of a flow.
    SaRequest,
    /// The request is accepted.
    SaAccept,
    /// The request is refused.
    SaReject,
    /// The source confirms the answer.
    SaConfirm,
    /// The flow has ended.
    SaTeardown,
    /// A segment of an XCP sender.
    Xcp,
    /// Multicast routing: the receiver's link leaves a distribution tree.
    Prune,
    /// Multicast routing: the receiver's link joins a distribution tree.
    Graft,
    /// Multicast routing: the answer to a graft.
    GraftAck,
    /// Multicast routing: a member joins.
    Join,
    /// Multicast routing: which router of a LAN forwards.
    Assert,
    /// A packet inside another one.
    Encapsulated,
    /// A packet of SCTP.
    Sctp,
    /// A data unit of a media stream.
    Rtp,
    /// Feedback of a media stream's receiver.
    Rtcp,
}

impl PacketKind {
    /// The name in traces.
    pub fn name(self) -> &'static str {
        match self {
            PacketKind::Tcp => "tcp",
            PacketKind::Ack => "ack",
            PacketKind::Udp => "udp",
            PacketKind::Cbr => "cbr",
            PacketKind::Exp => "exp",
            PacketKind::Pareto => "pareto",
            PacketKind::Telnet => "telnet",
            PacketKind::Ftp => "ftp",
            PacketKind::RtProtoDv => "rtProtoDV",
            PacketKind::RtProtoLs => "rtProtoLS",
            PacketKind::Message => "message",
            PacketKind::Ping => "ping",
            PacketKind::Tfrc => "tcpFriend",
            PacketKind::TfrcReport => "tcpFriendCtl",
            PacketKind::RapData => "rap_data",
            PacketKind::RapAck => "rap_ack",
            PacketKind::SaRequest => "sa_req",
            PacketKind::SaAccept => "sa_accept",
            PacketKind::SaReject => "sa_reject",
            PacketKind::SaConfirm => "sa_conf",
            PacketKind::SaTeardown => "sa_teardown",
            PacketKind::Xcp => "xcp",
            PacketKind::Prune => "prune",
            PacketKind::Graft => "graft",
            PacketKind::GraftAck => "graftAck",
            PacketKind::Join => "join",
            PacketKind::Assert => "assert",
            PacketKind::Encapsulated => "encap",
            PacketKind::Sctp => "sctp",
            PacketKind::Rtp => "rtp",
            PacketKind::Rtcp => "rtcp",
        }
    }

    /// Whether the packet has a sequence number. Traces print -1 for other packets.
    pub fn has_sequence(self) -> bool {
        !matches!(
            self,
            PacketKind::RtProtoDv | PacketKind::RtProtoLs | PacketKind::Message | PacketKind::Ping | PacketKind::Sctp
        ) && !self.is_reservation()
            && !self.is_multicast_control()
    }

    /// Whether packets of this type usually are datagrams: ns-2's traces have the sequence number of their RTP header.
    pub fn is_datagram(self) -> bool {
        matches!(self, PacketKind::Udp | PacketKind::Cbr | PacketKind::Exp | PacketKind::Pareto)
    }

    /// Whether the packet belongs to admission control.
    pub fn is_reservation(self) -> bool {
        matches!(
            self,
            PacketKind::SaRequest
                | PacketKind::SaAccept
                | PacketKind::SaReject
                | PacketKind::SaConfirm
                | PacketKind::SaTeardown
        )
    }

    /// Whether the packet belongs to multicast routing.
    pub fn is_multicast_control(self) -> bool {
        matches!(
            self,
            PacketKind::Prune
                | PacketKind::Graft
                | PacketKind::GraftAck
                | PacketKind::Join
                | PacketKind::Assert
                | PacketKind::Encapsulated
        )
    }
}
