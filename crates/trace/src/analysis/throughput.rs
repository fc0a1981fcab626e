//! Throughput of one connection, in the output format of the widely used perl script.
//!
//! The script receives a trace, a destination node, the two endpoints as node.port and an interval. It sums the bytes
//! of TCP segments that the node receives, and prints a line `START RATE` per interval, in Mbit/s. This module keeps
//! its rules: an interval is over when a line is *later* than its end, and its start is the sum of the previous
//! intervals. Lines that are not packet lines are skipped.

use std::io::Read;

use super::series::{MAX_ROWS, too_many};
use crate::columns::PacketEvent;
use crate::ns2::number::push_g;
use crate::read::ns2_trace::{Reader, TraceError};

/// The script's arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// The receiving node.
    pub node: i32,
    /// Source node and port.
    pub source: (i32, i32),
    /// Destination node and port.
    pub destination: (i32, i32),
    /// Packet type; the script uses `tcp`.
    pub kind: String,
    /// The interval, s.
    pub interval_s: f64,
}

/// The script's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Throughput {
    /// The output text.
    pub text: String,
    /// The mean over all intervals, Mbit/s.
    pub mean_mbps: f64,
}

/// Appends an output line, with numbers in perl's format.
fn push(text: &mut Vec<u8>, start_s: f64, rate: Option<f64>) {
    push_g(text, start_s, 15);
    text.push(b' ');
    match rate {
        Some(rate) => push_g(text, rate, 15),
        None => text.extend_from_slice(b"0.0"),
    }
    text.push(b'\n');
}

/// Reads a trace to its end and produces the script's output.
///
/// # Errors
/// Those of the reader, and an output of more than ten million lines.
///
/// # Panics
/// If the interval is not positive.
pub fn throughput<R: Read>(reader: &mut Reader<R>, asked: &Connection) -> Result<Throughput, TraceError> {
    assert!(asked.interval_s > 0.0, "an interval is positive");
    let (mut text, mut start_s, mut bytes, mut all_bytes) = (Vec::new(), 0.0, 0.0, 0.0);
    let rate = |bytes: f64| 0.000008 * bytes / asked.interval_s;
    let mut ours = None;
    let mut lines = 0.0;
    while let Some(line) = reader.next_line()? {
        if ours.is_none() && reader.kinds().word(line.kind) == asked.kind {
            ours = Some(line.kind);
        }
        let counts = line.event == PacketEvent::Receive
            && line.to_node == asked.node
            && line.source == asked.source
            && line.destination == asked.destination
            && Some(line.kind) == ours;
        if line.time_s - start_s > asked.interval_s {
            lines += (line.time_s - start_s) / asked.interval_s;
            if lines > MAX_ROWS {
                return Err(too_many(reader, asked.interval_s));
            }
            push(&mut text, start_s, Some(rate(bytes)));
            start_s += asked.interval_s;
            bytes = 0.0;
            while line.time_s - start_s > asked.interval_s {
                push(&mut text, start_s, None);
                start_s += asked.interval_s;
            }
        }
        if counts {
            bytes += f64::from(line.size_bytes);
            all_bytes += f64::from(line.size_bytes);
        }
    }
    reader.expect_node_numbers()?;
    push(&mut text, start_s, Some(rate(bytes)));
    start_s += asked.interval_s;
    let text = String::from_utf8(text).expect("numbers are ASCII");
    Ok(Throughput { text, mean_mbps: 0.000008 * all_bytes / start_s })
}
