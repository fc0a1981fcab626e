//! The traces of SCTP: a line for each chunk of a packet (`show_sctphdr_`), and an agent's own lines for its variables.
//!
//! `+ 0.5 0 1 sctp 56 -------I 0 0.0 1.0 1 -1 2 65535 65535`: as [`super::packet_trace`], with a letter for the chunk behind
//! the flags, the number of chunks and the TSN in place of the sequence number, and the stream with its sequence number at
//! the end.

use std::io::Write;

use ackclock_engine::packet::sctp::{Chunk, Chunks};
use ackclock_engine::packet::{Address, Packet};

use crate::addresses::Addresses;
use crate::ns2::line_fragments::Clock;
use crate::ns2::number::push_int;
use crate::ns2::packet_trace::{Ends, flag_letters};

/// What traces show of a chunk: its letter, TSN, stream and stream sequence number.
fn shown(chunk: &Chunk) -> (u8, u32, u16, u16) {
    const NONE: (u32, u16, u16) = (u32::MAX, u16::MAX, u16::MAX);
    let control = |letter, tsn| (letter, tsn, NONE.1, NONE.2);
    match chunk {
        Chunk::Data(data) => (b'D', data.tsn, data.stream, data.ssn),
        Chunk::Init(_) | Chunk::InitAck(_) | Chunk::CookieEcho | Chunk::CookieAck => control(b'I', NONE.0),
        Chunk::Sack(sack) => control(b'S', sack.cumulative),
        Chunk::NonRenegableSack(sack) => control(b'N', sack.cumulative),
        Chunk::ForwardTsn(tsn) => control(b'R', *tsn),
        Chunk::Heartbeat(_) => control(b'H', NONE.0),
        Chunk::HeartbeatAck(_) => control(b'B', NONE.0),
        Chunk::Timestamp(_) => control(b'-', NONE.0),
    }
}

fn traced(chunks: &Chunks) -> &[Chunk] {
    chunks.all.get(chunks.untraced..).unwrap_or_default()
}

/// The letter of the last chunk, which nam's lines have.
pub fn last_letter(chunks: &Chunks) -> Option<u8> {
    traced(chunks).last().map(|chunk| shown(chunk).0)
}

/// Appends a line for each chunk.
pub fn push_lines(
    out: &mut Vec<u8>,
    op: u8,
    time: &Clock,
    ends: &Ends,
    packet: &Packet,
    chunks: &Chunks,
    addresses: &Addresses,
) {
    let chunks = traced(chunks);
    for chunk in chunks {
        let (letter, tsn, stream, ssn) = shown(chunk);
        out.extend_from_slice(&[op, b' ']);
        time.push_to(out);
        ends.push_to(out);
        out.extend_from_slice(packet.kind.name().as_bytes());
        out.push(b' ');
        push_int(out, i64::from(packet.size));
        out.push(b' ');
        out.extend_from_slice(&flag_letters(packet));
        out.extend_from_slice(&[letter, b' ']);
        push_int(out, i64::from(packet.fid));
        for address in [packet.src, packet.dst] {
            out.push(b' ');
            addresses.push(out, address);
        }
        for number in [chunks.len() as i64, i64::from(tsn as i32), i64::from(packet.uid), stream.into(), ssn.into()] {
            out.push(b' ');
            push_int(out, number);
        }
        out.push(b'\n');
    }
}

/// Appends an agent's line for a variable of it; nothing for an unknown event. `name` is the variable's name.
pub fn push_variable_line(
    out: &mut Vec<u8>,
    seconds: f64,
    what: &str,
    name: &str,
    fields: &[f64],
    addresses: &Addresses,
) {
    let written = match (what, fields) {
        ("SCTP end", _) => writeln!(out),
        ("SCTP rwnd", [rwnd, peer]) => writeln!(out, "time: {seconds:<8.5} rwnd: {rwnd} peerRwnd: {peer}"),
        ("SCTP fast retransmissions", [count]) => writeln!(out, "time: {seconds:<8.5}  frCount: {count}"),
        ("SCTP fast retransmissions again", [count]) => writeln!(out, "time: {seconds:<8.5}  mfrCount: {count}"),
        ("SCTP CMT new data", [count]) => writeln!(out, "time: {seconds:<8.5}   countPFToActiveNewData: {count}"),
        ("SCTP CMT retransmissions", [count]) => writeln!(out, "time: {seconds:<8.5}   countPFToActiveRtxms: {count}"),
        (_, [source, source_port, target, target_port, fields @ ..]) if what.starts_with("SCTP ") => {
            let address = |node: f64, port: f64| addresses.packed(Address { node: node as i32, port: port as i32 });
            let (here, peer) = (address(*source, *source_port), address(*target, *target_port));
            let (node, port, peer_node, peer_port) = (here.node, here.port, peer.node, peer.port);
            let ends = write!(
                out,
                "time: {seconds:<8.5}  saddr: {node:<2} sport: {port:<2} daddr: {peer_node:<2} dport: {peer_port:<2} "
            );
            ends.and(match (what, fields) {
                ("SCTP cwnd", [window @ .., peer]) => {
                    push_window(out, window).and_then(|()| writeln!(out, " peerRwnd: {peer}"))
                }
                ("SCTP rto", [rto, srtt, rttvar]) => push_rto(out, [*rto, *srtt, *rttvar]).and_then(|()| writeln!(out)),
                ("SCTP errors", errors) => push_errors(out, errors).and_then(|()| writeln!(out)),
                ("SCTP timeouts", [count]) => writeln!(out, "timeoutCount: {count}"),
                ("SCTP routes", [count]) => writeln!(out, "rcdCount: {count}"),
                ("SCTP retransmission", [tsn]) => writeln!(out, "RTX TSN: {tsn} "),
                ("SCTP timeout", [peer, rto, errors]) => {
                    writeln!(out, "DataTimeout, peerRwnd: {peer} rto: {rto:<6.3} errCnt: {errors} ")
                }
                ("SCTP CMT rto", [rto, srtt, rttvar, count]) => {
                    push_rto(out, [*rto, *srtt, *rttvar]).and_then(|()| writeln!(out, " timeoutCount: {count}"))
                }
                ("SCTP CMT errors", [association, path, status]) => {
                    writeln!(out, "assocErrors: {association} pathErrors: {path} dstatus: {status}")
                }
                ("SCTP CMT all", _) => push_all_of_multipath(out, fields),
                ("SCTP all" | "SCTP all again", _) => push_all(out, fields, what == "SCTP all again"),
                _ => writeln!(out, "{name}: ERROR (unepected trace variable)"),
            })
        }
        _ => Ok(()),
    };
    written.expect("a vector takes what is written to it");
}

fn push_window(out: &mut Vec<u8>, window: &[f64]) -> std::io::Result<()> {
    let names = ["cwnd", " pba", " out", " ssthresh"];
    names.iter().zip(window).try_for_each(|(name, value)| write!(out, "{name}: {value}"))
}

fn push_rto(out: &mut Vec<u8>, [rto, srtt, rttvar]: [f64; 3]) -> std::io::Result<()> {
    write!(out, "rto: {rto:<6.3} srtt: {srtt:<6.3} rttvar: {rttvar:<6.3}")
}

fn push_errors(out: &mut Vec<u8>, errors: &[f64]) -> std::io::Result<()> {
    let [association, path, is_active, is_primary] = errors else { return Ok(()) };
    let status = if *is_active != 0.0 { "ACTIVE" } else { "INACTIVE" };
    let primary = if *is_primary != 0.0 { "TRUE" } else { "FALSE" };
    write!(out, "assocErrors: {association} pathErrors: {path} dstatus: {status} isPrimary: {primary}")
}

/// All variables of a destination in a line, as CMT writes them.
fn push_all_of_multipath(out: &mut Vec<u8>, fields: &[f64]) -> std::io::Result<()> {
    let (window, rest) = fields.split_at(4.min(fields.len()));
    let [peer, rto, srtt, rttvar, association, path, status, counts @ ..] = rest else { return Ok(()) };
    push_window(out, window)?;
    write!(out, " peerRwnd: {peer} ")?;
    push_rto(out, [*rto, *srtt, *rttvar])?;
    let name = ["INACTIVE", "PF", "ACTIVE", "UNCONFIRMED"].get(*status as usize).unwrap_or(&"UNKNOWN");
    write!(out, " assocErrors: {association} pathErrors: {path} dstatus: {name}")?;
    let names = ["frCount", "timeoutCount", "rcdCount", "countPFToActiveNewData", "countPFToActiveRtxms"];
    names.iter().zip(counts).try_for_each(|(name, value)| write!(out, " {name}: {value}"))?;
    writeln!(out)
}

/// All variables of a destination in a line. With repeated fast retransmissions it has other columns.
fn push_all(out: &mut Vec<u8>, fields: &[f64], again: bool) -> std::io::Result<()> {
    let (window, rest) = fields.split_at(4.min(fields.len()));
    push_window(out, window)?;
    let rest = match (again, rest) {
        (false, [rwnd, rest @ ..]) => {
            write!(out, " rwnd: {rwnd}")?;
            rest
        }
        _ => rest,
    };
    let [peer, rto, srtt, rttvar, association, path, is_active, is_primary, counts @ ..] = rest else { return Ok(()) };
    write!(out, " peerRwnd: {peer} ")?;
    push_rto(out, [*rto, *srtt, *rttvar])?;
    out.push(b' ');
    push_errors(out, &[*association, *path, *is_active, *is_primary])?;
    let names: &[&str] = match again {
        true => &["frCount", "mfrCount", "timeoutCount", "rcdCount", "availSwnd"],
        false => &["frCount", "timeoutCount", "rcdCount"],
    };
    names.iter().zip(counts).try_for_each(|(name, value)| write!(out, " {name}: {value}"))?;
    writeln!(out)
}
