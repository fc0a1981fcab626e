//! RTCP's congestion control feedback, as bytes.
//!
//! Source: RFC 8888, section 3.1.
//! What it decides: which bytes a report has, and what they mean.
//! Departures: none.
//! Not implemented: reports of several sources in one packet; compound packets.
//! Checked against: the layout of section 3.1, byte by byte.

use crate::packet::segment::EcnCodepoint;

/// Version 2 without padding, and the feedback message type `FMT` = 11.
const VERSION_AND_FORMAT: u8 = 2 << 6 | 11;
/// The packet type `PT` of transport-layer feedback.
const PACKET_TYPE: u8 = 205;
/// The largest arrival time offset, in 1/1024 s.
const ATO_MAX: u16 = 0x1ffd;
/// An offset above [`ATO_MAX`].
const ATO_OVER: u16 = 0x1ffe;
/// Bytes before the reports: the header, the sender's SSRC, the source's SSRC, `begin_seq` and `num_reports`.
const HEAD_BYTES: usize = 16;

/// What became of a data unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// When it arrived, by the receiver's clock, s.
    pub at_s: f64,
    /// Its ECN field.
    pub ecn: EcnCodepoint,
}

/// A report: from `begin_seq` on, the arrival of each data unit, or `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The sequence number of the first one, of which RTP has the lowest 16 bits.
    pub begin_seq: u16,
    /// One for each sequence number.
    pub units: Vec<Option<Arrival>>,
    /// When the report was made, by the receiver's clock, s.
    pub timestamp_s: f64,
}

impl Report {
    /// The bytes of the RTCP packet.
    pub fn to_bytes(&self) -> Vec<u8> {
        let padded = self.units.len().next_multiple_of(2);
        let bytes = HEAD_BYTES + 2 * padded + 4;
        let mut out = Vec::with_capacity(bytes);
        out.extend([VERSION_AND_FORMAT, PACKET_TYPE]);
        // The length field: 32-bit words minus one (RFC 3550, 6.4.1).
        out.extend((bytes as u16 / 4 - 1).to_be_bytes());
        out.extend([0; 8]); // a simulation has no SSRCs: addresses and flow ids tell streams apart
        out.extend(self.begin_seq.to_be_bytes());
        out.extend((self.units.len() as u16).to_be_bytes());
        for unit in &self.units {
            out.extend(self.metric_block(unit.as_ref()).to_be_bytes());
        }
        out.resize(HEAD_BYTES + 2 * padded, 0);
        out.extend(ntp_middle(self.timestamp_s).to_be_bytes());
        out
    }

    /// R, ECN and ATO of a data unit.
    fn metric_block(&self, unit: Option<&Arrival>) -> u16 {
        let Some(arrival) = unit else { return 0 };
        let offset = ((self.timestamp_s - arrival.at_s) * 1024.0).max(0.0) as u32;
        let offset = if offset > u32::from(ATO_MAX) { ATO_OVER } else { offset as u16 };
        1 << 15 | (arrival.ecn as u16) << 13 | offset
    }

    /// Reads the bytes of [`Report::to_bytes`]; `None` for others. `near_s` is a time within 9 hours of the report's,
    /// which has only the lowest 16 bits of the seconds.
    pub fn of_bytes(bytes: &[u8], near_s: f64) -> Option<Report> {
        let half = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
        if bytes.get(..2)? != [VERSION_AND_FORMAT, PACKET_TYPE] || bytes.len() != (usize::from(half(2)?) + 1) * 4 {
            return None;
        }
        let (begin_seq, count) = (half(12)?, usize::from(half(14)?));
        let stamp = bytes.get(HEAD_BYTES + 2 * count.next_multiple_of(2)..)?;
        let timestamp_s = of_ntp_middle(u32::from_be_bytes(stamp.try_into().ok()?), near_s);
        let unit = |index: usize| {
            let block = half(HEAD_BYTES + 2 * index)?;
            let at_s = timestamp_s - f64::from(block & 0x1fff) / 1024.0;
            (block >> 15 == 1).then_some(Arrival { at_s, ecn: EcnCodepoint::from_bits((block >> 13) as u8) })
        };
        Some(Report { begin_seq, units: (0..count).map(unit).collect(), timestamp_s })
    }
}

/// The middle 32 bits of an NTP timestamp: the lowest 16 bits of the seconds, and 16 bits of their fraction.
fn ntp_middle(time_s: f64) -> u32 {
    (time_s * 65536.0) as u64 as u32
}

/// The time with these bits that is nearest to `near_s`.
fn of_ntp_middle(bits: u32, near_s: f64) -> f64 {
    let near = (near_s * 65536.0) as i64;
    let apart = (bits.wrapping_sub(near as u32)) as i32;
    (near + i64::from(apart)) as f64 / 65536.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let arrival = |at_s, ecn| Some(Arrival { at_s, ecn });
        Report {
            begin_seq: 0xfffe,
            units: vec![arrival(2.0, EcnCodepoint::Ect0), None, arrival(2.25, EcnCodepoint::Ce)],
            timestamp_s: 2.5,
        }
    }

    /// RFC 8888, section 3.1, drawn by hand: offsets of 512 and 256 in 1/1024 s, a padded metric block.
    #[test]
    fn the_layout_is_that_of_rfc_8888() {
        let expected = [
            0x8b, 205, 0, 6, // V = 2, P = 0, FMT = 11, PT = 205, 7 words less one
            0, 0, 0, 0, 0, 0, 0, 0, // SSRCs
            0xff, 0xfe, 0, 3, // begin_seq, num_reports
            0xc2, 0x00, 0, 0, // R, ECT(0), 512; not received
            0xe1, 0x00, 0, 0, // R, CE, 256; padding
            0, 2, 0x80, 0, // 2.5 s
        ];
        assert_eq!(report().to_bytes(), expected);
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Report::of_bytes(&report().to_bytes(), 3.0), Some(report()));
    }

    #[test]
    fn the_timestamp_goes_on_after_18_hours() {
        let late = Report { timestamp_s: 65_536.0 * 3.0 + 1.5, units: Vec::new(), begin_seq: 0 };
        let read = Report::of_bytes(&late.to_bytes(), 65_536.0 * 3.0 - 2.0);
        assert_eq!(read.map(|read| read.timestamp_s), Some(late.timestamp_s));
    }

    #[test]
    fn an_old_arrival_has_the_offset_that_says_so() {
        let old = Report { timestamp_s: 10.5, ..report() };
        assert_eq!(old.to_bytes()[16..18], [0xc0 | 0x1f, 0xfe]);
    }

    #[test]
    fn other_bytes_are_no_report() {
        assert_eq!(Report::of_bytes(&[], 0.0), None);
        assert_eq!(Report::of_bytes(&report().to_bytes()[..20], 0.0), None);
        let mut other = report().to_bytes();
        other[1] = 206;
        assert_eq!(Report::of_bytes(&other, 0.0), None);
    }
}
