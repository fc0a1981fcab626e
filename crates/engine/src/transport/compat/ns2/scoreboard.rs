//! The SACK scoreboard of ns-2.35's `Agent/TCP/Sack1`: runs of packets that arrived above a gap.
//!
//! Source: M. Mathis et al., RFC 2018; ns-2.35's scoreboard built on a reassembly queue. A packet is lost as soon as
//! one above it has arrived.

/// The SACKed runs, and the progress of retransmission through the gaps.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    /// (first, one past the last), ascending and not adjacent.
    runs: Vec<(i32, i32)>,
    /// One past the highest packet known to be acknowledged.
    bottom: i32,
    /// Packets below this are not retransmitted.
    next_gap: i32,
    held: i32,
    changed: bool,
}

impl Default for Scoreboard {
    fn default() -> Scoreboard {
        Scoreboard { runs: Vec::new(), bottom: -1, next_gap: -1, held: 0, changed: false }
    }
}

impl Scoreboard {
    /// Clears the runs and the retransmission state.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.held = 0;
        self.next_gap = -1;
    }

    /// Processes an ACK up to `ack` with these SACK blocks.
    pub fn update(&mut self, ack: i32, blocks: &[(i32, i32)]) {
        let held_before = self.held;
        self.changed = false;
        if self.bottom <= ack {
            self.bottom = ack + 1;
            self.changed = !self.runs.is_empty();
            self.forget_below(self.bottom);
        }
        for &(first, after) in blocks {
            self.add(first, after);
        }
        self.changed |= self.held != held_before;
    }

    /// Whether the last update changed the scoreboard.
    pub fn has_changed(&self) -> bool {
        self.changed
    }

    /// Marks packet `seqno` as retransmitted.
    pub fn retransmitted(&mut self, seqno: i32) {
        self.next_gap = self.next_gap.max(seqno + 1);
    }

    /// The lowest missing packet below a run that was not retransmitted.
    pub fn next_lost(&mut self) -> Option<i32> {
        self.next_gap = self.next_gap.max(self.bottom);
        let (missing, has_run_above) = self.missing_from(self.next_gap)?;
        if missing <= 0 || !has_run_above {
            return None;
        }
        self.next_gap = self.next_gap.max(missing);
        Some(missing)
    }

    /// The first missing packet at or above `seqno`; `None` above the last run.
    pub fn next_missing(&self, seqno: i32) -> Option<i32> {
        self.missing_from(seqno).map(|(missing, _)| missing)
    }

    fn missing_from(&self, seqno: i32) -> Option<(i32, bool)> {
        let index = self.runs.partition_point(|run| run.1 < seqno);
        let run = self.runs.get(index)?;
        Some(if run.0 > seqno { (seqno, true) } else { (run.1, index + 1 < self.runs.len()) })
    }

    fn forget_below(&mut self, seqno: i32) {
        let gone = self.runs.partition_point(|run| run.1 <= seqno);
        self.held -= self.runs.drain(..gone).map(|run| run.1 - run.0).sum::<i32>();
        if let Some(run) = self.runs.first_mut()
            && run.0 < seqno
        {
            self.held -= seqno - run.0;
            run.0 = seqno;
        }
    }

    /// Adds a run and merges it with overlapping or adjacent ones.
    fn add(&mut self, first: i32, after: i32) {
        let low = self.runs.partition_point(|run| run.1 < first);
        let high = self.runs.partition_point(|run| run.0 <= after);
        let joined = &self.runs[low..high];
        if joined.contains(&(first, after)) {
            return;
        }
        let run = joined.iter().fold((first, after), |sum, run| (sum.0.min(run.0), sum.1.max(run.1)));
        self.held += run.1 - run.0 - joined.iter().map(|run| run.1 - run.0).sum::<i32>();
        self.runs.splice(low..high, [run]);
        // A run at or below `bottom` (from a duplicate packet) moves `bottom` to its end.
        if self.bottom >= run.0 {
            self.bottom = run.1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of RFC 2018, section 7, case 2, in packets: 0 is acknowledged, 1 is lost, the rest arrives.
    #[test]
    fn a_gap_is_lost_once() {
        let mut board = Scoreboard::default();
        board.update(0, &[(2, 3)]);
        assert!(board.has_changed());
        assert_eq!(board.next_lost(), Some(1));
        board.retransmitted(1);
        assert_eq!(board.next_lost(), None);
        board.update(0, &[(2, 4)]);
        assert!(board.has_changed());
        assert_eq!(board.next_lost(), None);
        board.update(0, &[(2, 4)]);
        assert!(!board.has_changed());
        board.update(3, &[]);
        assert_eq!(board.next_missing(4), None);
    }

    // RFC 2018, section 7, case 3: every second packet is lost; the most recent block comes first.
    #[test]
    fn gaps_are_sent_in_order_and_runs_join() {
        let mut board = Scoreboard::default();
        board.update(0, &[(2, 3)]);
        board.update(0, &[(4, 5), (2, 3)]);
        board.update(0, &[(6, 7), (4, 5), (2, 3)]);
        let mut sent = Vec::new();
        while let Some(seqno) = board.next_lost() {
            sent.push(seqno);
            board.retransmitted(seqno);
        }
        assert_eq!(sent, [1, 3, 5]);
        board.update(0, &[(2, 5), (6, 7)]);
        assert_eq!(board.next_missing(3), Some(5));
        assert_eq!(board.next_missing(1), Some(1));
        board.update(4, &[(6, 7)]);
        assert_eq!(board.runs, [(6, 7)]);
    }
}
