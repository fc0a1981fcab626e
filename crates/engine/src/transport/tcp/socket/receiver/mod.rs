//! The receiving half of a socket: sequence space, queues, ACK timing, and the window it offers.
//!
//! Source: RFC 9293, 3.10.7.4 (segment text); Linux's `tcp_data_queue`, `tcp_data_queue_ofo`, `tcp_ofo_queue`,
//! `tcp_queue_rcv`, `tcp_event_data_recv` (net/ipv4/tcp_input.c).
//! What it decides: what happens to the payload of a segment whose sequence number is acceptable: delivered, kept out of
//! order, trimmed or dropped, and which answer it needs.
//! Departures: memory is counted by a model ([`memory`]), since a simulation has no buffers.
//! Not implemented: urgent data (the flag is ignored), fast open, zero copy.
//! Checked against: packetdrill scripts; the tests of [`super`].

pub(super) mod autotune;
pub(super) mod delayed_ack;
pub(super) mod memory;
mod prune;
pub(super) mod reassembly;
pub(super) mod sack_blocks;
pub(super) mod window;

use super::clock::Instant;
use super::config::Config;
use super::segment::{Segment, flag};
use super::seq::SeqNum;
use super::{Event, Socket};
use autotune::{RcvRttEst, RcvqSpace};
use delayed_ack::{AckState, pending};
use memory::DEFAULT_SCALING_RATIO;
use reassembly::{Skb, SkbQueue};
use sack_blocks::SackBlocks;

/// State of the receiver; fields have Linux's names (`struct tcp_sock`).
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    /// Next sequence number expected (RCV.NXT).
    pub(super) rcv_nxt: SeqNum,
    /// `rcv_nxt` when the last window was sent.
    pub(super) rcv_wup: SeqNum,
    /// Window sent last, bytes after `rcv_wup` (RCV.WND).
    pub(super) rcv_wnd: u32,
    /// Next byte that the application reads.
    pub(super) copied_seq: SeqNum,
    /// The farthest end of any window sent (`rcv_mwnd_seq`; RFC 7323, 2.4).
    pub(super) rcv_mwnd_seq: SeqNum,
    /// MSS that we advertise, less the bytes of timestamps if they are used.
    pub(super) advmss: u32,
    /// Largest window that is offered, bytes; 0 = not set yet.
    pub(super) window_clamp: u32,
    /// Current limit of the window, which grows with what arrives, bytes.
    pub(super) rcv_ssthresh: u32,
    /// Part of the buffer that is offered as window, in 1/256.
    pub(super) scaling_ratio: u8,
    /// `sk_rcvbuf`: the receive buffer, bytes.
    pub(super) rcvbuf: u32,
    /// The application has set the receive buffer (`SOCK_RCVBUF_LOCK`).
    pub(super) rcvbuf_locked: bool,
    /// `sk_rcvlowat`: bytes for which the application is woken.
    pub(super) rcvlowat: u32,
    /// In-order data that the application has not read.
    pub(super) queue: SkbQueue,
    /// Data after gaps.
    pub(super) out_of_order: SkbQueue,
    /// SACK and D-SACK blocks to report.
    pub(super) sacks: SackBlocks,
    /// When to acknowledge (`icsk_ack`).
    pub(super) ack: AckState,
    /// What the application has read per round trip.
    pub(super) rcvq_space: RcvqSpace,
    /// RTT as seen by the receiver.
    pub(super) rcv_rtt_est: RcvRttEst,
    /// The receiving side is shut down: the peer sent FIN, or the application closed (`RCV_SHUTDOWN`).
    pub(super) rcv_shutdown: bool,
    /// A FIN was received (`SOCK_DONE`).
    pub(super) fin_received: bool,
    /// Time of the last ACK that answered an invalid segment.
    pub(super) last_oow_ack_time: Option<Instant>,
    /// Bytes received in order.
    pub(super) bytes_received: u64,
    /// Packets received.
    pub(super) segs_in: u32,
    /// Packets received with payload.
    pub(super) data_segs_in: u32,
    /// Packets received out of order.
    pub(super) rcv_ooopack: u32,
}

impl Receiver {
    /// A receiver of a socket that is not connected.
    pub(super) fn new(config: &Config) -> Receiver {
        Receiver {
            rcv_nxt: SeqNum(0),
            rcv_wup: SeqNum(0),
            rcv_wnd: 0,
            copied_seq: SeqNum(0),
            rcv_mwnd_seq: SeqNum(0),
            advmss: u32::from(config.mss),
            window_clamp: 0,
            rcv_ssthresh: 0,
            scaling_ratio: DEFAULT_SCALING_RATIO,
            rcvbuf: config.rmem[1],
            rcvbuf_locked: false,
            rcvlowat: 1,
            queue: SkbQueue::default(),
            out_of_order: SkbQueue::default(),
            sacks: SackBlocks::default(),
            ack: AckState::default(),
            rcvq_space: RcvqSpace::default(),
            rcv_rtt_est: RcvRttEst::default(),
            rcv_shutdown: false,
            fin_received: false,
            last_oow_ack_time: None,
            bytes_received: 0,
            segs_in: 0,
            data_segs_in: 0,
            rcv_ooopack: 0,
        }
    }

    /// The window that the peer may still use, bytes after `rcv_nxt` (`tcp_receive_window`).
    #[inline]
    pub(super) fn receive_window(&self) -> u32 {
        self.rcv_wup.add(self.rcv_wnd).since(self.rcv_nxt).max(0) as u32
    }

    /// Remembers the end of the window that is sent (`tcp_update_max_rcv_wnd_seq`).
    pub(super) fn update_max_rcv_wnd_seq(&mut self) {
        self.rcv_mwnd_seq = self.rcv_mwnd_seq.max(self.rcv_wup.add(self.rcv_wnd));
    }

    /// Memory of all that is queued (`sk_rmem_alloc`), bytes.
    #[inline]
    pub(super) fn rmem_alloc(&self) -> u32 {
        self.queue.truesize() + self.out_of_order.truesize()
    }

    /// Bytes that can be read.
    #[inline]
    pub(super) fn readable(&self) -> u32 {
        let fin = u32::from(self.fin_received && self.copied_seq != self.rcv_nxt);
        self.rcv_nxt.since(self.copied_seq).max(0) as u32 - fin
    }

    /// Advances RCV.NXT (`tcp_rcv_nxt_update`).
    pub(super) fn rcv_nxt_update(&mut self, seq: SeqNum) {
        self.bytes_received += u64::from(seq.since(self.rcv_nxt).max(0) as u32);
        self.rcv_nxt = seq;
    }
}

impl Socket {
    /// Processes the payload and FIN of an acceptable segment (`tcp_data_queue`).
    pub(super) fn data_queue(&mut self, now: Instant, segment: &Segment) {
        if segment.seq_len() == 0 {
            return;
        }
        self.rcv.sacks.clear_dsack();
        let (seq, end_seq) = (segment.seq, segment.end_seq());
        let rcv_nxt = self.rcv.rcv_nxt;
        if seq == rcv_nxt {
            let is_bare_fin = segment.payload == 0 && segment.has(flag::FIN);
            if self.rcv.receive_window() == 0 && !is_bare_fin {
                self.answer_out_of_window();
            } else {
                self.queue_and_out(now, segment);
            }
        } else if !end_seq.after(rcv_nxt) {
            self.rcv_spurious_retrans(segment);
            self.dsack_set(seq, end_seq);
            self.answer_out_of_window();
        } else if !seq.before(rcv_nxt.add(self.rcv.receive_window())) {
            self.answer_out_of_window();
        } else if seq.before(rcv_nxt) {
            self.dsack_set(seq, rcv_nxt);
            if self.rcv.receive_window() == 0 {
                self.answer_out_of_window();
            } else {
                self.queue_and_out(now, segment);
            }
        } else {
            self.data_queue_ofo(now, segment);
        }
    }

    /// The segment is old or beyond the window: acknowledge it immediately.
    fn answer_out_of_window(&mut self) {
        self.enter_quickack_mode(self.config.max_quickacks);
        self.rcv.ack.schedule();
    }

    /// In sequence and in the window: to the receive queue.
    fn queue_and_out(&mut self, now: Instant, segment: &Segment) {
        if self.is_rmem_exhausted() && !self.prune_queue(None) {
            self.rcv.ack.pending |= pending::NOMEM | pending::NOW | pending::SCHED;
            self.events.push_back(Event::Readable);
            if !self.rcv.queue.is_empty() && segment.payload > 0 {
                return;
            }
        }
        self.queue_rcv(segment);
        if segment.payload > 0 {
            self.event_data_recv(now, segment);
        }
        if segment.has(flag::FIN) {
            self.fin_arrived(now);
        }
        if !self.rcv.out_of_order.is_empty() {
            self.ofo_queue(now);
            // RFC 5681, 4.2: an immediate ACK when a gap is filled.
            if self.rcv.out_of_order.is_empty() {
                self.rcv.ack.pending |= pending::NOW;
            }
        }
        if self.rcv.sacks.num_sacks() > 0 {
            self.rcv.sacks.remove(self.rcv.rcv_nxt, self.rcv.out_of_order.is_empty());
        }
        self.data_ready();
    }

    /// Appends a segment to the receive queue (`tcp_queue_rcv`). What came before RCV.NXT is cut off.
    pub(super) fn queue_rcv(&mut self, segment: &Segment) {
        let skb = Skb::new(segment);
        self.rcv.queue.push(skb, self.rcv.rcv_nxt);
        self.rcv.rcv_nxt_update(skb.end_seq);
    }

    /// Tells the application that there is something to read (`tcp_data_ready`).
    pub(super) fn data_ready(&mut self) {
        let avail = self.rcv.readable();
        let is_ready = avail >= self.rcv.rcvlowat.max(1)
            || self.rcv.fin_received
            || (avail > 0 && (self.is_rmem_exhausted() || self.rcv.receive_window() <= self.rcv.ack.rcv_mss));
        if is_ready && !self.is_dead && self.events.back() != Some(&Event::Readable) {
            self.events.push_back(Event::Readable);
        }
    }

    /// What the arrival of data means for ACKs, window and ECN (`tcp_event_data_recv`).
    pub(super) fn event_data_recv(&mut self, now: Instant, segment: &Segment) {
        self.rcv.ack.schedule();
        self.measure_rcv_mss(segment);
        self.rcv_rtt_measure(now);
        self.update_ato(now);
        self.ecn_check_ce(now, segment);
        if segment.payload >= 128 {
            self.grow_window(segment);
        }
    }

    /// Keeps a segment that arrived after a gap (`tcp_data_queue_ofo`).
    fn data_queue_ofo(&mut self, now: Instant, segment: &Segment) {
        self.ecn_check_ce(now, segment);
        let skb = Skb::new(segment);
        if self.is_rmem_exhausted() && !self.prune_queue(Some(&skb)) {
            self.data_ready();
            return;
        }
        self.measure_rcv_mss(segment);
        self.rcv.ack.schedule();
        self.rcv.rcv_ooopack += segment.packets();
        let is_first = self.rcv.out_of_order.is_empty();
        let is_sack = self.rx_opt.sack_ok;
        if is_sack {
            // Without SACK the window stays as it is: an ACK that changes it is no duplicate ACK.
            self.grow_window(segment);
        }
        let dsack = self.rcv.out_of_order.insert(skb);
        if let Some(dsack) = dsack {
            self.dsack_set(dsack.start, dsack.end);
        }
        if is_sack {
            if is_first {
                self.rcv.sacks.set_only(skb.seq, skb.end_seq);
            } else if self.rcv.sacks.new_ofo_skb(skb.seq, skb.end_seq) {
                self.sack_compress_send_ack(now);
            }
        }
        if !self.is_dead {
            self.rcvbuf_grow(self.rcv.rcvq_space.space);
        }
    }

    /// Moves what has become in order from the out-of-order queue to the receive queue (`tcp_ofo_queue`).
    fn ofo_queue(&mut self, now: Instant) {
        let dsack_high = self.rcv.rcv_nxt;
        while let Some(skb) = self.rcv.out_of_order.pop_in_order(self.rcv.rcv_nxt) {
            if skb.seq.before(dsack_high) {
                self.dsack_extend(skb.seq, skb.end_seq.min(dsack_high));
            }
            if !skb.end_seq.after(self.rcv.rcv_nxt) {
                continue;
            }
            self.rcv.queue.push(skb, self.rcv.rcv_nxt);
            self.rcv.rcv_nxt_update(skb.end_seq);
            if skb.has_fin {
                self.fin_arrived(now);
                break;
            }
        }
    }

    /// Reads up to `bytes` bytes (`recv`); 0 after the peer's FIN.
    pub(super) fn recvmsg(&mut self, now: Instant, bytes: u64) -> u64 {
        let copied = u64::from(self.rcv.readable()).min(bytes);
        let mut left = copied as u32;
        while left > 0 {
            let step = self.rcv.queue.read(left, self.rcv.copied_seq);
            self.rcv.copied_seq = self.rcv.copied_seq.add(step);
            left -= step;
            self.rcv_space_adjust(now);
        }
        if self.rcv.fin_received && copied < bytes && self.rcv.readable() == 0 {
            self.rcv.copied_seq = self.rcv.rcv_nxt;
            self.rcv.queue.clear();
        }
        self.cleanup_rbuf(now, copied > 0);
        copied
    }
}
