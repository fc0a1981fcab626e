//! What was measured up to now.

use std::time::Duration;

use ackclock::{Delays, EndpointReport, FlowReport, LinkReport};

use crate::parts::ACKCLOCK_NEVER;

/// Whole nanoseconds, at most those that C's number holds.
pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(ACKCLOCK_NEVER)
}

/// A distribution of delays, ns. Percentiles have a relative error of at most 1/256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct AckclockDelays {
    /// The mean.
    pub mean_ns: u64,
    /// The median.
    pub median_ns: u64,
    /// The 95th percentile.
    pub p95_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The maximum.
    pub max_ns: u64,
}

impl From<Delays> for AckclockDelays {
    fn from(delays: Delays) -> AckclockDelays {
        let [mean_ns, median_ns, p95_ns, p99_ns, max_ns] =
            [delays.mean, delays.median, delays.p95, delays.p99, delays.max].map(nanos);
        AckclockDelays { mean_ns, median_ns, p95_ns, p99_ns, max_ns }
    }
}

/// A link up to now.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct AckclockLinkReport {
    /// Packets whose transmission has begun.
    pub sent_packets: u64,
    /// Their bytes on the wire.
    pub sent_bytes: u64,
    /// Packets that the queue discipline dropped.
    pub dropped_packets: u64,
    /// Packets that the link's losses took.
    pub lost_packets: u64,
    /// Packets that the queue discipline marked with CE.
    pub marked_packets: u64,
    /// The part of the time in which it sent, 0 to 1.
    pub utilisation: f64,
    /// How long the sent packets waited in the queue.
    pub queueing_delay: AckclockDelays,
}

impl From<LinkReport> for AckclockLinkReport {
    fn from(report: LinkReport) -> AckclockLinkReport {
        AckclockLinkReport {
            sent_packets: report.sent_packets,
            sent_bytes: report.sent_bytes,
            dropped_packets: report.dropped_packets,
            lost_packets: report.lost_packets,
            marked_packets: report.marked_packets,
            utilisation: report.utilisation,
            queueing_delay: report.queueing_delay.into(),
        }
    }
}

/// A flow of the engine up to now.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct AckclockFlowReport {
    /// Bytes of data that reached the receiver, in order and without duplicates.
    pub delivered_bytes: u64,
    /// The same as a rate since the flow's start, to its completion, its stop or now, bit/s.
    pub goodput_bps: f64,
    /// Packets sent, retransmissions included.
    pub sent_packets: u64,
    /// Packets of the sender that were dropped or lost.
    pub lost_packets: u64,
    /// Packets that arrived with a congestion mark.
    pub marked_packets: u64,
    /// The sender's congestion window, packets; 0 for UDP.
    pub cwnd_packets: f64,
    /// When all its bytes were acknowledged; ACKCLOCK_NEVER before.
    pub completed_ns: u64,
}

impl From<FlowReport> for AckclockFlowReport {
    fn from(report: FlowReport) -> AckclockFlowReport {
        AckclockFlowReport {
            delivered_bytes: report.delivered_bytes,
            goodput_bps: report.goodput_bps,
            sent_packets: report.sent_packets,
            lost_packets: report.lost_packets,
            marked_packets: report.marked_packets,
            cwnd_packets: report.cwnd_packets,
            completed_ns: report.completed.map_or(ACKCLOCK_NEVER, nanos),
        }
    }
}

/// An endpoint of your program up to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct AckclockEndpointReport {
    /// Datagrams sent.
    pub sent_packets: u64,
    /// Their bytes on the wire.
    pub sent_bytes: u64,
    /// Datagrams sent that were dropped or lost.
    pub lost_packets: u64,
    /// Datagrams received.
    pub received_packets: u64,
    /// Their bytes on the wire.
    pub received_bytes: u64,
    /// Datagrams received with a congestion mark.
    pub marked_packets: u64,
    /// How long the received datagrams were under way.
    pub delay: AckclockDelays,
}

impl From<EndpointReport> for AckclockEndpointReport {
    fn from(report: EndpointReport) -> AckclockEndpointReport {
        AckclockEndpointReport {
            sent_packets: report.sent_packets,
            sent_bytes: report.sent_bytes,
            lost_packets: report.lost_packets,
            received_packets: report.received_packets,
            received_bytes: report.received_bytes,
            marked_packets: report.marked_packets,
            delay: report.delay.into(),
        }
    }
}
