//! qlog: what happens to a connection, for qvis and other tools of QUIC.
//!
//! Source: draft-ietf-quic-qlog-main-schema-02 and draft-ietf-quic-qlog-quic-events-01 (qlog 0.3), the latest that qvis
//! reads; JSON text sequences (RFC 7464), so that a file is written as the simulation runs.
//!
//! QUIC has the names, and TCP what they name: each packet sent gets a number, as QUIC's packets have, and an ACK
//! acknowledges the packets that carried its bytes last. The data are those of stream 0.

mod sent_packets;

use std::io::Write;

use ackclock_engine::measure::connection::{ConnectionEvent, ConnectionState};
use ackclock_engine::packet::segment::{SackBlock, Segment, flag};
use ackclock_engine::packet::seq::SeqNum;

use sent_packets::SentPackets;

/// A direction of a connection: its sequence numbers without wrapping, from the initial one on.
#[derive(Debug, Default)]
struct Sequence {
    initial: SeqNum,
    latest: i64,
}

impl Sequence {
    fn starting_at(initial: SeqNum) -> Sequence {
        Sequence { initial, latest: 0 }
    }

    fn unwrap(&mut self, number: SeqNum) -> i64 {
        let expected = self.initial.add(self.latest as u32);
        let found = self.latest + i64::from(number.since(expected));
        self.latest = self.latest.max(found);
        found
    }
}

/// The qlog of one sender.
#[derive(Debug, Default)]
pub struct Qlog {
    sent: SentPackets,
    sent_count: u64,
    received_count: u64,
    here: Sequence,
    peer: Sequence,
    last: Option<ConnectionState>,
    packets: Vec<u64>,
}

impl Qlog {
    /// Writes the head of a file; `title` names the connection.
    pub fn push_head(out: &mut Vec<u8>, title: &str) {
        out.extend_from_slice(b"\x1e{\"qlog_version\":\"0.3\",\"qlog_format\":\"JSON-SEQ\",\"title\":");
        push_text(out, title);
        out.extend_from_slice(b",\"trace\":{\"title\":");
        push_text(out, title);
        out.extend_from_slice(b",\"vantage_point\":{\"name\":\"ackclock\",\"type\":\"client\"},\"common_fields\":");
        out.extend_from_slice(b"{\"time_format\":\"relative\",\"reference_time\":0,\"protocol_type\":[\"TCP\"]}}}\n");
    }

    /// Writes an event at `seconds`.
    pub fn push(&mut self, out: &mut Vec<u8>, seconds: f64, event: ConnectionEvent) {
        match event {
            ConnectionEvent::Sent(segment) => self.push_sent(out, seconds, segment),
            ConnectionEvent::Received(segment) => self.push_received(out, seconds, segment),
            ConnectionEvent::Lost(range) => self.push_lost(out, seconds, range),
            ConnectionEvent::State(state) => self.push_state(out, seconds, state),
        }
    }

    fn push_sent(&mut self, out: &mut Vec<u8>, seconds: f64, segment: &Segment) {
        if segment.has(flag::SYN) && self.here.initial.add(self.here.latest as u32) != segment.seq {
            self.sent.clear();
            self.here = Sequence::starting_at(segment.seq);
        }
        let (number, start) = (self.sent_count, self.here.unwrap(segment.seq));
        self.sent_count += 1;
        let end = start + i64::from(segment.end_seq().since(segment.seq));
        let was_lost = if end > start { self.sent.send(start, end, number) } else { None };
        push_event(out, seconds, "transport:packet_sent", |out| {
            push_packet(out, number, start, segment, &[]);
            if let Some(was_lost) = was_lost {
                let has_timed_out = self.last.is_some_and(|last| last.state == "loss");
                let trigger = match (was_lost, has_timed_out) {
                    (true, true) => "retransmit_timeout",
                    (true, false) => "retransmit_reordered",
                    (false, _) => "pto_probe",
                };
                text(out, format_args!(",\"trigger\":\"{trigger}\""));
            }
        });
    }

    fn push_received(&mut self, out: &mut Vec<u8>, seconds: f64, segment: &Segment) {
        if segment.has(flag::SYN) {
            self.peer = Sequence::starting_at(segment.seq);
        }
        let (number, start) = (self.received_count, self.peer.unwrap(segment.seq));
        self.received_count += 1;
        let mut packets = std::mem::take(&mut self.packets);
        packets.clear();
        if segment.has(flag::ACK) {
            let ack = self.here.unwrap(segment.ack);
            self.sent.acknowledge(ack, &mut packets);
            for block in segment.options.sack_blocks() {
                let (start, end) = (self.here.unwrap(block.start), self.here.unwrap(block.end));
                // The first block may be a D-SACK: below the acknowledgement, or within another block.
                if start >= ack {
                    self.sent.acknowledge_range(start, end, &mut packets);
                }
            }
        }
        packets.sort_unstable();
        packets.dedup();
        push_event(out, seconds, "transport:packet_received", |out| {
            push_packet(out, number, start, segment, &packets);
        });
        self.packets = packets;
    }

    fn push_lost(&mut self, out: &mut Vec<u8>, seconds: f64, range: SackBlock) {
        self.packets.clear();
        let (start, end) = (self.here.unwrap(range.start), self.here.unwrap(range.end));
        self.sent.lose(start, end, &mut self.packets);
        for number in &self.packets {
            push_event(out, seconds, "recovery:packet_lost", |out| {
                text(out, format_args!("\"header\":{{\"packet_type\":\"1RTT\",\"packet_number\":{number}}}"));
            });
        }
    }

    fn push_state(&mut self, out: &mut Vec<u8>, seconds: f64, state: &ConnectionState) {
        let last = self.last.replace(*state);
        let (old, new) = (last.map_or_else(Vec::new, |last| metrics(&last)), metrics(state));
        let mut changed = new.iter().filter(|metric| !old.contains(metric)).peekable();
        if changed.peek().is_some() {
            push_event(out, seconds, "recovery:metrics_updated", |out| {
                for (place, (name, value)) in changed.enumerate() {
                    let comma = if place == 0 { "" } else { "," };
                    text(out, format_args!("{comma}\"{name}\":{value}"));
                }
            });
        }
        let old = last.map(|last| last.state);
        if old != Some(state.state) {
            push_event(out, seconds, "recovery:congestion_state_updated", |out| {
                if let Some(old) = old {
                    text(out, format_args!("\"old\":\"{old}\","));
                }
                text(out, format_args!("\"new\":\"{}\"", state.state));
            });
        }
    }
}

/// The metrics that there are, with qlog's names and units: ms, bytes, bit/s.
fn metrics(state: &ConnectionState) -> Vec<(&'static str, f64)> {
    let ms = |micros: u32| (micros > 0).then(|| f64::from(micros) / 1e3);
    let bytes = |packets: f64| packets.is_finite().then(|| (packets * f64::from(state.mss_bytes)).floor());
    let metrics = [
        ("min_rtt", state.min_rtt_us.and_then(ms)),
        ("smoothed_rtt", ms(state.smoothed_rtt_us)),
        ("latest_rtt", ms(state.latest_rtt_us)),
        ("pto_count", Some(state.timeouts.into())),
        ("congestion_window", bytes(state.cwnd_packets)),
        ("bytes_in_flight", bytes(state.in_flight_packets.into())),
        ("packets_in_flight", Some(state.in_flight_packets.into())),
        ("ssthresh", bytes(state.ssthresh_packets)),
        ("pacing_rate", state.pacing_bytes_per_s.map(|rate| rate as f64 * 8.0)),
    ];
    metrics.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// A record: an event with the fields that `push_data` writes.
fn push_event(out: &mut Vec<u8>, seconds: f64, name: &str, push_data: impl FnOnce(&mut Vec<u8>)) {
    text(out, format_args!("\x1e{{\"time\":{:.6},\"name\":\"{name}\",\"data\":{{", seconds * 1e3));
    push_data(out);
    out.extend_from_slice(b"}}\n");
}

/// A packet's header, sizes and frames; `acked` are the packets that it acknowledges, in order.
fn push_packet(out: &mut Vec<u8>, number: u64, start: i64, segment: &Segment, acked: &[u64]) {
    let (payload, bytes) = (segment.payload, segment.ip_len());
    text(out, format_args!("\"header\":{{\"packet_type\":\"1RTT\",\"packet_number\":{number}}},"));
    text(out, format_args!("\"raw\":{{\"length\":{bytes},\"payload_length\":{payload}}},\"frames\":["));
    let is_fin = segment.has(flag::FIN);
    let has_data = payload > 0 || is_fin;
    if has_data {
        // The SYN has the first sequence number, the data the following ones.
        let offset = if segment.has(flag::SYN) { 0 } else { start - 1 };
        let stream = "\"frame_type\":\"stream\",\"stream_id\":0";
        text(out, format_args!("{{{stream},\"offset\":{offset},\"length\":{payload},\"fin\":{is_fin}}}"));
    }
    if !acked.is_empty() {
        let comma = if has_data { "," } else { "" };
        text(out, format_args!("{comma}{{\"frame_type\":\"ack\",\"acked_ranges\":["));
        for (place, range) in acked.chunk_by(|&one, &next| next == one + 1).enumerate() {
            let comma = if place == 0 { "" } else { "," };
            text(out, format_args!("{comma}[{},{}]", range[0], range[range.len() - 1]));
        }
        out.extend_from_slice(b"]}");
    }
    out.push(b']');
}

fn text(out: &mut Vec<u8>, arguments: std::fmt::Arguments) {
    out.write_fmt(arguments).expect("a vector takes all");
}

/// A text in quotes (RFC 8259, section 7).
fn push_text(out: &mut Vec<u8>, string: &str) {
    out.push(b'"');
    for letter in string.chars() {
        match letter {
            '"' | '\\' => text(out, format_args!("\\{letter}")),
            '\0'..='\x1f' => text(out, format_args!("\\u{:04x}", letter as u32)),
            _ => text(out, format_args!("{letter}")),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(flags: u16, seq: u32, payload: u32, ack: u32) -> Segment {
        Segment { flags, seq: SeqNum(seq), payload, ack: SeqNum(ack), ..Segment::default() }
    }

    fn written(qlog: &mut Qlog, event: ConnectionEvent) -> String {
        let mut out = Vec::new();
        qlog.push(&mut out, 0.1, event);
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn sequence_numbers_wrap_and_packet_numbers_do_not() {
        let mut qlog = Qlog::default();
        let first = u32::MAX - 500;
        written(&mut qlog, ConnectionEvent::Sent(&segment(flag::SYN, first, 0, 0)));
        let sent = segment(flag::ACK, first.wrapping_add(1), 1000, 1);
        written(&mut qlog, ConnectionEvent::Sent(&sent));
        let sent = segment(flag::ACK, first.wrapping_add(1001), 1000, 1);
        let line = written(&mut qlog, ConnectionEvent::Sent(&sent));
        assert_eq!(
            line,
            "\x1e{\"time\":100.000000,\"name\":\"transport:packet_sent\",\"data\":{\"header\":{\"packet_type\":\"1RTT\",\
             \"packet_number\":2},\"raw\":{\"length\":1040,\"payload_length\":1000},\"frames\":[{\"frame_type\":\"stream\",\
             \"stream_id\":0,\"offset\":1000,\"length\":1000,\"fin\":false}]}}\n"
        );
        let ack = segment(flag::ACK, 1, 0, first.wrapping_add(2001));
        let line = written(&mut qlog, ConnectionEvent::Received(&ack));
        assert!(line.contains("\"acked_ranges\":[[0,2]]"), "{line}");
    }

    #[test]
    fn names_are_json() {
        let mut out = Vec::new();
        push_text(&mut out, "a\"b\\c\n\u{e9}");
        assert_eq!(String::from_utf8(out).expect("JSON is UTF-8"), "\"a\\\"b\\\\c\\u000a\u{e9}\"");
    }
}
