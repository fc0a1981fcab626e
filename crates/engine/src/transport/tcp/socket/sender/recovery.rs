//! The congestion machine: Open, Disorder, CWR, Recovery and Loss.
//!
//! Source: RFC 5681; RFC 6675; RFC 6582 (NewReno, without SACK); RFC 3042 (limited transmit: a duplicate ACK lowers the
//! packets in flight and thereby lets one out); RFC 8985; Linux, `tcp_fastretrans_alert` and the functions that it calls.
//! What it decides: when the window is reduced, when a recovery ends, and whether lost or new data are sent next.
//! Departures: SACK loss detection is by RACK alone, as in Linux since 6.17. Without SACK, Recovery goes on until an ACK
//! passes `high_seq` (RFC 6582, "careful" variant).
//! Not implemented: MTU probing.
//! Checked against: packetdrill's scripts.

use super::super::Socket;
use super::super::clock::Instant;
use super::super::segment::Segment;
use super::super::seq::SeqNum;
use super::flag::Flag;
use super::output::Nagle;
use super::pending::Pending;
use super::rtt::usecs_in_jiffies;
use super::{CaState, Sender};
use crate::transport::tcp::cc::{CongestionEvent, Response};

/// What to send after an ACK (Linux's `REXMIT_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rexmit {
    /// Nothing in particular.
    #[default]
    None,
    /// Lost segments.
    Lost,
    /// New data: F-RTO tests whether the timeout was spurious.
    New,
}

impl Sender {
    /// `tcp_limit_reno_sacked`: without SACK, duplicate ACKs cannot count more than the packets out less the lost ones.
    fn limit_reno_sacked(&mut self) -> bool {
        let holes = self.lost_out.max(1).min(self.packets_out);
        let is_over = self.sacked_out + holes > self.packets_out;
        if is_over {
            self.sacked_out = self.packets_out - holes;
        }
        is_over
    }

    /// `tcp_check_reno_reordering`: more duplicate ACKs than packets: packets are reordered.
    fn check_reno_reordering(&mut self, addend: u32, max_reordering: u32) {
        if self.limit_reno_sacked() {
            self.reordering = (self.packets_out + addend).min(max_reordering);
            self.reord_seen += 1;
        }
    }

    /// `tcp_add_reno_sack`: without SACK, each duplicate ACK stands for a delivered packet.
    fn add_reno_sack(&mut self, num_dupack: u32, max_reordering: u32) {
        if num_dupack == 0 {
            return;
        }
        let prior_sacked = self.sacked_out;
        self.sacked_out += num_dupack;
        self.check_reno_reordering(0, max_reordering);
        let delivered = self.sacked_out.saturating_sub(prior_sacked);
        self.delivery.delivered = self.delivery.delivered.wrapping_add(delivered);
    }

    /// `tcp_current_ssthresh`: the threshold that an undo or a restart after idle restores.
    pub(super) fn current_ssthresh(&self) -> f64 {
        if self.in_cwnd_reduction() {
            return self.window.ssthresh;
        }
        let cwnd = self.snd_cwnd();
        self.window.ssthresh.max(f64::from(cwnd / 2 + cwnd / 4))
    }

    /// `tcp_init_undo`: from now on, an undo is possible.
    fn init_undo(&mut self) {
        self.undo_marker = Some(self.snd_una);
        self.undo_retrans = self.retrans_out as i32 + i32::from(self.tlp_high_seq.is_some() && self.tlp_retrans);
        if self.undo_retrans == 0 {
            self.undo_retrans = -1; // 0 means that all were spurious
        }
    }

    /// `tcp_cwnd_reduction`: the window by PRR.
    pub(super) fn cwnd_reduction(&mut self, newly_acked_sacked: u32, newly_lost: u32, snd_una_advanced: bool) {
        let (in_flight, ssthresh) = (self.packets_in_flight(), self.snd_ssthresh());
        let safe_ack = snd_una_advanced && newly_lost == 0;
        let prior_cwnd = self.prior_cwnd as u32;
        if let Some(cwnd) = self.prr.cwnd(newly_acked_sacked, in_flight, ssthresh, prior_cwnd, safe_ack) {
            self.set_snd_cwnd(cwnd);
        }
    }
}

impl Socket {
    /// A recovery is over, and it was not undone: tells the congestion control.
    fn on_recovery_exit(&mut self, now: Instant) {
        let path = self.path(now);
        self.snd.control.on_recovery_exit(&path, &mut self.snd.window);
    }

    /// `tcp_set_ca_state`.
    pub(super) fn set_ca_state(&mut self, now: Instant, state: CaState) {
        let path = self.path(now);
        self.snd.control.on_state(state, &path, &mut self.snd.window);
        self.snd.ca_state = state;
    }

    /// `icsk_ca_ops->ssthresh`: the congestion control answers a congestion event.
    pub(super) fn congestion_event(&mut self, now: Instant, event: CongestionEvent) {
        let path = self.path(now);
        let response = self.snd.control.on_congestion_event(event, &path, &mut self.snd.window);
        self.snd.own_response = response == Response::Own;
    }

    /// `tcp_init_cwnd_reduction`: a reduction begins.
    pub(super) fn init_cwnd_reduction(&mut self, now: Instant, event: CongestionEvent) {
        self.snd.high_seq = self.snd.snd_nxt;
        self.snd.tlp_high_seq = None;
        self.snd.prior_cwnd = f64::from(self.snd.snd_cwnd());
        self.snd.prr = super::Prr::default();
        self.congestion_event(now, event);
        self.ecn_queue_cwr();
    }

    /// `tcp_end_cwnd_reduction`: the window becomes `ssthresh`, unless the reduction was undone.
    pub(super) fn end_cwnd_reduction(&mut self, now: Instant) {
        let snd = &mut self.snd;
        if snd.own_response {
            return;
        }
        if snd.window.ssthresh.is_finite() && (snd.ca_state == CaState::Cwr || snd.undo_marker.is_some()) {
            snd.window.cwnd = snd.window.ssthresh.max(1.0);
            snd.snd_cwnd_stamp = now;
        }
        let path = self.path(now);
        self.snd.control.on_reduction_complete(&path, &mut self.snd.window);
    }

    /// `tcp_enter_cwr`: a mark: the window is reduced once per window of data, and the reduction cannot be undone.
    pub(in super::super) fn enter_cwr(&mut self, now: Instant) {
        self.snd.prior_ssthresh = None;
        if self.snd.ca_state < CaState::Cwr {
            self.snd.undo_marker = None;
            self.init_cwnd_reduction(now, CongestionEvent::Mark);
            self.set_ca_state(now, CaState::Cwr);
        }
    }

    /// `tcp_try_keep_open`: Open, or Disorder if something is still doubtful.
    pub(super) fn try_keep_open(&mut self, now: Instant) {
        let is_dubious = self.snd.left_out() > 0 || self.any_retrans_done();
        let state = if is_dubious { CaState::Disorder } else { CaState::Open };
        if self.snd.ca_state != state {
            self.set_ca_state(now, state);
            self.snd.high_seq = self.snd.snd_nxt;
        }
    }

    /// `tcp_try_to_open`.
    fn try_to_open(&mut self, now: Instant, flag: Flag) {
        if !self.any_retrans_done() {
            self.snd.retrans_stamp = None;
        }
        if flag.has(Flag::ECE) {
            self.enter_cwr(now);
        }
        if self.snd.ca_state != CaState::Cwr {
            self.try_keep_open(now);
        }
    }

    /// `tcp_enter_recovery`: fast recovery begins.
    pub(super) fn enter_recovery(&mut self, now: Instant, ece_ack: bool) {
        if !self.any_retrans_done() {
            self.snd.retrans_stamp = None; // `tcp_retrans_stamp_cleanup`
        }
        self.snd.prior_ssthresh = None;
        self.snd.init_undo();
        if !self.snd.in_cwnd_reduction() {
            if !ece_ack {
                self.snd.prior_ssthresh = Some(self.snd.current_ssthresh());
            }
            self.init_cwnd_reduction(now, CongestionEvent::Loss);
        }
        self.set_ca_state(now, CaState::Recovery);
    }

    /// `tcp_enter_loss`: the RTO expired (RFC 5681, 3.1).
    pub(super) fn enter_loss(&mut self, now: Instant) {
        let new_recovery = self.snd.ca_state < CaState::Recovery;
        self.timeout_mark_lost(now);
        let is_first_here = self.snd.ca_state <= CaState::Disorder
            || !self.snd.high_seq.after(self.snd.snd_una)
            || (self.snd.ca_state == CaState::Loss && self.snd.retransmits == 0);
        if is_first_here {
            self.snd.prior_ssthresh = Some(self.snd.current_ssthresh());
            self.snd.prior_cwnd = f64::from(self.snd.snd_cwnd());
            self.congestion_event(now, CongestionEvent::Timeout);
            self.snd.init_undo();
        }
        if !self.snd.own_response {
            self.snd.set_snd_cwnd(self.snd.packets_in_flight() + 1);
        }
        if !is_first_here {
            let path = self.path(now);
            self.snd.control.on_timeout_in_recovery(&path, &mut self.snd.window);
        }
        self.snd.snd_cwnd_stamp = now;
        let reordering = self.config.reordering;
        if self.snd.ca_state <= CaState::Disorder && self.snd.sacked_out >= reordering {
            self.snd.reordering = self.snd.reordering.min(reordering);
        }
        self.set_ca_state(now, CaState::Loss);
        self.snd.high_seq = self.snd.snd_nxt;
        self.snd.tlp_high_seq = None;
        self.ecn_queue_cwr();
        self.snd.frto = self.config.frto != 0 && (new_recovery || self.snd.retransmits > 0);
    }

    /// `tcp_check_sack_reneging`: SND.UNA was reported by SACK: the peer has dropped what it reported. Waits a little, then
    /// the RTO forgets all reports.
    fn check_sack_reneging(&mut self, now: Instant, flag: &mut Flag) -> bool {
        let is_reneging = flag.has(Flag::SACK_RENEGING) && flag.has(Flag::SND_UNA_ADVANCED);
        if is_reneging {
            let half_rtt = usecs_in_jiffies(u64::from(self.snd.rtt.srtt_us >> 4), self.config.hz);
            let least = usecs_in_jiffies(10_000, self.config.hz);
            self.snd.reset_xmit_timer(Pending::Retrans, now, half_rtt.max(least));
            flag.remove(Flag::SET_XMIT_TIMER);
        }
        is_reneging
    }

    /// `tcp_remove_reno_sacks`: without SACK, an ACK of data delivers a packet that was missing, and those that duplicate
    /// ACKs have counted.
    pub(super) fn remove_reno_sacks(&mut self, acked: u32) {
        let snd = &mut self.snd;
        if acked > 0 {
            let delivered = acked.saturating_sub(snd.sacked_out).max(1);
            snd.delivery.delivered = snd.delivery.delivered.wrapping_add(delivered);
            snd.sacked_out = snd.sacked_out.saturating_sub(acked - 1);
        }
        snd.check_reno_reordering(acked, self.config.max_reordering);
    }

    /// `tcp_identify_packet_loss`.
    fn identify_packet_loss(&mut self, now: Instant, flag: &mut Flag) {
        if self.snd.rtx_queue.is_empty() {
            return;
        }
        if !self.snd.sack_ok {
            self.newreno_mark_lost(now, flag.has(Flag::SND_UNA_ADVANCED));
            return;
        }
        let prior_retrans = self.snd.retrans_out;
        if self.rack_mark_lost(now) {
            flag.remove(Flag::SET_XMIT_TIMER);
        }
        if prior_retrans > self.snd.retrans_out {
            flag.insert(Flag::LOST_RETRANS);
        }
    }

    /// `tcp_fastretrans_alert`: the congestion machine, for an unusual ACK.
    pub(super) fn fastretrans_alert(
        &mut self,
        now: Instant,
        segment: &Segment,
        prior_snd_una: SeqNum,
        num_dupack: u32,
        ack_flag: &mut Flag,
        rexmit: &mut Rexmit,
    ) {
        let flag = *ack_flag;
        let ece_ack = flag.has(Flag::ECE);
        if self.snd.packets_out == 0 {
            self.snd.sacked_out = 0;
        }
        // A. A mark: the reduction must not be undone.
        if ece_ack {
            self.snd.prior_ssthresh = None;
        }
        // B. The peer has dropped what it reported.
        if self.check_sack_reneging(now, ack_flag) {
            return;
        }
        // D. Does the state end?
        if self.snd.ca_state == CaState::Open {
            self.snd.retrans_stamp = None;
        } else if !self.snd.snd_una.before(self.snd.high_seq) {
            match self.snd.ca_state {
                // The segment at `high_seq` carries CWR: what follows it must be acknowledged.
                CaState::Cwr if self.snd.snd_una != self.snd.high_seq => {
                    self.end_cwnd_reduction(now);
                    self.set_ca_state(now, CaState::Open);
                    self.on_recovery_exit(now);
                }
                CaState::Recovery => {
                    if !self.snd.sack_ok {
                        self.snd.sacked_out = 0;
                    }
                    let could_undo = self.snd.undo_marker.is_some();
                    if self.try_undo_recovery(now, segment) {
                        return;
                    }
                    self.end_cwnd_reduction(now);
                    if !could_undo || self.snd.undo_marker.is_some() {
                        self.on_recovery_exit(now);
                    }
                }
                _ => {}
            }
        }
        // E. The state decides.
        match self.snd.ca_state {
            CaState::Recovery => {
                if !flag.has(Flag::SND_UNA_ADVANCED) {
                    if !self.snd.sack_ok {
                        self.snd.add_reno_sack(num_dupack, self.config.max_reordering);
                    }
                } else if self.try_undo_partial(now, segment, prior_snd_una) {
                    return;
                }
                if self.try_undo_dsack(now) {
                    self.try_to_open(now, flag);
                }
                self.identify_packet_loss(now, ack_flag);
                if self.snd.ca_state != CaState::Recovery {
                    if self.snd.lost_out == 0 {
                        return;
                    }
                    self.enter_recovery(now, ece_ack);
                }
            }
            CaState::Loss => {
                self.process_loss(now, segment, flag, num_dupack, rexmit);
                if self.snd.ca_state != CaState::Loss {
                    self.update_rto_time(now);
                }
                self.identify_packet_loss(now, ack_flag);
                if !(self.snd.ca_state == CaState::Open || ack_flag.has(Flag::LOST_RETRANS)) {
                    return;
                }
                if !self.process_open(now, flag, num_dupack, ack_flag) {
                    return;
                }
            }
            CaState::Open | CaState::Disorder | CaState::Cwr => {
                if !self.process_open(now, flag, num_dupack, ack_flag) {
                    return;
                }
            }
        }
        *rexmit = Rexmit::Lost;
    }

    /// The states without a loss: returns whether Recovery has begun.
    fn process_open(&mut self, now: Instant, flag: Flag, num_dupack: u32, ack_flag: &mut Flag) -> bool {
        if !self.snd.sack_ok {
            if flag.has(Flag::SND_UNA_ADVANCED) {
                self.snd.sacked_out = 0;
            }
            self.snd.add_reno_sack(num_dupack, self.config.max_reordering);
        }
        if self.snd.ca_state <= CaState::Disorder {
            self.try_undo_dsack(now);
        }
        self.identify_packet_loss(now, ack_flag);
        if self.snd.lost_out == 0 {
            self.try_to_open(now, flag);
            return false;
        }
        self.enter_recovery(now, flag.has(Flag::ECE));
        true
    }

    /// `tcp_process_loss`: an ACK in Loss.
    fn process_loss(&mut self, now: Instant, segment: &Segment, flag: Flag, num_dupack: u32, rexmit: &mut Rexmit) {
        let recovered = !self.snd.snd_una.before(self.snd.high_seq);
        if flag.has(Flag::SND_UNA_ADVANCED) && self.try_undo_loss(now, segment, false) {
            return;
        }
        if self.snd.frto {
            // F-RTO (RFC 5682, 3.1, with SACK). Step 3.b: data that were never retransmitted are delivered.
            if flag.has(Flag::ORIG_SACK_ACKED) && self.try_undo_loss(now, segment, true) {
                return;
            }
            if self.snd.snd_nxt.after(self.snd.high_seq) {
                if flag.has(Flag::DATA_SACKED) || num_dupack > 0 {
                    self.snd.frto = false; // step 3.a: the loss was real
                }
            } else if flag.has(Flag::SND_UNA_ADVANCED) && !recovered {
                self.snd.high_seq = self.snd.snd_nxt;
                // Step 2.b: new data, if the peer's window allows it.
                if !self.snd.write_queue.is_empty() && self.snd.wnd_end().after(self.snd.snd_nxt) {
                    *rexmit = Rexmit::New;
                    return;
                }
                self.snd.frto = false;
            }
        }
        if recovered {
            if !self.try_undo_recovery(now, segment) {
                self.on_recovery_exit(now);
            }
            return;
        }
        if !self.snd.sack_ok {
            if self.snd.snd_nxt.after(self.snd.high_seq) && num_dupack > 0 {
                self.snd.add_reno_sack(num_dupack, self.config.max_reordering);
            } else if flag.has(Flag::SND_UNA_ADVANCED) {
                self.snd.sacked_out = 0;
            }
        }
        *rexmit = Rexmit::Lost;
    }

    /// `tcp_xmit_recovery`: sends what the congestion machine has decided, with the window that the ACK has left.
    pub(super) fn xmit_recovery(&mut self, now: Instant, rexmit: Rexmit) {
        if rexmit == Rexmit::None || self.state == super::super::TcpState::SynSent {
            return;
        }
        if rexmit == Rexmit::New {
            let mss = self.current_mss();
            self.push_pending_frames(now, mss, Nagle::OFF);
            if self.snd.snd_nxt.after(self.snd.high_seq) {
                return;
            }
            self.snd.frto = false;
        }
        self.xmit_retransmit_queue(now);
    }

    /// `tcp_update_rto_time`: a series of timeouts is over.
    pub(super) fn update_rto_time(&mut self, now: Instant) {
        if let Some(since_ms) = self.snd.rto_stamp.take() {
            self.snd.total_rto_time += (now.as_millis() - since_ms) as u32;
        }
    }
}
