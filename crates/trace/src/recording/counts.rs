//! Counters at a given time, and the events of one packet.

use std::io::{self, Read};

use super::Recording;
use super::chunk::{Hop, flag, way};

/// Counters of a flow in forward direction, from the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCount {
    /// Packets that entered the first queue of the path.
    pub sent: u64,
    /// Packets that arrived.
    pub received: u64,
    /// Bytes that arrived.
    pub received_bytes: u64,
    /// Packets dropped or lost.
    pub dropped: u64,
    /// Packets that arrived with a mark.
    pub marked: u64,
    /// Retransmissions that entered the first queue of the path.
    pub again: u64,
}

/// State and counters of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCount {
    /// Queue length, packets.
    pub queue_packets: u64,
    /// Queue length, bytes.
    pub queue_bytes: u64,
    /// Packets dequeued so far.
    pub sent: u64,
    /// Packets dropped or lost so far.
    pub dropped: u64,
    /// Packets that left it with a mark so far.
    pub marked: u64,
}

/// The counters of all flows and links at a time, by number. Events at exactly that time count.
///
/// # Errors
/// If the recording's file cannot be read.
pub fn counts<R: Read>(recording: &Recording<R>, time_s: f64) -> io::Result<(Vec<FlowCount>, Vec<LinkCount>)> {
    let mut flows = vec![FlowCount::default(); recording.flows.len()];
    let mut links = vec![LinkCount::default(); recording.links.len()];
    recording.rows().each(f64::NEG_INFINITY, time_s, |hop| {
        if hop.enqueue_s > time_s {
            return;
        }
        let (arrived, lost) = (hop.arrive_s <= time_s, lost_s(hop) <= time_s);
        let link = &mut links[usize::from(hop.link)];
        let sent = hop.start_s <= time_s;
        link.sent += u64::from(sent);
        link.dropped += u64::from(lost);
        link.marked += u64::from(sent && hop.flags & flag::MARKED != 0);
        let leaves_s = hop.leaves_s();
        if leaves_s.is_nan() || leaves_s > time_s {
            link.queue_packets += 1;
            link.queue_bytes += u64::from(hop.size_bytes);
        }
        if !hop.is_forth() {
            return;
        }
        let flow = &mut flows[usize::from(hop.flow)];
        if hop.way & way::SETS_OUT != 0 {
            flow.sent += 1;
            flow.again += u64::from(hop.flags & flag::AGAIN != 0);
        }
        if hop.way & way::LAST != 0 && arrived {
            flow.received += 1;
            flow.received_bytes += u64::from(hop.size_bytes);
            flow.marked += u64::from(hop.flags & flag::MARKED != 0);
        }
        flow.dropped += u64::from(lost);
    })?;
    Ok((flows, links))
}

/// When a packet is dropped or lost, s; NaN if it is not. Without a recorded loss time, it counts as lost when it
/// leaves the queue.
pub fn lost_s(hop: &Hop) -> f64 {
    if hop.drop_s.is_nan() && hop.flags & flag::LOST != 0 { hop.start_s } else { hop.drop_s }
}

/// The rows of one packet.
///
/// # Errors
/// If the recording's file cannot be read.
pub fn packet<R: Read>(recording: &Recording<R>, uid: u32) -> io::Result<Vec<Hop>> {
    let mut found = Vec::new();
    recording.rows().each(f64::NEG_INFINITY, f64::INFINITY, |hop| {
        if hop.uid == uid {
            found.push(*hop);
        }
    })?;
    Ok(found)
}
