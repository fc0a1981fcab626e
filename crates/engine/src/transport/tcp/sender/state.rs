//! What the sender is doing: recoveries begin and end.

use super::prr::Prr;
use super::undo::{Frto, UndoState};
use super::{Modern, Path};
use crate::transport::one_way::connection::Connection;
use crate::transport::tcp::cc::{CongestionEvent, Response};

/// What the sender is doing.
#[derive(Clone, Copy, Debug)]
pub(super) enum CaState {
    /// Nothing special.
    Open,
    /// The window goes down after a mark, or in recovery from a loss. With `None` the control sees to it itself.
    Reducing(Cause, Option<Prr>),
    /// Recovery from a timeout.
    Loss,
}

/// Why the window goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Mark,
    Loss,
}

impl CaState {
    /// The sender, not the control, sets the window.
    pub fn takes_window_down(&self) -> bool {
        matches!(self, CaState::Reducing(_, Some(_)))
    }

    /// Segments that were lost are sent again.
    pub fn repairs(&self) -> bool {
        matches!(self, CaState::Reducing(Cause::Loss, _) | CaState::Loss)
    }
}

/// What an ACK, or a timer, showed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckSummary {
    /// Segments acknowledged in order.
    pub acked: i32,
    /// Segments delivered.
    pub delivered: u32,
    /// Segments held lost now.
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
    pub(super) fn follow(
        &mut self,
        tcp: &mut Connection,
        path: &Path,
        signs: &AckSummary,
        outstanding: u32,
        sacked: u32,
    ) {
        let is_false = self.is_false(signs) || (matches!(self.state, CaState::Loss) && self.is_late(signs));
        if self.options.undo && is_false {
            self.take_back(path);
            return;
        }
        // After a mark the receiver goes on echoing it until it hears of the answer, in the packet behind `high`.
        let after = i32::from(matches!(self.state, CaState::Reducing(Cause::Mark, _)) && !self.segments.is_empty());
        if !matches!(self.state, CaState::Open) && self.segments.first() >= self.high + after {
            self.recover(path);
        }
        let repairs = self.state.repairs();
        if signs.lost > 0 && !repairs {
            tcp.happened("FAST_RETX");
            self.begin(tcp, path, Cause::Loss, CongestionEvent::Loss, Prr::begin(outstanding, sacked));
        } else if signs.is_marked && matches!(self.state, CaState::Open) {
            tcp.tell_reduced = true;
            tcp.necnresponses.set(*tcp.necnresponses + 1, &mut tcp.log);
            self.begin(tcp, path, Cause::Mark, CongestionEvent::Mark, Prr::begin(outstanding, sacked));
        }
    }

    fn begin(&mut self, tcp: &mut Connection, path: &Path, cause: Cause, sign: CongestionEvent, prr: Prr) {
        self.high = self.segments.next();
        if cause == Cause::Loss {
            self.tail.forget();
        }
        if let CaState::Reducing(_, Some(prr)) = self.state {
            // Linux: losses found on the way down after a mark lower the threshold no further.
            self.state = CaState::Reducing(cause, Some(prr));
            return;
        }
        self.before = (cause == Cause::Loss)
            .then(|| UndoState::new(self.window.cwnd, self.window.ssthresh, self.segments.first()));
        self.frto = Frto::Off;
        let response = self.law.congested(sign, path, &mut self.window);
        self.state = CaState::Reducing(cause, (response == Response::Reduce).then_some(prr));
        tcp.count_cut();
    }

    /// The sender's part of the way down: the window that PRR gives after an ACK.
    pub(super) fn reduce(&mut self, signs: &AckSummary) {
        let in_flight = self.segments.in_flight();
        if let CaState::Reducing(_, Some(prr)) = &mut self.state {
            let is_safe = signs.acked > 0 && signs.lost == 0;
            self.window.cwnd = prr.window(signs.delivered, in_flight, self.window.ssthresh, is_safe).max(1.0);
        }
    }

    /// A recovery is over.
    fn recover(&mut self, path: &Path) {
        match self.state {
            CaState::Open => return,
            CaState::Reducing(cause, prr) => {
                if prr.is_some() {
                    self.window.cwnd = self.window.ssthresh;
                }
                if cause == Cause::Loss {
                    self.rack.recovered();
                }
            }
            CaState::Loss => self.rack.recovered(),
        }
        self.state = CaState::Open;
        self.frto = Frto::Off;
        self.law.recovered(path, &mut self.window);
    }

    /// The retransmission timer has come up.
    pub(super) fn lose_all(&mut self, tcp: &mut Connection, path: &Path) {
        let is_first = matches!(self.state, CaState::Open);
        let is_again = self.round_trip.doublings > 1;
        self.mark_overdue(path);
        let left = f64::from(self.segments.in_flight() + 1);
        if is_first || (matches!(self.state, CaState::Loss) && !is_again) {
            self.before = Some(UndoState::new(self.window.cwnd, self.window.ssthresh, self.segments.first()));
            let path = Path { in_flight: self.segments.in_flight(), lost: self.delivery.lost, ..*path };
            if self.law.congested(CongestionEvent::Timeout, &path, &mut self.window) == Response::Reduce {
                self.window.cwnd = left;
            }
            tcp.count_cut();
        } else {
            self.window.cwnd = self.window.cwnd.min(left);
        }
        let may_be_false = self.options.frto && (is_first || is_again);
        self.frto = if may_be_false { Frto::Watching } else { Frto::Off };
        self.state = CaState::Loss;
        self.high = self.segments.next();
        self.tail.forget();
    }

    /// RFC 8985, 6.3: the first segment is lost, and all that were not sent only now.
    fn mark_overdue(&mut self, path: &Path) {
        let window_s = self.rack.window_s(true, 0, 0, path.srtt_s);
        let first = self.segments.first();
        for seqno in first..self.segments.next() {
            let Some(&segment) = self.segments.get(seqno) else { continue };
            let is_held = segment.is_lost && !segment.is_resent;
            if segment.is_sacked || is_held {
                continue;
            }
            if seqno == first || self.rack.is_overdue(&segment, window_s, path.now_s) {
                self.segments.lose(seqno);
                self.delivery.lost += 1;
                self.law.lost(&segment.as_rate(self.delivery.lost), path, &mut self.window);
            }
        }
    }

    /// F-RTO (RFC 5682, 3.1): whether the first ACKs after a timeout show that segments were late, not lost.
    fn is_late(&mut self, signs: &AckSummary) -> bool {
        let is_watched = self.frto != Frto::Off;
        self.frto = match self.frto {
            Frto::Watching if signs.acked > 0 && self.segments.first() < self.high => Frto::Tried,
            Frto::Watching if !signs.is_sacked => Frto::Watching,
            _ => Frto::Off,
        };
        is_watched && signs.delivers_original
    }

    /// Whether an ACK shows that the recovery began with a false sign.
    fn is_false(&self, signs: &AckSummary) -> bool {
        let Some(before) = &self.before else { return false };
        let is_early = signs.acked > 0
            && self.state.repairs()
            && signs.ts_echo.is_some_and(|ts_echo| before.is_answered_early(ts_echo));
        is_early || before.is_all_duplicate()
    }

    /// The sign was false: window and threshold are as before, and nothing is held lost.
    fn take_back(&mut self, path: &Path) {
        let Some(before) = self.before.take() else { return };
        self.segments.forgive_all();
        self.window.cwnd = self.window.cwnd.max(before.cwnd);
        self.window.ssthresh = before.ssthresh;
        self.law.undone(path, &mut self.window);
        self.state = CaState::Open;
        self.frto = Frto::Off;
    }
}
