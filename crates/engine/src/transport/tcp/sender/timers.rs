//! One timer for three things: a timeout (RFC 6298, 5), a probe of the tail (RFC 8985, 7) and the end of the reordering
//! window (RFC 8985, 6.2).

use super::Modern;
use super::state::{AckSummary, CaState};
use super::tlp::TailLossProbe;
use crate::net::Network;
use crate::transport::one_way::connection::Connection;

/// What the timer runs for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Due {
    #[default]
    Timeout,
    Probe,
    Reordering,
}

/// Instants at which something is due, s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deadlines {
    /// The timeout of the first segment outstanding.
    timeout_s: Option<f64>,
    probe_s: Option<f64>,
    reordering_s: Option<f64>,
    next: Due,
}

impl Modern {
    /// New data, or the first segment outstanding, was sent, or new data acknowledged: the timeout runs from now on.
    pub(super) fn restart_timeout(&mut self, tcp: &Connection, now_s: f64) {
        self.deadlines.timeout_s = Some(now_s + self.round_trip.timeout_s(&tcp.config));
    }

    /// The timeout runs from now on unless it runs already.
    pub(super) fn ensure_timeout(&mut self, tcp: &Connection, now_s: f64) {
        if self.deadlines.timeout_s.is_none() {
            self.restart_timeout(tcp, now_s);
        }
    }

    /// Nothing new for so long calls for a probe, if one may go.
    pub(super) fn restart_probe(&mut self, now_s: f64) {
        self.deadlines.probe_s = None;
        if let Some(smoothed_s) = self.round_trip.smoothed_s
            && self.options.tlp
            && matches!(self.state, CaState::Open)
            && !self.tlp.is_out()
            && self.rtx_queue.sacked() == 0
        {
            self.deadlines.probe_s = Some(now_s + TailLossProbe::wait_s(smoothed_s, self.rtx_queue.in_flight()));
        }
    }

    /// Looks for losses; how many there are. The timer is to expire when there may be more.
    pub(super) fn find_losses(&mut self, tcp: &Connection, now_s: f64) -> u32 {
        let threshold = tcp.config.numdupacks.max(1) as u32;
        let srtt_s = self.round_trip.smoothed_s.unwrap_or(0.0);
        let window_s = self.rack.window_s(self.state.repairs(), self.rtx_queue.sacked(), threshold, srtt_s);
        let mut found = std::mem::take(&mut self.found);
        let wait_s = self.rack.find(&self.rtx_queue, window_s, now_s, &mut found);
        self.deadlines.reordering_s = wait_s.map(|wait_s| now_s + wait_s);
        for &seqno in &found {
            let Some(&segment) = self.rtx_queue.get(seqno) else { continue };
            self.rtx_queue.mark_lost(seqno);
            self.delivery.lost += 1;
            let path = self.path(tcp, now_s);
            self.control.on_loss(&segment.as_rate(self.delivery.lost), &path, &mut self.window);
        }
        let count = found.len() as u32;
        found.clear();
        self.found = found;
        count
    }

    /// Sets the timer for what is due next.
    pub(super) fn arm(&mut self, tcp: &mut Connection, net: &mut Network) {
        let deadlines = &mut self.deadlines;
        if self.rtx_queue.is_empty() {
            *deadlines = Deadlines::default();
            tcp.stop_retransmit_timer(net);
            return;
        }
        let timeout_s = deadlines.timeout_s.unwrap_or(f64::INFINITY);
        let (at_s, next) = match (deadlines.reordering_s, deadlines.probe_s) {
            (Some(at_s), _) => (at_s, Due::Reordering),
            (None, Some(at_s)) => (at_s.min(timeout_s), Due::Probe),
            (None, None) => (timeout_s, Due::Timeout),
        };
        deadlines.next = next;
        net.set_timer(tcp.retransmit_timer, (at_s - net.now().secs()).max(0.0));
    }

    /// The timer has expired.
    pub(super) fn timer_is_due(&mut self, tcp: &mut Connection, net: &mut Network) {
        if self.rtx_queue.is_empty() {
            return;
        }
        let now_s = net.now().secs();
        match self.deadlines.next {
            Due::Reordering => {
                let (outstanding, sacked) = (self.outstanding(), self.rtx_queue.sacked());
                let lost = self.find_losses(tcp, now_s);
                let signs = AckSummary { lost, ..AckSummary::default() };
                let path = self.path(tcp, now_s);
                self.update_ca_state(tcp, &path, &signs, outstanding, sacked);
                self.reduce(&signs);
            }
            Due::Probe => {
                self.deadlines.probe_s = None;
                self.probe_tail(tcp, net);
            }
            Due::Timeout => {
                tcp.happened("TIMEOUT");
                tcp.nrexmit.set(*tcp.nrexmit + 1, &mut tcp.log);
                self.round_trip.doublings += 1;
                tcp.rtt.backoff.set(1 << self.round_trip.doublings.min(16), &mut tcp.log);
                let path = self.path(tcp, now_s);
                self.enter_loss(tcp, &path);
                self.deadlines = Deadlines::default();
                self.restart_timeout(tcp, now_s);
            }
        }
        self.send_allowed(tcp, net);
    }
}
