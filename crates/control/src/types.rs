//! Input and output of a control. Names and meanings are those of the engine's `cc::control`.

/// Linux's `TCP_REORDERING`, the initial `tcp_reordering`, packets.
const REORDERING: u32 = 3;

/// The sender's path statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Path {
    /// The present time, s.
    pub now_s: f64,
    /// MSS: bytes of data per segment.
    pub mss_bytes: f64,
    /// The smoothed RTT, s; 0 before the first sample.
    pub srtt_s: f64,
    /// The min RTT of the last 300 s, s; infinite before the first sample.
    pub min_rtt_s: f64,
    /// The earliest departure time of the next packet by pacing, s; in the past if pacing does not delay it.
    pub next_send_s: f64,
    /// Packets delivered so far, without duplicates.
    pub delivered: u64,
    /// Packets delivered with a mark so far.
    pub delivered_ce: u64,
    /// Packets marked lost so far.
    pub lost: u64,
    /// For a control that needs random numbers: it follows from the scenario's seed and the connection.
    pub seed: u64,
    /// Packets in flight: sent, neither delivered nor marked lost.
    pub in_flight: u32,
    /// The reordering that the sender has seen, packets (Linux's `tp->reordering`): 3 at first.
    pub reordering: u32,
    /// The sender is cwnd-limited, not limited by the application or the receiver.
    pub is_limited: bool,
    /// The sender is reducing the window, after a loss or a mark.
    pub is_recovering: bool,
    /// The sender paces packets, at the control's rate or at its own.
    pub is_paced: bool,
    /// Whether ECN is negotiated.
    pub has_ecn: bool,
}

/// A delivery rate sample (draft-ietf-ccwg-bbr, 4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    /// Packets in flight just after the packet was sent.
    pub in_flight: u32,
    /// The sender was application-limited when the packet was sent.
    pub is_app_limited: bool,
}

/// What an ACK reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ack {
    /// Packets newly delivered, in order or not.
    pub delivered: u32,
    /// Packets newly acknowledged in order: those by which SND.UNA advances.
    pub acked: u32,
    /// Packets newly reported by SACK.
    pub sacked: u32,
    /// Packets newly marked lost.
    pub lost: u32,
    /// Packets newly reported as marked.
    pub marked: u32,
    /// Packets in flight before the ACK arrived.
    pub prior_in_flight: u32,
    /// Whether the ACK carries ECE.
    pub echoes_mark: bool,
    /// A round trip ends: the ACK delivers a packet that was sent after the end of the last round trip.
    pub ends_round: bool,
    /// RTT sample of a packet that was not retransmitted, s.
    pub rtt_s: Option<f64>,
    /// One-way delay of the acknowledged packet, s, including the delayed-ACK wait; requires timestamps.
    pub one_way_s: Option<f64>,
    /// Rate sample of the delivered packet that was sent last.
    pub rate: Option<Rate>,
}

impl Ack {
    /// Whether it may raise the window, as in Linux (`tcp_may_raise_cwnd`). It must acknowledge data in order. On a path
    /// that reorders more than usual, data that SACK reports are enough.
    pub fn may_raise(&self, path: &Path) -> bool {
        self.acked > 0 || (path.reordering > REORDERING && self.sacked > 0)
    }
}

/// What a control sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The congestion window, packets: positive and finite. Less than 1 counts as 1.
    pub cwnd: f64,
    /// The slow-start threshold, packets; infinite at first.
    pub ssthresh: f64,
    /// The pacing rate, packets/s, positive and finite; `None` means ACK clocking, or the sender's own pacing.
    pub pacing_per_s: Option<f64>,
}

impl Window {
    /// Whether the window is below the threshold.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start in whole packets (RFC 5681, 3.1, as Linux's `tcp_slow_start`): one packet for each of `acked`, up to the
    /// threshold. Returns the packets that are left for congestion avoidance.
    pub fn slow_start(&mut self, acked: u32) -> u32 {
        let cwnd = self.cwnd as u32;
        let reached = f64::from(cwnd.saturating_add(acked)).min(self.ssthresh.floor());
        self.cwnd = reached;
        acked - (reached as u32).saturating_sub(cwnd).min(acked)
    }

    /// After `timeouts` idle timeouts the window is halved for each of them, down to `initial` packets (RFC 2861, as Linux's
    /// `tcp_cwnd_restart`).
    pub fn restart(&mut self, timeouts: u32, initial: f64) {
        if timeouts > 0 {
            let cwnd = self.cwnd as u32;
            self.ssthresh = self.ssthresh.max(f64::from((cwnd >> 1) + (cwnd >> 2)));
            self.cwnd = f64::from((cwnd >> timeouts.min(31)).max((initial as u32).min(cwnd)));
        }
    }
}

/// A congestion event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Segments were lost: the first loss in a window.
    Loss,
    /// Marks were echoed: the first mark in a window.
    Mark,
    /// The retransmission timer expired: the first time for a segment.
    Timeout,
}

/// The sender's congestion state (Linux's `tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No congestion.
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

/// Who reduces the window after a congestion event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The sender, to the threshold that the control has set. After a timeout, to the packets in flight and one.
    Reduce,
    /// The control; the sender uses the window without changes.
    Own,
}

/// The ECN feedback that the receiver must give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// Echo a mark until the sender reports its response (RFC 3168).
    Classic,
    /// Report for each packet whether it was marked (RFC 8257, 3.2).
    Exact,
    /// Count marks (RFC 9768, AccECN).
    Counted,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, pacing_per_s: None }
    }

    // tcp_slow_start by hand: 10 + 4 of 12 leaves 2 of them.
    #[test]
    fn slow_start_ends_at_the_threshold() {
        let mut window = window(10.0, 12.0);
        assert_eq!((window.slow_start(4), window.cwnd), (2, 12.0));
        window.ssthresh = f64::INFINITY;
        assert_eq!((window.slow_start(4), window.cwnd), (0, 16.0));
    }

    // tcp_cwnd_restart by hand: 45 packets are 11 after two timeouts, and at least 10 after more; ssthresh is 22 + 11.
    #[test]
    fn an_idle_window_is_halved_for_each_timeout() {
        for (timeouts, cwnd, ssthresh) in [(0, 45.0, 8.0), (1, 22.0, 33.0), (2, 11.0, 33.0), (5, 10.0, 33.0)] {
            let mut window = window(45.0, 8.0);
            window.restart(timeouts, 10.0);
            assert_eq!((window.cwnd, window.ssthresh), (cwnd, ssthresh));
        }
    }

    // tcp_may_raise_cwnd: FLAG_DATA_ACKED, or FLAG_FORWARD_PROGRESS on a path that reorders.
    #[test]
    fn acks_of_data_in_order_raise_the_window() {
        let sacked = Ack { delivered: 1, sacked: 1, ..Ack::default() };
        assert!(!sacked.may_raise(&Path { reordering: 3, ..Path::default() }));
        assert!(sacked.may_raise(&Path { reordering: 4, ..Path::default() }));
        assert!(Ack { acked: 1, ..sacked }.may_raise(&Path::default()));
    }
}
