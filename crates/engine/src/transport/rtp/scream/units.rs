//! The data units that are sent and not yet settled: bytes in flight, acknowledgements, losses.
//!
//! Source: SCReAM, "Sender Side State" and "Detecting Lost Data Units".

use std::collections::VecDeque;

use crate::packet::segment::EcnCodepoint;
use crate::transport::rtp::feedback::Report;

/// A lost data unit may still arrive while it is not older than this many ones after it, which reports cover.
const REMEMBERED: u64 = 128;

#[derive(Clone, Debug)]
struct DataUnit {
    size: f64,
    sent_s: f64,
    /// Since when reports have said that it is missing, s.
    missing_since_s: Option<f64>,
    is_acked: bool,
    is_lost: bool,
}

/// The newest data unit that a report acknowledges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newest {
    /// Its round-trip time, without the time that the receiver held the report back, s.
    pub rtt_s: f64,
    /// Its one-way delay by the two clocks, s.
    pub delay_s: f64,
}

/// What a report says that is new.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Acked {
    /// By how much the highest acknowledged byte has risen, lost ones included.
    pub bytes: f64,
    /// Bytes with a congestion mark.
    pub ce_bytes: f64,
    /// Data units.
    pub units: f64,
    /// Data units with a congestion mark.
    pub ce_units: f64,
    /// Whether a data unit is found to be lost.
    pub has_loss: bool,
    /// The newest one, if it is newer than all before.
    pub newest: Option<Newest>,
}

/// Data units in the order of their sequence numbers.
#[derive(Clone, Debug, Default)]
pub struct Units {
    sent: VecDeque<DataUnit>,
    /// The sequence number of the first one.
    first: u64,
    /// One more than the highest acknowledged sequence number.
    acked_to: u64,
    bytes_in_flight: f64,
    reordering_window_s: f64,
}

impl Units {
    /// From the data unit after the highest acknowledged one to the last one sent.
    pub fn bytes_in_flight(&self) -> f64 {
        self.bytes_in_flight
    }

    /// A data unit is sent; returns its sequence number.
    pub fn send(&mut self, size: f64, sent_s: f64) -> u64 {
        let unit = DataUnit { size, sent_s, missing_since_s: None, is_acked: false, is_lost: false };
        self.sent.push_back(unit);
        self.bytes_in_flight += size;
        self.first + self.sent.len() as u64 - 1
    }

    /// A report arrives.
    pub fn take(&mut self, report: &Report, now_s: f64) -> Acked {
        let mut found = Acked::default();
        let begin = self.whole_number(report.begin_seq);
        for (seq, arrival) in (begin..).zip(&report.units) {
            let Some(arrival) = arrival else { continue };
            let Some(index) = seq.checked_sub(self.first).filter(|&index| index < self.sent.len() as u64) else {
                continue;
            };
            let unit = &mut self.sent[index as usize];
            if unit.is_acked {
                continue;
            }
            unit.is_acked = true;
            found.units += 1.0;
            if arrival.ecn == EcnCodepoint::Ce {
                found.ce_units += 1.0;
                found.ce_bytes += unit.size;
            }
            if let Some(since_s) = unit.missing_since_s {
                self.reordering_window_s = self.reordering_window_s.max(now_s - since_s);
            }
            if seq >= self.acked_to {
                let held_s = report.timestamp_s - arrival.at_s;
                found.newest =
                    Some(Newest { rtt_s: now_s - unit.sent_s - held_s, delay_s: arrival.at_s - unit.sent_s });
                found.bytes += self.acknowledge_to(seq + 1);
            }
        }
        found.has_loss = self.find_losses(now_s);
        self.forget();
        found
    }

    /// The sequence number with these lowest 16 bits that is nearest to those in flight.
    fn whole_number(&self, bits: u16) -> u64 {
        let apart = bits.wrapping_sub(self.acked_to as u16) as i16;
        self.acked_to.saturating_add_signed(apart.into())
    }

    /// Everything before `seq` has left the network; returns how many bytes that newly is.
    fn acknowledge_to(&mut self, seq: u64) -> f64 {
        let (from, to) = (self.acked_to - self.first, seq - self.first);
        let bytes = self.sent.range(from as usize..to as usize).map(|unit| unit.size).sum::<f64>();
        self.acked_to = seq;
        // Sizes are whole numbers, so that the difference is exact.
        self.bytes_in_flight -= bytes;
        bytes
    }

    /// Whether a data unit has been missing for the reordering window.
    fn find_losses(&mut self, now_s: f64) -> bool {
        let before = (self.acked_to - self.first) as usize;
        let mut has_loss = false;
        for unit in self.sent.range_mut(..before).filter(|unit| !unit.is_acked && !unit.is_lost) {
            let since_s = *unit.missing_since_s.get_or_insert(now_s);
            if now_s - since_s >= self.reordering_window_s {
                unit.is_lost = true;
                has_loss = true;
            }
        }
        has_loss
    }

    fn forget(&mut self) {
        while self.acked_to > self.first
            && self
                .sent
                .front()
                .is_some_and(|unit| unit.is_acked || unit.is_lost && self.first + REMEMBERED < self.acked_to)
        {
            self.sent.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::rtp::feedback::Arrival;

    fn report(begin_seq: u16, units: &[Option<(f64, EcnCodepoint)>], timestamp_s: f64) -> Report {
        let units = units.iter().map(|unit| unit.map(|(at_s, ecn)| Arrival { at_s, ecn })).collect();
        Report { begin_seq, units, timestamp_s }
    }

    const NO: EcnCodepoint = EcnCodepoint::NotEct;

    /// The example of the draft's "Status Update When Sending Data": the highest one received is SN - 5, so the sizes of
    /// SN - 4 to SN are in flight, lost or not. That of "Status Update on Receiving Feedback": N + 1 to N + 3 are newly
    /// acknowledged, although N + 2 is lost.
    #[test]
    fn bytes_in_flight_and_newly_acked_are_those_of_the_drafts_examples() {
        let mut units = Units::default();
        for size in [100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0, 800.0, 900.0] {
            units.send(size, 0.0);
        }
        units.take(&report(0, &[Some((0.1, NO))], 0.1), 0.2);
        let acked = units.take(&report(1, &[Some((0.1, NO)), None, Some((0.1, NO))], 0.1), 0.2);
        assert_eq!((acked.bytes, acked.units), (200.0 + 300.0 + 400.0, 2.0));
        assert_eq!(units.bytes_in_flight(), 500.0 + 600.0 + 700.0 + 800.0 + 900.0);
    }

    #[test]
    fn the_round_trip_leaves_out_what_the_receiver_held_back() {
        let mut units = Units::default();
        units.send(1000.0, 1.0);
        let acked = units.take(&report(0, &[Some((1.03, NO))], 1.05), 1.10);
        let newest = acked.newest.unwrap();
        assert!((newest.rtt_s - 0.08).abs() < 1e-12 && (newest.delay_s - 0.03).abs() < 1e-12);
    }

    #[test]
    fn a_reordered_data_unit_is_a_loss_once_and_then_widens_the_window() {
        let mut units = Units::default();
        for _ in 0..6 {
            units.send(1000.0, 0.0);
        }
        let late = |units: &mut Units, seq: u16, now_s: f64| {
            units.take(&report(seq, &[None, Some((now_s, NO))], now_s), now_s).has_loss
        };
        assert!(late(&mut units, 0, 1.0));
        assert!(!units.take(&report(0, &[Some((1.0, NO))], 1.02), 1.02).has_loss);
        // The window is 20 ms from now on.
        assert!(!late(&mut units, 2, 1.1));
        assert!(!units.take(&report(4, &[Some((1.1, NO))], 1.1), 1.11).has_loss);
        assert!(units.take(&report(5, &[Some((1.1, NO))], 1.1), 1.13).has_loss);
    }

    #[test]
    fn sequence_numbers_go_on_after_16_bits() {
        let mut units = Units::default();
        for number in 0..70_000_u32 {
            let seq = units.send(1000.0, 0.0);
            assert_eq!(seq, u64::from(number));
            let acked = units.take(&report(number as u16, &[Some((0.1, NO))], 0.1), 0.1);
            assert_eq!(acked.bytes, 1000.0);
        }
        assert_eq!((units.bytes_in_flight(), units.sent.len()), (0.0, 0));
    }
}
