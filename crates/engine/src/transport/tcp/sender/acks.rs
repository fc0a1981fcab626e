//! Taking in an ACK.

use super::Modern;
use super::rate::Sample;
use super::state::AckSummary;
use super::tlp::Answer;
use crate::net::Network;
use crate::packet::flag;
use crate::transport::one_way::ack::Ack;
use crate::transport::one_way::connection::Connection;
use crate::transport::tcp::cc;

/// The round trips that an ACK tells, s.
#[derive(Clone, Copy, Debug, Default)]
struct Trips {
    /// Of the first segment that it delivers and that was sent once.
    first_s: Option<f64>,
    /// Of the last one.
    last_s: Option<f64>,
}

/// The segment that a first SACK block reports as a duplicate (RFC 2883, 4), if it does.
fn duplicate(ack: i32, blocks: &[(i32, i32)]) -> Option<i32> {
    let &(from, after) = blocks.first()?;
    let is_old = after <= ack + 1;
    let is_within = blocks.get(1).is_some_and(|&(begin, end)| begin <= from && after <= end);
    (is_old || is_within).then_some(from)
}

impl Modern {
    /// Segments sent and not acknowledged in order.
    pub(super) fn outstanding(&self) -> u32 {
        (self.rtx_queue.next() - self.rtx_queue.first()) as u32
    }

    /// Everything that an ACK says, up to what may be sent for it.
    pub(super) fn process_ack(&mut self, tcp: &mut Connection, ack: &Ack, net: &mut Network) {
        let now_s = net.now().secs();
        tcp.nackpack.set(*tcp.nackpack + 1, &mut tcp.log);
        tcp.remember_timestamp(ack);
        let was_opening = self.is_opening(tcp);
        let (outstanding, sacked) = (self.outstanding(), self.rtx_queue.sacked());
        let prior_in_flight = self.rtx_queue.in_flight();
        let ts_echo = (tcp.config.timestamps && ack.flags & flag::NO_TIMESTAMP == 0).then_some(ack.ts_echo);
        let blocks = net.packets.sack(ack.packet);
        let repeated = duplicate(ack.seqno, blocks);

        let first = self.rtx_queue.first();
        let mut signs = AckSummary { ts_echo, ..AckSummary::default() };
        let mut sample = Sample::at(now_s);
        let mut trips = Trips::default();
        let (delivery, rack, high) = (&mut self.delivery, &mut self.rack, self.recovery_point);
        self.rtx_queue.take(ack.seqno, blocks, |seqno, segment| {
            signs.delivered += 1;
            signs.is_sacked |= seqno > ack.seqno;
            delivery.delivers(segment, &mut sample);
            // Of what came out of order no timestamp is echoed (RFC 7323, 4.3).
            let in_order = seqno <= ack.seqno;
            rack.delivered(seqno, segment, ts_echo.filter(|_| in_order), now_s);
            if !segment.was_retransmitted {
                let rtt_s = now_s - segment.sent_s;
                trips.first_s.get_or_insert(rtt_s);
                trips.last_s = Some(trips.last_s.map_or(rtt_s, |last_s: f64| last_s.min(rtt_s)));
                signs.delivers_original |= seqno < high;
            }
        });
        signs.acked = self.rtx_queue.first() - first;
        self.account_ack(tcp, ack, &signs, trips.first_s, now_s);
        let first = self.rtx_queue.first();
        self.rack.take_duplicate(repeated.is_some(), first, self.rtx_queue.next());
        if let (Some(before), Some(seqno)) = (&mut self.undo_state, repeated) {
            before.duplicated(seqno);
        }
        if was_opening && first > 0 {
            self.open(tcp, ack, now_s);
        }
        self.update_rwnd(ack, net);
        signs.lost = self.find_losses(tcp, now_s);
        let is_repaired = self.tlp.answered(&Answer {
            first,
            is_duplicate: repeated.is_some(),
            is_empty: signs.delivered == 0 && repeated.is_none(),
        });
        let told = self.told_marks(tcp, ack, signs.delivered, net);
        signs.is_marked = told > 0;
        if is_repaired {
            self.repair_by_probe(tcp, now_s);
        }
        let path = self.path(tcp, now_s);
        self.update_ca_state(tcp, &path, &signs, outstanding, sacked);
        let rate = self.delivery.rate(&sample, self.rack.min_rtt_s);
        let path = self.path(tcp, now_s);
        let said = cc::Ack {
            delivered: signs.delivered,
            lost: signs.lost,
            marked: told,
            echoes_mark: told > 0,
            rtt_s: trips.last_s,
            one_way_s: ts_echo.map(|ts_echo| ack.ts - ts_echo),
            rate: rate.map(|(rate, _)| rate),
            ends_round: rate.is_some_and(|(_, ends)| ends),
            prior_in_flight,
        };
        if !was_opening {
            self.control.on_ack(&said, &path, &mut self.window);
        }
        self.reduce(&signs);
        if signs.acked > 0 {
            self.restart_timeout(tcp, now_s);
        }
        if signs.acked > 0 || self.rtx_queue.sacked() > 0 {
            self.restart_probe(now_s);
        }
    }

    /// Sequence numbers, duplicates and the round trip as the connection shows them.
    fn account_ack(&mut self, tcp: &mut Connection, ack: &Ack, signs: &AckSummary, first_s: Option<f64>, now_s: f64) {
        if signs.acked > 0 {
            tcp.previous_ack = *tcp.ack;
            tcp.acknowledge_up_to(ack.seqno);
            tcp.dupacks.set(0, &mut tcp.log);
            self.round_trip.doublings = 0;
            tcp.rtt.backoff.set(1, &mut tcp.log);
            tcp.average_window();
        } else if signs.is_sacked {
            tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
        }
        // RFC 7323, 4.1: where a segment was retransmitted, the timestamp still tells of an ACK of new data.
        let echoed_s = signs.ts_echo.filter(|_| signs.acked > 0).map(|ts_echo| now_s - ts_echo);
        if let Some(rtt_s) = first_s.or(echoed_s) {
            self.round_trip.sample(rtt_s);
            let ticks = |time_s: f64| (time_s / tcp.config.tcp_tick).round().min(f64::from(i32::MAX >> 4)) as i32;
            let smoothed_s = self.round_trip.smoothed_s.unwrap_or(rtt_s);
            let (rtt, srtt, rttvar) = (ticks(rtt_s), ticks(smoothed_s), ticks(self.round_trip.deviation_s()));
            tcp.rtt.rtt.set(rtt, &mut tcp.log);
            tcp.rtt.srtt.set(srtt << tcp.config.t_srtt_bits, &mut tcp.log);
            tcp.rtt.rttvar.set(rttvar << tcp.config.t_rttvar_bits, &mut tcp.log);
        }
    }

    /// The SYN is acknowledged: the initial window, one packet if the SYN was lost (RFC 5681, 3.1) or marked (as RFC 5562, 3
    /// has it of a marked answer).
    fn open(&mut self, tcp: &Connection, ack: &Ack, now_s: f64) {
        self.marks.hear_answer(self.asks_for_marks(tcp), ack);
        let was_lost = self.state.repairs() || *tcp.nrexmit > 0;
        let is_congested = was_lost || self.marks.syn_was_marked();
        self.window.cwnd = if is_congested { 1.0 } else { tcp.config.window_init };
        self.window.ssthresh = f64::INFINITY;
        self.state = super::CaState::Open;
        self.undo_state = None;
        let path = self.path(tcp, now_s);
        self.control.start(&path, &mut self.window);
    }

    /// For how much the receiver says that it has room; the end of it never goes back (RFC 9293, 3.8.6).
    fn update_rwnd(&mut self, ack: &Ack, net: &Network) {
        let room = net.packets[ack.packet].ackno;
        if room > 0 {
            let until = ack.seqno + 1 + room;
            self.rwnd_end = Some(self.rwnd_end.map_or(until, |before| before.max(until)));
        }
    }
}
