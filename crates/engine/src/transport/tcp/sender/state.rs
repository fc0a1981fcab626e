//! The congestion state machine: entry to and exit from recovery.
//!
//! Source: RFC 5681, RFC 6675 and RFC 8985 for the recoveries; Linux for the states' names and their order.

use super::prr::Prr;
use super::undo::{Frto, UndoState};
use super::{Modern, Path};
use crate::transport::one_way::connection::Connection;
use crate::transport::tcp::cc::{self, CongestionEvent, Response};

/// The congestion state (Linux's `tcp_ca_state`). Without a [`Prr`] the congestion control sets the window itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum CaState {
    /// No recovery.
    Open,
    /// The window is reduced after a mark (congestion window reduced).
    Cwr(Option<Prr>),
    /// The window is reduced after a loss, and lost segments are retransmitted (fast recovery).
    Recovery(Option<Prr>),
    /// Recovery from a timeout.
    Loss,
}

impl CaState {
    /// The state of PRR, if the sender reduces the window and not the congestion control.
    pub fn prr_mut(&mut self) -> Option<&mut Prr> {
        match self {
            CaState::Cwr(prr) | CaState::Recovery(prr) => prr.as_mut(),
            CaState::Open | CaState::Loss => None,
        }
    }

    /// Whether PRR sets the window, not the congestion control.
    pub fn is_reducing_cwnd(&self) -> bool {
        matches!(self, CaState::Cwr(Some(_)) | CaState::Recovery(Some(_)))
    }

    /// Whether lost segments are retransmitted: fast recovery or recovery from a timeout.
    pub fn in_recovery(&self) -> bool {
        matches!(self, CaState::Recovery(_) | CaState::Loss)
    }
}

/// What an ACK or the reordering timer has detected.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckSummary {
    /// Segments acknowledged in order.
    pub acked: i32,
    /// Segments delivered.
    pub delivered: u32,
    /// Segments newly marked lost.
    pub lost: u32,
    /// A mark was echoed.
    pub is_marked: bool,
    /// A segment is delivered that was sent before the recovery and not retransmitted.
    pub delivers_original: bool,
    /// SACK reports a segment.
    pub is_sacked: bool,
    /// The timestamp echoed, s.
    pub ts_echo: Option<f64>,
}

impl Modern {
    /// Ends, undoes or begins a recovery. `outstanding` and `sacked` are those before the ACK.
    pub(super) fn update_ca_state(
        &mut self,
        tcp: &mut Connection,
        path: &Path,
        summary: &AckSummary,
        outstanding: u32,
        sacked: u32,
    ) {
        let is_spurious =
            self.is_spurious(summary) || (matches!(self.state, CaState::Loss) && self.frto_detects_spurious(summary));
        if self.options.undo && is_spurious {
            self.undo_cwnd_reduction(path);
            return;
        }
        // After a mark, the segment at the recovery point carries CWR. Until it arrives, the receiver continues to echo
        // the mark (RFC 3168, 6.1.3), so the reduction ends one segment later.
        let cwr_segment = i32::from(matches!(self.state, CaState::Cwr(_)) && !self.rtx_queue.is_empty());
        if !matches!(self.state, CaState::Open) && self.rtx_queue.snd_una() >= self.recovery_point + cwr_segment {
            self.exit_recovery(path);
        }
        if summary.lost > 0 && !self.state.in_recovery() {
            tcp.happened("FAST_RETX");
            self.enter_recovery(tcp, path, CongestionEvent::Loss, Prr::new(outstanding, sacked));
        } else if summary.is_marked && matches!(self.state, CaState::Open) {
            tcp.tell_reduced = true;
            tcp.necnresponses.set(*tcp.necnresponses + 1, &mut tcp.log);
            self.enter_recovery(tcp, path, CongestionEvent::Mark, Prr::new(outstanding, sacked));
        }
    }

    /// A loss or a mark starts a reduction of the window.
    fn enter_recovery(&mut self, tcp: &mut Connection, path: &Path, event: CongestionEvent, prr: Prr) {
        let is_loss = event == CongestionEvent::Loss;
        let state = |prr| if is_loss { CaState::Recovery(prr) } else { CaState::Cwr(prr) };
        self.recovery_point = self.rtx_queue.snd_nxt();
        if is_loss {
            self.tlp.reset();
        }
        if let Some(&mut prr) = self.state.prr_mut() {
            // As in Linux, a loss during the reduction after a mark does not lower ssthresh again.
            self.state = state(Some(prr));
            self.control.on_state(cc::CaState::Recovery, path, &mut self.window);
            return;
        }
        self.undo_state =
            is_loss.then(|| UndoState::new(self.window.cwnd, self.window.ssthresh, self.rtx_queue.snd_una()));
        self.frto = Frto::Off;
        let response = self.control.on_congestion_event(event, path, &mut self.window);
        self.state = state((response == Response::Reduce).then_some(prr));
        let entered = if is_loss { cc::CaState::Recovery } else { cc::CaState::Cwr };
        self.control.on_state(entered, path, &mut self.window);
        tcp.count_cut();
    }

    /// Sets the window that PRR computes after an ACK (RFC 9937, 6).
    pub(super) fn reduce_cwnd(&mut self, summary: &AckSummary) {
        let in_flight = self.rtx_queue.in_flight();
        if let Some(prr) = self.state.prr_mut() {
            let safe_ack = summary.acked > 0 && summary.lost == 0;
            if let Some(cwnd) = prr.cwnd(summary.delivered, in_flight, self.window.ssthresh, safe_ack) {
                self.window.cwnd = cwnd.max(1.0);
            }
        }
    }

    /// Ends a recovery with a window of `ssthresh`.
    pub(super) fn exit_recovery(&mut self, path: &Path) {
        if matches!(self.state, CaState::Open) {
            return;
        }
        if self.state.is_reducing_cwnd() {
            self.window.cwnd = self.window.ssthresh;
        }
        if self.state.in_recovery() {
            self.rack.on_recovery_exit();
        }
        self.state = CaState::Open;
        self.usage.restart_validation(path.now_s);
        self.frto = Frto::Off;
        self.control.on_recovery_exit(path, &mut self.window);
        self.control.on_state(cc::CaState::Open, path, &mut self.window);
    }

    /// The retransmission timer expired: starts the recovery from a timeout (RFC 5681, 3.1).
    pub(super) fn enter_loss(&mut self, tcp: &mut Connection, path: &Path) {
        let is_first = matches!(self.state, CaState::Open);
        let is_repeated = self.rtt.backoffs > 1;
        self.mark_losses_on_rto(path);
        let loss_cwnd = f64::from(self.rtx_queue.in_flight() + 1);
        if is_first || (matches!(self.state, CaState::Loss) && !is_repeated) {
            self.undo_state = Some(UndoState::new(self.window.cwnd, self.window.ssthresh, self.rtx_queue.snd_una()));
            let path = Path { in_flight: self.rtx_queue.in_flight(), lost: self.delivery.lost, ..*path };
            if self.control.on_congestion_event(CongestionEvent::Timeout, &path, &mut self.window) == Response::Reduce {
                self.window.cwnd = loss_cwnd;
            }
            tcp.count_cut();
        } else {
            self.window.cwnd = self.window.cwnd.min(loss_cwnd);
            let path = Path { in_flight: self.rtx_queue.in_flight(), lost: self.delivery.lost, ..*path };
            self.control.on_timeout_in_recovery(&path, &mut self.window);
        }
        let may_be_spurious = self.options.frto && (is_first || is_repeated);
        self.frto = if may_be_spurious { Frto::AwaitFirstAck } else { Frto::Off };
        self.state = CaState::Loss;
        self.control.on_state(cc::CaState::Loss, path, &mut self.window);
        self.recovery_point = self.rtx_queue.snd_nxt();
        self.tlp.reset();
    }

    /// `RACK_mark_losses_on_RTO` (RFC 8985, 6.3): marks the first segment lost, and all that were sent long enough ago.
    fn mark_losses_on_rto(&mut self, path: &Path) {
        let reo_wnd_s = self.rack.reo_wnd_s(true, 0, 0, path.srtt_s);
        let snd_una = self.rtx_queue.snd_una();
        for seqno in snd_una..self.rtx_queue.snd_nxt() {
            let Some(&segment) = self.rtx_queue.get(seqno) else { continue };
            let is_waiting = segment.is_lost && !segment.is_retrans_out;
            if segment.is_sacked || is_waiting {
                continue;
            }
            if seqno == snd_una || self.rack.is_lost_on_rto(&segment, reo_wnd_s, path.now_s) {
                self.rtx_queue.mark_lost(seqno);
                self.delivery.lost += 1;
                self.control.on_loss(&segment.as_rate(seqno, self.delivery.lost), path, &mut self.window);
            }
        }
    }

    /// F-RTO (RFC 5682, 3.1): whether the first two ACKs after a timeout show that it was spurious.
    fn frto_detects_spurious(&mut self, summary: &AckSummary) -> bool {
        let is_running = self.frto != Frto::Off;
        self.frto = match self.frto {
            Frto::AwaitFirstAck if summary.acked > 0 && self.rtx_queue.snd_una() < self.recovery_point => {
                Frto::AwaitSecondAck
            }
            Frto::AwaitFirstAck if !summary.is_sacked => Frto::AwaitFirstAck,
            _ => Frto::Off,
        };
        is_running && summary.delivers_original
    }

    /// Whether Eifel or D-SACK detection shows that the recovery is spurious.
    fn is_spurious(&self, summary: &AckSummary) -> bool {
        let Some(undo_state) = &self.undo_state else { return false };
        let eifel = summary.acked > 0
            && self.state.in_recovery()
            && summary.ts_echo.is_some_and(|ts_echo| undo_state.eifel_detects_spurious(ts_echo));
        eifel || undo_state.dsack_detects_spurious()
    }

    /// Undoes a spurious reduction: restores the window and `ssthresh`, and removes the loss marks, as Linux does.
    fn undo_cwnd_reduction(&mut self, path: &Path) {
        let Some(undo_state) = self.undo_state.take() else { return };
        self.rtx_queue.unmark_all_lost();
        self.window.cwnd = self.window.cwnd.max(undo_state.prior_cwnd);
        self.window.ssthresh = undo_state.prior_ssthresh;
        self.control.on_spurious_loss(path, &mut self.window);
        self.state = CaState::Open;
        self.control.on_state(cc::CaState::Open, path, &mut self.window);
        self.frto = Frto::Off;
    }
}
