//! The receiver of today's TCP: delayed ACKs with quick ones, SACK with D-SACK, and marks told as the sender asks.
//!
//! Source: RFC 5681, section 4.2 (delayed ACKs); Linux (quick ACKs, 40 ms); RFC 2018 and 2883 (SACK, D-SACK); RFC 7323,
//! section 4.3 (which timestamp is echoed); RFC 3168, section 6.1.3, RFC 8257, section 3.2, and RFC 9768, section 3.2 (marks).
//! What it decides: when an ACK goes and what it tells. A sender of ordinary ECN hears of a mark until it says that it has
//! answered; one that asks for it hears of each packet whether it was marked (DCTCP: a change of that sends an ACK at once), or
//! how many were in all (AccECN).
//! Departures: AccECN's counters are whole numbers, not their last bits, and nothing is negotiated: packets carry what
//! their sender asks for.
//! Not implemented: a window that grows or closes: it is a number of the sender's.
//! Checked against: by hand, below; tests/test_modern_marks.py on the wire.

use super::sink::Window;
use super::sink_sack::{HEADER_BLOCKS, SackHistory};
use crate::agent::{Agent, Endpoint, Entry};
use crate::network::{Network, Upcall};
use crate::node::AgentId;
use crate::packet::{PacketId, PacketKind, flag};
use crate::params;
use crate::params::Value;
use crate::timer::{TimerId, TimerOwner};

/// The table's line.
pub const ENTRY: Entry = Entry {
    id: "sink_modern",
    about: "acknowledges as Linux does, and tells of marks as the sender asks (RFC 2883, 3168, 8257, 9768)",
    make: |id, net| Box::new(SinkModern::new(id, net)),
};

/// Bytes of a SACK option before its blocks, with padding (RFC 2018, 3).
const SACK_OPTION_BYTES: i32 = 4;
const SACK_BLOCK_BYTES: i32 = 8;

/// What is known of marks.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    /// Ordinary ECN: a mark is echoed until the sender says that it has answered.
    echoes: bool,
    /// DCTCP: the last packet was marked.
    was_marked: bool,
    /// AccECN: packets that were marked.
    count: i32,
}

impl Marks {
    /// Takes a packet's flags in.
    fn take(&mut self, flags: u16) {
        let is_marked = flags & flag::ECN_CAPABLE != 0 && flags & flag::MARKED != 0;
        if flags & flag::CONG_ACTION != 0 {
            self.echoes = false;
        }
        self.echoes |= is_marked;
        self.count += i32::from(is_marked);
        self.was_marked = is_marked;
    }

    /// Whether an ACK for packets with such flags echoes a mark.
    fn echo(&self, flags: u16) -> bool {
        if flags & flag::EXACT_ECHO != 0 { self.was_marked } else { self.echoes }
    }
}

/// The receiver.
struct SinkModern {
    end: Endpoint,
    window: Window,
    sack: SackHistory,
    marks: Marks,
    timer: TimerId,
    /// Of the packet whose ACK waits: its number, flow and flags.
    waiting: Option<(i32, i32, u16)>,
    ts_to_echo: f64,
    last_ack: i32,
    reset_at_s: f64,
    /// Bytes received in order.
    bytes: i32,
    /// How long an ACK waits for a second packet, s.
    interval: f64,
    /// So many packets after the first are acknowledged at once.
    quick_acks: i32,
    /// Whether the first SACK block reports a duplicate.
    generate_dsacks: bool,
}

params!(SinkModern { bytes, interval, quick_acks, generate_dsacks });

impl SinkModern {
    fn new(id: AgentId, net: &mut Network) -> SinkModern {
        SinkModern {
            end: Endpoint::new(id, PacketKind::Ack, 40),
            window: Window::default(),
            sack: SackHistory::new(HEADER_BLOCKS),
            marks: Marks::default(),
            timer: net.add_timer(TimerOwner::Agent(id.0, 0)),
            waiting: None,
            ts_to_echo: 0.0,
            last_ack: 0,
            reset_at_s: 0.0,
            bytes: 0,
            interval: 0.04,
            quick_acks: 16,
            generate_dsacks: true,
        }
    }

    /// Sends an ACK for a packet of this number, flow and flags.
    fn acknowledge(&mut self, (seqno, fid, flags): (i32, i32, u16), net: &mut Network) {
        net.stop_timer(self.timer);
        self.waiting = None;
        let ack = self.end.make_packet(net);
        let blocks = self.sack.blocks(&self.window, seqno, self.generate_dsacks);
        let header = &mut net.packets[ack];
        header.seqno = self.window.in_order();
        header.ts = header.made_at.secs();
        header.ts_echo = self.ts_to_echo;
        header.fid = fid;
        if self.marks.echo(flags) {
            header.flags |= flag::ECN_ECHO;
        }
        if flags & flag::COUNTED_ECHO != 0 {
            header.flags |= flag::COUNTED_ECHO;
            header.ackno = self.marks.count;
        }
        if let Some(blocks) = blocks {
            header.size += SACK_OPTION_BYTES + SACK_BLOCK_BYTES * blocks.as_slice().len() as i32;
            net.packets.set_sack(ack, blocks);
        }
        self.last_ack = self.window.in_order();
        self.end.send(net, ack);
    }

    /// Whether the ACK for this packet may wait for a second one.
    fn may_wait(&self, seqno: i32) -> bool {
        let fills_gap = seqno < self.window.highest();
        let is_last = seqno == self.window.in_order();
        is_last && !fills_gap && seqno > self.quick_acks && !self.window.was_duplicate()
    }
}

impl Agent for SinkModern {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, packet: PacketId, net: &mut Network) {
        let received = net.packets[packet];
        net.free(packet);
        if received.ts < self.reset_at_s {
            return;
        }
        let is_marked = received.has(flag::ECN_CAPABLE | flag::MARKED);
        if received.has(flag::EXACT_ECHO)
            && is_marked != self.marks.was_marked
            && let Some(waiting) = self.waiting
        {
            // RFC 8257, 3.2: what came before the change is acknowledged by itself.
            self.acknowledge(waiting, net);
        }
        self.marks.take(received.flags);
        if received.ts >= self.ts_to_echo && received.seqno <= self.last_ack + 1 {
            self.ts_to_echo = received.ts;
        }
        let in_order_bytes = self.window.take(received.seqno, received.size);
        if in_order_bytes != 0 {
            self.bytes = self.bytes.wrapping_add(in_order_bytes);
            net.tell(Upcall::Received(self.end.id, in_order_bytes));
        }
        let said = (received.seqno, received.fid, received.flags);
        if self.waiting.is_none() && self.may_wait(received.seqno) {
            self.waiting = Some(said);
            net.set_timer(self.timer, self.interval);
        } else {
            self.acknowledge(said, net);
        }
    }

    fn timer(&mut self, _which: u8, net: &mut Network) {
        if let Some(waiting) = self.waiting {
            self.acknowledge(waiting, net);
        }
    }

    fn reset(&mut self, net: &mut Network) {
        net.stop_timer(self.timer);
        self.sack.reset();
        self.window.reset();
        self.waiting = None;
        self.marks = Marks::default();
        self.reset_at_s = net.now().secs();
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPABLE: u16 = flag::ECN_CAPABLE;
    const MARKED: u16 = flag::ECN_CAPABLE | flag::MARKED;

    // RFC 3168, 6.1.3: the echo goes on until CWR. RFC 8257, 3.2: the echo is of the last packet. RFC 9768: a count.
    #[test]
    fn marks_are_told_in_three_ways() {
        let mut marks = Marks::default();
        let mut said = Vec::new();
        for flags in [CAPABLE, MARKED, CAPABLE, MARKED, CAPABLE | flag::CONG_ACTION] {
            marks.take(flags);
            said.push((marks.echo(flags), marks.echo(flags | flag::EXACT_ECHO), marks.count));
        }
        let expected = [(false, false, 0), (true, true, 1), (true, false, 1), (true, true, 2), (false, false, 2)];
        assert_eq!(said, expected);
    }
}
