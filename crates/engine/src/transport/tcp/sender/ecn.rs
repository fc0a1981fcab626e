//! ECN at the sender: negotiation with the receiver, the ECN field and flags of each segment, and the marks that ACKs
//! report.
//!
//! Source: RFC 3168, sections 6.1.1 and 6.1.2; RFC 8257, section 3.2; RFC 9768 ([`crate::transport::tcp::acc_ecn`]).
//! What it decides: the ECN flags of each segment, and how many packets an ACK newly reports as marked.
//! Departures: without a SYN, the requested feedback counts as agreed.
//! Not implemented: a fall-back to SYNs without ECN on paths that drop ECN SYNs, other than AccECN's own.
//! Checked against: tests/spec/test_modern_marks.py and tests/oracle/test_acc_ecn.py on the wire.

use super::Modern;
use crate::net::Network;
use crate::packet::flag;
use crate::packet::header::Header;
use crate::transport::one_way::ack::Ack;
use crate::transport::one_way::connection::Connection;
use crate::transport::tcp::acc_ecn::{self, Agreed, Received, Told};
use crate::transport::tcp::cc::Feedback;

/// The ECN state of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    agreed: Agreed,
    told: Told,
    /// Counters of the receiver's packets, which are never marked.
    received: Received,
}

impl Marks {
    /// Processes the answer to the SYN, whose flags were `asked`.
    pub fn hear_answer(&mut self, asked: u16, ack: &Ack) {
        self.agreed = Agreed::by_answer(asked, ack.flags);
    }

    /// Without a SYN: assumes that the feedback of the flags `asked` is agreed.
    pub fn take_for_granted(&mut self, asked: u16) {
        let is_accurate = asked & flag::ACCURATE != 0;
        self.agreed = if is_accurate { Agreed::Accurate { syn_was_marked: false } } else { Agreed::Classic };
    }

    /// Whether the SYN arrived with CE.
    pub fn syn_was_marked(&self) -> bool {
        self.agreed == Agreed::Accurate { syn_was_marked: true }
    }

    fn is_accurate(&self) -> bool {
        matches!(self.agreed, Agreed::Accurate { .. })
    }
}

impl Modern {
    /// The ECN feedback to request from the receiver.
    fn feedback(&self) -> Feedback {
        if self.options.acc_ecn { Feedback::Counted } else { self.control.feedback() }
    }

    /// Whether packets should be ECN-capable, if the receiver agrees.
    fn wants_marks(&self, tcp: &Connection) -> bool {
        tcp.config.ecn || self.feedback() != Feedback::Classic
    }

    /// The flags of a SYN that requests this feedback.
    pub(super) fn asks_for_marks(&self, tcp: &Connection) -> u16 {
        match self.feedback() {
            _ if !self.wants_marks(tcp) => 0,
            Feedback::Counted if self.rtt.backoffs < acc_ecn::TRIES => acc_ecn::ASKS,
            Feedback::Counted => 0,
            Feedback::Classic | Feedback::Exact => acc_ecn::ASKS_CLASSIC,
        }
    }

    /// The ECN flags of a segment; `again` if it is a retransmission.
    pub(super) fn mark_flags(&self, tcp: &Connection, seqno: i32, again: bool) -> u16 {
        let is_syn = seqno == 0 && tcp.config.syn;
        let asks = self.asks_for_marks(tcp);
        let is_off = if is_syn { asks == 0 } else { !self.wants_marks(tcp) || self.marks.agreed == Agreed::NotEcn };
        if is_off {
            return 0;
        }
        // RFC 3168, 6.1.1 and 6.1.5: SYNs and retransmissions are not ECN-capable. With DCTCP's marking they must be:
        // a queue that marks early drops other packets early (RFC 8257, 3.6 and 4.1).
        let needs_marks = self.control.feedback() != Feedback::Classic;
        let may_be_marked = needs_marks || !(again || is_syn);
        let capable = if may_be_marked { flag::ECN_CAPABLE } else { 0 };
        let early = if self.control.is_scalable() { flag::ECT_1 } else { 0 };
        let said = match self.feedback() {
            _ if is_syn || (seqno == 0 && asks == acc_ecn::ASKS) => asks,
            _ if self.marks.is_accurate() => self.marks.received.flags(),
            Feedback::Exact => flag::EXACT_ECHO,
            Feedback::Classic | Feedback::Counted => 0,
        };
        capable | early | said
    }

    /// AccECN sends no CWR signal: the CWR bit is part of the counter (3.1.5).
    pub(super) fn suppress_cwr(&self, tcp: &mut Connection) {
        tcp.tell_reduced &= !self.marks.is_accurate();
    }

    /// Packets that the ACK, which delivers `delivered` packets, newly reports as marked.
    pub(super) fn told_marks(&mut self, tcp: &Connection, ack: &Ack, delivered: u32, net: &Network) -> u32 {
        if !self.wants_marks(tcp) || ack.seqno <= 0 {
            return 0;
        }
        match (self.marks.agreed, self.feedback()) {
            (Agreed::NotEcn | Agreed::Nothing, _) => 0,
            (Agreed::Accurate { .. }, _) => {
                let option = match net.packets.header(ack.packet) {
                    Some(Header::AccEcn(option)) => Some(option),
                    _ => None,
                };
                self.marks.told.take(ack.flags, option, delivered, tcp.end.packet_size, ack.ts)
            }
            (Agreed::Classic, Feedback::Exact) => delivered * u32::from(ack.echoes_mark()),
            (Agreed::Classic, _) => u32::from(ack.echoes_mark()),
        }
    }
}
