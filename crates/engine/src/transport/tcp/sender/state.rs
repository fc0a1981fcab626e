//! What the sender is doing: recoveries begin and end.

use super::prr::Prr;
use super::undo::{Frto, UndoState};
use super::{Modern, Path};
use crate::transport::one_way::connection::Connection;
use crate::transport::tcp::cc::{CongestionEvent, Response};

/// The congestion state, as in Linux. Where there is no PRR the control sets the window itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum CaState {
    /// Nothing special.
    Open,
    /// The window goes down after a mark (congestion window reduced).
    Cwr(Option<Prr>),
    /// The window goes down after a loss, and what was lost is retransmitted.
    Recovery(Option<Prr>),
    /// Recovery from a timeout.
    Loss,
}

impl CaState {
    /// The reduction that the sender makes, if it does and not the control.
    pub fn prr_mut(&mut self) -> Option<&mut Prr> {
        match self {
            CaState::Cwr(prr) | CaState::Recovery(prr) => prr.as_mut(),
            CaState::Open | CaState::Loss => None,
        }
    }

    /// The sender, not the control, sets the window.
    pub fn takes_window_down(&self) -> bool {
        matches!(self, CaState::Cwr(Some(_)) | CaState::Recovery(Some(_)))
    }

    /// Lost segments are retransmitted.
    pub fn repairs(&self) -> bool {
        matches!(self, CaState::Recovery(_) | CaState::Loss)
    }
}

/// What an ACK, or a timer, showed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckSummary {
    /// Segments acknowledged in order.
    pub acked: i32,
    /// Segments delivered.
    pub delivered: u32,
    /// Segments marked lost now.
    pub lost: u32,
    /// A mark was echoed.
    pub is_marked: bool,
    /// A segment that was sent once, before the recovery began, is delivered.
    pub delivers_original: bool,
    /// A segment was reported by SACK.
    pub is_sacked: bool,
    /// The timestamp echoed, s.
    pub ts_echo: Option<f64>,
}

impl Modern {
    /// Ends or begins a recovery. `outstanding` and `sacked` are as before the ACK.
    pub(super) fn update_ca_state(
        &mut self,
        tcp: &mut Connection,
        path: &Path,
        signs: &AckSummary,
        outstanding: u32,
        sacked: u32,
    ) {
        let is_false =
            self.is_spurious(signs) || (matches!(self.state, CaState::Loss) && self.frto_detects_spurious(signs));
        if self.options.undo && is_false {
            self.undo_reduction(path);
            return;
        }
        // After a mark the receiver goes on echoing it until it hears of the answer, in the packet behind the recovery
        // point.
        let after = i32::from(matches!(self.state, CaState::Cwr(_)) && !self.rtx_queue.is_empty());
        if !matches!(self.state, CaState::Open) && self.rtx_queue.first() >= self.recovery_point + after {
            self.exit_recovery(path);
        }
        let repairs = self.state.repairs();
        if signs.lost > 0 && !repairs {
            tcp.happened("FAST_RETX");
            self.enter_recovery(tcp, path, CongestionEvent::Loss, Prr::begin(outstanding, sacked));
        } else if signs.is_marked && matches!(self.state, CaState::Open) {
            tcp.tell_reduced = true;
            tcp.necnresponses.set(*tcp.necnresponses + 1, &mut tcp.log);
            self.enter_recovery(tcp, path, CongestionEvent::Mark, Prr::begin(outstanding, sacked));
        }
    }

    /// A loss or a mark reduces the window.
    fn enter_recovery(&mut self, tcp: &mut Connection, path: &Path, event: CongestionEvent, prr: Prr) {
        let is_loss = event == CongestionEvent::Loss;
        let state = |prr| if is_loss { CaState::Recovery(prr) } else { CaState::Cwr(prr) };
        self.recovery_point = self.rtx_queue.next();
        if is_loss {
            self.tlp.forget();
        }
        if let Some(&mut prr) = self.state.prr_mut() {
            // Linux: losses found on the way down after a mark lower the threshold no further.
            self.state = state(Some(prr));
            return;
        }
        self.undo_state =
            is_loss.then(|| UndoState::new(self.window.cwnd, self.window.ssthresh, self.rtx_queue.first()));
        self.frto = Frto::Off;
        let response = self.control.on_congestion_event(event, path, &mut self.window);
        self.state = state((response == Response::Reduce).then_some(prr));
        tcp.count_cut();
    }

    /// The sender's part of the way down: the window that PRR gives after an ACK.
    pub(super) fn reduce(&mut self, signs: &AckSummary) {
        let in_flight = self.rtx_queue.in_flight();
        if let Some(prr) = self.state.prr_mut() {
            let is_safe = signs.acked > 0 && signs.lost == 0;
            self.window.cwnd = prr.window(signs.delivered, in_flight, self.window.ssthresh, is_safe).max(1.0);
        }
    }

    /// A recovery is over.
    fn exit_recovery(&mut self, path: &Path) {
        if matches!(self.state, CaState::Open) {
            return;
        }
        if self.state.takes_window_down() {
            self.window.cwnd = self.window.ssthresh;
        }
        if self.state.repairs() {
            self.rack.recovered();
        }
        self.state = CaState::Open;
        self.frto = Frto::Off;
        self.control.on_recovery_exit(path, &mut self.window);
    }

    /// The retransmission timer has expired.
    pub(super) fn enter_loss(&mut self, tcp: &mut Connection, path: &Path) {
        let is_first = matches!(self.state, CaState::Open);
        let is_again = self.round_trip.doublings > 1;
        self.mark_all_lost(path);
        let left = f64::from(self.rtx_queue.in_flight() + 1);
        if is_first || (matches!(self.state, CaState::Loss) && !is_again) {
            self.undo_state = Some(UndoState::new(self.window.cwnd, self.window.ssthresh, self.rtx_queue.first()));
            let path = Path { in_flight: self.rtx_queue.in_flight(), lost: self.delivery.lost, ..*path };
            if self.control.on_congestion_event(CongestionEvent::Timeout, &path, &mut self.window) == Response::Reduce {
                self.window.cwnd = left;
            }
            tcp.count_cut();
        } else {
            self.window.cwnd = self.window.cwnd.min(left);
        }
        let may_be_false = self.options.frto && (is_first || is_again);
        self.frto = if may_be_false { Frto::Watching } else { Frto::Off };
        self.state = CaState::Loss;
        self.recovery_point = self.rtx_queue.next();
        self.tlp.forget();
    }

    /// RFC 8985, 6.3: the first segment is lost, and all that were not sent only now.
    fn mark_all_lost(&mut self, path: &Path) {
        let window_s = self.rack.window_s(true, 0, 0, path.srtt_s);
        let first = self.rtx_queue.first();
        for seqno in first..self.rtx_queue.next() {
            let Some(&segment) = self.rtx_queue.get(seqno) else { continue };
            let is_held = segment.is_lost && !segment.is_retransmitted;
            if segment.is_sacked || is_held {
                continue;
            }
            if seqno == first || self.rack.is_overdue(&segment, window_s, path.now_s) {
                self.rtx_queue.mark_lost(seqno);
                self.delivery.lost += 1;
                self.control.on_loss(&segment.as_rate(self.delivery.lost), path, &mut self.window);
            }
        }
    }

    /// F-RTO (RFC 5682, 3.1): whether the first ACKs after a timeout show that segments were late, not lost.
    fn frto_detects_spurious(&mut self, signs: &AckSummary) -> bool {
        let is_watched = self.frto != Frto::Off;
        self.frto = match self.frto {
            Frto::Watching if signs.acked > 0 && self.rtx_queue.first() < self.recovery_point => Frto::Tried,
            Frto::Watching if !signs.is_sacked => Frto::Watching,
            _ => Frto::Off,
        };
        is_watched && signs.delivers_original
    }

    /// Whether an ACK shows that the recovery began with a false sign.
    fn is_spurious(&self, signs: &AckSummary) -> bool {
        let Some(before) = &self.undo_state else { return false };
        let is_early = signs.acked > 0
            && self.state.repairs()
            && signs.ts_echo.is_some_and(|ts_echo| before.eifel_detects_spurious(ts_echo));
        is_early || before.is_all_duplicate()
    }

    /// The sign was false: window and threshold are as before, and nothing is marked lost.
    fn undo_reduction(&mut self, path: &Path) {
        let Some(before) = self.undo_state.take() else { return };
        self.rtx_queue.unmark_all_lost();
        self.window.cwnd = self.window.cwnd.max(before.cwnd);
        self.window.ssthresh = before.ssthresh;
        self.control.on_spurious_loss(path, &mut self.window);
        self.state = CaState::Open;
        self.frto = Frto::Off;
    }
}
