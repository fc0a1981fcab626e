//! ECN: negotiation, the echo of marks, and what a sender says of its reaction.
//!
//! Source: RFC 3168, 6.1; RFC 8311, 4.3; RFC 8257, 3.2 (DCTCP's echo); Linux's `tcp_ecn_send_syn`,
//! `tcp_ecn_create_request`, `tcp_ecn_rcv_synack`, `tcp_data_ecn_check`, `tcp_ecn_accept_cwr`, `tcp_ecn_send`.
//! What it decides: whether packets are ECN-capable, and when ECE and CWR are set. AccECN (RFC 9768) is in
//! [`super::acc_ecn`].
//! Departures: none.
//! Not implemented: the routes' ECN features.
//! Checked against: packetdrill scripts of `ecn`; the tests of [`super`].

use super::Socket;
use super::acc_ecn::state::AccEcn;
use super::clock::Instant;
use super::config::EcnMode;
use super::ecn_feedback::EcnFeedback;
use super::receiver::delayed_ack::pending;
use super::segment::{EcnCodepoint, Segment, flag};
use super::seq::SeqNum;

/// State of ECN (`tp->ecn_flags`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ecn {
    /// What was negotiated.
    pub mode: EcnFeedback,
    /// The next new data carries CWR (`TCP_ECN_QUEUE_CWR`).
    queue_cwr: bool,
    /// A mark arrived, and no CWR since (`TCP_ECN_DEMAND_CWR`).
    demand_cwr: bool,
    /// An ECN-capable packet arrived (`TCP_ECN_SEEN`).
    pub seen: bool,
    /// DCTCP: the last packet was marked.
    pub was_ce: bool,
    /// DCTCP: RCV.NXT when it arrived (`prior_rcv_nxt`).
    prior_rcv_nxt: SeqNum,
    /// AccECN's counters.
    pub acc: AccEcn,
}

impl Ecn {
    /// The peer gives feedback (`TCP_ECN_OK`).
    pub fn is_negotiated(&self) -> bool {
        matches!(self.mode, EcnFeedback::Rfc3168 | EcnFeedback::AccEcn)
    }
}

impl Socket {
    /// Control bits of our SYN (`tcp_ecn_send_syn`).
    pub(super) fn ecn_syn_flags(&mut self) -> u16 {
        let use_acc_ecn = self.config.ecn == EcnMode::AccEcn || self.ca_needs_acc_ecn();
        let use_ecn =
            use_acc_ecn || matches!(self.config.ecn, EcnMode::On | EcnMode::AccEcnServer) || self.ca_needs_ecn();
        if !use_ecn {
            return 0;
        }
        if use_acc_ecn {
            self.ecn.mode = EcnFeedback::Pending;
            return flag::ECE | flag::CWR | flag::AE;
        }
        self.ecn.mode = EcnFeedback::Rfc3168;
        flag::ECE | flag::CWR
    }

    /// A SYN is retransmitted: it does not request ECN any more (RFC 3168, 6.1.1.1; RFC 9768, 3.1.4.1;
    /// `tcp_ecn_clear_syn`).
    pub(super) fn ecn_clear_syn(&mut self, flags: &mut u16) {
        let bits = flag::ECE | flag::CWR | flag::AE;
        if !self.config.ecn_fallback || *flags & bits == 0 || *flags & flag::ACK != 0 {
            return;
        }
        self.handshake.ecn_syn_retries = self.handshake.ecn_syn_retries.saturating_add(1);
        // AccECN is requested a second time; classic ECN is not.
        if *flags & flag::AE == 0 || self.handshake.ecn_syn_retries > 1 {
            *flags &= !bits;
        }
    }

    /// A SYN is about to be sent: ECN-capable if the control says so.
    pub(super) fn ecn_send_syn(&mut self, segment: &mut Segment) {
        let bits = flag::ECE | flag::CWR | flag::AE;
        if segment.has(flag::ACK) {
            // The answer to a SYN that crossed ours (`tcp_ecn_send_synack`).
            segment.flags &= !(flag::CWR | flag::AE);
            if self.ecn.mode != EcnFeedback::Rfc3168 {
                segment.flags &= !flag::ECE;
            }
            if self.ecn.mode == EcnFeedback::AccEcn {
                segment.flags |= self.acc_ecn_reflector();
                self.syn_option(&mut segment.options);
            }
        }
        if self.ca_needs_ecn() && segment.flags & bits != 0 {
            segment.ecn = EcnCodepoint::Ect0;
        }
    }

    /// Whether a SYN's request is granted, as control bits of the SYN-ACK (`tcp_ecn_create_request`).
    pub(super) fn ecn_create_request(&mut self, syn: &Segment) -> u16 {
        self.ecn = Ecn::default();
        let accepts_acc_ecn =
            matches!(self.config.ecn, EcnMode::AccEcn | EcnMode::AccEcnServer | EcnMode::AccEcnPassive)
                || self.ca_needs_acc_ecn();
        if accepts_acc_ecn && let Some(flags) = self.acc_ecn_rcv_syn(syn) {
            self.ecn.mode = EcnFeedback::AccEcn;
            return flags;
        }
        if !syn.has(flag::ECE | flag::CWR) {
            return 0;
        }
        let is_ect = syn.ecn != EcnCodepoint::NotEct;
        let is_accepted = self.config.ecn != EcnMode::Off && (!is_ect || syn.has(flag::AE));
        if is_accepted || self.ca_needs_ecn() {
            self.ecn.mode = EcnFeedback::Rfc3168;
            return flag::ECE;
        }
        0
    }

    /// A SYN-ACK is about to be sent.
    pub(super) fn ecn_send_synack(&mut self, synack: &mut Segment, is_retransmit: bool, num_timeout: u8) {
        if self.ca_needs_ecn() && self.ecn.mode != EcnFeedback::Disabled {
            synack.ecn = EcnCodepoint::Ect0;
        }
        self.acc_ecn_send_synack(synack, is_retransmit, num_timeout);
    }

    /// The handshake of a server is complete.
    pub(super) fn ecn_openreq_child(&mut self, segment: &Segment) {
        if self.ecn.mode == EcnFeedback::AccEcn {
            self.acc_ecn_openreq_child(segment);
        }
    }

    /// Forgets what was negotiated.
    pub(super) fn ecn_reset(&mut self) {
        self.ecn = Ecn::default();
    }

    /// The SYN-ACK arrived (`tcp_ecn_rcv_synack`).
    pub(super) fn ecn_rcv_synack(&mut self, synack: &Segment) {
        if self.ecn.mode == EcnFeedback::Pending {
            self.acc_ecn_rcv_synack(synack);
        } else if self.ecn.mode == EcnFeedback::Rfc3168 && (!synack.has(flag::ECE) || synack.has(flag::CWR)) {
            self.ecn.mode = EcnFeedback::Disabled;
        }
    }

    /// A SYN that crossed ours arrived (`tcp_ecn_rcv_syn`).
    pub(super) fn ecn_rcv_syn(&mut self, syn: &Segment) {
        if self.ecn.mode == EcnFeedback::Pending {
            let is_acc_ecn = self.acc_ecn_rcv_crossed_syn(syn);
            self.ecn.mode = if is_acc_ecn { EcnFeedback::AccEcn } else { EcnFeedback::Rfc3168 };
        }
        if self.ecn.mode == EcnFeedback::Rfc3168 && !syn.has(flag::ECE | flag::CWR) {
            self.ecn.mode = EcnFeedback::Disabled;
        }
    }

    /// Data arrived: notes its mark (`tcp_data_ecn_check`).
    pub(super) fn ecn_check_ce(&mut self, now: Instant, segment: &Segment) {
        if !matches!(self.ecn.mode, EcnFeedback::Rfc3168 | EcnFeedback::AccEcn) {
            return;
        }
        let is_rfc3168 = self.ecn.mode == EcnFeedback::Rfc3168;
        let is_dctcp = self.ca_needs_ecn() && is_rfc3168;
        match segment.ecn {
            EcnCodepoint::NotEct => {
                // Probably a retransmission: the peer needs ACKs.
                if self.ecn.seen {
                    self.enter_quickack_mode(2);
                }
            }
            EcnCodepoint::Ce => {
                if is_dctcp {
                    self.dctcp_ce_state(now, true);
                }
                if is_rfc3168 && !self.ecn.demand_cwr {
                    self.enter_quickack_mode(2);
                    self.ecn.demand_cwr = true;
                }
                self.ecn.seen |= is_rfc3168;
            }
            EcnCodepoint::Ect0 | EcnCodepoint::Ect1 => {
                if is_dctcp {
                    self.dctcp_ce_state(now, false);
                }
                self.ecn.seen |= is_rfc3168;
            }
        }
    }

    /// DCTCP: an ACK reports each change of the mark (RFC 8257, 3.2; `dctcp_ece_ack_update`). A delayed ACK is sent first,
    /// for the packets before this one.
    fn dctcp_ce_state(&mut self, now: Instant, is_ce: bool) {
        if self.ecn.was_ce != is_ce {
            if self.rcv.ack.delack_timeout().is_some() {
                self.ecn.demand_cwr = self.ecn.was_ce;
                self.send_ack_of(now, self.ecn.prior_rcv_nxt);
            }
            self.rcv.ack.pending |= pending::NOW | pending::SCHED;
        }
        self.ecn.prior_rcv_nxt = self.rcv.rcv_nxt;
        self.ecn.was_ce = is_ce;
        self.ecn.demand_cwr = is_ce;
    }

    /// An ACK field is about to be processed: CWR ends the echo (`tcp_ecn_accept_cwr`).
    pub(super) fn ecn_accept_cwr(&mut self, segment: &Segment) {
        if self.ecn.mode == EcnFeedback::Rfc3168 && segment.has(flag::CWR) {
            self.ecn.demand_cwr = false;
            // The peer's window may be one packet.
            if segment.seq_len() > 0 {
                self.rcv.ack.pending |= pending::NOW;
            }
        }
    }

    /// Whether the segment echoes a mark (`tcp_ecn_rcv_ecn_echo`).
    pub(super) fn ecn_rcv_ecn_echo(&self, segment: &Segment) -> bool {
        self.ecn.mode == EcnFeedback::Rfc3168 && segment.has(flag::ECE) && !segment.has(flag::SYN)
    }

    /// The window was reduced: the next new data says so (`tcp_ecn_queue_cwr`).
    pub(super) fn ecn_queue_cwr(&mut self) {
        if self.ecn.mode == EcnFeedback::Rfc3168 {
            self.ecn.queue_cwr = true;
        }
    }

    /// The reduction was undone (`tcp_ecn_withdraw_cwr`).
    pub(super) fn ecn_withdraw_cwr(&mut self) {
        self.ecn.queue_cwr = false;
    }

    /// The ECN field of a packet without data.
    pub(super) fn ecn_codepoint_of_ack(&self) -> EcnCodepoint {
        match self.ecn.mode {
            EcnFeedback::AccEcn => self.acc_ecn_codepoint(),
            EcnFeedback::Rfc3168 if self.ca_needs_ecn() => EcnCodepoint::Ect0,
            _ => EcnCodepoint::NotEct,
        }
    }

    /// Sets the bits of any segment but a SYN (`tcp_ecn_send`).
    pub(super) fn ecn_send(&mut self, segment: &mut Segment) {
        if segment.has(flag::SYN) {
            return;
        }
        match self.ecn.mode {
            EcnFeedback::Rfc3168 => {
                if self.ecn.demand_cwr {
                    segment.flags |= flag::ECE;
                }
                if self.ca_needs_ecn() {
                    segment.ecn = EcnCodepoint::Ect0;
                }
            }
            EcnFeedback::AccEcn => self.acc_ecn_send(segment),
            EcnFeedback::Disabled | EcnFeedback::Pending => {}
        }
    }

    /// Sets the bits of data that is sent for the first time.
    pub(super) fn ecn_on_data_sent(&mut self, segment: &mut Segment) {
        match self.ecn.mode {
            EcnFeedback::Rfc3168 => {
                segment.ecn = EcnCodepoint::Ect0;
                if std::mem::take(&mut self.ecn.queue_cwr) {
                    segment.flags |= flag::CWR;
                }
            }
            EcnFeedback::AccEcn => segment.ecn = self.acc_ecn_codepoint(),
            EcnFeedback::Disabled | EcnFeedback::Pending => {}
        }
    }
}
