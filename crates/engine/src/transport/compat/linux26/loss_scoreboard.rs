//! The scoreboard of ns-2.35's Linux sender (`ScoreBoard1`): runs of packets in the same state, and retransmitted
//! packets one by one.
//!
//! Source: M. Mathis and J. Mahdavi, "Forward acknowledgement: refining TCP congestion control", SIGCOMM 1996;
//! ns-2.35's `ScoreBoard1`.
//! What it decides: a packet is lost if a SACK block ends more than three packets above it. A retransmitted packet is
//! lost again in two cases: a block covers a packet first sent after it, or a packet retransmitted more than four turns
//! later has arrived.
//! Departures: each ACK makes one pass over the runs, up to its last block, so some losses are detected one ACK later.
//! Not implemented: nothing.
//! Checked against: ns-2.35.

/// The distance to the highest SACKed packet at which a packet is lost: more than three.
const DUPLICATES: i32 = 3 + 1;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    InFlight,
    Sacked,
    Lost,
    /// Retransmitted: `sent` packets had been sent before it, and `turn` counts the retransmissions.
    Again {
        sent: i32,
        turn: i32,
    },
}

/// Packets `first..=last` in one state, and the slot of the next run.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: i32,
    last: i32,
    fate: Fate,
    next: u32,
}

impl Run {
    fn length(&self) -> i32 {
        self.last + 1 - self.first
    }
}

/// The changes that an ACK made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Packets were SACKed.
    pub sacked: bool,
    /// Packets were marked lost.
    pub lost: bool,
    /// The ACK may be of a retransmitted packet.
    pub unsure: bool,
}

/// The scoreboard: a linked list of runs in reusable slots.
#[derive(Debug)]
pub struct LossScoreboard {
    slots: Vec<Run>,
    free: Vec<u32>,
    head: u32,
    next_lost: u32,
    turn: i32,
    acked_turn: i32,
    /// The highest SACKed packet.
    most_forward: i32,
    lost: i32,
    sacked: i32,
    /// The last ACK's blocks, sorted.
    blocks: Vec<(i32, i32)>,
}

impl Default for LossScoreboard {
    fn default() -> LossScoreboard {
        LossScoreboard {
            slots: Vec::new(),
            free: Vec::new(),
            head: NONE,
            next_lost: NONE,
            turn: 0,
            acked_turn: -1,
            most_forward: 0,
            lost: 0,
            sacked: 0,
            blocks: Vec::new(),
        }
    }
}

impl LossScoreboard {
    /// Whether the scoreboard is empty.
    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }

    /// Clears the scoreboard.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.head = NONE;
        self.next_lost = NONE;
        self.turn = 0;
        self.acked_turn = -1;
        self.most_forward = 0;
        self.lost = 0;
        self.sacked = 0;
    }

    /// Packets not in flight: lost and not retransmitted, or SACKed.
    pub fn not_in_flight(&self) -> i32 {
        self.lost + self.sacked
    }

    /// The next packet to retransmit.
    pub fn next_lost(&mut self) -> Option<i32> {
        while self.next_lost != NONE && self.run(self.next_lost).fate != Fate::Lost {
            self.next_lost = self.run(self.next_lost).next;
        }
        (self.next_lost != NONE).then(|| self.run(self.next_lost).first)
    }

    /// Marks the packet of [`LossScoreboard::next_lost`] as retransmitted; `sent` packets have been sent so far.
    pub fn sent_again(&mut self, sent: i32) {
        let slot = self.next_lost;
        let run = *self.run(slot);
        if run.last > run.first {
            self.split(slot, run.first + 1);
        }
        let turn = self.turn;
        self.run_mut(slot).fate = Fate::Again { sent, turn };
        self.turn += 1;
        self.lost -= 1;
    }

    /// Handles a timeout: marks all packets in `first..sent` lost, except SACKed ones.
    pub fn lose_all(&mut self, first: i32, sent: i32) {
        self.next_lost = NONE;
        let (mut previous, mut slot) = (NONE, self.head);
        let mut previous_is_lost = false;
        while slot != NONE {
            if self.run(slot).fate == Fate::Sacked {
                previous_is_lost = false;
            } else {
                if self.run(slot).fate != Fate::Lost {
                    self.lost += self.run(slot).length();
                }
                self.run_mut(slot).fate = Fate::Lost;
                if previous_is_lost {
                    self.merge(previous);
                    slot = previous;
                } else if self.next_lost == NONE {
                    self.next_lost = slot;
                }
                previous_is_lost = true;
            }
            previous = slot;
            slot = self.run(slot).next;
            let end = self.run(previous).last + 1;
            if slot == NONE && end < sent {
                slot = self.append(previous, end, sent - 1, Fate::InFlight);
            }
        }
        if previous == NONE && first < sent {
            self.head = self.make(Run { first, last: sent - 1, fate: Fate::Lost, next: NONE });
            self.next_lost = self.head;
            self.lost += sent - first;
        }
        self.turn = 0;
        self.acked_turn = -1;
    }

    /// Processes an ACK of `acked` with these blocks.
    pub fn update(&mut self, acked: i32, blocks: &[(i32, i32)]) -> News {
        let mut news = News::default();
        let mut thorough = self.forget_acked(acked, &mut news);
        if self.is_empty() {
            self.clear();
            thorough = false;
        }
        self.blocks.clear();
        self.blocks.extend(blocks.iter().filter(|block| block.0 >= acked));
        self.blocks.sort_by_key(|block| block.0);
        if !thorough && self.blocks.is_empty() {
            return news;
        }
        if let Some(&(_, after)) = self.blocks.last()
            && self.most_forward < after - 1
        {
            self.most_forward = after - 1;
            thorough = true;
        }
        if self.is_empty() {
            let last = self.most_forward;
            self.head = self.make(Run { first: acked + 1, last, fate: Fate::InFlight, next: NONE });
        }
        self.judge(thorough, &mut news);
        news
    }

    /// Removes packets up to `acked`. Returns whether one of them was retransmitted later than all those acknowledged
    /// before.
    fn forget_acked(&mut self, acked: i32, news: &mut News) -> bool {
        let mut later = false;
        while self.head != NONE {
            let slot = self.head;
            let run = *self.run(slot);
            if acked < run.first {
                break;
            }
            let gone = acked.min(run.last) + 1 - run.first;
            match run.fate {
                Fate::Sacked => self.sacked -= gone,
                Fate::Lost => self.lost -= gone,
                Fate::InFlight | Fate::Again { .. } => {}
            }
            if acked < run.last {
                self.run_mut(slot).first = acked + 1;
                break;
            }
            self.head = run.next;
            if let Fate::Again { turn, .. } = run.fate {
                if turn > self.acked_turn {
                    later = true;
                    self.acked_turn = turn;
                }
                news.unsure = true;
            }
            if slot == self.next_lost {
                self.next_lost = self.head;
            }
            self.free.push(slot);
        }
        later
    }

    /// One pass over the runs: marks packets SACKed and lost.
    fn judge(&mut self, mut thorough: bool, news: &mut News) {
        self.next_lost = NONE;
        let lost_up_to = self.most_forward - DUPLICATES;
        let (mut previous, mut slot, mut at) = (NONE, self.head, 0);
        while slot != NONE && (at < self.blocks.len() || thorough) {
            if self.run(slot).fate != Fate::Sacked {
                while at < self.blocks.len() && self.blocks[at].1 <= self.run(slot).first {
                    at += 1;
                }
                let block = self.blocks.get(at).copied();
                if let Some((left, right)) = block
                    && left <= self.run(slot).last
                {
                    if left > self.run(slot).first {
                        self.split(slot, left);
                    } else {
                        thorough |= self.mark_arrived(slot, right, news);
                    }
                }
                if block.is_none_or(|(left, _)| left > self.run(slot).last) {
                    self.judge_missing(slot, lost_up_to, news);
                }
            }
            if previous != NONE && self.is_like(previous, slot) {
                self.merge(previous);
            } else {
                previous = slot;
            }
            let run = *self.run(previous);
            if run.next == NONE && run.last < self.most_forward {
                self.append(previous, run.last + 1, self.most_forward, Fate::InFlight);
            }
            slot = self.run(previous).next;
        }
    }

    /// Marks the start of a run SACKed, by a block up to `right`. Returns whether it was a retransmitted packet.
    fn mark_arrived(&mut self, slot: u32, right: i32, news: &mut News) -> bool {
        if right <= self.run(slot).last {
            self.split(slot, right);
        }
        let run = *self.run(slot);
        let mut sent_again = false;
        match run.fate {
            Fate::Lost => self.lost -= run.length(),
            Fate::Again { turn, .. } => {
                self.acked_turn = turn;
                news.unsure = true;
                sent_again = true;
            }
            Fate::InFlight | Fate::Sacked => {}
        }
        self.sacked += run.length();
        news.sacked = true;
        self.run_mut(slot).fate = Fate::Sacked;
        sent_again
    }

    /// Checks whether a run that no block covers is lost.
    fn judge_missing(&mut self, slot: u32, lost_up_to: i32, news: &mut News) {
        let run = *self.run(slot);
        let is_lost = match run.fate {
            Fate::Again { sent, turn } => sent <= self.most_forward || turn + DUPLICATES < self.acked_turn,
            Fate::InFlight => run.first <= lost_up_to,
            Fate::Lost => {
                if self.next_lost == NONE {
                    self.next_lost = slot;
                }
                false
            }
            Fate::Sacked => false,
        };
        if is_lost {
            if run.fate == Fate::InFlight && lost_up_to < run.last {
                self.split(slot, lost_up_to + 1);
            }
            self.run_mut(slot).fate = Fate::Lost;
            self.lost += self.run(slot).length();
            news.lost = true;
            if self.next_lost == NONE {
                self.next_lost = slot;
            }
        }
    }

    fn run(&self, slot: u32) -> &Run {
        &self.slots[slot as usize]
    }

    fn run_mut(&mut self, slot: u32) -> &mut Run {
        &mut self.slots[slot as usize]
    }

    fn make(&mut self, run: Run) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = run;
            slot
        } else {
            self.slots.push(run);
            self.slots.len() as u32 - 1
        }
    }

    fn append(&mut self, after: u32, first: i32, last: i32, fate: Fate) -> u32 {
        let slot = self.make(Run { first, last, fate, next: NONE });
        self.run_mut(after).next = slot;
        slot
    }

    /// Splits a run; the second part starts with `at`.
    fn split(&mut self, slot: u32, at: i32) {
        let run = *self.run(slot);
        let second = self.make(Run { first: at, ..run });
        let first = self.run_mut(slot);
        first.last = at - 1;
        first.next = second;
    }

    /// Merges the next run into this one.
    fn merge(&mut self, slot: u32) {
        let gone = self.run(slot).next;
        let Run { last, next, .. } = *self.run(gone);
        let run = self.run_mut(slot);
        run.last = last;
        run.next = next;
        self.free.push(gone);
    }

    /// Whether two adjacent runs can be merged; retransmitted packets stay separate.
    fn is_like(&self, one: u32, other: u32) -> bool {
        let fate = self.run(one).fate;
        fate == self.run(other).fate && !matches!(fate, Fate::Again { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_found_sent_again_and_found_again() {
        let mut board = LossScoreboard::default();
        let news = board.update(0, &[(2, 3)]);
        assert_eq!(news, News { sacked: true, lost: false, unsure: false });
        assert_eq!((board.next_lost(), board.not_in_flight()), (None, 1));
        let news = board.update(0, &[(6, 7), (2, 3)]);
        assert!(news.lost);
        assert_eq!((board.next_lost(), board.not_in_flight()), (Some(1), 3));
        board.sent_again(8);
        assert_eq!((board.next_lost(), board.not_in_flight()), (None, 2));
        let news = board.update(0, &[(8, 9), (6, 7)]);
        assert!(news.lost);
        assert_eq!(board.next_lost(), Some(1));
    }

    #[test]
    fn an_ack_forgets() {
        let mut board = LossScoreboard::default();
        board.update(0, &[(2, 9)]);
        board.next_lost();
        board.sent_again(9);
        let news = board.update(8, &[]);
        assert!(news.unsure && board.is_empty());
        assert_eq!(board.not_in_flight(), 0);
    }

    #[test]
    fn a_timeout_loses_all_that_has_not_arrived() {
        let mut board = LossScoreboard::default();
        board.lose_all(5, 9);
        assert_eq!((board.next_lost(), board.not_in_flight()), (Some(5), 4));
        board.clear();
        board.update(0, &[(3, 5)]);
        board.lose_all(1, 10);
        assert_eq!((board.next_lost(), board.not_in_flight()), (Some(1), 9));
    }
}
