//! The throughput of one connection as the usual perl script prints it.
//!
//! Called with a trace, a destination node, the two ends as node.port and an interval, the script adds up the bytes of TCP
//! segments that the node receives, and prints a line `START RATE` for each interval, in Mbit/s. Its rules are kept where
//! they could be other: an interval has passed when a line comes *later* than its end, and its start is the sum of the
//! intervals before it. Lines that are no packet's are passed over.

use std::io::Read;

use super::series::{MOST_ROWS, too_many};
use crate::columns::PacketEvent;
use crate::ns2::number::push_g;
use crate::read::ns2_trace::{Reader, TraceError};

/// What the script is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// The node that receives.
    pub node: i32,
    /// Node and port it comes from.
    pub source: (i32, i32),
    /// Node and port it goes to.
    pub destination: (i32, i32),
    /// What the packets carry: the script's is `tcp`.
    pub kind: String,
    /// The interval, s.
    pub interval_s: f64,
}

/// What the script says.
#[derive(Clone, Debug, PartialEq)]
pub struct Throughput {
    /// Its output.
    pub text: String,
    /// The mean over all its intervals, Mbit/s.
    pub mean_mbps: f64,
}

/// A number as perl prints it.
fn push(text: &mut Vec<u8>, start_s: f64, rate: Option<f64>) {
    push_g(text, start_s, 15);
    text.push(b' ');
    match rate {
        Some(rate) => push_g(text, rate, 15),
        None => text.extend_from_slice(b"0.0"),
    }
    text.push(b'\n');
}

/// Reads a trace to its end and says what the script would.
///
/// # Errors
/// Those of the reader; more than ten million lines are one more.
///
/// # Panics
/// When the interval is not positive.
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
            if lines > MOST_ROWS {
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
