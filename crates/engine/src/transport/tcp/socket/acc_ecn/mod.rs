//! AccECN: how it is negotiated, and the feedback about marks in three header bits (ACE) and in a TCP option.
//!
//! Source: RFC 9768, 3.1 (negotiation), 3.2.1 (initial values), 3.2.2 (ACE), 3.2.3 (the option), A.1 and A.2 (counters that
//! wrap); Linux 7.2's include/net/tcp_ecn.h, `tcp_accecn_process`, `tcp_accecn_process_option`,
//! `tcp_options_fit_accecn`, whose selftests are newer than 6.18.
//! What it decides: the bits of SYN, SYN-ACK and the last ACK of the handshake; counters and option of every segment; how
//! many packets an ACK newly reports as marked.
//! Departures: none.
//! Not implemented: feedback of SYN cookies.
//! Checked against: packetdrill's `tcp_accecn_*` of Linux's selftests; RFC 9768's tables, below.

mod feedback;
mod option;
pub(super) mod state;

use super::Socket;
use super::clock::Instant;
use super::ecn_feedback::EcnFeedback;
use super::info::TcpInfo;
use super::receiver::delayed_ack::pending;
use super::segment::{EcnCodepoint, Options, Segment, flag};
use option::{first_option, fit, option};
use state::{AccEcn, OptionSeen, fail};

/// Values of ACE.
const ACE_MASK: u32 = 7;
/// First value of the packet counter, `r.cep` (RFC 9768, 3.2.1).
const CEP_INIT: u32 = 5;

/// Index of a codepoint in the byte counters.
fn index(ecn: EcnCodepoint) -> Option<usize> {
    match ecn {
        EcnCodepoint::NotEct => None,
        EcnCodepoint::Ect1 => Some(0),
        EcnCodepoint::Ect0 => Some(1),
        EcnCodepoint::Ce => Some(2),
    }
}

/// The three bits AE, CWR, ECE as a number.
fn ace(segment: &Segment) -> u32 {
    u32::from(segment.has(flag::AE)) << 2 | u32::from(segment.has(flag::CWR)) << 1 | u32::from(segment.has(flag::ECE))
}

/// A number as the three bits.
fn ace_flags(number: u32) -> u16 {
    let bit = |mask: u32, flag: u16| if number & mask != 0 { flag } else { 0 };
    bit(4, flag::AE) | bit(2, flag::CWR) | bit(1, flag::ECE)
}

/// The bits that report the ECN field of a SYN or SYN-ACK (RFC 9768, 3.1.1, table 2; `tcp_accecn_reflector_flags`).
fn reflector_flags(ecn: EcnCodepoint) -> u16 {
    ace_flags(match ecn {
        EcnCodepoint::NotEct => 0b010,
        EcnCodepoint::Ect1 => 0b011,
        EcnCodepoint::Ect0 => 0b100,
        EcnCodepoint::Ce => 0b110,
    })
}

/// The ECN field that these bits report (`tcp_accecn_extract_syn_ect`).
fn reflected(ace: u32) -> EcnCodepoint {
    match ace & ACE_MASK {
        0b010 => EcnCodepoint::NotEct,
        0b000 | 0b100 => EcnCodepoint::Ect0,
        0b110 => EcnCodepoint::Ce,
        _ => EcnCodepoint::Ect1,
    }
}

/// Whether a path may turn one ECN field into the other (`tcp_ect_transition_valid`).
fn is_valid_transition(sent: EcnCodepoint, received: EcnCodepoint) -> bool {
    use EcnCodepoint::{Ce, NotEct};
    sent == received || (sent != NotEct && received != NotEct && sent != Ce)
}

impl AccEcn {
    /// Takes over the first option that is seen.
    fn see_option(&mut self, segment: &Segment) -> bool {
        let Some(option) = &segment.options.acc_ecn else { return false };
        if self.saw_opt >= OptionSeen::Counter {
            return false;
        }
        self.saw_opt = first_option(option);
        if self.saw_opt == OptionSeen::Cleared {
            self.fail_mode |= fail::OPT_RECV;
        }
        true
    }

    /// Whether the reported ECN field of our packet is possible; if not, ACE is not believed.
    fn validate_syn_feedback(&mut self, fallback: bool, ace: u32) -> bool {
        if !fallback || is_valid_transition(EcnCodepoint::NotEct, reflected(ace)) {
            return true;
        }
        self.fail_mode |= fail::ACE_RECV;
        false
    }
}

impl Socket {
    /// A SYN may request AccECN: the bits of the SYN-ACK (RFC 9768, 3.1.2).
    pub(super) fn acc_ecn_rcv_syn(&mut self, syn: &Segment) -> Option<u16> {
        let ace = ace(syn);
        if ace == 0 || ace == 0b011 {
            return None;
        }
        self.ecn.acc = AccEcn { syn_ect_rcv: syn.ecn, ..AccEcn::default() };
        Some(reflector_flags(syn.ecn))
    }

    /// The SYN came again: its ECN field and bits may differ.
    pub(super) fn acc_ecn_syn_again(&mut self, syn: &Segment) {
        if self.ecn.mode == EcnFeedback::AccEcn {
            self.ecn.acc.syn_ect_rcv = syn.ecn;
            if ace(syn) == 0 {
                self.ecn.acc.fail_mode |= fail::ACE_RECV;
            }
        }
    }

    /// A SYN-ACK was retransmitted: from the second on, ACE seems not to get through.
    pub(super) fn acc_ecn_synack_again(&mut self, num_retrans: u8) {
        if self.ecn.mode == EcnFeedback::AccEcn && num_retrans > 1 {
            self.ecn.acc.fail_mode |= fail::ACE_SEND;
        }
    }

    /// Bits and option of a SYN-ACK: without bits after a timeout of a retransmission, the option only the first time
    /// (`tcp_ecn_make_synack`, `tcp_synack_options`).
    pub(super) fn acc_ecn_send_synack(&mut self, synack: &mut Segment, is_retransmit: bool, num_timeout: u8) {
        let bits = flag::ECE | flag::CWR | flag::AE;
        if is_retransmit && num_timeout > 0 {
            synack.flags &= !bits;
        } else if self.ecn.mode == EcnFeedback::AccEcn {
            synack.flags = synack.flags & !bits | reflector_flags(self.ecn.acc.syn_ect_rcv);
        }
        if self.ecn.mode == EcnFeedback::AccEcn && !is_retransmit {
            self.syn_option(&mut synack.options);
        }
    }

    /// The option of a SYN-ACK: the initial values.
    pub(super) fn syn_option(&self, options: &mut Options) {
        if self.config.ecn_option == 0 {
            return;
        }
        let saving = if options.sack_permitted && options.timestamps.is_none() {
            2
        } else {
            u32::from(options.window_scale.is_some())
        };
        if let Some((fields, _, _)) = fit(0, 40 - options.wire_len(), 0, saving) {
            options.acc_ecn = Some(option(&[0; 3], fields));
        }
    }

    /// An option on the last ACK of the handshake, before the connection exists.
    pub(super) fn acc_ecn_request_option(&mut self, segment: &Segment) {
        if self.ecn.mode == EcnFeedback::AccEcn {
            self.ecn.acc.see_option(segment);
        }
    }

    /// The handshake of a server is complete (`tcp_ecn_openreq_child`).
    pub(super) fn acc_ecn_openreq_child(&mut self, segment: &Segment) {
        self.acc_ecn_third_ack(segment);
        self.ecn.acc.prev_ecnfield = self.ecn.acc.syn_ect_rcv;
        self.ecn.acc.opt_demand = 1;
        self.ecn_received_counters(segment);
    }

    /// The last ACK of the handshake reports the ECN field of our SYN-ACK (RFC 9768, 3.2.2.1; `tcp_accecn_third_ack`).
    pub(super) fn acc_ecn_third_ack(&mut self, segment: &Segment) {
        let ace = ace(segment);
        match ace {
            0 => self.ecn.acc.fail_mode |= fail::ACE_RECV | fail::OPT_RECV,
            0b001 | 0b101 | 0b111 => {}
            _ => {
                if segment.seq_len() == 0
                    && self.ecn.acc.validate_syn_feedback(self.config.ecn_fallback, ace)
                    && reflected(ace) == EcnCodepoint::Ce
                    && self.ecn.acc.delivered_ce == 0
                {
                    self.ecn.acc.delivered_ce = 1;
                }
            }
        }
    }

    /// The SYN-ACK arrived after a SYN that requests AccECN (table 2; `tcp_ecn_rcv_synack`).
    pub(super) fn acc_ecn_rcv_synack(&mut self, synack: &Segment) {
        let ace = ace(synack);
        self.ecn.mode = match ace {
            0b000 | 0b111 => EcnFeedback::Disabled,
            0b001 => EcnFeedback::Rfc3168,
            _ => EcnFeedback::AccEcn,
        };
        if self.ecn.mode != EcnFeedback::AccEcn {
            return;
        }
        let fallback = self.config.ecn_fallback;
        let acc = &mut self.ecn.acc;
        acc.syn_ect_rcv = synack.ecn;
        if acc.see_option(synack) {
            acc.opt_demand = 2;
        }
        if synack.ecn == EcnCodepoint::Ce && (ace == 0b101 || acc.validate_syn_feedback(fallback, ace)) {
            acc.received_ce += 1;
            acc.received_ce_pending += 1;
        }
    }

    /// A SYN that crossed ours requests AccECN too.
    pub(super) fn acc_ecn_rcv_crossed_syn(&mut self, syn: &Segment) -> bool {
        let ace = ace(syn);
        let is_requested = ace != 0 && ace != 0b011;
        if is_requested {
            self.ecn.acc.syn_ect_rcv = syn.ecn;
            self.ecn.acc.prev_ecnfield = syn.ecn;
        }
        is_requested
    }

    /// Bits that report the peer's SYN.
    pub(super) fn acc_ecn_reflector(&self) -> u16 {
        reflector_flags(self.ecn.acc.syn_ect_rcv)
    }

    /// The last ACK of a client's handshake reports the ECN field of the SYN-ACK (`tcp_send_ack_reflect_ect`).
    pub(super) fn send_handshake_ack(&mut self, now: Instant) {
        let is_acc_ecn = self.ecn.mode == EcnFeedback::AccEcn;
        self.send_ack_with(now, if is_acc_ecn { self.acc_ecn_reflector() } else { 0 });
    }

    /// A SYN arrives on an established connection; the challenge ACK reports its ECN field. Returns the bits.
    pub(super) fn acc_ecn_challenge(&mut self, segment: &Segment) -> u16 {
        if self.ecn.mode != EcnFeedback::AccEcn {
            return 0;
        }
        self.ecn.acc.syn_ect_rcv = segment.ecn;
        if self.ecn.acc.see_option(segment) {
            self.ecn.acc.opt_demand = self.ecn.acc.opt_demand.max(1);
        }
        self.acc_ecn_reflector()
    }

    /// An ACK is about to be processed: from here on it makes progress.
    pub(super) fn acc_ecn_note_progress(&mut self) {
        self.ecn.acc.prior_snd_una = self.snd.snd_una;
        self.ecn.acc.has_ts_progress = false;
    }

    /// A segment was accepted: counts its mark and its bytes (RFC 9768, 3.2.2 and 3.2.3; `tcp_ecn_received_counters`).
    pub(super) fn ecn_received_counters(&mut self, segment: &Segment) {
        self.acc_ecn_note_progress();
        let is_ce = segment.ecn == EcnCodepoint::Ce;
        let acc = &mut self.ecn.acc;
        if let Some(which) = index(segment.ecn) {
            if self.ecn.mode != EcnFeedback::Rfc3168 {
                self.ecn.seen = true;
            }
            let packets = if is_ce { segment.packets() } else { 0 };
            acc.received_ce = acc.received_ce.wrapping_add(packets);
            acc.received_ce_pending = (acc.received_ce_pending + packets).min(15);
            if segment.payload > 0 {
                let fields = match segment.ecn {
                    EcnCodepoint::Ect1 => 1,
                    EcnCodepoint::Ce => 2,
                    _ => 3,
                };
                let old = acc.received_ecn_bytes[which];
                let new = old.wrapping_add(segment.payload);
                acc.received_ecn_bytes[which] = new;
                acc.minlen = acc.minlen.max(fields);
                // An option at least every 2^22 bytes.
                if (old ^ new) >> 22 != 0 {
                    acc.opt_demand = acc.opt_demand.max(1);
                }
            }
        }
        let is_edge = acc.prev_ecnfield != segment.ecn;
        if is_edge || is_ce {
            acc.prev_ecnfield = segment.ecn;
            if self.ecn.mode == EcnFeedback::AccEcn {
                if is_edge {
                    self.rcv.ack.pending |= pending::NOW;
                }
                acc.opt_demand = 2;
            }
        }
    }

    /// The bits and the ECN field of a segment (`tcp_ecn_send`): all packets are ECN-capable while ACE works.
    pub(super) fn acc_ecn_send(&mut self, segment: &mut Segment) {
        segment.ecn = self.acc_ecn_codepoint();
        let bits = flag::ECE | flag::CWR | flag::AE;
        if segment.flags & bits == 0 {
            segment.flags |= ace_flags(self.ecn.acc.received_ce.wrapping_add(CEP_INIT) & ACE_MASK);
            self.ecn.acc.received_ce_pending = 0;
        }
    }

    /// The ECN field of our packets.
    pub(super) fn acc_ecn_codepoint(&self) -> EcnCodepoint {
        if self.ecn.acc.fail_mode & (fail::ACE_RECV | fail::ACE_SEND) != 0 {
            EcnCodepoint::NotEct
        } else if self.ca_needs_acc_ecn() {
            EcnCodepoint::Ect1
        } else {
            EcnCodepoint::Ect0
        }
    }

    /// Data was received twice. If it was the answer to an ACK with an option, options are lost on the path
    /// (`tcp_rcv_spurious_retrans`).
    pub(super) fn rcv_spurious_retrans(&mut self, segment: &Segment) {
        if self.ecn.mode == EcnFeedback::AccEcn
            && self.ecn.acc.opt_sent_w_dsack
            && segment.seq == self.rcv.sacks.last_duplicate
        {
            self.ecn.acc.fail_mode |= fail::OPT_SEND;
        }
    }

    /// The fields of AccECN.
    pub(super) fn fill_acc_ecn_info(&self, info: &mut TcpInfo) {
        let acc = &self.ecn.acc;
        info.tcpi_ecn_mode = match self.ecn.mode {
            EcnFeedback::Disabled => 0,
            EcnFeedback::Rfc3168 => 1,
            EcnFeedback::AccEcn => 2,
            EcnFeedback::Pending => 3,
        };
        info.tcpi_accecn_opt_seen = acc.saw_opt as u8;
        info.tcpi_accecn_fail_mode = acc.fail_mode;
        info.tcpi_received_ce = acc.received_ce;
        [info.tcpi_received_e1_bytes, info.tcpi_received_e0_bytes, info.tcpi_received_ce_bytes] =
            acc.received_ecn_bytes;
        [info.tcpi_delivered_e1_bytes, info.tcpi_delivered_e0_bytes, info.tcpi_delivered_ce_bytes] =
            acc.delivered_ecn_bytes;
        if self.ecn.mode == EcnFeedback::AccEcn {
            info.tcpi_delivered_ce = acc.delivered_ce;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 9768, 3.1.1, table 2: the answer to a SYN by its ECN field, and what a client makes of the bits.
    #[test]
    fn the_bits_of_table_2() {
        use EcnCodepoint::{Ce, Ect0, Ect1, NotEct};
        let bits = [(NotEct, 0b010), (Ect1, 0b011), (Ect0, 0b100), (Ce, 0b110)];
        for (ecn, number) in bits {
            let segment = Segment { flags: reflector_flags(ecn), ..Segment::default() };
            assert_eq!((ace(&segment), reflected(number)), (number, ecn));
        }
    }
}
