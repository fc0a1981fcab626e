//! What an ACK reports of marks: the counter in three bits, which may have wrapped, and the option's byte counters.
//!
//! Source: RFC 9768, A.1 and A.2; Linux 7.2's `tcp_accecn_process`, `tcp_accecn_process_option`.
//! What it decides: how many packets an ACK newly reports as marked.
//! Departures: none. Not implemented: nothing.
//! Checked against: by hand, below; packetdrill's `tcp_accecn_delivered_*`.

use super::super::Socket;
use super::super::clock::Instant;
use super::super::ecn_feedback::EcnFeedback;
use super::super::receiver::delayed_ack::pending;
use super::super::segment::{Segment, flag};
use super::option::{CEB_INIT, E0B_INIT, E1B_INIT, FIELD_MASK};
use super::state::{AccEcn, OptionSeen, fail};
use super::{ACE_MASK, CEP_INIT, ace, ace_flags};

/// Marks after which an ACK is sent at once (`TCP_ACCECN_ACE_MAX_DELTA`).
const ACE_MAX_DELTA: u32 = 6;
/// Too much was sent to begin with options now: a counter may have wrapped.
const TOO_LATE_BYTES: u64 = (1 << 23) - 1;
/// `SAFETY_FACTOR` as a shift count (A.2.2).
const SAFETY_SHIFT: u32 = 1;
/// Average of packets per ACK: weight, fixed point, and the value from which ACKs count as thinned.
const EWMA_SHIFT: u32 = 6;
const ACK_COMP_THRESH: u32 = 4;

impl AccEcn {
    /// The byte counters of an ACK; returns whether their growth can be trusted (`tcp_accecn_process_option`).
    fn process_option(&mut self, segment: &Segment, delivered_bytes: u64, bytes_sent: u64) -> bool {
        if self.fail_mode & fail::OPT_RECV != 0 {
            return false;
        }
        let estimate = self.est_ecnfield;
        let Some(option) = &segment.options.acc_ecn else {
            if self.saw_opt == OptionSeen::Nothing {
                if bytes_sent >= TOO_LATE_BYTES {
                    self.saw_opt = OptionSeen::Cleared;
                    self.fail_mode |= fail::OPT_RECV;
                }
                return false;
            }
            if estimate > 0 {
                let counter = &mut self.delivered_ecn_bytes[estimate - 1];
                *counter = counter.wrapping_add(delivered_bytes as u32);
            }
            return estimate > 0;
        };
        self.see_option(segment);
        let fields = [(option.ee1b, 0, E1B_INIT), (option.eceb, 2, CEB_INIT), (option.ee0b, 1, E0B_INIT)];
        let order: [usize; 3] = if option.is_order_1 { [0, 1, 2] } else { [2, 1, 0] };
        let mut is_valid = estimate > 0;
        let (mut has_changed, mut is_ambiguous) = (false, false);
        for (value, which, init) in order.map(|at| fields[at]) {
            let Some(value) = value else { break };
            let counter = &mut self.delivered_ecn_bytes[which];
            let delta = value.wrapping_sub(init).wrapping_sub(*counter) & FIELD_MASK;
            // 24 bits with a sign.
            let delta = ((delta << 8) as i32) >> 8;
            *counter = counter.wrapping_add(delta as u32);
            if delta < 0 {
                is_ambiguous = true;
            }
            if delta != 0 && which + 1 != estimate {
                if has_changed {
                    is_ambiguous = true;
                } else {
                    self.est_ecnfield = which + 1;
                    has_changed = true;
                }
            }
        }
        if is_ambiguous {
            is_valid = false;
            self.est_ecnfield = 0;
        }
        is_valid
    }

    /// Averages the packets per ACK.
    fn average_acked(&mut self, delivered: u32) {
        if delivered > 0 {
            let ewma = match self.pkts_acked_ewma {
                0 => delivered << EWMA_SHIFT,
                ewma => ((ewma << EWMA_SHIFT) - ewma + (delivered << EWMA_SHIFT)) >> EWMA_SHIFT,
            };
            self.pkts_acked_ewma = ewma.min(0xffff);
        }
    }
}

/// What decides how often ACE may have wrapped (RFC 9768, A.2).
struct WrapInput {
    delta: u32,
    delivered: u32,
    delivered_bytes: u64,
    /// Growth of the peer's counter of marked bytes, if it can be trusted.
    marked_bytes: Option<u32>,
    mss: u32,
    /// SACK tells how many packets were delivered.
    is_sack: bool,
    are_acks_thinned: bool,
}

/// Marked packets of an ACK that may have wrapped ACE (in `__tcp_accecn_process`).
fn unwrap_ace(input: &WrapInput) -> u32 {
    let WrapInput { delta, delivered, .. } = *input;
    if delivered <= ACE_MASK {
        return delta;
    }
    let safe = delivered - (delivered.wrapping_sub(delta) & ACE_MASK);
    match input.marked_bytes {
        Some(0) => delta,
        Some(bytes) => {
            if delivered >= 2 * (ACE_MASK + 1) && input.is_sack {
                if input.delivered_bytes <= u64::from(bytes) {
                    return safe;
                }
                let estimate = (u64::from(bytes) * u64::from(delivered)).div_ceil(input.delivered_bytes) as u32;
                return safe.min(delta + (estimate & !ACE_MASK));
            }
            if bytes > delta * input.mss {
                safe
            } else if bytes < (safe * input.mss) >> SAFETY_SHIFT {
                delta
            } else {
                safe
            }
        }
        None if input.are_acks_thinned => delta,
        None => safe,
    }
}

impl Socket {
    /// An ACK that delivered so many packets and bytes was processed. Returns how many packets it newly reports as marked
    /// (`tcp_accecn_process`); 0 with other feedback.
    pub(in super::super) fn ecn_on_ack(&mut self, _now: Instant, segment: &Segment, delivered: u32, bytes: u64) -> u32 {
        if self.ecn.mode != EcnFeedback::AccEcn {
            return 0;
        }
        let bytes_sent = self.snd.bytes_sent;
        let acc = &mut self.ecn.acc;
        let has_progress = delivered > 0 || segment.ack.after(acc.prior_snd_una);
        if !has_progress && !acc.has_ts_progress {
            return 0; // perhaps reordered
        }
        let old_ceb = acc.delivered_ecn_bytes[2];
        let is_valid = acc.process_option(segment, bytes, bytes_sent);
        acc.average_acked(delivered);
        if segment.has(flag::SYN) {
            return 0;
        }
        if acc.received_ce_pending >= ACE_MAX_DELTA {
            self.rcv.ack.pending |= pending::NOW;
        }
        let delta = ace(segment).wrapping_sub(CEP_INIT).wrapping_sub(acc.delivered_ce) & ACE_MASK;
        let marked = unwrap_ace(&WrapInput {
            delta,
            delivered,
            delivered_bytes: bytes,
            marked_bytes: is_valid.then(|| acc.delivered_ecn_bytes[2].wrapping_sub(old_ceb)),
            mss: self.snd.mss_cache,
            is_sack: self.rx_opt.sack_ok,
            are_acks_thinned: acc.pkts_acked_ewma > ACK_COMP_THRESH << EWMA_SHIFT,
        });
        acc.delivered_ce = acc.delivered_ce.wrapping_add(marked);
        marked
    }

    /// The bits of ACE in a segment that reports no new mark.
    pub(in super::super) fn expected_ace_flags(&self) -> u16 {
        ace_flags(self.ecn.acc.delivered_ce.wrapping_add(CEP_INIT) & ACE_MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 9768, A.1: 12 packets were delivered and ACE grew by 3; it may have wrapped once, so up to 11 were marked
    // (12 - (12 - 3) mod 8). A.2.2: with the option, 4380 bytes are 3 packets of 1460.
    #[test]
    fn ace_may_have_wrapped() {
        let input = WrapInput {
            delta: 3,
            delivered: 12,
            delivered_bytes: 17_520,
            marked_bytes: None,
            mss: 1460,
            is_sack: true,
            are_acks_thinned: false,
        };
        assert_eq!(unwrap_ace(&input), 11);
        assert_eq!(unwrap_ace(&WrapInput { marked_bytes: Some(4380), ..input }), 3);
        assert_eq!(unwrap_ace(&WrapInput { marked_bytes: Some(16_060), ..input }), 11);
    }
}
