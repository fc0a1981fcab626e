//! What was measured up to now.

use std::time::Duration;

use ackclock_engine::measure::distribution::Distribution;

/// A distribution of delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// The mean.
    pub mean: Duration,
    /// The median.
    pub median: Duration,
    /// The 95th percentile.
    pub p95: Duration,
    /// The 99th percentile.
    pub p99: Duration,
    /// The maximum.
    pub max: Duration,
}

impl Delays {
    /// Percentiles have a relative error of at most 1/256. Without a sample all are 0.
    pub(crate) fn of(samples: &Distribution) -> Delays {
        let [median, p95, p99] = samples.quantiles([0.5, 0.95, 0.99]);
        let [mean, median, p95, p99, max] = [samples.mean(), median, p95, p99, samples.max()]
            .map(|secs| Duration::try_from_secs_f64(secs.unwrap_or(0.0)).unwrap_or_default());
        Delays { mean, median, p95, p99, max }
    }
}

/// A link up to now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkReport {
    /// Packets whose transmission has begun.
    pub sent_packets: u64,
    /// Their bytes on the wire.
    pub sent_bytes: u64,
    /// Packets that the queue discipline dropped.
    pub dropped_packets: u64,
    /// Packets that the link's [`crate::Loss`] took.
    pub lost_packets: u64,
    /// Packets that the queue discipline marked with CE.
    pub marked_packets: u64,
    /// The part of the time in which it sent, 0 to 1.
    pub utilisation: f64,
    /// How long the sent packets waited in the queue.
    pub queueing_delay: Delays,
}

/// A flow of the engine up to now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowReport {
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
    /// When all its bytes were acknowledged.
    pub completed: Option<Duration>,
}

/// An endpoint of your program up to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointReport {
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
    pub delay: Delays,
}
