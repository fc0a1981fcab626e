//! Statistics of an endpoint of a flow, updated once for each packet that it sends or receives.

use crate::measure::distribution::Distribution;
use crate::measure::link_stats::Tally;
use crate::measure::observe::TraceId;
use crate::measure::playback::Playback;
use crate::packet::{Packet, flag};

/// The state of a TCP sender that its statistics follow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The congestion window, packets.
    pub cwnd: f64,
    /// The slow-start threshold, packets.
    pub ssthresh: f64,
    /// The next packet to send; the next byte for two-way TCP.
    pub next: i64,
    /// What the application has produced, in the same unit.
    pub produced: i64,
    /// The highest packet acknowledged.
    pub acknowledged: i64,
}

/// What limits a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The application has no more data.
    Application,
    /// The receiver's window.
    ReceiverWindow,
    /// The congestion window.
    CongestionWindow,
}

/// Statistics of a TCP sender.
#[derive(Clone, Debug)]
pub struct SenderStats {
    /// The receiver's window, packets.
    window: f64,
    /// The flow is complete when more than this is acknowledged.
    pub awaited: Option<i64>,
    progress: Progress,
    limit: Limit,
    since_s: Option<f64>,
    limited_s: [f64; 3],
}

impl SenderStats {
    /// A sender that has not started; `window` is the receiver's, packets.
    pub fn new(window: f64, progress: Progress) -> SenderStats {
        let mut stats = SenderStats {
            window,
            awaited: None,
            progress,
            limit: Limit::Application,
            since_s: None,
            limited_s: [0.0; 3],
        };
        stats.look(0.0);
        stats
    }

    /// Adds the time since the last call to the present limit, and updates the limit.
    fn look(&mut self, now_s: f64) {
        if let Some(since_s) = &mut self.since_s {
            self.limited_s[self.limit as usize] += now_s - *since_s;
            *since_s = now_s;
        }
        self.limit = if self.progress.next >= self.progress.produced {
            Limit::Application
        } else if self.progress.cwnd >= self.window {
            Limit::ReceiverWindow
        } else {
            Limit::CongestionWindow
        };
    }

    /// How long it was limited in this way up to `now_s`, s.
    pub fn limited_s(&self, limit: Limit, now_s: f64) -> f64 {
        let present = if limit == self.limit { self.since_s.map_or(0.0, |since_s| now_s - since_s) } else { 0.0 };
        self.limited_s[limit as usize] + present
    }
}

/// Statistics of an endpoint. Data goes from the flow's sender to its receiver, replies go back.
#[derive(Clone, Debug, Default)]
pub struct EndpointStats {
    /// Whether it is the flow's sender.
    is_sender: bool,
    /// The state of a TCP sender.
    pub tcp: Option<Box<SenderStats>>,
    /// Packets sent.
    pub sent: Tally,
    /// Packets received.
    pub received: Tally,
    /// Packets sent and lost.
    pub dropped: Tally,
    /// Received packets with a congestion mark.
    pub marked: u64,
    /// The receiver: the delays of the data, s. A TCP sender: the round-trip times, s.
    pub times: Distribution,
    /// The last of them.
    pub last_s: Option<f64>,
    /// The sum of the differences between successive delays, s.
    pub variation_s: f64,
    /// When the first packet was sent, s, and its size, bytes.
    pub first_sent: Option<(f64, i32)>,
    /// When the last packet of data was received, s.
    pub last_received_s: Option<f64>,
    /// One more than the highest sequence number of its packets.
    pub end_of_sequence: i64,
    /// When all data was acknowledged, s.
    pub completed_s: Option<f64>,
    /// Whether that is when the sender says that it is done.
    pub ends_when_done: bool,
    /// The playback of a video, at the end of the run.
    pub playback: Option<Box<Playback>>,
    /// When the application stopped for the last time, s; `None` while it runs.
    pub stopped_s: Option<f64>,
    /// The highest acknowledgement received.
    acknowledged: i32,
    /// Where round-trip times are reported, if anywhere.
    pub reports: Option<TraceId>,
}

impl EndpointStats {
    /// An endpoint that has not started.
    pub fn new(is_sender: bool, tcp: Option<SenderStats>) -> EndpointStats {
        EndpointStats { is_sender, tcp: tcp.map(Box::new), acknowledged: -1, ..EndpointStats::default() }
    }

    /// The endpoint sends a packet.
    pub(crate) fn send(&mut self, now_s: f64, packet: &Packet) {
        self.sent.add(packet);
        self.end_of_sequence = self.end_of_sequence.max(i64::from(packet.seqno) + 1);
        if self.first_sent.is_none() {
            self.first_sent = Some((now_s, packet.size));
            if let Some(tcp) = &mut self.tcp {
                tcp.since_s = Some(now_s);
            }
        }
    }

    /// The endpoint receives a packet. Returns the round-trip time, s, if that is a sample of it.
    pub(crate) fn receive(&mut self, now_s: f64, packet: &Packet) -> Option<f64> {
        self.received.add(packet);
        if self.is_sender {
            return self.receive_reply(now_s, packet);
        }
        self.last_received_s = Some(now_s);
        self.marked += u64::from(packet.has(flag::MARKED | flag::ECN_CAPABLE));
        let delay_s = now_s - packet.made_at.secs();
        self.times.add(delay_s);
        if let Some(last_s) = self.last_s.replace(delay_s) {
            self.variation_s += (delay_s - last_s).abs();
        }
        None
    }

    fn receive_reply(&mut self, now_s: f64, packet: &Packet) -> Option<f64> {
        // RFC 7323, 4.1: a duplicate ACK may echo an old timestamp. Only an ACK of new data gives a sample.
        let is_two_way = packet.tcp_flags != 0;
        let acknowledges = if is_two_way { packet.ackno } else { packet.seqno };
        let is_new = acknowledges > self.acknowledged;
        self.acknowledged = self.acknowledged.max(acknowledges);
        if !is_new || packet.ts_echo < 0.0 || self.tcp.is_none() {
            return None;
        }
        let rtt_s = now_s - packet.ts_echo;
        self.times.add(rtt_s);
        self.last_s = Some(rtt_s);
        Some(rtt_s)
    }

    /// The TCP sender has acted.
    pub(crate) fn acted(&mut self, now_s: f64, progress: Progress) {
        let Some(tcp) = &mut self.tcp else { return };
        if progress != tcp.progress {
            tcp.progress = progress;
            tcp.look(now_s);
            if tcp.awaited.is_some_and(|awaited| progress.acknowledged > awaited) {
                self.completed_s.get_or_insert(now_s);
            }
        }
    }

    /// The state of the TCP sender.
    pub fn progress(&self) -> Option<Progress> {
        self.tcp.as_ref().map(|tcp| tcp.progress)
    }
}
