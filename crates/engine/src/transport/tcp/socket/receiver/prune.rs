//! What happens when the receive buffer is full.
//!
//! Source: Linux's `tcp_prune_queue`, `tcp_prune_ofo_queue`, `tcp_clamp_window` (net/ipv4/tcp_input.c); RFC 2018, 8.
//! What it decides: whether a full buffer grows, and what is dropped if it does not.
//! Departures: none.
//! Not implemented: the limits of a host's memory (`tcp_mem`).
//! Checked against: packetdrill's `tcp_rcv_*` and `tcp_ooo_*`.

use super::super::Socket;
use super::reassembly::Skb;

impl Socket {
    /// Frees memory (`tcp_prune_queue`) for a segment, which is given if it is out of order. Returns whether the segment
    /// may be stored.
    pub(in super::super) fn prune_queue(&mut self, out_of_order: Option<&Skb>) -> bool {
        self.clamp_window();
        if !self.is_rmem_exhausted() {
            return true;
        }
        self.rcv.out_of_order.collapse();
        self.rcv.queue.collapse();
        if !self.is_rmem_exhausted() {
            return true;
        }
        self.prune_ofo_queue(out_of_order);
        !self.is_rmem_exhausted()
    }

    /// Drops out-of-order data from its end (`tcp_prune_ofo_queue`), but nothing before a segment that could take its
    /// place.
    fn prune_ofo_queue(&mut self, new: Option<&Skb>) {
        let goal = self.rcv.rcvbuf - (self.rcv.rcvbuf >> 3);
        let mut is_pruned = false;
        while self.rcv.rmem_alloc() > goal {
            let Some(last) = self.rcv.out_of_order.last() else { break };
            if new.is_some_and(|skb| skb.seq.after(last.seq)) {
                break;
            }
            self.rcv.out_of_order.pop_last();
            is_pruned = true;
        }
        if is_pruned {
            // RFC 2018, 8: data that was reported may be dropped; what is reported must be there.
            self.rcv.sacks.reset();
        }
    }

    /// The buffer is full: enlarges it if autotuning may, else reduces the window (`tcp_clamp_window`).
    fn clamp_window(&mut self) {
        let max = self.config.rmem[2];
        self.rcv.ack.quick = 0;
        if self.rcv.rcvbuf < max && !self.rcv.rcvbuf_locked {
            self.rcv.rcvbuf = self.rcv.rmem_alloc().min(max);
        }
        if self.rcv.rmem_alloc() > self.rcv.rcvbuf {
            self.rcv.rcv_ssthresh = self.rcv.window_clamp.min(2 * self.rcv.advmss);
        }
    }
}
