//! The congestion machine of a stream's sender: what an ACK or a timeout does, in the order of `tcp_ack`.

use super::{Packet, Sender};
use ackclock_engine::transport::tcp::cc::{Ack, CaState, CongestionEvent, Rate, Response};

/// Packets that SACK must have reported above a hole before it counts as lost.
const DUPTHRESH: usize = 3;

/// What an ACK has delivered.
#[derive(Default)]
struct Delivered {
    delivered: u32,
    acked: u32,
    sacked: u32,
    marked: u32,
    rtt_us: Option<u64>,
    /// The packet that was sent last.
    newest: Option<Packet>,
}

impl Sender<'_> {
    /// An ACK of the next `count` packets arrives.
    pub(super) fn ack(&mut self, count: usize) {
        let prior_in_flight = self.in_flight();
        let (lost_before, una_before) = (self.lost, self.snd_una);
        let found = self.deliver(count);
        if let Some(rtt_us) = found.rtt_us {
            self.take_rtt(rtt_us);
        }
        let mut ack = Ack {
            delivered: found.delivered,
            acked: found.acked,
            sacked: found.sacked,
            echoes_mark: found.marked > 0,
            rtt_s: found.rtt_us.map(|rtt_us| rtt_us as f64 / 1e6),
            prior_in_flight,
            prior_delivered: found.newest.map_or(0, |packet| packet.delivered),
            timestamps: Some(((self.now_us / 1000) as u32, (self.now_us / 1000) as u32 - 1)),
            ..Ack::default()
        };
        let path = self.path();
        self.control.on_packets_acked(&ack, &path, &mut self.window);
        self.advance_machine(found.marked > 0);
        self.delivered_ce += u64::from(found.marked);
        (ack.marked, ack.lost) = (found.marked, (self.lost - lost_before) as u32);
        if let Some(packet) = found.newest {
            ack.ends_round = packet.delivered >= self.next_rtt_delivered;
            ack.rate = Some(self.rate(&packet));
        }
        if ack.ends_round {
            self.next_rtt_delivered = self.delivered;
        }
        self.set_window(&ack, self.snd_una > una_before);
        if self.retransmits > 0 && self.snd_una > una_before {
            self.retransmits = 0;
        }
    }

    /// `tcp_cong_control`.
    fn set_window(&mut self, ack: &Ack, is_advanced: bool) {
        let path = self.path();
        let is_reducing = self.in_cwnd_reduction() && !self.own_response;
        let may_raise = ack.acked > 0 || (self.is.reordering > 3 && ack.sacked > 0);
        let prior_cwnd = self.window.cwnd;
        self.control.on_ack(ack, &path, &mut self.window);
        if is_reducing {
            self.window.cwnd = prior_cwnd;
            self.cwnd_reduction(ack.delivered, ack.lost, is_advanced);
        } else if !may_raise && !self.control.has_cong_control() {
            self.window.cwnd = self.window.cwnd.min(prior_cwnd);
        }
        if self.window.holds_back {
            self.app_limited = (self.delivered + u64::from(self.in_flight())).max(1);
        }
        if self.control.asks_for_reduction() {
            self.enter_cwr();
        }
        self.update_pacing_rate();
    }

    fn deliver(&mut self, count: usize) -> Delivered {
        let mut found = Delivered::default();
        let gap_us = self.draws.between(1, 1 + self.is.service_us * self.is.packets_per_ack);
        let jitter_us = self.draws.between(0, self.is.rtt_us / 20);
        let queue_us = u64::from(self.in_flight()) * self.is.service_us;
        let mut places: Vec<usize> = Vec::new();
        for (place, packet) in self.flight.iter().enumerate() {
            if !packet.is_sacked && !packet.is_dropped && places.len() < count {
                places.push(place);
            }
        }
        let last_sent_us = places.iter().map(|&place| self.flight[place].sent_us).max().unwrap_or(0);
        self.now_us = (self.now_us + gap_us).max(last_sent_us + self.is.rtt_us + jitter_us + queue_us);
        let mut any_retransmitted = false;
        for &place in &places {
            let packet = &mut self.flight[place];
            (packet.is_sacked, packet.is_lost) = (true, false);
            let packet = *packet;
            found.delivered += 1;
            any_retransmitted |= packet.is_retransmitted;
            found.marked += u32::from(self.draws.happens(self.is.marks));
            if found.newest.is_none_or(|newest| packet.sent_us >= newest.sent_us) {
                found.newest = Some(packet);
            }
        }
        self.delivered += u64::from(found.delivered);
        self.delivered_us = self.now_us;
        if self.app_limited != 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let mut newly_in_order = 0;
        while self.flight.front().is_some_and(|packet| packet.is_sacked) {
            let packet = self.flight.pop_front().expect("there is one");
            self.snd_una = packet.end_seq;
            found.acked += 1;
            newly_in_order += 1;
        }
        // Packets that were reported by SACK before and are acknowledged now are not delivered again.
        found.sacked = found.delivered.saturating_sub(newly_in_order);
        if let Some(packet) = found.newest {
            if !any_retransmitted {
                found.rtt_us = Some(self.now_us - packet.sent_us);
            }
            self.first_tx_us = packet.sent_us;
        }
        found
    }

    /// `tcp_rate_gen`.
    fn rate(&self, packet: &Packet) -> Rate {
        let send_us = packet.sent_us.saturating_sub(packet.first_tx_us);
        let ack_us = self.delivered_us.saturating_sub(packet.delivered_us);
        let interval_us = send_us.max(ack_us);
        let delivered = self.delivered - packet.delivered;
        let is_valid = interval_us >= self.min_rtt_us && interval_us > 0;
        Rate {
            per_s: is_valid.then(|| delivered as f64 * 1e6 / interval_us as f64),
            delivered,
            prior_delivered: packet.delivered,
            lost: self.lost - packet.lost,
            marked: self.delivered_ce - packet.delivered_ce,
            seqno: 0,
            end_seqno: 0,
            in_flight: packet.in_flight,
            is_app_limited: packet.is_app_limited,
        }
    }

    /// `tcp_fastretrans_alert`.
    fn advance_machine(&mut self, has_marks: bool) {
        if has_marks {
            self.prior_ssthresh = None;
        }
        if self.ca != CaState::Open && self.snd_una >= self.high_seq {
            self.leave();
        }
        let sacked = self.sacked_out() as usize;
        let newly_lost = self.flight.iter().filter(|packet| packet.is_dropped && !packet.is_lost).count();
        if newly_lost > 0 && (sacked >= DUPTHRESH || self.ca >= CaState::Recovery) {
            for packet in &mut self.flight {
                packet.is_lost |= packet.is_dropped;
            }
            self.lost += newly_lost as u64;
            if self.ca < CaState::Recovery {
                self.enter_recovery(has_marks);
            }
        } else if self.ca <= CaState::Cwr {
            if has_marks {
                self.enter_cwr();
            }
            if self.ca != CaState::Cwr {
                self.try_keep_open();
            }
        }
    }

    /// The state ends: SND.UNA has reached `high_seq`.
    fn leave(&mut self) {
        match self.ca {
            CaState::Cwr if self.snd_una > self.high_seq => {
                self.end_cwnd_reduction();
                self.set_state(CaState::Open);
                self.exit_recovery();
            }
            CaState::Recovery => {
                let is_undone = self.try_undo();
                self.set_state(CaState::Open);
                self.end_cwnd_reduction();
                if !is_undone {
                    self.exit_recovery();
                }
            }
            CaState::Loss => {
                let is_undone = self.try_undo();
                self.set_state(CaState::Open);
                if !is_undone {
                    self.exit_recovery();
                }
            }
            _ => {}
        }
    }

    /// `tcp_try_undo_recovery`, where the stream says so.
    fn try_undo(&mut self) -> bool {
        let is_undone = self.can_undo && self.draws.happens(self.is.undone);
        if is_undone {
            if let Some(prior_ssthresh) = self.prior_ssthresh {
                if !self.own_response {
                    self.window.cwnd = self.window.cwnd.max(self.prior_cwnd);
                }
                self.window.ssthresh = self.window.ssthresh.max(prior_ssthresh);
                let path = self.path();
                self.control.on_spurious_loss(&path, &mut self.window);
            }
            self.can_undo = false;
        }
        is_undone
    }

    fn exit_recovery(&mut self) {
        let path = self.path();
        self.control.on_recovery_exit(&path, &mut self.window);
    }

    fn set_state(&mut self, state: CaState) {
        let path = self.path();
        self.control.on_state(state, &path, &mut self.window);
        self.ca = state;
    }

    fn try_keep_open(&mut self) {
        let state = if self.sacked_out() > 0 { CaState::Disorder } else { CaState::Open };
        if self.ca != state {
            self.set_state(state);
            self.high_seq = self.snd_nxt;
        }
    }

    fn congestion_event(&mut self, event: CongestionEvent) {
        let path = self.path();
        let response = self.control.on_congestion_event(event, &path, &mut self.window);
        self.own_response = response == Response::Own;
    }

    /// `tcp_init_cwnd_reduction`.
    fn init_cwnd_reduction(&mut self, event: CongestionEvent) {
        self.high_seq = self.snd_nxt;
        self.prior_cwnd = f64::from(self.snd_cwnd());
        (self.prr_delivered, self.prr_out) = (0, 0);
        self.congestion_event(event);
    }

    fn enter_cwr(&mut self) {
        self.prior_ssthresh = None;
        if self.ca < CaState::Cwr {
            self.can_undo = false;
            self.init_cwnd_reduction(CongestionEvent::Mark);
            self.set_state(CaState::Cwr);
        }
    }

    fn enter_recovery(&mut self, has_marks: bool) {
        self.prior_ssthresh = None;
        self.can_undo = true;
        if !self.in_cwnd_reduction() {
            if !has_marks {
                self.prior_ssthresh = Some(self.current_ssthresh());
            }
            self.init_cwnd_reduction(CongestionEvent::Loss);
        }
        self.set_state(CaState::Recovery);
    }

    /// `tcp_enter_loss`.
    pub(super) fn enter_loss(&mut self) {
        for packet in &mut self.flight {
            if !packet.is_sacked {
                self.lost += u64::from(!packet.is_lost);
                (packet.is_lost, packet.is_dropped) = (true, true);
            }
        }
        let is_first = self.ca <= CaState::Disorder
            || self.high_seq <= self.snd_una
            || (self.ca == CaState::Loss && self.retransmits == 0);
        if is_first {
            self.prior_ssthresh = Some(self.current_ssthresh());
            self.prior_cwnd = f64::from(self.snd_cwnd());
            self.congestion_event(CongestionEvent::Timeout);
            self.can_undo = true;
        }
        if !self.own_response {
            self.window.cwnd = f64::from(self.in_flight() + 1);
        }
        if !is_first {
            let path = self.path();
            self.control.on_timeout_in_recovery(&path, &mut self.window);
        }
        self.set_state(CaState::Loss);
        self.high_seq = self.snd_nxt;
        self.retransmits += 1;
    }

    fn end_cwnd_reduction(&mut self) {
        if self.own_response {
            return;
        }
        if self.window.ssthresh.is_finite() && (self.ca == CaState::Cwr || self.can_undo) {
            self.window.cwnd = self.window.ssthresh.max(1.0);
        }
        let path = self.path();
        self.control.on_reduction_complete(&path, &mut self.window);
    }

    /// `tcp_cwnd_reduction`: PRR (RFC 9937).
    fn cwnd_reduction(&mut self, delivered: u32, lost: u32, is_advanced: bool) {
        let prior_cwnd = self.prior_cwnd as u64;
        if delivered == 0 || prior_cwnd == 0 {
            return;
        }
        self.prr_delivered += delivered;
        let (in_flight, ssthresh) = (i64::from(self.in_flight()), i64::from(self.snd_ssthresh()));
        let (all, out) = (i64::from(self.prr_delivered), i64::from(self.prr_out));
        let delta = ssthresh - in_flight;
        let sndcnt = if delta < 0 {
            (ssthresh as u64 * all as u64).div_ceil(prior_cwnd) as i64 - out
        } else {
            let conserved = (all - out).max(i64::from(delivered)) + i64::from(is_advanced && lost == 0);
            conserved.min(delta)
        };
        let sndcnt = sndcnt.max(i64::from(self.prr_out == 0));
        self.window.cwnd = (in_flight + sndcnt).max(1) as f64;
    }
}
