//! Processing of arriving segments, as in ns-2.35's `Agent/TCP/FullTcp`.

use super::acks::Next;
use super::segment::{Segment, State, bit, reason};
use super::socket::{FullTcp, Unanswered};
use crate::net::{Network, Upcall};

/// PAWS ignores a stored timestamp older than this, s (RFC 1323: 24 days).
const TIMESTAMP_IS_OLD_S: f64 = 24.0 * 24.0 * 60.0 * 60.0;

impl FullTcp {
    /// Sends an ACK immediately.
    pub fn acknowledge(&mut self, net: &mut Network) {
        self.pending.ack_now = true;
        let most = self.tcp.config.maxburst;
        self.send_much(true, reason::NORMAL, most, net);
    }

    /// Processes an arriving segment.
    pub fn take(&mut self, mut segment: Segment, net: &mut Network) {
        self.last_state = self.state;
        if self.state == State::Closed {
            if segment.has(bit::FIN) {
                self.acknowledge(net);
            }
            return;
        }
        if self.state != State::Listen {
            self.read_options(&segment, net);
        }
        self.run_delayed_ack_timer(net);
        if !self.set.nopredict && self.is_expected(&segment) && self.take_expected(&segment, net) {
            return;
        }
        let mut needs_output = false;
        let mut next = match self.state {
            State::Listen => self.take_while_listening(&mut segment, net),
            State::SynSent => self.take_while_opening(&mut segment, net),
            State::LastAck if segment.has(bit::FIN) => Next::Drop,
            _ => self.take_in_connection(&mut segment, net),
        };
        if next == Next::NewAck {
            next = self.take_new_ack(&segment, &mut needs_output, net);
        }
        if next == Next::Bytes {
            self.take_bytes(&mut segment, needs_output, net);
        }
    }

    /// Stores the timestamp of a SYN.
    pub fn read_options(&mut self, segment: &Segment, net: &Network) {
        if self.tcp.config.timestamps && segment.is_timed() && segment.ts >= 0.0 && segment.came_with & bit::SYN != 0 {
            self.recent_ts = segment.ts;
            self.recent_at = net.now().secs();
        }
    }

    /// Starts the delayed-ACK timer; it expires at multiples of its interval.
    fn run_delayed_ack_timer(&mut self, net: &mut Network) {
        let interval = self.set.interval;
        if interval > 0.0 && !net.timer_runs(self.delayed_ack_timer) {
            let now_s = net.now().secs();
            let passed = (now_s / interval) as i32;
            net.set_timer(self.delayed_ack_timer, interval * (f64::from(passed) + 1.0) - now_s);
        }
    }

    /// Called when the delayed-ACK timer expires.
    pub fn on_send_delay_over(&mut self, net: &mut Network) {
        if std::mem::take(&mut self.pending.ack_later) {
            self.pending.ack_now = true;
            self.send_much(true, reason::NORMAL, 0, net);
        }
        net.set_timer(self.delayed_ack_timer, self.set.interval);
    }

    /// Whether header prediction applies: the segment is the next expected one of an open connection.
    fn is_expected(&self, segment: &Segment) -> bool {
        self.state == State::Established
            && segment.flags & (bit::SYN | bit::FIN | bit::ACK) == bit::ACK
            && !self.pending.fin
            && (!self.tcp.config.timestamps || !segment.is_timed() || segment.ts >= self.recent_ts)
            && segment.seqno == self.rcv_nxt
            && *self.tcp.t_seqno == *self.tcp.maxseq
            && (!self.tcp.config.ecn || !segment.echoes_mark())
            && segment.blocks == 0
    }

    /// Stores the timestamp of a segment that starts at or below the last ACK sent.
    fn note_timestamp(&mut self, segment: &Segment, net: &Network) {
        if self.tcp.config.timestamps && segment.is_timed() && segment.seqno <= self.last_ack_sent {
            self.recent_at = net.now().secs();
            self.recent_ts = segment.ts;
        }
    }

    /// The fast path: processes a pure ACK or in-order data. Returns false if the segment needs the slow path.
    fn take_expected(&mut self, segment: &Segment, net: &mut Network) -> bool {
        self.note_timestamp(segment, net);
        self.note_marks(segment, net);
        let most = self.tcp.config.maxburst;
        if segment.len == 0 {
            let is_plain = segment.ackno > *self.tcp.ack
                && segment.ackno < *self.tcp.maxseq
                && *self.tcp.cwnd >= self.tcp.config.window
                && !self.recovering;
            if is_plain {
                self.new_ack(segment, net);
                self.send_much(false, reason::NORMAL, most, net);
            }
            return is_plain;
        }
        if segment.ackno != *self.tcp.ack || !self.held.is_empty() {
            return false;
        }
        self.rcv_nxt += segment.len;
        self.pending.ack_later = true;
        self.deliver(segment.len, net);
        if self.acts_first {
            self.unanswered = Some(Unanswered::Expected);
        } else if self.owes_ack() {
            self.send_much(true, reason::NORMAL, most, net);
        }
        true
    }

    /// Answers a segment after the application has acted on its data. Its own segments may have acknowledged it.
    pub fn go_on(&mut self, net: &mut Network) {
        match self.unanswered.take() {
            None => {}
            Some(Unanswered::Expected) if !self.owes_ack() => {}
            Some(Unanswered::Expected) => self.send_much(true, reason::NORMAL, self.tcp.config.maxburst, net),
            Some(Unanswered::InOrder) => {
                let needs_output = self.owes_ack();
                self.answer(needs_output, net);
            }
            Some(Unanswered::FilledHole) => {
                self.pending.ack_now = true;
                self.answer(true, net);
            }
        }
    }

    /// The slow path for segments of a connection that is open or being opened.
    fn take_in_connection(&mut self, segment: &mut Segment, net: &mut Network) -> Next {
        let timestamps = self.tcp.config.timestamps;
        if timestamps && segment.is_timed() && self.recent_ts != 0.0 && segment.ts < self.recent_ts {
            if net.now().secs() - self.recent_at <= TIMESTAMP_IS_OLD_S {
                self.acknowledge(net);
                return Next::Drop;
            }
            self.recent_ts = 0.0;
        }
        let is_duplicate = self.cut_off_old(segment);
        self.note_timestamp(segment, net);
        if segment.has(bit::SYN) {
            self.refuse(segment, net);
            return Next::Drop;
        }
        if !segment.has(bit::ACK) {
            return Next::Drop;
        }
        self.take_ack(segment, is_duplicate, net)
    }

    /// Trims data that was received before. Returns whether the whole segment is a duplicate.
    fn cut_off_old(&mut self, segment: &mut Segment) -> bool {
        let mut old = self.rcv_nxt - segment.seqno;
        if old <= 0 || !(segment.has(bit::SYN) || segment.len > 0) {
            return false;
        }
        if segment.has(bit::SYN) {
            segment.flags &= !bit::SYN;
            segment.seqno += 1;
            segment.body -= 1;
            old -= 1;
        }
        let is_duplicate = old > segment.len || (old == segment.len && !segment.has(bit::FIN));
        if is_duplicate {
            segment.flags &= !bit::FIN;
            self.pending.ack_now = true;
            old = segment.len;
        }
        segment.seqno += old;
        segment.body -= old;
        segment.len -= old;
        is_duplicate
    }

    /// Processes the data and the FIN of a segment, then sends what is due.
    fn take_bytes(&mut self, segment: &mut Segment, needs_output: bool, net: &mut Network) {
        let mut needs_output = needs_output;
        if (segment.len > 0 || segment.has(bit::FIN)) && !self.state.has_fin() {
            if segment.seqno == self.rcv_nxt && self.held.is_empty() {
                self.pending.ack_later = true;
                self.rcv_nxt += segment.len;
                segment.flags = segment.came_with & bit::FIN;
                if segment.len != 0 {
                    self.deliver(segment.len, net);
                    if self.acts_first && !segment.has(bit::FIN) {
                        self.unanswered = Some(Unanswered::InOrder);
                        return;
                    }
                }
                needs_output = self.owes_ack();
            } else {
                let before = self.rcv_nxt;
                segment.flags = self.hold(segment);
                if self.rcv_nxt > before {
                    self.deliver(self.rcv_nxt - before, net);
                    if self.acts_first && !segment.has(bit::FIN) {
                        self.unanswered = Some(Unanswered::FilledHole);
                        return;
                    }
                }
                self.pending.ack_now = true;
                if segment.has(bit::PUSH) {
                    needs_output = self.owes_ack();
                }
            }
        } else {
            segment.flags &= !bit::FIN;
        }
        if segment.has(bit::FIN) {
            self.take_fin(net);
        }
        self.answer(needs_output, net);
    }

    /// Sends what is due after a segment.
    fn answer(&mut self, needs_output: bool, net: &mut Network) {
        let most = self.tcp.config.maxburst;
        if needs_output || self.pending.ack_now {
            self.send_much(true, reason::NORMAL, most, net);
        } else if *self.tcp.seqno >= *self.tcp.ack || self.without_end {
            self.send_much(false, reason::NORMAL, most, net);
        }
        if !self.set.halfclose && self.state == State::CloseWait && *self.tcp.ack == *self.tcp.maxseq {
            self.close_by_application(net);
        }
        if self.state == State::Closed {
            net.notify(Upcall::Done(self.tcp.end.id));
        }
    }

    /// Stores an out-of-order segment, or fills a hole. Returns the flags of the data that is now in order.
    fn hold(&mut self, segment: &Segment) -> u8 {
        let end = segment.seqno + segment.body;
        let fills_hole = segment.seqno == self.rcv_nxt;
        let mut flags = self.held.add(segment.seqno, end, segment.came_with, &mut self.rcv_nxt);
        if !self.state.has_syn() || !fills_hole {
            return 0;
        }
        if self.state == State::SynReceived && end > segment.seqno {
            return 0;
        }
        flags |= self.held.clear_to(self.rcv_nxt);
        flags
    }

    /// Processes the peer's FIN.
    fn take_fin(&mut self, net: &mut Network) {
        if !self.state.has_fin() {
            self.pending.ack_now = true;
            self.rcv_nxt += 1;
        }
        self.state = match self.state {
            State::SynReceived | State::Established => State::CloseWait,
            State::FinWait1 => State::Closing,
            State::FinWait2 => {
                self.stop_timers(net);
                State::Closed
            }
            other => other,
        };
    }
}
