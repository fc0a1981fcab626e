//! Lines for traced variables, as ns-2's agents and queues write them.

use std::io::Write;

use ackclock_engine::packet::Address;
use ackclock_engine::params::Value;

use crate::ns2::number::{push_g, push_int, push_microseconds};

/// Appends an agent's line: time, node and port, peer's node and port, variable name, value; reals with three decimals.
pub fn push_agent_line(out: &mut Vec<u8>, seconds: f64, here: Address, peer: Address, name: &str, value: Value) {
    let (node, port, peer_node, peer_port) = (here.node, here.port, peer.node, peer.port);
    let start = write!(out, "{seconds:<8.5} {node:<2} {port:<2} {peer_node:<2} {peer_port:<2} {name} ");
    let end = match value {
        Value::Real(real) => writeln!(out, "{real:<6.3}"),
        Value::Int(whole) => writeln!(out, "{whole}"),
        Value::Flag(flag) => writeln!(out, "{}", u8::from(flag)),
    };
    start.and(end).expect("a vector takes what is written to it");
}

/// Appends a line with all variables of a TCP sender, under ns-2's names.
pub fn push_all_line(out: &mut Vec<u8>, seconds: f64, here: Address, peer: Address, values: &[(&'static str, Value)]) {
    let (node, port, peer_node, peer_port) = (here.node, here.port, peer.node, peer.port);
    let mut done = write!(
        out,
        "time: {seconds:<8.5} saddr: {node:<2} sport: {port:<2} daddr: {peer_node:<2} dport: {peer_port:<2}"
    );
    for &(name, value) in values {
        let (shown, width) = match name {
            "maxseq" => ("maxseq", 4),
            "ack" => ("hiack", 4),
            "t_seqno" => ("seqno", 4),
            "backoff" => ("bkoff", 0),
            "ssthresh" => ("ssthresh", 3),
            "dupacks" => ("dupacks", 2),
            other => (other, 6),
        };
        done = done.and(match value {
            Value::Real(real) => write!(out, " {shown}: {real:<width$.3}"),
            Value::Int(_) | Value::Flag(_) => write!(out, " {shown}: {:<width$}", value.int()),
        });
    }
    done.and(writeln!(out)).expect("a vector takes what is written to it");
}

/// Appends a line of `Trace/Var`: `f t0.12064 a_o28 ncwnd_ v2`, time in microseconds, object, variable, value.
pub fn push_object_line(out: &mut Vec<u8>, seconds: f64, owner: &str, name: &str, value: Value) {
    out.extend_from_slice(b"f t");
    push_microseconds(out, seconds);
    out.extend_from_slice(format!(" a{owner} n{name} v").as_bytes());
    match value {
        Value::Real(real) => push_g(out, real, 6),
        Value::Int(_) | Value::Flag(_) => push_int(out, value.int()),
    }
    out.push(b'\n');
}

/// Appends a queue's line: `Q` for the current length, otherwise the variable's first letter; the time; the value.
pub fn push_queue_line(out: &mut Vec<u8>, seconds: f64, name: &str, value: Value) {
    out.push(if name.contains("curq") { b'Q' } else { name.as_bytes()[0] });
    out.push(b' ');
    push_g(out, seconds, 6);
    out.push(b' ');
    match value {
        Value::Real(real) => push_g(out, real, 6),
        Value::Int(whole) => push_int(out, whole),
        Value::Flag(flag) => out.push(b'0' + u8::from(flag)),
    }
    out.push(b'\n');
}

/// Appends a line for an event of a TCP sender: `E`, time, node, peer's node, `TCP`, the event name, then `fields` as
/// integers (flow id, next sequence number, congestion window).
pub fn push_happening_line(out: &mut Vec<u8>, seconds: f64, here: Address, peer: Address, what: &str, fields: &[f64]) {
    out.extend_from_slice(b"E ");
    push_microseconds(out, seconds);
    out.push(b' ');
    push_int(out, i64::from(here.node));
    out.push(b' ');
    push_int(out, i64::from(peer.node));
    out.extend_from_slice(b" TCP ");
    out.extend_from_slice(what.as_bytes());
    for field in fields {
        out.push(b' ');
        push_int(out, *field as i64);
    }
    out.push(b'\n');
}

/// Appends a line of a queue monitor: `q -t 1.5 -s 0 -d 2 -l 3120 -p 3`, bytes then packets; `seconds` is the time as text.
pub fn push_length_line(out: &mut Vec<u8>, seconds: &[u8], from: i32, to: i32, bytes: i32, packets: i32) {
    out.extend_from_slice(b"q -t ");
    out.extend_from_slice(seconds);
    for (switch, value) in [(b" -s ", from), (b" -d ", to), (b" -l ", bytes), (b" -p ", packets)] {
        out.extend_from_slice(switch);
        push_int(out, i64::from(value));
    }
    out.push(b'\n');
}

/// Appends an annotation to a packet trace.
pub fn push_remark(out: &mut Vec<u8>, seconds: f64, is_tagged: bool, text: &str) {
    out.extend_from_slice(b"v ");
    if is_tagged {
        push_g(out, seconds, 15);
        out.extend_from_slice(b" -e {sim_annotation ");
        push_g(out, seconds, 6);
        out.push(b' ');
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(b"}\n");
    } else {
        push_microseconds(out, seconds);
        out.extend_from_slice(b" eval {set sim_annotation {");
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(b"}}\n");
    }
}
