//! ACK processing of the modern sender.

use super::Modern;
use super::rate::RateSample;
use super::state::AckSummary;
use super::tlp::ProbeAck;
use crate::net::Network;
use crate::packet::flag;
use crate::transport::one_way::ack::Ack;
use crate::transport::one_way::connection::Connection;
use crate::transport::tcp::cc;

/// RTT samples of an ACK, from delivered segments that were not retransmitted, s.
#[derive(Clone, Copy, Debug, Default)]
struct RttSamples {
    /// Of the first such segment, for RFC 6298.
    first_s: Option<f64>,
    /// The min, for the congestion control.
    min_s: Option<f64>,
}

/// D-SACK: the first SACK block, if it reports duplicates: the first such segment, and the one after the last (RFC 2883,
/// 4).
fn dsack(ack: i32, blocks: &[(i32, i32)]) -> Option<(i32, i32)> {
    let &(from, after) = blocks.first()?;
    let is_below_ack = after <= ack + 1;
    let is_in_second_block = blocks.get(1).is_some_and(|&(begin, end)| begin <= from && after <= end);
    (is_below_ack || is_in_second_block).then_some((from, after))
}

impl Modern {
    /// Segments sent and not acknowledged in order.
    pub(super) fn outstanding(&self) -> u32 {
        (self.rtx_queue.snd_nxt() - self.rtx_queue.snd_una()) as u32
    }

    /// Processes an ACK, except for sending.
    pub(super) fn process_ack(&mut self, tcp: &mut Connection, ack: &Ack, net: &mut Network) {
        let now_s = net.now().secs();
        tcp.nackpack.set(*tcp.nackpack + 1, &mut tcp.log);
        tcp.remember_timestamp(ack);
        let was_opening = self.is_opening(tcp);
        let (outstanding, sacked) = (self.outstanding(), self.rtx_queue.segs_sacked());
        let prior_in_flight = self.rtx_queue.in_flight();
        let ts_echo = (tcp.config.timestamps && ack.flags & flag::NO_TIMESTAMP == 0).then_some(ack.ts_echo);
        let blocks = net.packets.sack(ack.packet);
        let dsack = dsack(ack.seqno, blocks);

        let prior_snd_una = self.rtx_queue.snd_una();
        let mut summary = AckSummary { ts_echo, ..AckSummary::default() };
        let mut rs = RateSample::at(now_s);
        let mut rtt = RttSamples::default();
        let (delivery, rack, recovery_point) = (&mut self.delivery, &mut self.rack, self.recovery_point);
        self.rtx_queue.on_ack(ack.seqno, blocks, |seqno, segment| {
            summary.delivered += 1;
            summary.is_sacked |= seqno > ack.seqno;
            delivery.update_rate_sample(segment, &mut rs);
            // An out-of-order segment's timestamp is not echoed (RFC 7323, 4.3).
            let in_order = seqno <= ack.seqno;
            rack.on_delivered(seqno, segment, ts_echo.filter(|_| in_order), now_s);
            if !segment.retransmitted {
                let rtt_s = now_s - segment.xmit_ts_s;
                rtt.first_s.get_or_insert(rtt_s);
                rtt.min_s = Some(rtt.min_s.map_or(rtt_s, |min_s: f64| min_s.min(rtt_s)));
                summary.delivers_original |= seqno < recovery_point;
            }
        });
        if let Some(rtt_s) = rtt.min_s {
            self.rack.min_rtt.update(rtt_s, now_s);
        }
        summary.acked = self.rtx_queue.snd_una() - prior_snd_una;
        self.account_ack(tcp, ack, &summary, rtt.first_s, now_s);
        let snd_una = self.rtx_queue.snd_una();
        // The probe is sent by a timer, so its duplicate is not due to reordering (as in Linux).
        let is_dsack_of_probe = dsack.is_some_and(|(_, after)| self.tlp.is_probe(after));
        let widens = dsack.is_some() && !is_dsack_of_probe;
        self.rack.update_reo_wnd(widens, snd_una, self.rtx_queue.snd_nxt());
        if let (Some(undo_state), Some((seqno, _))) = (&mut self.undo_state, dsack) {
            undo_state.on_dsack(seqno);
        }
        if was_opening && snd_una > 0 {
            self.open(tcp, ack, now_s);
        }
        self.update_rwnd(ack, net);
        summary.lost = self.detect_losses(tcp, now_s);
        let repaired_loss = self.tlp.process_ack(&ProbeAck {
            snd_una,
            is_dsack_of_probe,
            is_dupack: summary.delivered == 0 && dsack.is_none(),
        });
        let marked = self.told_marks(tcp, ack, summary.delivered, net);
        self.delivery.delivered_ce += u64::from(marked);
        summary.is_marked = marked > 0;
        let mut cc_ack = cc::Ack {
            delivered: summary.delivered,
            acked: summary.acked.max(0) as u32,
            sacked: summary.delivered.saturating_sub(summary.acked.max(0) as u32),
            lost: summary.lost,
            marked,
            echoes_mark: marked > 0,
            rtt_s: rtt.min_s,
            one_way_s: ts_echo.map(|ts_echo| ack.ts - ts_echo),
            rate: None,
            ends_round: false,
            prior_in_flight,
            may_be_delayed: false, // there are no short segments
        };
        if !was_opening {
            let path = self.path(tcp, now_s);
            self.control.on_packets_acked(&cc_ack, &path, &mut self.window);
        }
        if repaired_loss {
            self.on_probe_repaired_loss(tcp, now_s);
        }
        let path = self.path(tcp, now_s);
        self.update_ca_state(tcp, &path, &summary, outstanding, sacked);
        let rate = self.delivery.generate_rate_sample(&rs, self.rack.min_rtt.get());
        let path = self.path(tcp, now_s);
        (cc_ack.rate, cc_ack.ends_round) = (rate.map(|(rate, _)| rate), rate.is_some_and(|(_, ends_round)| ends_round));
        if !was_opening {
            self.control.on_ack(&cc_ack, &path, &mut self.window);
        }
        self.reduce_cwnd(&summary);
        if summary.acked > 0 {
            self.restart_rto(tcp, now_s);
        }
        if summary.acked > 0 || self.rtx_queue.segs_sacked() > 0 {
            self.restart_pto(tcp, now_s);
        }
    }

    /// Updates the sequence numbers, the duplicate ACKs and the RTT estimate, with their trace variables.
    fn account_ack(&mut self, tcp: &mut Connection, ack: &Ack, summary: &AckSummary, first_s: Option<f64>, now_s: f64) {
        if summary.acked > 0 {
            tcp.previous_ack = *tcp.ack;
            tcp.acknowledge_up_to(ack.seqno);
            tcp.dupacks.set(0, &mut tcp.log);
            self.rtt.backoffs = 0;
            tcp.rtt.backoff.set(1, &mut tcp.log);
            tcp.average_window();
        } else if summary.is_sacked {
            tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
        }
        // RFC 7323, 4.1: if all segments were retransmitted, the timestamp of an ACK of new data still gives a sample.
        let echoed_s = summary.ts_echo.filter(|_| summary.acked > 0).map(|ts_echo| now_s - ts_echo);
        if let Some(rtt_s) = first_s.or(echoed_s) {
            self.rtt.sample(rtt_s);
            let ticks = |time_s: f64| (time_s / tcp.config.tcp_tick).round().min(f64::from(i32::MAX >> 4)) as i32;
            let srtt_s = self.rtt.srtt_s.unwrap_or(rtt_s);
            let (rtt, srtt, rttvar) = (ticks(rtt_s), ticks(srtt_s), ticks(self.rtt.rttvar_s()));
            tcp.rtt.rtt.set(rtt, &mut tcp.log);
            tcp.rtt.srtt.set(srtt << tcp.config.t_srtt_bits, &mut tcp.log);
            tcp.rtt.rttvar.set(rttvar << tcp.config.t_rttvar_bits, &mut tcp.log);
        }
    }

    /// The SYN is acknowledged: sets the initial window. It is one packet if the SYN was lost (RFC 5681, 3.1) or marked
    /// (as RFC 5562, 3 requires for a marked SYN-ACK).
    fn open(&mut self, tcp: &Connection, ack: &Ack, now_s: f64) {
        self.marks.hear_answer(self.asks_for_marks(tcp), ack);
        let was_lost = self.state.in_recovery() || *tcp.nrexmit > 0;
        let is_congested = was_lost || self.marks.syn_was_marked();
        self.window.cwnd = if is_congested { 1.0 } else { tcp.config.window_init };
        self.window.ssthresh = f64::INFINITY;
        self.state = super::CaState::Open;
        self.undo_state = None;
        // RFC 6298, 5.7: without a sample, since the SYN was retransmitted, the RTO is 3 s when data begin.
        self.rtt.syn_was_lost = was_lost;
        let path = self.path(tcp, now_s);
        self.control.start(&path, &mut self.window);
    }

    /// Updates the receiver's window. Its right edge never moves left (RFC 9293, 3.8.6).
    fn update_rwnd(&mut self, ack: &Ack, net: &Network) {
        let rwnd = net.packets[ack.packet].ackno;
        if rwnd > 0 {
            let end = ack.seqno + 1 + rwnd;
            self.rwnd_end = Some(self.rwnd_end.map_or(end, |prior_end| prior_end.max(end)));
        }
    }
}
