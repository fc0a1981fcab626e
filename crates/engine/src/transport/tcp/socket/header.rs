//! Segments that the socket sends: header, options, and what sending means for the receiver.
//!
//! Source: RFC 9293, 3.1; RFC 7323, 3.2; RFC 2018, 3; Linux's `__tcp_transmit_skb`, `tcp_syn_options`,
//! `tcp_established_options`, `tcp_event_ack_sent`, `tcp_event_data_sent`, `__tcp_send_ack`, `tcp_v4_send_reset`.
//! What it decides: acknowledgement number, window, options and ECN bits of each segment.
//! Departures: none.
//! Not implemented: MD5, TCP-AO, MPTCP, fast open.
//! Checked against: packetdrill, which compares all options.

use super::clock::Instant;
use super::rx_opt::TCPOLEN_TSTAMP_ALIGNED;
use super::segment::{EcnCodepoint, Options, Segment, Timestamps, flag};
use super::seq::SeqNum;
use super::{Socket, TcpState};

/// Most bytes of options (`MAX_TCP_OPTION_SPACE`).
const MAX_OPTION_SPACE: u32 = 40;
/// Bytes of a SACK option before its blocks, with padding; bytes of a block (RFC 2018, 3).
const SACK_BASE_ALIGNED: u32 = 4;
const SACK_PER_BLOCK: u32 = 8;

/// Bytes of a SACK option with so many blocks.
fn sack_len(blocks: u32) -> u32 {
    if blocks == 0 { 0 } else { SACK_BASE_ALIGNED + SACK_PER_BLOCK * blocks }
}

impl Socket {
    /// Builds a segment that is sent now: everything except its sequence number. Chooses the window and remembers it.
    pub(super) fn header(&mut self, now: Instant, flags: u16, payload: u32) -> Segment {
        let mut segment = Segment { flags, payload, ..Segment::default() };
        if segment.has(flag::SYN) {
            self.fill_syn(now, &mut segment);
        } else {
            self.fill_options(now, &mut segment.options);
            segment.window = self.advertise_window();
        }
        if segment.has(flag::ACK) {
            segment.ack = self.rcv.rcv_nxt;
        }
        self.ecn_send(&mut segment);
        segment
    }

    /// Fills in a SYN, or the SYN-ACK that answers a SYN that crossed ours (`tcp_syn_options`). The window is not
    /// scaled.
    fn fill_syn(&mut self, now: Instant, segment: &mut Segment) {
        let config = &self.config;
        let timestamps = config.timestamps.then(|| Timestamps { val: self.tsval(now), ecr: self.rx_opt.ts_recent });
        segment.options.mss = Some(self.rcv.advmss.min(u32::from(u16::MAX)) as u16);
        segment.options.timestamps = timestamps;
        segment.options.window_scale = config.window_scaling.then_some(self.rx_opt.rcv_wscale);
        segment.options.sack_permitted = config.sack;
        segment.window = self.rcv.rcv_wnd.min(65_535) as u16;
        self.ecn_send_syn(segment);
    }

    /// Fills in the options of an established connection (`tcp_established_options`).
    fn fill_options(&mut self, now: Instant, options: &mut Options) {
        let mut size = 0;
        if self.rx_opt.tstamp_ok {
            options.timestamps = Some(Timestamps { val: self.tsval(now), ecr: self.rx_opt.ts_recent });
            size += TCPOLEN_TSTAMP_ALIGNED;
        }
        let mut blocks = self.sack_blocks_that_fit(size);
        size += sack_len(blocks);
        let acc_ecn = self.acc_ecn_fit(now, MAX_OPTION_SPACE - size, blocks);
        if let Some((_, _, left)) = acc_ecn {
            blocks = left;
        }
        let has_dsack = self.rcv.sacks.eff_sacks() > self.rcv.sacks.num_sacks();
        self.acc_ecn_write(now, options, acc_ecn.map(|(fields, _, _)| fields), has_dsack);
        self.rcv.sacks.write(options, blocks as usize);
    }

    /// SACK blocks that fit beside `size` bytes of other options.
    fn sack_blocks_that_fit(&self, size: u32) -> u32 {
        let max = (MAX_OPTION_SPACE - size - SACK_BASE_ALIGNED) / SACK_PER_BLOCK;
        (self.rcv.sacks.eff_sacks() as u32).min(max)
    }

    /// Bytes of the options that a data segment would carry now; they reduce its payload (`tcp_current_mss`).
    pub(super) fn option_bytes(&self) -> u32 {
        let size = if self.rx_opt.tstamp_ok { TCPOLEN_TSTAMP_ALIGNED } else { 0 };
        let blocks = self.sack_blocks_that_fit(size);
        match self.acc_ecn_fit(self.mstamp, MAX_OPTION_SPACE - size - sack_len(blocks), blocks) {
            Some((_, bytes, left)) => size + sack_len(left) + bytes,
            None => size + sack_len(blocks),
        }
    }

    /// Sends a segment; for an ACK, ends the delay of ACKs.
    pub(super) fn emit(&mut self, now: Instant, mut segment: Segment) {
        debug_assert!(self.state != TcpState::Closed || segment.has(flag::RST), "{segment:?} from a closed socket");
        let packets = segment.packets();
        self.segs_out += packets;
        if segment.has(flag::ACK) {
            self.event_ack_sent(&segment);
        }
        if segment.payload > 0 {
            if !segment.seq.before(self.snd.snd_nxt) {
                self.ecn_on_data_sent(&mut segment);
            }
            self.enter_pingpong_on_reply(now);
        }
        self.outgoing.push_back(segment);
    }

    /// An ACK was sent (`tcp_event_ack_sent`).
    fn event_ack_sent(&mut self, segment: &Segment) {
        self.rcv.ack.compressed_ack = 0;
        self.rcv.ack.compressed_ack_timer = None;
        if segment.ack == self.rcv.rcv_nxt {
            self.rcv.ack.dec_quickack_mode(self.config.delack_min);
            self.rcv.ack.clear();
        }
    }

    /// Data was sent (`tcp_event_data_sent`): a reply soon after data makes the connection interactive.
    fn enter_pingpong_on_reply(&mut self, now: Instant) {
        if now.since(self.rcv.ack.lrcvtime) < self.rcv.ack.ato {
            self.rcv.ack.pingpong = self.rcv.ack.pingpong.saturating_add(1);
        }
    }

    /// Sends an ACK now (`tcp_send_ack`).
    pub(super) fn send_ack(&mut self, now: Instant) {
        self.send_ack_with(now, 0);
    }

    /// Sends an ACK of the numbers before `rcv_nxt` now (`__tcp_send_ack`).
    pub(super) fn send_ack_of(&mut self, now: Instant, rcv_nxt: SeqNum) {
        let mut segment = self.header(now, flag::ACK, 0);
        segment.ack = rcv_nxt;
        segment.seq = self.acceptable_seq(self.rx_opt.rcv_wscale);
        self.emit(now, segment);
    }

    /// Sends an ACK now, with further control bits.
    pub(super) fn send_ack_with(&mut self, now: Instant, flags: u16) {
        if self.state == TcpState::Closed {
            return;
        }
        let mut segment = self.header(now, flag::ACK | flags, 0);
        segment.seq = self.acceptable_seq(self.rx_opt.rcv_wscale);
        self.emit(now, segment);
    }

    /// Resets the connection (`tcp_send_active_reset`).
    pub(super) fn send_active_reset(&mut self, now: Instant) {
        let mut segment = self.header(now, flag::ACK | flag::RST, 0);
        segment.seq = self.acceptable_seq(self.rx_opt.rcv_wscale);
        self.emit(now, segment);
    }

    /// Answers a segment that belongs to no connection with a RST (RFC 9293, 3.5.2; `tcp_v4_send_reset`).
    pub(super) fn send_reset(&mut self, segment: &Segment) {
        if segment.has(flag::RST) {
            return;
        }
        let mut reset = Segment { flags: flag::RST, ecn: EcnCodepoint::NotEct, ..Segment::default() };
        if segment.has(flag::ACK) {
            reset.seq = segment.ack;
        } else {
            reset.flags |= flag::ACK;
            reset.ack = segment.end_seq();
        }
        self.segs_out += 1;
        self.outgoing.push_back(reset);
    }
}
