//! What a congestion control is: what it is told of a connection, what it answers, what it sets.

use crate::params::{Parameter, Value};
use crate::random::rng::Seed;

/// The sender's path statistics.
#[derive(Clone, Copy, Debug, Default)]
pub struct Path {
    /// The present time, s.
    pub now_s: f64,
    /// MSS: bytes of data per segment.
    pub mss_bytes: f64,
    /// Packets in flight: sent, neither delivered nor marked lost.
    pub in_flight: u32,
    /// Packets delivered so far, without duplicates.
    pub delivered: u64,
    /// Packets marked lost so far.
    pub lost: u64,
    /// The smoothed RTT, s; 0 before the first sample.
    pub srtt_s: f64,
    /// The min RTT of the last 300 s, as in Linux, s; infinite before the first sample.
    pub min_rtt_s: f64,
    /// The sender is cwnd-limited, not limited by the application or the receiver.
    pub is_limited: bool,
    /// The window stopped the sender at some point of the last packet-timed round trip (draft-ietf-ccwg-bbr, 2.2,
    /// `C.is_cwnd_limited`; Linux's `tp->is_cwnd_limited`). Half of the window is not enough, even in slow start.
    pub is_cwnd_full: bool,
    /// The earliest departure time of the next packet by pacing, s; in the past if pacing does not delay it.
    pub next_send_s: f64,
    /// The receiver does not report SACK blocks.
    pub lacks_sack: bool,
    /// The sender is reducing the window, after a loss or a mark.
    pub is_recovering: bool,
    /// The sender paces packets, at the control's rate or at its own.
    pub is_paced: bool,
    /// SND.UNA, in the sender's unit of sequence numbers (segments or bytes). A control only compares it with `snd_nxt`.
    pub snd_una: u64,
    /// SND.NXT, in the same unit.
    pub snd_nxt: u64,
    /// The reordering that the sender has seen, packets (Linux's `tp->reordering`): 3 at first.
    pub reordering: u32,
    /// The connection's seed, for a control that needs random numbers.
    pub seed: Seed,
    /// Packets sent and not acknowledged (Linux's `tp->packets_out`).
    pub packets_out: u32,
    /// Packets that SACK has reported (Linux's `tp->sacked_out`).
    pub sacked_out: u32,
    /// Maximum number of packets out in this window of data (Linux's `tp->max_packets_out`).
    pub max_packets_out: u32,
    /// Total packets delivered with a mark.
    pub delivered_ce: u64,
    /// The rate at which the sender paces, or would pace, bytes/s (Linux's `sk_pacing_rate`); `u64::MAX` without a limit.
    pub pacing_rate: u64,
    /// Whether ECN is negotiated.
    pub has_ecn: bool,
}

/// A delivery rate sample (draft-ietf-ccwg-bbr, 4.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    /// Packets per second; `None` if the interval is shorter than the min RTT.
    pub per_s: Option<f64>,
    /// Packets delivered in the interval.
    pub delivered: u64,
    /// Total packets delivered at the start of the interval.
    pub prior_delivered: u64,
    /// Packets marked lost in the interval.
    pub lost: u64,
    /// Packets reported with CE in the interval.
    pub marked: u64,
    /// The sequence number of the packet, packets; only for a lost packet.
    pub seqno: u64,
    /// The number of the packet after its last one: a segment may have several.
    pub end_seqno: u64,
    /// Packets in flight just after the packet was sent.
    pub in_flight: u32,
    /// The sender was application-limited when the packet was sent.
    pub is_app_limited: bool,
}

/// What an ACK reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack {
    /// Packets newly delivered, in order or not.
    pub delivered: u32,
    /// Packets newly acknowledged in order: those by which SND.UNA advances.
    pub acked: u32,
    /// Packets newly reported by SACK. `delivered` also counts duplicates that D-SACK reports.
    pub sacked: u32,
    /// Packets newly marked lost.
    pub lost: u32,
    /// Packets newly reported as marked.
    pub marked: u32,
    /// Whether the ACK carries ECE.
    pub echoes_mark: bool,
    /// RTT sample of a packet that was not retransmitted, s.
    pub rtt_s: Option<f64>,
    /// One-way delay of the acknowledged packet, s, including the delayed-ACK wait; requires timestamps.
    pub one_way_s: Option<f64>,
    /// Rate sample of the delivered packet that was sent last.
    pub rate: Option<Rate>,
    /// A round trip ends: the ACK delivers a packet that was sent after the end of the last round trip.
    pub ends_round: bool,
    /// Packets in flight before the ACK arrived.
    pub prior_in_flight: u32,
    /// The ACK may be late: it acknowledges a lone short segment (Linux's `rs->is_ack_delayed`).
    pub may_be_delayed: bool,
    /// Total packets delivered when the packet of the rate sample was sent; known to `on_packets_acked`, too.
    pub prior_delivered: u64,
    /// The peer's timestamp and the one that it echoes (RFC 7323).
    pub timestamps: Option<(u32, u32)>,
}

/// What a control that models its path reports about the model, for the table `model_changes`. Names: those of
/// draft-ietf-ccwg-bbr; of Linux, `inflight_hi` is `inflight_longterm`, `inflight_lo` and `bw_lo` are `..._shortterm`.
/// Infinite: the bound is not set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Model {
    /// The state of the state machine.
    pub state: &'static str,
    /// Packet-timed round trips so far.
    pub round_count: u64,
    /// The pacing gain of the state.
    pub pacing_gain: f64,
    /// The window gain of the state.
    pub cwnd_gain: f64,
    /// The estimated max bandwidth, packets/s.
    pub max_bw_per_s: f64,
    /// The short-term bound of the bandwidth, packets/s.
    pub bw_shortterm_per_s: f64,
    /// The min RTT, s.
    pub min_rtt_s: f64,
    /// The estimated aggregation of ACKs, packets.
    pub extra_acked: f64,
    /// The long-term bound of the data in flight, packets.
    pub inflight_longterm: f64,
    /// The short-term bound of the data in flight, packets.
    pub inflight_shortterm: f64,
    /// The long-term bound less the headroom for other flows, packets.
    pub inflight_with_headroom: f64,
    /// The data in flight that the estimated BDP needs, packets: `Inflight(1.0)`.
    pub inflight_target: f64,
    /// Round trips without enough growth of the bandwidth.
    pub full_bw_count: u32,
    /// The present search has found a plateau of the bandwidth.
    pub full_bw_now: bool,
    /// The pipe was full at some time.
    pub full_bw_reached: bool,
    /// The sender restarts after an idle time.
    pub idle_restart: bool,
    /// How often the state was saved at a loss.
    pub saves: u32,
    /// How often the saved state was restored after a spurious loss.
    pub undos: u32,
}

/// What a control sets.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The congestion window, packets.
    pub cwnd: f64,
    /// The slow-start threshold, packets; infinite at first.
    pub ssthresh: f64,
    /// The pacing rate, packets/s; `None` means ACK clocking, or the sender's own pacing.
    pub pacing_per_s: Option<f64>,
    /// The control keeps the sender below the path's capacity, to measure something else. Rate samples count as
    /// application-limited meanwhile.
    pub holds_back: bool,
}

impl Window {
    /// The largest window, packets: no connection is that long.
    pub const MAX_CWND: f64 = (1 << 30) as f64;

    /// Whether a sender can use it: a user's control may set anything.
    ///
    /// # Errors
    /// What is wrong with the window, the threshold or the pacing rate.
    pub fn check(&self) -> Result<(), String> {
        let Window { cwnd, ssthresh, pacing_per_s, .. } = *self;
        if !(cwnd > 0.0 && cwnd <= Window::MAX_CWND) {
            return Err(format!("the window is {cwnd} packets; expected a positive number, at most 2^30"));
        }
        if ssthresh.is_nan() || ssthresh < 0.0 {
            return Err(format!("the threshold is {ssthresh} packets; expected a number that is not negative"));
        }
        match pacing_per_s.filter(|&rate| !(rate > 0.0 && rate.is_finite())) {
            Some(rate) => Err(format!("the pacing rate is {rate} packets/s; expected a positive number")),
            None => Ok(()),
        }
    }

    /// Whether the window is below the threshold.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start for `packets` acknowledged packets (RFC 5681, 3.1, with RFC 3465's L = infinity). Returns the packets
    /// left when the threshold is reached.
    pub fn slow_start(&mut self, packets: f64) -> f64 {
        let room = (self.ssthresh - self.cwnd).max(0.0);
        let taken = packets.min(room);
        self.cwnd += taken;
        packets - taken
    }

    /// Halves the window per idle timeout, down to `initial`; the threshold becomes at least 3/4 of it (RFC 2861).
    pub fn decay(&mut self, timeouts: u32, initial: f64) {
        if timeouts > 0 {
            self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
            self.cwnd = (self.cwnd / 2.0_f64.powi(timeouts.min(60) as i32)).max(initial.min(self.cwnd));
        }
    }
}

/// A congestion event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionEvent {
    /// Segments were lost: the first loss in a window.
    Loss,
    /// Marks were echoed: the first mark in a window.
    Mark,
    /// The retransmission timer expired: the first time for a segment.
    Timeout,
}

/// The sender's congestion state (Linux's `tcp_ca_state`), with Linux's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaState {
    /// No congestion.
    #[default]
    Open,
    /// SACK has reported segments above a hole, and nothing is marked lost.
    Disorder,
    /// The window is reduced after a mark (congestion window reduced).
    Cwr,
    /// The window is reduced after a loss (fast recovery).
    Recovery,
    /// Recovery from a timeout.
    Loss,
}

/// Who reduces the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The sender, to the threshold that the control has set. After a timeout, to the packets in flight and one.
    Reduce,
    /// The control; the sender uses the window without changes.
    Own,
}

/// The ECN feedback that the receiver must give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feedback {
    /// Echo a mark until the sender reports its response (RFC 3168).
    #[default]
    Classic,
    /// Report for each packet whether it was marked (RFC 8257, 3.2).
    Exact,
    /// Count marks (RFC 9768, AccECN).
    Counted,
}

/// A congestion control.
pub trait Control: Send + Sync {
    /// The connection starts with `window`.
    fn start(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// An ACK delivered data (Linux's `pkts_acked`). Called before the ACK's congestion events and before `on_ack`, so
    /// `path` and `window` are still those of the state that it arrives in. `ack.rate` is not known yet.
    fn on_packets_acked(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        let _ = (ack, path, window);
    }

    /// Whether the control does anything in [`Self::on_packets_acked`].
    fn uses_packets_acked(&self) -> bool {
        false
    }

    /// An ACK delivered data, or reported a loss or a mark. Changes to `cwnd` made while [`Path::is_recovering`] are
    /// discarded.
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window);

    /// A segment is marked lost; `sent` is its rate sample.
    fn on_loss(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        let _ = (sent, path, window);
    }

    /// A congestion event, at most one of each kind per window of data.
    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response;

    /// The sender enters a state (Linux's `set_state`). A timeout in a recovery enters [`CaState::Loss`] without a
    /// congestion event.
    fn on_state(&mut self, state: CaState, path: &Path, window: &mut Window) {
        let _ = (state, path, window);
    }

    /// The retransmission timer expired in a recovery or reduction, where [`Self::on_congestion_event`] is not called
    /// again. The sender has set the window to the packets in flight and one.
    fn on_timeout_in_recovery(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// A tail loss probe has repaired a loss that nothing else reported, so that [`Self::on_loss`] is not called. A
    /// congestion event follows, whose recovery is over at once.
    fn on_probe_repaired_loss(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// A reduction of the window is complete (Linux's `CA_EVENT_COMPLETE_CWR`): the window is at the threshold, unless it
    /// was undone.
    fn on_reduction_complete(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// Whether the control asks the sender to reduce the window now, as after a mark (Linux's `tcp_enter_cwr`); returned
    /// once.
    fn asks_for_reduction(&mut self) -> bool {
        false
    }

    /// The recovery after a congestion event is over. After [`Response::Reduce`] the window is at the threshold.
    fn on_recovery_exit(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// The last congestion event was spurious; the sender has restored the window.
    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        let _ = (path, window);
    }

    /// Sending resumes after `idle_s` with nothing in flight, in which the timer would have expired `timeouts` times.
    /// For each of them the window is halved, down to `initial` (RFC 2861, as in Linux).
    fn on_idle_restart(&mut self, idle_s: f64, timeouts: u32, initial: f64, path: &Path, window: &mut Window) {
        let _ = (idle_s, path);
        window.decay(timeouts, initial);
    }

    /// Whether the control sets the window by itself for each ACK (Linux's `cong_control`). Otherwise the sender lets it
    /// grow only for data acknowledged in order, and reduces it while it is not used.
    fn has_cong_control(&self) -> bool {
        false
    }

    /// The least packets of a paced segment at this rate, bytes/s (Linux's `min_tso_segs`); `None`: the socket's.
    fn min_tso_segs(&self, pacing_rate: u64) -> Option<u32> {
        let _ = pacing_rate;
        None
    }

    /// The most packets of a segment that is cut only at the sender's link (segmentation offload); a paced segment is a
    /// burst.
    fn max_tso_segs(&self) -> u32 {
        u32::MAX
    }

    /// The ECN feedback that the control needs.
    fn feedback(&self) -> Feedback {
        Feedback::Classic
    }

    /// Whether its response to marks is scalable, so that its packets may use ECT(1) (RFC 9331).
    fn is_scalable(&self) -> bool {
        false
    }

    /// Whether the control reduces its window in response to ECN marks.
    fn answers_marks(&self) -> bool {
        true
    }

    /// The control's model of the path, if it has one.
    fn model(&self) -> Option<Model> {
        None
    }

    /// A message if the control cannot continue, which stops the simulation; returned once.
    fn take_error(&mut self) -> Option<String> {
        None
    }

    /// Appends the parameters that scenarios offer, with their present values.
    fn describe(&self, out: &mut Vec<Parameter>) {
        let _ = out;
    }

    /// The value of a parameter of this control.
    fn param(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// Sets a parameter of this control; returns whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let _ = (name, value);
        false
    }
}

/// A congestion control in the registry.
pub struct Entry {
    /// Its id, such as `cubic`.
    pub id: &'static str,
    /// One line of description for lists and help.
    pub about: &'static str,
    /// Makes a control with default parameters.
    pub make: fn() -> Box<dyn Control>,
}

/// The min threshold after congestion, packets (RFC 5681, equation 4).
pub(super) const MIN_SSTHRESH: f64 = 2.0;
