//! Delivery rate estimation: the rate at which packets were delivered while one of them was in flight.
//!
//! Source: draft-ietf-ccwg-bbr, section 4.1; Linux, net/ipv4/tcp_rate.c, whose names are used.
//! What it decides: the delivery rate over the longer of the send phase and the ACK phase; no rate over an interval below
//! the min RTT; whether the rate is application-limited; where a round trip ends.
//! Departures: none. Not implemented: nothing.
//! Checked against: by hand, below.

use super::super::seq::SeqNum;
use super::skb::{Skb, TxState, tag};

/// The per-connection state (`C` of the draft).
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    /// Packets delivered.
    pub delivered: u32,
    /// Packets delivered with an ECN mark.
    pub delivered_ce: u32,
    /// Packets marked lost.
    pub lost: u32,
    /// The time of the last delivery, us.
    pub delivered_mstamp: u64,
    /// The send time of the packet that was delivered last, us: the start of the send phase.
    pub first_tx_mstamp: u64,
    /// Application-limited until this many packets are delivered; 0 if it is not.
    pub app_limited: u32,
    /// The last rate that was not application-limited, or the highest that was: packets, and their time, us.
    pub rate_delivered: u32,
    /// See [`Delivery::rate_delivered`].
    pub rate_interval_us: u64,
    /// Whether that rate was application-limited.
    pub rate_app_limited: bool,
    /// A round trip ends with the delivery of a packet sent after this many deliveries.
    next_rtt_delivered: u32,
}

/// A rate sample (`RS` of the draft, Linux's `struct rate_sample`).
#[derive(Clone, Copy, Debug, Default)]
pub struct RateSample {
    /// `delivered_mstamp` when the packet was sent, us; 0 without a sample.
    pub prior_mstamp: u64,
    /// Packets delivered when it was sent.
    pub prior_delivered: u32,
    /// Marked packets delivered when it was sent.
    pub prior_delivered_ce: u32,
    /// Packets marked lost when it was sent.
    pub prior_lost: u32,
    /// Packets in flight just after it was sent.
    pub tx_in_flight: u32,
    /// It was sent while application-limited.
    pub is_app_limited: bool,
    /// It had been retransmitted.
    pub is_retrans: bool,
    /// The number after it.
    pub last_end_seq: SeqNum,
    /// The send phase, then the longer phase, us; `None` if the sample is invalid.
    pub interval_us: Option<u64>,
    /// Packets delivered in the interval.
    pub delivered: u32,
    /// RTT of the last delivered packet, us.
    pub rtt_us: Option<u32>,
    /// Packets in flight before the ACK.
    pub prior_in_flight: u32,
    /// A round trip ends with this ACK.
    pub ends_round: bool,
    /// Packets acknowledged in order.
    pub pkts_acked: u32,
    /// Packets reported by SACK.
    pub pkts_sacked: u32,
    /// Packets that the ACK reports as marked.
    pub marked: u32,
    /// It is probably a delayed ACK.
    pub is_ack_delayed: bool,
}

/// `tcp_skb_sent_after`: whether one packet was sent after another; with equal times the higher number was.
#[inline]
pub fn sent_after(one_us: u64, other_us: u64, one_end: SeqNum, other_end: SeqNum) -> bool {
    one_us > other_us || (one_us == other_us && one_end.after(other_end))
}

impl Delivery {
    /// `tcp_rate_skb_sent`: the state to keep with a packet sent now. `in_flight` includes it.
    pub fn on_sent(&mut self, skb: &mut Skb, packets_out: u32, in_flight: u32) {
        if packets_out == 0 {
            let now_us = skb.timestamp_us();
            (self.first_tx_mstamp, self.delivered_mstamp) = (now_us, now_us);
        }
        skb.tx = TxState {
            delivered: self.delivered,
            delivered_ce: self.delivered_ce,
            delivered_mstamp: self.delivered_mstamp.max(1),
            first_tx_mstamp: self.first_tx_mstamp,
            lost: self.lost,
            in_flight,
            is_app_limited: self.app_limited != 0,
        };
    }

    /// `tcp_rate_skb_delivered`: a packet is delivered; the sample is of the one that was sent last. One that stays in the
    /// queue must not be delivered again: the caller clears its `delivered_mstamp`.
    #[inline]
    pub fn on_skb_delivered(&mut self, skb: &Skb, rs: &mut RateSample) {
        if skb.tx.delivered_mstamp == 0 {
            return;
        }
        let tx_us = skb.timestamp_us();
        if rs.prior_mstamp == 0 || sent_after(tx_us, self.first_tx_mstamp, skb.end_seq, rs.last_end_seq) {
            rs.prior_delivered_ce = skb.tx.delivered_ce;
            rs.prior_delivered = skb.tx.delivered;
            rs.prior_mstamp = skb.tx.delivered_mstamp;
            rs.prior_lost = skb.tx.lost;
            rs.tx_in_flight = skb.tx.in_flight;
            rs.is_app_limited = skb.tx.is_app_limited;
            rs.is_retrans = skb.has(tag::RETRANS);
            rs.last_end_seq = skb.end_seq;
            self.first_tx_mstamp = tx_us;
            rs.interval_us = Some(tx_us - skb.tx.first_tx_mstamp);
        }
    }

    /// `tcp_rate_gen`: completes the sample after an ACK that delivered `acked_sacked` packets.
    pub fn generate(
        &mut self,
        rs: &mut RateSample,
        acked_sacked: u32,
        now_us: u64,
        min_rtt_us: u32,
        is_sack_reneg: bool,
    ) {
        if self.app_limited != 0 && (self.delivered.wrapping_sub(self.app_limited) as i32) > 0 {
            self.app_limited = 0;
        }
        if acked_sacked > 0 {
            self.delivered_mstamp = now_us;
        }
        if rs.prior_mstamp == 0 || is_sack_reneg {
            rs.interval_us = None;
            return;
        }
        rs.ends_round = (rs.prior_delivered.wrapping_sub(self.next_rtt_delivered) as i32) >= 0;
        if rs.ends_round {
            self.next_rtt_delivered = self.delivered;
        }
        rs.delivered = self.delivered.wrapping_sub(rs.prior_delivered);
        let ack_us = now_us.saturating_sub(rs.prior_mstamp);
        let interval_us = rs.interval_us.unwrap_or(0).max(ack_us);
        rs.interval_us = (interval_us >= u64::from(min_rtt_us)).then_some(interval_us);
        if rs.interval_us.is_none() {
            return;
        }
        let is_higher = u64::from(rs.delivered) * self.rate_interval_us >= u64::from(self.rate_delivered) * interval_us;
        if !rs.is_app_limited || is_higher {
            self.rate_delivered = rs.delivered;
            self.rate_interval_us = interval_us;
            self.rate_app_limited = rs.is_app_limited;
        }
    }

    /// The sender has nothing more to send: application-limited until what is in flight is delivered.
    pub fn set_app_limited(&mut self, in_flight: u32) {
        self.app_limited = self.delivered.wrapping_add(in_flight).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skb(number: u32, sent_us: u64) -> Skb {
        let seq = SeqNum(number * 1000);
        Skb { seq, end_seq: seq.add(1000), len: 1000, pcount: 1, mstamp_ns: sent_us * 1000, ..Skb::default() }
    }

    // Ten packets sent at 0, delivered one per ms from 100 ms on. The sample of the last: 10 packets since time 0, in 109 ms.
    // The next packets, sent on each ACK: the sample of the eleventh (sent at 100 ms after one delivery) at 200 ms is 10
    // packets in 100 ms.
    #[test]
    fn the_rate_is_that_of_the_longer_phase() {
        let mut delivery = Delivery::default();
        let mut flight: Vec<Skb> = (0..10).map(|number| skb(number, 1_000)).collect();
        for (number, skb) in flight.iter_mut().enumerate() {
            delivery.on_sent(skb, number as u32, number as u32 + 1);
        }
        let mut later = Vec::new();
        for number in 0..10_u32 {
            let now_us = 101_000 + u64::from(number) * 1_000;
            let mut rs = RateSample::default();
            delivery.delivered += 1;
            delivery.on_skb_delivered(&flight[number as usize], &mut rs);
            delivery.generate(&mut rs, 1, now_us, 100_000, false);
            assert_eq!((rs.delivered, rs.interval_us), (number + 1, Some(100_000 + u64::from(number) * 1_000)));
            assert_eq!(rs.ends_round, number == 0);
            let mut next = skb(10 + number, now_us);
            delivery.on_sent(&mut next, 9, 10);
            later.push(next);
        }
        let mut rs = RateSample::default();
        delivery.delivered += 1;
        delivery.on_skb_delivered(&later[0], &mut rs);
        delivery.generate(&mut rs, 1, 201_000, 100_000, false);
        assert_eq!((rs.delivered, rs.interval_us, rs.ends_round), (10, Some(100_000), true));
        let mut rs = RateSample::default();
        delivery.on_skb_delivered(&later[1], &mut rs);
        delivery.generate(&mut rs, 1, 201_500, 102_000, false); // 101 ms of sending
        assert_eq!(rs.interval_us, None, "below the min RTT");
    }
}
