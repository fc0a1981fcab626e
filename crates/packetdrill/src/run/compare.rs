//! Compares a packet that came out with the one that the script expects.
//!
//! The order of the comparisons and their names are packetdrill's (`run_packet.c`), so that both name the same field.

use ackclock_engine::transport::tcp::socket::segment::{EcnCodepoint, flag};

use crate::notation::ace;
use crate::script::{EcnSpec, TcpOption, TcpPacket};

const ECN_BITS: u16 = flag::ECE | flag::CWR | flag::AE;

/// A field that differs.
fn field(name: &str, expected: u32, actual: u32) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    Err(format!("live packet field {name}: expected: {expected} ({expected:#x}) vs actual: {actual} ({actual:#x})"))
}

/// The ECN field of the IP header.
pub(super) fn ecn(expected: Option<EcnSpec>, actual: EcnCodepoint) -> Result<(), String> {
    let bits = match actual {
        EcnCodepoint::NotEct => 0,
        EcnCodepoint::Ect1 => 1,
        EcnCodepoint::Ect0 => 2,
        EcnCodepoint::Ce => 3,
    };
    match expected {
        None => Ok(()),
        Some(EcnSpec::Ect01) if bits == 1 || bits == 2 => Ok(()),
        Some(EcnSpec::Ect01) => Err(format!("live packet field ip_ecn: expected: 0x1 or 0x2 vs actual: {bits:#x}")),
        Some(EcnSpec::NotEct) => field("ip_ecn", 0, bits),
        Some(EcnSpec::Ect1) => field("ip_ecn", 1, bits),
        Some(EcnSpec::Ect0) => field("ip_ecn", 2, bits),
        Some(EcnSpec::Ce) => field("ip_ecn", 3, bits),
        Some(EcnSpec::Tos(byte)) => field("tos", u32::from(byte), bits),
    }
}

/// The TCP header without options.
pub(super) fn header(expected: &TcpPacket, actual: &TcpPacket) -> Result<(), String> {
    let words = |packet: &TcpPacket| 5 + packet.options.iter().flatten().map(TcpOption::len).sum::<usize>() as u32 / 4;
    if expected.options.is_some() {
        field("tcp_data_offset", words(expected), words(actual))?;
    }
    let bit = |packet: &TcpPacket, bit: u16| u32::from(packet.flags & bit != 0);
    let flags = [
        ("tcp_fin", flag::FIN),
        ("tcp_syn", flag::SYN),
        ("tcp_rst", flag::RST),
        ("tcp_psh", flag::PSH),
        ("tcp_ack", flag::ACK),
        ("tcp_urg", flag::URG),
    ];
    for (name, mask) in flags {
        field(name, bit(expected, mask), bit(actual, mask))?;
    }
    if expected.flags_have_ace {
        field("tcp_ace", u32::from(ace(expected.flags)), u32::from(ace(actual.flags)))?;
    } else {
        for (name, mask) in [("tcp_ece", flag::ECE), ("tcp_cwr", flag::CWR), ("tcp_ae", flag::AE)] {
            field(name, bit(expected, mask), bit(actual, mask))?;
        }
    }
    field("tcp_seq", expected.seq, actual.seq)?;
    field("tcp_ack_seq", expected.ack, actual.ack)?;
    match (expected.window, actual.window) {
        (Some(expected), Some(actual)) => field("tcp_window", u32::from(expected), u32::from(actual)),
        _ => Ok(()),
    }
}

/// The options: the same kinds in the same order. Timestamps are compared elsewhere.
pub(super) fn options(expected: &TcpPacket, actual: &TcpPacket) -> Result<(), String> {
    let (Some(expected), Some(actual)) = (&expected.options, &actual.options) else { return Ok(()) };
    for at in 0..expected.len().max(actual.len()) {
        let (Some(expected), Some(actual)) = (expected.get(at), actual.get(at)) else {
            return Err("bad outbound TCP options".to_owned());
        };
        if std::mem::discriminant(expected) != std::mem::discriminant(actual) {
            return Err("bad outbound TCP options".to_owned());
        }
        if !matches!(expected, TcpOption::Timestamps { .. }) && expected != actual {
            return Err(format!("bad value in outbound TCP option: expected: {expected} actual: {actual}"));
        }
    }
    Ok(())
}

/// Whether `next` may be a later part of a segment that the script shows whole: all but the sequence number, FIN, PSH
/// and CWR is as in `previous`.
pub(super) fn continues(next: &TcpPacket, previous: &TcpPacket) -> Result<(), String> {
    let fixed = |packet: &TcpPacket| packet.flags & !(flag::FIN | flag::PSH | flag::CWR);
    let name = |flags: u16| if flags & ECN_BITS != 0 { "tcp_ece" } else { "flags" };
    if fixed(next) != fixed(previous) {
        let changed = fixed(next) ^ fixed(previous);
        return field(name(changed), u32::from(fixed(previous)), u32::from(fixed(next)));
    }
    field("tcp_seq", previous.seq.wrapping_add(previous.payload), next.seq)?;
    field("tcp_ack_seq", previous.ack, next.ack)?;
    match (previous.window, next.window) {
        (Some(previous), Some(next)) => field("tcp_window", u32::from(previous), u32::from(next)),
        _ => Ok(()),
    }
}
