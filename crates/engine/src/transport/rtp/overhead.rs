//! The headers below RTP and RTCP.

/// Bytes of an IPv4 header (RFC 791) and a UDP header (RFC 768).
pub const UDP_IP_BYTES: i32 = 28;
