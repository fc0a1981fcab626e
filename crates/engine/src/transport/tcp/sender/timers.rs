//! One timer for three timeouts: the retransmission timeout (RTO; RFC 6298, 5), the probe timeout (PTO; RFC 8985, 7.2) and
//! the reordering timeout (RFC 8985, 6.2, step 5).

use super::Modern;
use super::state::{AckSummary, CaState};
use super::tlp::TailLossProbe;
use crate::net::Network;
use crate::transport::one_way::connection::Connection;

/// The timeout that the timer runs for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TimerKind {
    #[default]
    Rto,
    Pto,
    Reordering,
}

/// Expiry time of each timeout, s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deadlines {
    rto_s: Option<f64>,
    pto_s: Option<f64>,
    reordering_s: Option<f64>,
    /// The timeout that the timer is set for.
    next: TimerKind,
}

impl Modern {
    /// Restarts the RTO: SND.UNA was sent, or new data were acknowledged (RFC 6298, 5.3).
    pub(super) fn restart_rto(&mut self, tcp: &Connection, now_s: f64) {
        self.deadlines.rto_s = Some(now_s + self.rtt.rto_s(&tcp.config));
    }

    /// Starts the RTO timer unless it runs (RFC 6298, 5.1).
    pub(super) fn ensure_rto(&mut self, tcp: &Connection, now_s: f64) {
        if self.deadlines.rto_s.is_none() {
            self.restart_rto(tcp, now_s);
        }
    }

    /// Restarts the PTO if a probe may be sent (RFC 8985, 7.2), and stops it otherwise.
    pub(super) fn restart_pto(&mut self, tcp: &Connection, now_s: f64) {
        self.deadlines.pto_s = None;
        if self.options.tlp
            && !self.is_opening(tcp)
            && matches!(self.state, CaState::Open | CaState::Cwr(_))
            && !self.tlp.is_outstanding()
            && self.rtx_queue.segs_sacked() == 0
        {
            self.deadlines.pto_s = Some(now_s + TailLossProbe::calc_pto_s(self.rtt.srtt_s, self.outstanding()));
        }
    }

    /// `RACK_detect_loss_and_arm_timer` (RFC 8985, 6.2, step 5): marks the lost segments and returns their number. Sets
    /// the expiry time of the reordering timeout.
    pub(super) fn detect_losses(&mut self, tcp: &Connection, now_s: f64) -> u32 {
        let dup_thresh = tcp.config.numdupacks.max(1) as u32;
        let srtt_s = self.rtt.srtt_s.unwrap_or(0.0);
        let reo_wnd_s = self.rack.reo_wnd_s(self.state.in_recovery(), self.rtx_queue.segs_sacked(), dup_thresh, srtt_s);
        let mut lost = std::mem::take(&mut self.newly_lost);
        let timeout_s = self.rack.detect_loss(&self.rtx_queue, reo_wnd_s, now_s, &mut lost);
        self.deadlines.reordering_s = timeout_s.map(|timeout_s| now_s + timeout_s);
        for &seqno in &lost {
            let Some(&segment) = self.rtx_queue.get(seqno) else { continue };
            self.rtx_queue.mark_lost(seqno);
            self.delivery.lost += 1;
            let path = self.path(tcp, now_s);
            self.control.on_loss(&segment.as_rate(seqno, self.delivery.lost), &path, &mut self.window);
        }
        let count = lost.len() as u32;
        lost.clear();
        self.newly_lost = lost;
        count
    }

    /// Sets the timer for the timeout that expires next.
    pub(super) fn arm_timer(&mut self, tcp: &mut Connection, net: &mut Network) {
        let deadlines = &mut self.deadlines;
        if self.rtx_queue.is_empty() {
            *deadlines = Deadlines::default();
            tcp.stop_retransmit_timer(net);
            return;
        }
        let rto_s = deadlines.rto_s.unwrap_or(f64::INFINITY);
        let (at_s, next) = match (deadlines.reordering_s, deadlines.pto_s) {
            (Some(at_s), _) => (at_s, TimerKind::Reordering),
            (None, Some(at_s)) => (at_s.min(rto_s), TimerKind::Pto),
            (None, None) => (rto_s, TimerKind::Rto),
        };
        deadlines.next = next;
        net.set_timer(tcp.retransmit_timer, (at_s - net.now().secs()).max(0.0));
    }

    /// The timer has expired.
    pub(super) fn on_timer(&mut self, tcp: &mut Connection, net: &mut Network) {
        if self.rtx_queue.is_empty() {
            return;
        }
        let now_s = net.now().secs();
        match self.deadlines.next {
            TimerKind::Reordering => {
                let (outstanding, sacked) = (self.outstanding(), self.rtx_queue.segs_sacked());
                let lost = self.detect_losses(tcp, now_s);
                let summary = AckSummary { lost, ..AckSummary::default() };
                let path = self.path(tcp, now_s);
                let was_in_recovery = self.state.in_recovery();
                self.update_ca_state(tcp, &path, &summary, outstanding, sacked);
                if !was_in_recovery && self.state.in_recovery() {
                    // No ACK: the first retransmission counts as one packet delivered, as in Linux.
                    self.reduce_cwnd(&AckSummary { delivered: 1, ..AckSummary::default() });
                }
            }
            TimerKind::Pto => {
                self.deadlines.pto_s = None;
                self.send_probe(tcp, net);
            }
            TimerKind::Rto => {
                tcp.happened("TIMEOUT");
                tcp.nrexmit.set(*tcp.nrexmit + 1, &mut tcp.log);
                self.rtt.backoffs += 1;
                tcp.rtt.backoff.set(1 << self.rtt.backoffs.min(16), &mut tcp.log);
                let path = self.path(tcp, now_s);
                self.enter_loss(tcp, &path);
                self.deadlines = Deadlines::default();
                self.restart_rto(tcp, now_s);
            }
        }
        self.send_allowed(tcp, net);
    }
}
