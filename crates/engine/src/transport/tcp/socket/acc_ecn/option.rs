//! AccECN's TCP option: which fields fit, when it is sent, and what its first value shows.
//!
//! Source: RFC 9768, 3.2.3; Linux 7.2's `tcp_options_fit_accecn`, `tcp_options_write`, `tcp_accecn_option_init`,
//! `tcp_accecn_option_beacon_check`.
//! What it decides: which counters a segment carries, and which SACK blocks give way to them.
//! Departures: none. Not implemented: nothing.
//! Checked against: by hand, below; packetdrill's `tcp_accecn_sack_space_grab*`.

use super::super::Socket;
use super::super::clock::{Duration, Instant};
use super::super::ecn_feedback::EcnFeedback;
use super::super::segment::{AccEcnOption, Options};
use super::state::{OptionSeen, fail};

/// First values of `r.e1b`, `r.e0b` and `r.ceb`.
pub(super) const E1B_INIT: u32 = 1;
pub(super) const E0B_INIT: u32 = 1;
pub(super) const CEB_INIT: u32 = 0;
/// Values of a field of the option: 24 bits.
pub(super) const FIELD_MASK: u32 = 0xff_ffff;
/// Bytes of the option: kind and length, and each field.
const OPTION_BASE: u32 = 2;
const OPTION_FIELD: u32 = 3;
/// Bytes of a SACK block.
const SACK_BLOCK: u32 = 8;

/// How many fields fit into `room` bytes, at least `required`, and how many of `blocks` SACK blocks remain
/// (`tcp_options_fit_accecn`). Up to `saving` bytes take the place of padding. `None` if it does not fit; else fields,
/// bytes, and blocks.
pub(super) fn fit(required: u32, room: u32, blocks: u32, saving: u32) -> Option<(u32, u32, u32)> {
    let mut room = room;
    let mut left = blocks;
    let mut fields = 3;
    loop {
        let size = OPTION_BASE + OPTION_FIELD * fields;
        let aligned = if size % 4 > saving { size.next_multiple_of(4) } else { size - size % 4 };
        if room >= aligned {
            return Some((fields, aligned, left));
        }
        if fields == required && left > 2 && required > 0 {
            left -= 1;
            room += SACK_BLOCK;
            fields = 3;
        } else if fields == required {
            return None;
        } else {
            fields -= 1;
        }
    }
}

/// An option with the first `fields` counters, ECT(1) first.
pub(super) fn option(bytes: &[u32; 3], fields: u32) -> AccEcnOption {
    let value = |count: u32, init: u32| Some(count.wrapping_add(init) & FIELD_MASK);
    AccEcnOption {
        ee1b: (fields >= 1).then(|| value(bytes[0], E1B_INIT)).flatten(),
        eceb: (fields >= 2).then(|| value(bytes[2], CEB_INIT)).flatten(),
        ee0b: (fields >= 3).then(|| value(bytes[1], E0B_INIT)).flatten(),
        is_order_1: true,
    }
}

/// What the first option shows: whether counters are there, and not cleared (`tcp_accecn_option_init`).
pub(super) fn first_option(option: &AccEcnOption) -> OptionSeen {
    let (first, last) = if option.is_order_1 { (option.ee1b, option.ee0b) } else { (option.ee0b, option.ee1b) };
    match (first, last) {
        (None, _) => OptionSeen::Empty,
        (Some(0), _) | (_, Some(0)) => OptionSeen::Cleared,
        _ => OptionSeen::Counter,
    }
}

impl Socket {
    /// When options are sent from now on (`tcp_ecn_option`, which Linux reads for each segment).
    pub fn set_acc_ecn_option(&mut self, mode: u8) {
        self.config.ecn_option = mode;
    }

    /// Whether segments carry AccECN's counter (`SKB_GSO_TCP_ACCECN`).
    pub fn sends_acc_ecn(&self) -> bool {
        self.ecn.mode == EcnFeedback::AccEcn
    }

    /// Whether the next segment carries an option, and how much of `room` it takes beside so many SACK blocks.
    pub(in super::super) fn acc_ecn_fit(&self, now: Instant, room: u32, blocks: u32) -> Option<(u32, u32, u32)> {
        let acc = &self.ecn.acc;
        let mode = self.config.ecn_option;
        if self.ecn.mode != EcnFeedback::AccEcn || mode == 0 || acc.saw_opt == OptionSeen::Nothing {
            return None;
        }
        let srtt = Duration::from_micros(u64::from(self.srtt_us8() >> 3));
        let beacon = u64::from(self.config.ecn_option_beacon);
        let is_due = || acc.opt_tstamp.is_none_or(|last| now.since(last).0 * beacon >= srtt.0);
        let is_wanted =
            (mode >= 3 || acc.fail_mode & fail::OPT_SEND == 0) && (mode >= 2 || acc.opt_demand > 0 || is_due());
        if is_wanted { fit(acc.minlen, room, blocks, if blocks > 0 { 2 } else { 0 }) } else { None }
    }

    /// Writes the option with so many fields, and notes that it was sent (in `tcp_options_write`).
    pub(in super::super) fn acc_ecn_write(
        &mut self,
        now: Instant,
        options: &mut Options,
        fields: Option<u32>,
        has_dsack: bool,
    ) {
        let acc = &mut self.ecn.acc;
        acc.opt_sent_w_dsack = fields.is_some() && has_dsack;
        if let Some(fields) = fields {
            options.acc_ecn = Some(option(&acc.received_ecn_bytes, fields));
            acc.minlen = 0;
            acc.opt_tstamp = Some(now);
            acc.opt_demand = acc.opt_demand.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 40 bytes less 12 of timestamps: beside two SACK blocks (20 bytes) 8 are left, two fields; three fields need one
    // block less, and there must be two.
    #[test]
    fn options_give_way_to_two_sack_blocks() {
        assert_eq!(fit(0, 28, 0, 0), Some((3, 12, 0)));
        assert_eq!(fit(1, 8, 2, 2), Some((2, 8, 2)));
        assert_eq!(fit(2, 0, 3, 2), Some((2, 8, 2)));
        assert_eq!(fit(3, 8, 2, 2), None);
    }
}
