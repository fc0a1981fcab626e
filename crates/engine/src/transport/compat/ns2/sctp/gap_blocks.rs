//! The gap blocks of SACK: what they acknowledge, what they report missing.

use super::association::Sctp;
use super::traced::Variable;
use super::unacknowledged::Mark;
use crate::net::Network;
use crate::packet::sctp::Sack;

/// Reads the blocks of a SACK one after the other, as ns-2's sender does: from two sorts of blocks the one that begins
/// first. It reads them by its own setting, whatever the receiver's is.
struct Blocks<'a> {
    sack: &'a Sack,
    /// Whether the sender expects blocks that are not reneged.
    has_two_sorts: bool,
    /// Number of gap blocks, and of those that are not reneged.
    counts: [u16; 2],
    /// How many of them were processed.
    processed: [u16; 2],
    /// Which sort the present block is of.
    sort: usize,
    /// The present block: first and last TSN.
    present: (u32, u32),
}

const GAP: usize = 0;
const NOT_RENEGED: usize = 1;

impl<'a> Blocks<'a> {
    fn new(sack: &'a Sack, has_two_sorts: bool) -> Blocks<'a> {
        let word = |index: usize| sack.words.get(index).copied().unwrap_or(0);
        let counts = [word(0), if has_two_sorts { word(1) } else { 0 }];
        let mut blocks = Blocks { sack, has_two_sorts, counts, processed: [0, 0], sort: GAP, present: (0, 0) };
        // ns-2 starts with this sort if the blocks of both begin alike.
        blocks.sort = if has_two_sorts { NOT_RENEGED } else { GAP };
        blocks.present = blocks.block(GAP);
        blocks.choose();
        blocks
    }

    /// The next block of a sort.
    fn block(&self, sort: usize) -> (u32, u32) {
        let before =
            usize::from(self.processed[sort]) + if sort == NOT_RENEGED { usize::from(self.counts[GAP]) } else { 0 };
        let index = if self.has_two_sorts { 4 } else { 2 } + 2 * before;
        let offset = |index: usize| u32::from(self.sack.words.get(index).copied().unwrap_or(0));
        let cumulative = self.sack.cumulative;
        (cumulative.wrapping_add(offset(index)), cumulative.wrapping_add(offset(index + 1)))
    }

    fn has_more(&self) -> bool {
        self.processed != self.counts
    }

    /// Chooses the sort of the next block.
    fn choose(&mut self) {
        if !self.has_two_sorts {
            self.present = self.block(GAP);
            return;
        }
        let left = [GAP, NOT_RENEGED].map(|sort| self.counts[sort] > self.processed[sort]);
        let [gap, not_reneged] = [self.block(GAP), self.block(NOT_RENEGED)];
        self.present = gap;
        match left {
            [false, true] => self.sort = NOT_RENEGED,
            [true, false] => self.sort = GAP,
            [true, true] if gap.0 < not_reneged.0 => self.sort = GAP,
            [true, true] if not_reneged.0 < gap.0 => self.sort = NOT_RENEGED,
            _ => return,
        }
        if self.sort == NOT_RENEGED {
            self.present = not_reneged;
        }
    }

    /// The present block is processed.
    fn pass(&mut self) {
        self.processed[self.sort] += 1;
        if self.has_more() {
            self.choose();
        }
    }
}

impl Sctp {
    /// Handles the gap blocks of a SACK; returns whether chunks are to be fast retransmitted.
    pub fn take_gap_blocks(&mut self, sack: &Sack, has_new_cum_ack: bool, net: &mut Network) -> bool {
        let highest_outstanding = if self.extensions.retransmits_again { self.highest_outstanding() } else { 0 };
        if self.send_buffer.is_empty() {
            return false;
        }
        for destination in &mut self.destinations {
            destination.first_outstanding = None;
            destination.cmt.highest_in_sack = sack.cumulative;
        }
        let is_multipath = self.extensions.is_multipath;
        let has_two_sorts = self.set.use_non_reneg_sacks != 0 && !self.extensions.has_timestamps;
        let mut blocks = Blocks::new(sack, has_two_sorts);
        let mut highest_sacked = self.htna;
        let (mut place, mut before) = (0, 0);
        while place < self.send_buffer.len() && blocks.has_more() {
            if is_multipath {
                self.find_pseudo_cums(place);
            }
            self.note_first_outstanding(place);
            let (first, last) = blocks.present;
            if !self.extensions.has_timestamps {
                highest_sacked = highest_sacked.max(last);
            }
            let tsn = self.send_buffer[place].data.tsn;
            let mut stays = false;
            if tsn < first {
                if !(is_multipath && has_two_sorts) {
                    self.take_back_gap_ack(place);
                }
            } else if tsn <= last {
                highest_sacked = highest_sacked.max(tsn);
                if !self.send_buffer[place].is_gap_acked {
                    self.gap_ack(place, has_new_cum_ack, net);
                }
            } else {
                blocks.pass();
                stays = has_two_sorts && blocks.has_more();
                if !has_two_sorts {
                    self.take_back_gap_ack(place);
                }
            }
            // With two sorts of blocks the chunk after the one before it is looked at again.
            if stays {
                place = before + 1;
            } else {
                before = place;
                place += 1;
            }
        }
        if !(is_multipath && has_two_sorts) {
            for rest in place..self.send_buffer.len() {
                self.take_back_gap_ack(rest);
            }
        }
        if !self.extensions.has_timestamps {
            for sort in [GAP, NOT_RENEGED] {
                while blocks.processed[sort] < blocks.counts[sort] {
                    highest_sacked = highest_sacked.max(blocks.block(sort).1);
                    blocks.processed[sort] += 1;
                }
            }
        }
        self.count_missing_reports(highest_sacked, has_new_cum_ack, highest_outstanding, net)
    }

    /// Notes the chunk as the first outstanding one of its destination, if it is.
    pub fn note_first_outstanding(&mut self, place: usize) {
        let chunk = &self.send_buffer[place];
        let first = &mut self.destinations[chunk.destination].first_outstanding;
        if first.is_none() && !chunk.is_gap_acked && !chunk.is_given_up {
            *first = Some(chunk.data.tsn);
        }
    }

    /// The SACK does not acknowledge a chunk: it is outstanding again if an earlier SACK did.
    fn take_back_gap_ack(&mut self, place: usize) {
        let chunk = &mut self.send_buffer[place];
        if std::mem::take(&mut chunk.is_gap_acked) {
            self.destinations[chunk.destination].outstanding += i32::from(chunk.data.length);
        }
    }

    /// A gap block newly acknowledges a chunk.
    fn gap_ack(&mut self, place: usize, has_new_cum_ack: bool, net: &mut Network) {
        self.send_buffer[place].is_gap_acked = true;
        if self.extensions.is_multipath {
            self.note_gap_ack(place, net);
        }
        let chunk = &mut self.send_buffer[place];
        let length = i32::from(chunk.data.length);
        self.htna = self.htna.max(chunk.data.tsn);
        let destination = &mut self.destinations[chunk.destination];
        if !chunk.is_given_up {
            destination.newly_acked += length;
        }
        let is_new = match self.extensions.is_multipath && self.cmt.set.use_cmt_cwnd != 0 {
            true => destination.cmt.has_new_pseudo_cum,
            false => has_new_cum_ack,
        };
        if destination.cwnd > destination.ssthresh && is_new && !chunk.is_in_partial {
            chunk.is_in_partial = true;
            destination.partial_bytes_acked += length;
        }
        let chunk = *chunk;
        if !chunk.is_given_up {
            self.sample_chunk(&chunk, net);
        }
        let destination = &self.destinations[chunk.destination];
        if destination.first_outstanding == Some(chunk.data.tsn) && destination.t3_runs {
            self.stop_t3(chunk.destination, net);
        }
        self.association_errors = 0;
        if self.destinations[chunk.destination].errors != 0 && chunk.mark != Mark::Timeout {
            self.clear_errors(chunk.destination, net);
        }
        self.send_buffer[place].mark = Mark::None;
    }

    /// Counts missing reports by the highest TSN newly acknowledged, and marks what is lost (RFC 4960, section 7.2.4).
    fn count_missing_reports(
        &mut self,
        highest_sacked: u32,
        has_new_cum_ack: bool,
        highest_outstanding: u32,
        net: &mut Network,
    ) -> bool {
        let again = self.extensions.retransmits_again;
        let in_recovery = has_new_cum_ack && self.htna <= self.recover;
        let (mut first_times, mut further_times) = (false, false);
        let sacked = self.destinations.iter().filter(|destination| destination.cmt.saw_new_ack).count();
        for place in 0..self.send_buffer.len() {
            let htna = self.htna;
            let chunk = &self.send_buffer[place];
            let is_missing = chunk.data.tsn < htna || (in_recovery && chunk.data.tsn < highest_sacked);
            let reports = match () {
                () if self.extensions.is_multipath => self.missing_reports_of(place, sacked),
                () if chunk.is_gap_acked || !is_missing || (again && htna <= chunk.fast_rtx_recover) => None,
                () => Some(1),
            };
            let Some(reports) = reports else { continue };
            let chunk = &mut self.send_buffer[place];
            chunk.missing_reports += reports;
            let trigger = self.set.fast_rtx_trigger;
            if again {
                if chunk.missing_reports != trigger || chunk.is_given_up {
                    continue;
                }
                match chunk.fast_rtx_recover {
                    0 => first_times = true,
                    _ => further_times = true,
                }
                chunk.missing_reports = 0;
                chunk.fast_rtx_recover = highest_outstanding;
            } else {
                if chunk.missing_reports < trigger || chunk.was_fast_retransmitted || chunk.is_given_up {
                    continue;
                }
                first_times = true;
                chunk.was_fast_retransmitted = true;
            }
            self.mark(place, Mark::Fast);
        }
        if first_times {
            self.touch(Variable::FrCount, net);
        }
        if further_times {
            self.touch(Variable::MfrCount, net);
        }
        first_times || further_times
    }

    /// Removes chunks that the receiver will not renege.
    pub fn take_blocks_not_reneged(&mut self, sack: &Sack) {
        let word = |index: usize| sack.words.get(index).copied().unwrap_or(0);
        if self.set.use_non_reneg_sacks == 0 || word(1) == 0 {
            return;
        }
        let Some(last) = self.send_buffer.last() else { return };
        if self.extensions.is_multipath {
            self.note_highest_sent();
        } else {
            self.highest_sent = self.highest_sent.max(last.data.tsn);
        }
        let mut freed = Vec::new();
        for number in 0..usize::from(word(1)) {
            let index = 4 + 2 * (usize::from(word(0)) + number);
            let first = sack.cumulative.wrapping_add(u32::from(word(index)));
            let last = sack.cumulative.wrapping_add(u32::from(word(index + 1)));
            self.send_buffer.retain(|chunk| {
                let is_named = first <= chunk.data.tsn && chunk.data.tsn <= last;
                if is_named {
                    freed.push(chunk.data);
                }
                !is_named
            });
        }
        for data in freed {
            // This removal is the same in all of ns-2's variants.
            if self.set.initial_swnd != 0 {
                self.avail_swnd = self.avail_swnd.wrapping_add(u32::from(data.length));
            }
        }
    }
}
