//! ACK processing: the peer's window, delivered segments, RTT samples, and the input of the congestion control.
//!
//! Source: RFC 9293, section 3.10.7.4 (fifth); RFC 5961, section 5.2; RFC 5681; RFC 7323, section 4; Linux, `tcp_ack`,
//! `tcp_clean_rtx_queue`, `tcp_ack_update_window`, `tcp_ack_update_rtt`, `tcp_cong_control`.
//! What it decides: what an ACK acknowledges, and in which order its consequences follow: delivered segments, RTT, probe,
//! state of the congestion machine, window, retransmissions. Departures: none. Not implemented: the fast path.
//! Checked against: packetdrill's scripts.

use super::super::Socket;
use super::super::clock::Instant;
use super::super::segment::{Segment, flag};
use super::super::seq::SeqNum;
use super::flag::Flag;
use super::rate::RateSample;
use super::recovery::Rexmit;
use super::sack::SacktagState;
use super::skb::tag;
use super::undo::skb_spurious_retrans;
use super::{CaState, Sender};
use crate::transport::tcp::cc;

/// How a segment's ACK field is processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckFlags {
    /// TS.Recent is updated from the segment, if its ACK is acceptable (`FLAG_UPDATE_TS_RECENT`).
    pub update_ts_recent: bool,
    /// An invalid ACK gets no challenge ACK (`FLAG_NO_CHALLENGE_ACK`).
    pub no_challenge_ack: bool,
}

/// The state before an ACK.
#[derive(Clone, Copy, Debug)]
struct Prior {
    /// The number after the highest segment that SACK had reported.
    fack: SeqNum,
    snd_una: SeqNum,
    /// Packets delivered.
    delivered: u32,
}

/// What [`Socket::clean_rtx_queue`] found.
#[derive(Clone, Copy, Debug, Default)]
struct Cleaned {
    flag: Flag,
    pkts_acked: u32,
    /// Send times of the first and last segment that was never retransmitted, us.
    first_ackt: Option<u64>,
    last_ackt: u64,
    /// The lowest number acknowledged that was neither retransmitted nor reported.
    reord: SeqNum,
    /// No segment was acknowledged in part.
    fully_acked: bool,
}

impl Sender {
    /// `tcp_ack_update_window`: takes over the peer's window (RFC 9293, 3.10.7.4). Returns whether it may have changed, and
    /// whether it is another one.
    fn ack_update_window(&mut self, segment: &Segment) -> (bool, bool) {
        let mut nwin = u32::from(segment.window);
        if !segment.has(flag::SYN) {
            nwin <<= self.snd_wscale;
        }
        let (ack, seq) = (segment.ack, segment.seq);
        let may_update = ack.after(self.snd_una)
            || seq.after(self.snd_wl1)
            || (seq == self.snd_wl1 && (nwin > self.snd_wnd || nwin == 0));
        if !may_update {
            return (false, false);
        }
        self.snd_wl1 = seq;
        let is_other = self.snd_wnd != nwin;
        self.snd_wnd = nwin;
        (true, is_other)
    }

    /// `tcp_snd_una_update`.
    fn snd_una_update(&mut self, ack: SeqNum) {
        self.bytes_acked += ack.since(self.snd_una) as u64;
        self.snd_una = ack;
    }

    /// `tcp_ack_is_dubious`: whether the congestion machine must look at the ACK.
    #[inline]
    fn ack_is_dubious(&self, flag: Flag) -> bool {
        !flag.has(Flag::NOT_DUP) || flag.has(Flag::CA_ALERT) || self.ca_state != CaState::Open
    }
}

impl Socket {
    /// `tcp_ack`: processes the ACK field of a segment. Returns `false` if it acknowledges what was never sent, or is too
    /// old.
    pub(in super::super) fn on_ack(&mut self, now: Instant, segment: &Segment, flags: AckFlags) -> bool {
        let prior_snd_una = self.snd.snd_una;
        let ack = segment.ack;
        if ack.before(prior_snd_una) {
            return self.on_old_ack(now, segment, flags);
        }
        if ack.after(self.snd.snd_nxt) {
            // RFC 5961, 5.2.
            if !flags.no_challenge_ack {
                self.send_challenge_ack(now);
            }
            return false;
        }
        let mut flag = Flag::default();
        if ack.after(prior_snd_una) {
            flag.insert(Flag::SND_UNA_ADVANCED);
            self.snd.retransmits = 0;
        }
        let prior_fack = if self.snd.sack_ok { self.snd.highest_sack_seq() } else { prior_snd_una };
        let is_sack_reneg = self.snd.is_sack_reneg;
        let prior_packets = self.snd.packets_out;
        let (prior_delivered, prior_lost) = (self.snd.delivery.delivered, self.snd.delivery.lost);
        let mut state = SacktagState {
            first_sackt: None,
            last_sackt: 0,
            reord: self.snd.snd_nxt,
            sack_delivered: 0,
            delivered_bytes: 0,
            flag: Flag::default(),
            rate: RateSample { prior_in_flight: self.snd.packets_in_flight(), ..RateSample::default() },
        };
        if flags.update_ts_recent {
            self.replace_ts_recent(now, segment);
        }
        if segment.seq_len() > 0 {
            flag.insert(Flag::DATA);
        }
        self.take_window(now, segment, &mut flag);
        if !segment.options.sack_blocks().is_empty() && self.snd.sack_ok {
            self.sacktag_write_queue(now, segment, prior_snd_una, &mut state);
            flag.insert(state.flag);
        }
        if self.ecn_rcv_ecn_echo(segment) {
            flag.insert(Flag::ECE);
        }
        self.snd.delivery.delivered = self.snd.delivery.delivered.wrapping_add(state.sack_delivered);
        self.ecn_accept_cwr(segment);
        self.snd.probes_out = 0;
        self.snd.rcv_tstamp = now;
        let mut rexmit = Rexmit::None;
        if prior_packets == 0 {
            self.ecn_on_ack(now, segment, state.sack_delivered, 0);
            if flag.has(Flag::DSACKING_ACK) {
                self.fastretrans_alert(now, segment, prior_snd_una, 0, &mut flag, &mut rexmit);
            }
            self.ack_probe(now);
            if self.snd.tlp_high_seq.is_some() {
                self.process_tlp_ack(now, ack, flag);
            }
            return true;
        }

        let prior = Prior { fack: prior_fack, snd_una: prior_snd_una, delivered: prior_delivered };
        self.clean_rtx_queue(now, segment, prior, &mut state, &mut flag);
        let delivered = self.snd.delivery.delivered.wrapping_sub(prior_delivered);
        state.rate.marked = self.ecn_on_ack(now, segment, delivered, u64::from(state.delivered_bytes));
        if state.rate.marked > 0 {
            flag.insert(Flag::ECE);
        } else if flag.has(Flag::ECE) {
            state.rate.marked = delivered; // RFC 3168 does not tell how many
        }
        self.rack_update_reo_wnd((state.rate.prior_mstamp > 0).then_some(state.rate.prior_delivered));
        if self.snd.tlp_high_seq.is_some() {
            self.process_tlp_ack(now, ack, flag);
        }
        if self.snd.ack_is_dubious(flag) {
            let is_not_dup =
                flag.has(Flag::SND_UNA_ADVANCED) || flag.has(Flag::NOT_DUP) || flag.has(Flag::DSACKING_ACK);
            let num_dupack = u32::from(!is_not_dup);
            self.fastretrans_alert(now, segment, prior_snd_una, num_dupack, &mut flag, &mut rexmit);
        }
        if flag.has(Flag::SET_XMIT_TIMER) {
            self.set_xmit_timer(now);
        }
        let delivered = self.snd.delivery.delivered.wrapping_sub(prior_delivered);
        self.snd.delivery.delivered_ce = self.snd.delivery.delivered_ce.wrapping_add(state.rate.marked);
        let lost = self.snd.delivery.lost.wrapping_sub(prior_lost);
        let min_rtt_us = self.snd.min_rtt_us();
        state.rate.is_ack_delayed = flag.has(Flag::ACK_MAYBE_DELAYED);
        self.snd.delivery.generate(&mut state.rate, delivered, now.as_micros(), min_rtt_us, is_sack_reneg);
        self.cong_control(now, segment, delivered, lost, flag, &state.rate);
        self.xmit_recovery(now, rexmit);
        true
    }

    /// An ACK below SND.UNA: its SACK blocks may still be news. One that is too old is invalid (RFC 5961, 5.2).
    fn on_old_ack(&mut self, now: Instant, segment: &Segment, flags: AckFlags) -> bool {
        let prior_snd_una = self.snd.snd_una;
        let max_window = u64::from(self.snd.max_window).min(self.snd.bytes_acked) as u32;
        if segment.ack.before(prior_snd_una.sub(max_window)) {
            if !flags.no_challenge_ack {
                self.send_challenge_ack(now);
            }
            return false;
        }
        if flags.update_ts_recent {
            self.replace_ts_recent(now, segment);
        }
        if !segment.options.sack_blocks().is_empty() && self.snd.sack_ok {
            let mut state = SacktagState {
                first_sackt: None,
                last_sackt: 0,
                reord: self.snd.snd_nxt,
                sack_delivered: 0,
                delivered_bytes: 0,
                flag: Flag::default(),
                rate: RateSample::default(),
            };
            self.sacktag_write_queue(now, segment, prior_snd_una, &mut state);
            let (mut flag, mut rexmit) = (state.flag, Rexmit::None);
            self.fastretrans_alert(now, segment, prior_snd_una, 0, &mut flag, &mut rexmit);
            self.xmit_recovery(now, rexmit);
        }
        true
    }

    /// Takes over the peer's window and the ACK number.
    fn take_window(&mut self, now: Instant, segment: &Segment, flag: &mut Flag) {
        let (may_update, is_other) = self.snd.ack_update_window(segment);
        if may_update {
            flag.insert(Flag::WIN_UPDATE);
        }
        if is_other {
            if !self.snd.write_queue.is_empty() {
                self.slow_start_after_idle_check(now);
            }
            if self.snd.snd_wnd > self.snd.max_window {
                self.snd.max_window = self.snd.snd_wnd;
                self.sync_mss();
            }
        }
        self.snd.snd_una_update(segment.ack);
    }

    /// `tcp_clean_rtx_queue`: removes acknowledged segments, and takes RTT samples.
    fn clean_rtx_queue(
        &mut self,
        now: Instant,
        segment: &Segment,
        prior: Prior,
        state: &mut SacktagState,
        flag: &mut Flag,
    ) {
        let prior_sacked = self.snd.sacked_out;
        let tsecr = self.rcv_tsecr(segment);
        let mut cleaned = Cleaned { reord: self.snd.snd_nxt, fully_acked: true, ..Cleaned::default() };
        while let Some(head) = self.snd.rtx_queue.head() {
            // Nothing of it is acknowledged.
            if !self.snd.snd_una.after(head.seq) && head.end_seq.after(self.snd.snd_una) {
                break;
            }
            if !self.clean_head(now, tsecr, state, &mut cleaned) {
                break;
            }
        }
        if self.snd.retransmit_hint.is_some_and(|hint| hint.before(self.snd.snd_una)) {
            self.snd.retransmit_hint = None;
        }
        let head_sent_us = self.snd.rtx_queue.head().map(|head| (head.has(tag::SACKED_ACKED), head.timestamp_us()));
        match head_sent_us {
            None => self.chrono_stop_busy(now),
            Some((true, _)) => cleaned.flag.insert(Flag::SACK_RENEGING),
            Some(_) => {}
        }
        let now_us = now.as_micros();
        let (mut seq_rtt_us, mut ca_rtt_us, mut sack_rtt_us) = (None, None, None);
        if let Some(first_ackt) = cleaned.first_ackt
            && !cleaned.flag.has(Flag::RETRANS_DATA_ACKED)
        {
            seq_rtt_us = Some(now_us.saturating_sub(first_ackt));
            ca_rtt_us = Some(now_us.saturating_sub(cleaned.last_ackt));
            let is_alert = flag.has(Flag::CA_ALERT) || cleaned.flag.has(Flag::SYN_ACKED);
            if cleaned.pkts_acked == 1
                && cleaned.fully_acked
                && prior_sacked == 0
                && (self.snd.snd_una.since(prior.snd_una) as u32) < self.snd.mss_cache
                && state.rate.prior_delivered.wrapping_add(1) == self.snd.delivery.delivered
                && !is_alert
            {
                cleaned.flag.insert(Flag::ACK_MAYBE_DELAYED);
            }
        }
        if let Some(first_sackt) = state.first_sackt {
            sack_rtt_us = Some(now_us.saturating_sub(first_sackt));
            ca_rtt_us = Some(now_us.saturating_sub(state.last_sackt));
        }
        let rtts = (seq_rtt_us, sack_rtt_us, ca_rtt_us);
        let rtt_update = self.ack_update_rtt(now, segment, cleaned.flag, rtts, &mut state.rate);
        if cleaned.flag.has(Flag::ACKED) {
            cleaned.flag.insert(Flag::SET_XMIT_TIMER);
            if !self.snd.sack_ok {
                self.remove_reno_sacks(cleaned.pkts_acked);
                if cleaned.flag.has(Flag::RETRANS_DATA_ACKED) {
                    cleaned.flag.remove(Flag::ORIG_SACK_ACKED);
                }
            } else if cleaned.reord.before(prior.fack) {
                self.snd.check_sack_reordering(cleaned.reord, self.config.max_reordering);
            }
        } else if let (Some((_, sent_us)), true, Some(sack_rtt_us)) = (head_sent_us, rtt_update, sack_rtt_us)
            && sack_rtt_us > now_us.saturating_sub(sent_us)
        {
            cleaned.flag.insert(Flag::SET_XMIT_TIMER);
        }
        flag.insert(cleaned.flag);
        state.rate.pkts_acked = cleaned.pkts_acked;
        if !self.snd.control_started || !self.snd.control.uses_packets_acked() {
            return;
        }
        let ack = cc::Ack {
            delivered: self.snd.delivery.delivered.wrapping_sub(prior.delivered),
            acked: cleaned.pkts_acked,
            sacked: state.rate.pkts_sacked,
            echoes_mark: flag.has(Flag::ECE),
            rtt_s: state.rate.rtt_us.map(|rtt_us| f64::from(rtt_us) / 1e6),
            one_way_s: self.one_way_delay_s(segment),
            prior_in_flight: state.rate.prior_in_flight,
            prior_delivered: u64::from(state.rate.prior_delivered),
            timestamps: self.timestamps_of(segment),
            ..cc::Ack::default()
        };
        let path = self.path(now);
        self.snd.control.on_packets_acked(&ack, &path, &mut self.snd.window);
    }

    /// Removes the first segment of the retransmission queue, or the acknowledged packets of it. `tsecr`: the timestamp that
    /// the ACK echoes. Returns whether the next one may be acknowledged too.
    fn clean_head(
        &mut self,
        now: Instant,
        tsecr: Option<u32>,
        state: &mut SacktagState,
        cleaned: &mut Cleaned,
    ) -> bool {
        let snd = &mut self.snd;
        let min_rtt_us = snd.min_rtt_us();
        let Some(skb) = snd.rtx_queue.head_mut() else { return false };
        let (start_seq, sacked) = (skb.seq, skb.sacked);
        let end_seq = skb.end_seq;
        let mut acked_pcount = skb.pcount;
        let mut acked_bytes = skb.len;
        if end_seq.after(snd.snd_una) {
            if skb.pcount == 1 || !snd.snd_una.after(skb.seq) {
                return false;
            }
            // `tcp_tso_acked`: some of its packets.
            acked_bytes = snd.snd_una.since(skb.seq) as u32;
            skb.trim_head(acked_bytes);
            acked_pcount -= skb.pcount;
            snd.wmem_queued = snd.wmem_queued.saturating_sub(u64::from(acked_bytes));
            if acked_pcount == 0 {
                return false;
            }
            cleaned.fully_acked = false;
        }
        if sacked & tag::RETRANS != 0 {
            if sacked & tag::SACKED_RETRANS != 0 {
                snd.retrans_out -= acked_pcount;
            }
            cleaned.flag.insert(Flag::RETRANS_DATA_ACKED);
        } else if sacked & tag::SACKED_ACKED == 0 {
            cleaned.last_ackt = skb.timestamp_us();
            cleaned.first_ackt.get_or_insert(cleaned.last_ackt);
            cleaned.reord = cleaned.reord.min(start_seq);
            if !end_seq.after(snd.high_seq) {
                cleaned.flag.insert(Flag::ORIG_SACK_ACKED);
            }
        }
        if sacked & tag::SACKED_ACKED != 0 {
            snd.sacked_out -= acked_pcount;
        } else if snd.sack_ok {
            snd.delivery.delivered = snd.delivery.delivered.wrapping_add(acked_pcount);
            state.delivered_bytes += acked_bytes;
        } else {
            state.delivered_bytes += acked_bytes;
        }
        if sacked & tag::LOST != 0 {
            snd.lost_out -= acked_pcount;
        }
        snd.packets_out -= acked_pcount;
        cleaned.pkts_acked += acked_pcount;
        if sacked & tag::SACKED_ACKED == 0 && snd.sack_ok && !skb_spurious_retrans(tsecr, skb) {
            snd.rack.advance(sacked, end_seq, skb.timestamp_us(), now.as_micros(), min_rtt_us);
        }
        snd.delivery.on_skb_delivered(skb, &mut state.rate);
        if skb.flags & flag::SYN == 0 {
            cleaned.flag.insert(Flag::DATA_ACKED);
        } else {
            cleaned.flag.insert(Flag::SYN_ACKED);
            snd.retrans_stamp = None;
        }
        if !cleaned.fully_acked {
            return false;
        }
        let payload = skb.len;
        snd.rtx_queue.pop();
        self.skb_freed(payload);
        true
    }

    /// `tcp_ack_update_rtt`: takes an RTT sample (RFC 6298; RFC 7323, 4.1). The samples are of data acknowledged in order,
    /// of data reported by SACK, and for the congestion control, us.
    fn ack_update_rtt(
        &mut self,
        now: Instant,
        segment: &Segment,
        flag: Flag,
        (seq_rtt_us, sack_rtt_us, ca_rtt_us): (Option<u64>, Option<u64>, Option<u64>),
        rs: &mut RateSample,
    ) -> bool {
        let (mut seq_rtt_us, mut ca_rtt_us) = (seq_rtt_us.or(sack_rtt_us), ca_rtt_us);
        if seq_rtt_us.is_none()
            && flag.has(Flag::ACKED)
            && let Some(tsecr) = self.rcv_tsecr(segment)
        {
            // `tcp_rtt_tsopt_us`: the echoed timestamp counts ms.
            let delta_ms = self.timestamp_ms(now).wrapping_sub(tsecr);
            if delta_ms < i32::MAX as u32 / 1000 {
                seq_rtt_us = Some(u64::from(delta_ms.max(1)) * 1000);
                ca_rtt_us = seq_rtt_us;
            }
        }
        rs.rtt_us = ca_rtt_us.map(|rtt_us| rtt_us as u32);
        let (Some(seq_rtt_us), Some(ca_rtt_us)) = (seq_rtt_us, ca_rtt_us) else { return false };
        self.take_rtt_sample(now, seq_rtt_us as u32, ca_rtt_us as u32, flag);
        true
    }

    /// `tcp_cong_control`: reduces the window or lets the congestion control set it.
    fn cong_control(
        &mut self,
        now: Instant,
        segment: &Segment,
        acked_sacked: u32,
        lost: u32,
        flag: Flag,
        rs: &RateSample,
    ) {
        if !self.snd.control_started {
            return; // the handshake
        }
        let path = self.path(now);
        let ack = cc::Ack {
            delivered: acked_sacked,
            acked: rs.pkts_acked,
            sacked: rs.pkts_sacked,
            lost,
            marked: rs.marked,
            echoes_mark: flag.has(Flag::ECE),
            rtt_s: rs.rtt_us.map(|rtt_us| f64::from(rtt_us) / 1e6),
            one_way_s: self.one_way_delay_s(segment),
            rate: (rs.prior_mstamp > 0).then(|| cc::Rate {
                per_s: rs.interval_us.filter(|&us| us > 0).map(|us| f64::from(rs.delivered) * 1e6 / us as f64),
                delivered: u64::from(rs.delivered),
                prior_delivered: u64::from(rs.prior_delivered),
                lost: u64::from(self.snd.delivery.lost.wrapping_sub(rs.prior_lost)),
                marked: u64::from(self.snd.delivery.delivered_ce.wrapping_sub(rs.prior_delivered_ce)),
                seqno: 0,
                end_seqno: 0,
                in_flight: rs.tx_in_flight,
                is_app_limited: rs.is_app_limited,
            }),
            ends_round: rs.ends_round,
            prior_in_flight: rs.prior_in_flight,
            may_be_delayed: rs.is_ack_delayed,
            prior_delivered: u64::from(rs.prior_delivered),
            timestamps: self.timestamps_of(segment),
        };
        // `tcp_may_raise_cwnd`: only data acknowledged in order raise the window, unless packets are often reordered.
        let is_often_reordered = self.snd.reordering > self.config.reordering;
        let may_raise = flag.has(if is_often_reordered { Flag::FORWARD_PROGRESS } else { Flag::DATA_ACKED });
        let is_reducing = self.snd.in_cwnd_reduction() && !self.snd.own_response;
        let prior_cwnd = self.snd.window.cwnd;
        self.snd.control.on_ack(&ack, &path, &mut self.snd.window);
        if is_reducing {
            self.snd.window.cwnd = prior_cwnd;
            self.snd.cwnd_reduction(acked_sacked, lost, flag.has(Flag::SND_UNA_ADVANCED));
        } else if may_raise {
            self.snd.snd_cwnd_stamp = now;
        } else if !self.snd.control.has_cong_control() {
            self.snd.window.cwnd = self.snd.window.cwnd.min(prior_cwnd);
        }
        if self.snd.window.holds_back {
            let in_flight = self.snd.packets_in_flight();
            self.snd.delivery.set_app_limited(in_flight);
        }
        if self.snd.control.asks_for_reduction() {
            self.enter_cwr(now);
        }
        self.snd.update_pacing_rate(&self.config);
    }
}
