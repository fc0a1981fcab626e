//! What a link caches about its fast path.

/// Which parts of a link a packet can bypass if the transmitter is idle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::net) enum FastPath {
    /// Not determined: the link may have changed since.
    Unknown,
    /// Packets that arrive at an idle link bypass the queue. There are no hooks before the transmitter.
    Plain,
    /// Likewise, but there are hooks at the head.
    PlainBehindHead,
    /// Packets that arrive at an idle link bypass the queue, but pass hooks behind it.
    Hooked,
    /// The queue sees each packet, or the fast path is switched off. The link has an ordinary transmitter.
    Queue,
    /// A port of a LAN, a delayer, a delivery trace, a Wi-Fi medium, or a queue that must be dequeued at exact events.
    Other,
}
