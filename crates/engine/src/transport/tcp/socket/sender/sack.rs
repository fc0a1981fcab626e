//! Selective acknowledgements: tags segments that the peer has reported, and detects D-SACK and reordering.
//!
//! Source: RFC 2018; RFC 2883 (D-SACK); RFC 6675, section 4; Linux, `tcp_sacktag_write_queue` and the functions below it.
//! What it decides: which segments an ACK newly reports, and how far packets are reordered. Blocks are sorted; parts that
//! the last ACK reported already are skipped.
//! Departures: tagged segments are not merged. Not implemented: nothing.
//! Checked against: packetdrill's scripts on SACK; by hand, below.

use super::super::Socket;
use super::super::clock::Instant;
use super::super::segment::{MAX_SACK_BLOCKS, SackBlock, Segment};
use super::super::seq::SeqNum;
use super::flag::Flag;
use super::rate::RateSample;
use super::skb::tag;
use super::{CaState, Sender};

/// What the SACK blocks of one ACK report (`struct tcp_sacktag_state`).
#[derive(Clone, Copy, Debug)]
pub struct SacktagState {
    /// Send time of the first newly reported segment that was never retransmitted, us.
    pub first_sackt: Option<u64>,
    /// Send time of the last one, us.
    pub last_sackt: u64,
    /// The lowest number that reordering reaches.
    pub reord: SeqNum,
    /// Packets delivered, by SACK and D-SACK.
    pub sack_delivered: u32,
    /// Bytes delivered, by SACK.
    pub delivered_bytes: u32,
    /// What happened.
    pub flag: Flag,
    /// The rate sample of the ACK.
    pub rate: RateSample,
}

/// A block to walk through.
#[derive(Clone, Copy, Debug)]
struct Walk {
    start: SeqNum,
    end: SeqNum,
    dup_sack: bool,
    /// A D-SACK inside or after this block, which is handled with it.
    next_dup: Option<SackBlock>,
}

impl Sender {
    /// `tcp_is_sackblock_valid`: whether a block is within the outstanding data, or a D-SACK of the recovery.
    fn is_sackblock_valid(&self, is_dsack: bool, block: SackBlock) -> bool {
        let SackBlock { start, end } = block;
        if end.after(self.snd_nxt) || !start.before(end) || !start.before(self.snd_nxt) {
            return false;
        }
        if start.after(self.snd_una) {
            return true;
        }
        let Some(undo_marker) = self.undo_marker.filter(|_| is_dsack) else { return false };
        if end.after(self.snd_una) {
            return false;
        }
        if !start.before(undo_marker) {
            return true;
        }
        end.after(undo_marker) && !start.before(end.sub(self.max_window))
    }

    /// `tcp_check_dsack`: whether the first block is a D-SACK, which is accounted for.
    fn check_dsack(
        &mut self,
        ack: SeqNum,
        blocks: &[SackBlock],
        prior_snd_una: SeqNum,
        state: &mut SacktagState,
    ) -> bool {
        let first = blocks[0];
        let is_dsack = first.start.before(ack)
            || blocks.get(1).is_some_and(|second| !first.end.after(second.end) && !first.start.before(second.start));
        if !is_dsack {
            return false;
        }
        let dup_segs = self.dsack_seen(first, state);
        if dup_segs == 0 {
            return false;
        }
        if let Some(undo_marker) = self.undo_marker
            && self.undo_retrans > 0
            && !first.end.after(prior_snd_una)
            && first.end.after(undo_marker)
        {
            self.undo_retrans = (self.undo_retrans - dup_segs as i32).max(0);
        }
        true
    }

    /// `tcp_dsack_seen`: counts the packets of a D-SACK; 0 if they cannot be due to this sender's retransmissions.
    fn dsack_seen(&mut self, block: SackBlock, state: &mut SacktagState) -> u32 {
        if !block.start.before(block.end) {
            return 0;
        }
        let bytes = block.end.since(block.start) as u32;
        if bytes > self.max_window {
            return 0;
        }
        let mut dup_segs = 1;
        if bytes > self.mss_cache {
            dup_segs = bytes.div_ceil(self.mss_cache);
        } else if self.tlp_high_seq == Some(block.end) {
            state.flag.insert(Flag::DSACK_TLP);
        }
        self.dsack_dups += dup_segs;
        if self.dsack_dups > self.total_retrans {
            return 0;
        }
        if self.reord_seen > 0 && !state.flag.has(Flag::DSACK_TLP) {
            self.rack.dsack_seen = true;
        }
        state.flag.insert(Flag::DSACKING_ACK);
        state.sack_delivered += dup_segs;
        dup_segs
    }

    /// `tcp_check_sack_reordering`: a segment from `low_seq` on, never retransmitted, arrived after higher ones.
    pub(super) fn check_sack_reordering(&mut self, low_seq: SeqNum, max_reordering: u32) {
        let fack = self.highest_sack_seq();
        if !low_seq.before(fack) {
            return;
        }
        let (metric, mss) = (fack.since(low_seq) as u32, self.mss_cache);
        if metric > self.reordering * mss {
            self.reordering = metric.div_ceil(mss).min(max_reordering);
        }
        self.reord_seen += 1;
    }

    /// `tcp_sacktag_one`: the segment at `index` is in a block.
    fn sacktag_one(&mut self, index: usize, dup_sack: bool, state: &mut SacktagState, now_us: u64) {
        let mut skb = self.rtx_queue[index];
        if dup_sack && skb.has(tag::RETRANS) {
            if self.undo_marker.is_some_and(|marker| skb.end_seq.after(marker)) && self.undo_retrans > 0 {
                self.undo_retrans = (self.undo_retrans - skb.pcount as i32).max(0);
            }
            if skb.has(tag::SACKED_ACKED) && skb.seq.before(state.reord) {
                state.reord = skb.seq;
            }
        }
        if !skb.end_seq.after(self.snd_una) {
            return;
        }
        if !skb.has(tag::SACKED_ACKED) {
            let min_rtt_us = self.min_rtt_us();
            self.rack.advance(skb.sacked, skb.end_seq, skb.timestamp_us(), now_us, min_rtt_us);
            if skb.has(tag::SACKED_RETRANS) {
                // If it was not marked lost, the retransmission is still believed in flight.
                if skb.has(tag::LOST) {
                    skb.sacked &= !(tag::LOST | tag::SACKED_RETRANS);
                    self.lost_out -= skb.pcount;
                    self.retrans_out -= skb.pcount;
                }
            } else {
                if !skb.has(tag::RETRANS) {
                    if skb.seq.before(self.highest_sack_seq()) && skb.seq.before(state.reord) {
                        state.reord = skb.seq;
                    }
                    if !skb.end_seq.after(self.high_seq) {
                        state.flag.insert(Flag::ORIG_SACK_ACKED);
                    }
                    state.first_sackt.get_or_insert(skb.timestamp_us());
                    state.last_sackt = skb.timestamp_us();
                }
                if skb.has(tag::LOST) {
                    skb.sacked &= !tag::LOST;
                    self.lost_out -= skb.pcount;
                }
            }
            skb.sacked |= tag::SACKED_ACKED;
            state.flag.insert(Flag::DATA_SACKED);
            self.sacked_out += skb.pcount;
            state.sack_delivered += skb.pcount;
            state.rate.pkts_sacked += skb.pcount;
            state.delivered_bytes += skb.len;
        }
        if dup_sack && skb.has(tag::SACKED_RETRANS) {
            skb.sacked &= !tag::SACKED_RETRANS;
            self.retrans_out -= skb.pcount;
        }
        self.delivery.on_skb_delivered(&skb, &mut state.rate);
        if skb.has(tag::SACKED_ACKED) {
            skb.tx.delivered_mstamp = 0;
        }
        self.rtx_queue[index] = skb;
        if skb.has(tag::SACKED_ACKED) {
            self.rtx_queue.unlist(index);
        }
        if !skb.seq.before(self.highest_sack_seq()) {
            self.highest_sack = skb.end_seq;
        }
    }
}

impl Socket {
    /// `tcp_match_skb_to_sack`: whether the segment at `index` is within the block. One that is partly within is split at a
    /// packet's limit.
    fn match_skb_to_sack(&mut self, index: usize, start: SeqNum, end: SeqNum) -> Option<bool> {
        let skb = self.snd.rtx_queue[index];
        let in_sack = !start.after(skb.seq) && !end.before(skb.end_seq);
        if skb.pcount <= 1 || in_sack || !skb.end_seq.after(start) {
            return Some(in_sack);
        }
        let mss = skb.gso_size;
        let in_sack = !start.after(skb.seq);
        let mut pkt_len = if in_sack {
            let len = end.since(skb.seq) as u32;
            if len < mss {
                return None;
            }
            len
        } else {
            (start.since(skb.seq) as u32).max(mss)
        };
        if pkt_len > mss {
            let whole = pkt_len / mss * mss;
            pkt_len = if !in_sack && whole < pkt_len { whole + mss } else { whole };
        }
        if pkt_len >= skb.len && !in_sack {
            return Some(false);
        }
        if pkt_len < skb.len {
            self.fragment(index, pkt_len, mss);
        }
        Some(in_sack)
    }

    /// `tcp_sacktag_walk`: tags the segments of a block, from the one at `index` on. Returns the index after them.
    fn sacktag_walk(&mut self, mut index: usize, walk: Walk, state: &mut SacktagState, now_us: u64) -> usize {
        while index < self.snd.rtx_queue.len() {
            let skb = self.snd.rtx_queue[index];
            if !skb.seq.before(walk.end) {
                break;
            }
            let mut dup_sack = walk.dup_sack;
            let mut in_sack = false;
            if let Some(dup) = walk.next_dup
                && skb.seq.before(dup.end)
                && self.match_skb_to_sack(index, dup.start, dup.end) == Some(true)
            {
                (in_sack, dup_sack) = (true, true);
            }
            if !in_sack {
                let Some(matches) = self.match_skb_to_sack(index, walk.start, walk.end) else { break };
                in_sack = matches;
            }
            if in_sack {
                self.snd.sacktag_one(index, dup_sack, state, now_us);
            }
            index += 1;
        }
        index
    }

    /// `tcp_sacktag_skip`: the index to walk on from: at `seq`, unless the walk is beyond it already.
    fn sacktag_skip(&self, index: Option<usize>, seq: SeqNum) -> usize {
        match index {
            Some(index) if index < self.snd.rtx_queue.len() && self.snd.rtx_queue[index].seq.after(seq) => index,
            _ => self.snd.rtx_queue.find(seq),
        }
    }

    /// `tcp_sacktag_write_queue`: processes the SACK blocks of an ACK.
    pub(super) fn sacktag_write_queue(
        &mut self,
        now: Instant,
        segment: &Segment,
        prior_snd_una: SeqNum,
        state: &mut SacktagState,
    ) {
        let blocks = segment.options.sack_blocks();
        state.reord = self.snd.snd_nxt;
        if self.snd.sacked_out == 0 {
            self.snd.highest_sack = self.snd.snd_una;
        }
        let found_dup_sack = self.snd.check_dsack(segment.ack, blocks, prior_snd_una, state);
        if segment.ack.before(prior_snd_una.sub(self.snd.max_window)) || self.snd.packets_out == 0 {
            return;
        }
        let mut sorted = [SackBlock::default(); MAX_SACK_BLOCKS];
        let mut used = 0;
        let mut dup_index = None;
        for (number, &block) in blocks.iter().enumerate() {
            let is_dup = number == 0 && found_dup_sack;
            if self.snd.is_sackblock_valid(is_dup, block) && block.end.after(prior_snd_una) {
                // Insertion keeps the blocks in order; equal starts stay in the order of the wire.
                let mut place = used;
                while place > 0 && sorted[place - 1].start.after(block.start) {
                    sorted[place] = sorted[place - 1];
                    place -= 1;
                }
                sorted[place] = block;
                dup_index = if is_dup { Some(place) } else { dup_index.map(|at| at + usize::from(place <= at)) };
                used += 1;
            }
        }
        self.walk_blocks(&sorted[..used], dup_index, state, now.as_micros());
        let cache = &mut self.snd.recv_sack_cache;
        *cache = [SackBlock::default(); MAX_SACK_BLOCKS];
        cache[MAX_SACK_BLOCKS - used..].copy_from_slice(&sorted[..used]);
        if self.snd.ca_state != CaState::Loss || self.snd.undo_marker.is_some() {
            self.snd.check_sack_reordering(state.reord, self.config.max_reordering);
        }
    }

    /// Walks through sorted blocks, except for the parts that the last ACK reported already. `dup_index` is the D-SACK's.
    fn walk_blocks(&mut self, blocks: &[SackBlock], dup_index: Option<usize>, state: &mut SacktagState, now_us: u64) {
        let cache = self.snd.recv_sack_cache;
        let mut cached = if self.snd.sacked_out == 0 { cache.len() } else { 0 };
        while cached < cache.len() && cache[cached] == SackBlock::default() {
            cached += 1;
        }
        let mut index = None;
        let mut number = 0;
        while let Some(&SackBlock { start, end }) = blocks.get(number) {
            let dup_sack = dup_index == Some(number);
            let next_dup = dup_index.filter(|&at| at == number + 1).map(|at| blocks[at]);
            let walk = Walk { start, end, dup_sack, next_dup };
            while cached < cache.len() && !start.before(cache[cached].end) {
                cached += 1;
            }
            if cached < cache.len() && !dup_sack && end.after(cache[cached].start) {
                let known = cache[cached];
                if start.before(known.start) {
                    let from = self.sacktag_skip(index, start);
                    index = Some(self.sacktag_walk(from, Walk { end: known.start, ..walk }, state, now_us));
                }
                if !end.after(known.end) {
                    number += 1;
                    continue;
                }
                // `tcp_maybe_skipping_dsack`
                if let Some(dup) = next_dup
                    && dup.start.before(known.end)
                {
                    let from = self.sacktag_skip(index, dup.start);
                    let walk = Walk { start: dup.start, end: dup.end, dup_sack: true, next_dup: None };
                    index = Some(self.sacktag_walk(from, walk, state, now_us));
                }
                let from = self.sacktag_skip(index, known.end);
                cached += 1;
                if self.snd.highest_sack_seq() == known.end {
                    index = Some(self.sacktag_walk(from, walk, state, now_us));
                    number += 1;
                } else {
                    index = Some(from);
                }
                continue;
            }
            let from = self.sacktag_skip(index, start);
            index = Some(self.sacktag_walk(from, walk, state, now_us));
            number += 1;
        }
    }
}
