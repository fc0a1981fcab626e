//! Which feedback about marks the two ends give each other.
//!
//! Source: RFC 3168, 6.1.1; RFC 9768, 3.1; Linux's `TCP_ECN_OK`, `TCP_ECN_MODE_*`. What it decides: nothing.

/// The feedback that was negotiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EcnFeedback {
    /// None: packets are not ECN-capable.
    #[default]
    Disabled,
    /// ECE and CWR (RFC 3168).
    Rfc3168,
    /// Counters (RFC 9768).
    AccEcn,
    /// A SYN that requests AccECN was sent.
    Pending,
}
