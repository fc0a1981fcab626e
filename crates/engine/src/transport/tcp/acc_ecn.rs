//! AccECN: the receiver counts marks, and feeds the counters back in three header bits (ACE) and in a TCP option.
//!
//! Source: B. Briscoe, M. Kühlewind, R. Scheffenegger, RFC 9768, sections 3.1.1 and 3.1.2 (negotiation), 3.1.4.1
//! (retransmitted SYN), 3.2.1 (initial values), 3.2.2.2 (ACE), 3.2.2.5 (when to send an ACK), 3.2.3 (the option),
//! appendix A.1 and A.2 (counters that wrapped).
//! What it decides: the meaning of the flags AE, CWR and ECE, the fields of an option, and how many packets an ACK
//! newly reports as marked.
//! Departures: one-way TCP has no ACK of the SYN-ACK, so a mark on the SYN-ACK is not reported (3.2.2.1); the first
//! data packet carries the counter.
//! Not implemented: detection of mangling and of path blocking (3.2.2.3, 3.2.2.4, 3.2.3.2).
//! Checked against: the RFC's tables and worked values by hand, below; on the wire with tshark
//! (tests/oracle/test_acc_ecn.py).

use crate::packet::flag;
use crate::packet::header::AccEcnOption;

/// The three flags as a number: AE is 4, CWR 2, ECE 1.
const BITS: [(u16, u32); 3] = [(flag::ACCURATE, 4), (flag::CONG_ACTION, 2), (flag::ECN_ECHO, 1)];

/// Flags of a SYN that requests AccECN.
pub const ASKS: u16 = flag::ACCURATE | flag::CONG_ACTION | flag::ECN_ECHO;
/// Flags of a SYN that requests classic ECN (RFC 3168, 6.1.1).
pub const ASKS_CLASSIC: u16 = flag::CONG_ACTION | flag::ECN_ECHO;
/// Number of SYNs that request AccECN before one is sent without (3.1.4.1).
pub const TRIES: u32 = 2;

/// Number of values of ACE.
const CYCLE: u32 = 8;
/// Number of values of an option field.
const FIELD_CYCLE: u32 = 1 << 24;
/// Initial values: not zero, so that a middlebox that clears the fields is noticed (3.2.1).
const FIRST_PACKETS: u32 = 5;
const FIRST_BYTES: u32 = 1;
/// The receiver sends an ACK after this many marks (3.2.2.5.1).
const MAX_MARKS: u32 = 2;
/// Marked segments are on average at least 1/`SAFETY_FACTOR` of the MSS (A.2.2).
const SAFETY_FACTOR: f64 = 2.0;

/// The flags that encode a number.
fn flags(number: u32) -> u16 {
    BITS.iter().filter(|&&(_, bit)| number & bit != 0).map(|&(flag, _)| flag).sum()
}

/// The number that the flags encode.
fn number(flags: u16) -> u32 {
    BITS.iter().filter(|&&(flag, _)| flags & flag != 0).map(|&(_, bit)| bit).sum()
}

/// The flags of the SYN-ACK, by the SYN's ECN field (3.1.1, table 2).
pub fn answer(syn: u16) -> u16 {
    let has = |bit| syn & bit != 0;
    flags(match (has(flag::ECN_CAPABLE), has(flag::MARKED), has(flag::ECT_1)) {
        (false, ..) => 0b010,
        (true, true, _) => 0b110,
        (true, false, true) => 0b011,
        (true, false, false) => 0b100,
    })
}

/// The negotiated feedback mode of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Agreed {
    /// Not negotiated yet.
    #[default]
    Nothing,
    /// Not ECN: packets must be Not-ECT (3.1.5).
    NotEcn,
    /// Classic ECN feedback (RFC 3168).
    Classic,
    /// AccECN feedback.
    Accurate {
        /// The SYN arrived with CE.
        syn_was_marked: bool,
    },
}

impl Agreed {
    /// The mode from the SYN-ACK's flags, `answer`, to a SYN with the flags `asked` (table 2).
    pub fn by_answer(asked: u16, answer: u16) -> Agreed {
        let accurate = |syn_was_marked| Agreed::Accurate { syn_was_marked };
        match (asked & flag::ACCURATE != 0, number(answer)) {
            (true, 0b010..=0b101) => accurate(false),
            (true, 0b110) => accurate(true),
            (_, 0b001) => Agreed::Classic,
            // 111 is a host that reflects the flags of the SYN.
            _ => Agreed::NotEcn,
        }
    }
}

/// The receiver's counters.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    packets: u32,
    bytes: AccEcnOption,
    /// Which fields have ever changed: ECT(0), CE, ECT(1).
    changed: [bool; 3],
    /// A byte counter has changed since the last ACK.
    is_new: bool,
    was_marked: bool,
    /// Marks since the last ACK.
    untold: u32,
}

impl Default for Received {
    fn default() -> Received {
        let bytes = AccEcnOption { ect_0: FIRST_BYTES, ect_1: FIRST_BYTES, ..AccEcnOption::default() };
        Received { packets: FIRST_PACKETS, bytes, changed: [false; 3], is_new: true, was_marked: false, untold: 0 }
    }
}

impl Received {
    /// Counts a packet, not a SYN, with these flags and bytes of data. Returns whether an ACK must be sent immediately.
    pub fn take(&mut self, flags: u16, data_bytes: i32) -> bool {
        let has = |bit| flags & bit != 0;
        let is_marked = has(flag::ECN_CAPABLE) && has(flag::MARKED);
        let begins = is_marked && !self.was_marked;
        self.was_marked = is_marked;
        self.untold += u32::from(is_marked);
        self.packets = self.packets.wrapping_add(u32::from(is_marked));
        let bytes = data_bytes.max(0) as u32;
        if has(flag::ECN_CAPABLE) && bytes > 0 {
            let (counter, which) = match (is_marked, has(flag::ECT_1)) {
                (true, _) => (&mut self.bytes.ce, 1),
                (false, true) => (&mut self.bytes.ect_1, 2),
                (false, false) => (&mut self.bytes.ect_0, 0),
            };
            *counter = (*counter + bytes) % FIELD_CYCLE;
            (self.changed[which], self.is_new) = (true, true);
        }
        begins || self.untold >= MAX_MARKS
    }

    /// The three flags of an ACK: the packet counter modulo 8.
    pub fn flags(&self) -> u16 {
        flags(self.packets % CYCLE)
    }

    /// The option of an ACK, if a byte counter has changed since the last one. It contains all fields that ever
    /// changed.
    pub fn option(&self) -> Option<AccEcnOption> {
        let [ect_0, ce, ect_1] = self.changed;
        let fields = match (ect_0, ce, ect_1) {
            (true, _, true) => 3,
            (_, true, _) => 2,
            _ => 1,
        };
        self.is_new.then_some(AccEcnOption { fields, ect_1_first: ect_1 && !ect_0, ..self.bytes })
    }

    /// An ACK was sent.
    pub fn told(&mut self) {
        (self.untold, self.is_new) = (0, false);
    }
}

/// The sender's copy of the receiver's counters.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    packets: u32,
    marked_bytes: u32,
    /// Send time of the latest ACK that was processed, s.
    heard_s: f64,
}

impl Default for Told {
    fn default() -> Told {
        Told { packets: FIRST_PACKETS, marked_bytes: 0, heard_s: f64::NEG_INFINITY }
    }
}

impl Told {
    /// The number of packets that an ACK newly reports as marked. The ACK was sent at `sent_s`, has these flags and
    /// delivers `delivered` packets of `mss_bytes`. A reordered old ACK reports nothing (A.1).
    pub fn take(
        &mut self,
        flags: u16,
        option: Option<&AccEcnOption>,
        delivered: u32,
        mss_bytes: i32,
        sent_s: f64,
    ) -> u32 {
        if delivered == 0 && sent_s <= self.heard_s {
            return 0;
        }
        self.heard_s = self.heard_s.max(sent_s);
        let least = (number(flags) + CYCLE - self.packets % CYCLE) % CYCLE;
        // More marks than packets: some were on packets that had arrived before (3.2.2.5.2).
        let safe = if delivered > least { delivered - (delivered - least) % CYCLE } else { least };
        let marked = match option {
            Some(option) => {
                let bytes = if option.fields >= 2 {
                    (option.ce + FIELD_CYCLE - self.marked_bytes % FIELD_CYCLE) % FIELD_CYCLE
                } else {
                    0
                };
                self.marked_bytes = self.marked_bytes.wrapping_add(bytes);
                choose(least, safe, f64::from(bytes), f64::from(mss_bytes))
            }
            None => safe,
        };
        self.packets = self.packets.wrapping_add(marked);
        marked
    }
}

/// Decides from the marked bytes whether ACE has wrapped (A.2.2).
fn choose(least: u32, safe: u32, bytes: f64, mss_bytes: f64) -> u32 {
    let is_enough = bytes <= mss_bytes * f64::from(least) && bytes / f64::from(safe) < mss_bytes / SAFETY_FACTOR;
    if safe > least && is_enough { least } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ECT_0: u16 = flag::ECN_CAPABLE;
    const ECT_1: u16 = flag::ECN_CAPABLE | flag::ECT_1;
    const CE: u16 = flag::ECN_CAPABLE | flag::MARKED;

    // RFC 9768, table 2: (AE, CWR, ECE) of the SYN-ACK, by the SYN's ECN field, and the sender's resulting mode.
    #[test]
    fn the_handshake_is_that_of_the_table() {
        for (syn, said) in [(0, 0b010), (ECT_1, 0b011), (ECT_0, 0b100), (CE, 0b110), (CE | flag::ECT_1, 0b110)] {
            assert_eq!(number(answer(syn)), said);
            let syn_was_marked = said == 0b110;
            assert_eq!(Agreed::by_answer(ASKS, answer(syn)), Agreed::Accurate { syn_was_marked });
        }
        for (said, agreed) in [(0b001, Agreed::Classic), (0b000, Agreed::NotEcn), (0b111, Agreed::NotEcn)] {
            assert_eq!(Agreed::by_answer(ASKS, flags(said)), agreed);
        }
        // 101 is reserved, and means AccECN (3.1.3).
        assert_eq!(Agreed::by_answer(ASKS, flags(0b101)), Agreed::Accurate { syn_was_marked: false });
        assert_eq!(Agreed::by_answer(ASKS_CLASSIC, flags(0b001)), Agreed::Classic);
        assert_eq!(Agreed::by_answer(0, flags(0)), Agreed::NotEcn);
        assert_eq!((number(ASKS), number(ASKS_CLASSIC)), (0b111, 0b011));
    }

    // 3.2.1 and 3.2.2.5.1: counters begin at 5, 1, 0, 1. The first mark after an unmarked packet triggers an ACK, then
    // every second mark.
    #[test]
    fn the_receiver_counts_packets_and_bytes() {
        let mut received = Received::default();
        assert_eq!(number(received.flags()), 0b101);
        assert_eq!(received.option(), Some(AccEcnOption { fields: 1, ect_0: 1, ect_1: 1, ..AccEcnOption::default() }));
        received.told();
        assert_eq!(received.option(), None);
        let mut said = Vec::new();
        for flags in [ECT_0, ECT_0, CE, CE, ECT_0, CE, CE, CE, 0] {
            let goes = received.take(flags, 1000);
            said.push((goes, number(received.flags())));
            if goes {
                received.told();
            }
        }
        let expected =
            [(false, 5), (false, 5), (true, 6), (false, 7), (false, 7), (true, 0), (false, 1), (true, 2), (false, 2)]; // the counter wraps after 7
        assert_eq!(said, expected);
        received.take(ECT_0, 500);
        let option = received.option().unwrap();
        assert_eq!((option.fields, option.ect_1_first, option.length()), (2, false, 8));
        assert_eq!((option.ect_0, option.ce, option.ect_1), (1 + 3500, 5000, 1));
    }

    #[test]
    fn the_option_begins_with_what_has_changed() {
        let fields = |flags: &[u16]| {
            let mut received = Received::default();
            for &flags in flags {
                received.take(flags, 10);
            }
            let option = received.option().unwrap();
            (option.fields, option.ect_1_first)
        };
        assert_eq!(fields(&[ECT_1]), (1, true));
        assert_eq!(fields(&[ECT_1, CE]), (2, true));
        assert_eq!(fields(&[ECT_0, ECT_1]), (3, false));
        assert_eq!(fields(&[CE]), (2, false));
    }

    // A.2.1's example, with a minimum of 2: 9 packets leave it at 2, 10 packets make it 10.
    #[test]
    fn a_count_that_may_have_wrapped_is_taken_as_wrapped() {
        for (delivered, marked) in [(9, 2), (10, 10), (1, 2)] {
            let mut told = Told::default();
            assert_eq!(told.take(flags(7), None, delivered, 1460, 0.0), marked);
            // An ACK that was sent before reports nothing; a repeated value reports no more marks.
            assert_eq!(told.take(flags(5), None, 0, 1460, -1.0), 0);
            assert_eq!(told.take(flags(7), None, 1, 1460, 1.0), 0);
        }
    }

    // A.2.2's examples, with segments of 1460 bytes: (d.cep, dSafer.cep, d.ceb) and the value to take.
    #[test]
    fn bytes_tell_whether_it_has_wrapped() {
        for (least, safe, bytes, taken) in [(0, 8, 1460.0, 8), (2, 10, 1460.0, 2), (7, 15, 10_200.0, 7)] {
            assert_eq!(choose(least, safe, bytes, 1460.0), taken);
        }
        // A.1: s.ceb = 33,554,433 and ECEB = 1461 are 1460 bytes apart.
        let mut told = Told { packets: 5, marked_bytes: 33_554_433, heard_s: 0.0 };
        let option = AccEcnOption { fields: 2, ce: 1461, ..AccEcnOption::default() };
        assert_eq!(told.take(flags(6), Some(&option), 2, 1460, 1.0), 1);
        assert_eq!(told.marked_bytes, 33_554_433 + 1460);
    }
}
