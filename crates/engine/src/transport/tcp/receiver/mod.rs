//! The receiver of modern TCP: delayed ACKs with quick ACKs, SACK with D-SACK, and the ECN feedback that the sender
//! requests.
//!
//! Source: RFC 5681, section 4.2 (delayed ACKs); Linux (quick ACKs, 40 ms); RFC 2018 and 2883 (SACK, D-SACK); RFC 7323,
//! section 4.3 (which timestamp is echoed); RFC 3168, section 6.1.3, RFC 8257, section 3.2, and RFC 9768
//! ([`super::acc_ecn`]) for ECN feedback; [`receive_window`] for the window.
//! What it decides: when to send an ACK, and its contents. Classic ECN: ECE is set from a mark until CWR. DCTCP: ECE
//! reports whether the packet was marked. A change triggers immediate ACKs: one for the packets before it that wait, and
//! one for the packet. AccECN, if the SYN requests it:
//! counters of marks. With `window_autotuning`, ACKs carry a receive window.
//! Departures: a SYN cannot request DCTCP's echo, so a packet flag indicates it.
//! Not implemented: a closing window; without autotuning the sender sets the window as a number.
//! Checked against: by hand, below; tests/spec/test_modern_marks.py and tests/oracle/test_acc_ecn.py on the wire.

pub mod receive_window;

use super::acc_ecn::{self, Received};
use super::receiver::receive_window::ReceiveWindow;
use crate::event::timer::{TimerId, TimerOwner};
use crate::net::node::AgentId;
use crate::net::{Network, Upcall};
use crate::packet::header::Header;
use crate::packet::{Packet, PacketId, PacketKind, flag};
use crate::params::{Params, Value};
use crate::transport::agent::{Agent, Endpoint, Entry};
use crate::transport::one_way::received::ReceivedPackets;
use crate::transport::one_way::sack_history::{HEADER_BLOCKS, SackHistory};

/// The receiver's entry of the registry.
pub const ENTRY: Entry = Entry {
    id: "tcp_receiver",
    about: "acknowledges as Linux does; echoes ECN marks as the sender requests (RFC 2883, 3168, 8257, 9768)",
    make: |id, net| Box::new(Receiver::new(id, net)),
};

/// Bytes of a SACK option before its blocks, with padding (RFC 2018, 3).
const SACK_OPTION_BYTES: i32 = 4;
const SACK_BLOCK_BYTES: i32 = 8;
/// Option bytes that remain beside timestamps.
const OPTION_ROOM: i32 = 28;
/// SACK blocks that have priority over AccECN's option (RFC 9768, 3.2.3.3).
const SURE_BLOCKS: i32 = 2;

/// The ECN feedback state.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    /// Classic ECN: echo a mark until the sender sends CWR.
    echoes: bool,
    /// DCTCP: the last packet was marked.
    was_marked: bool,
    /// AccECN: the counters, after the SYN has requested them.
    accurate: Option<Received>,
}

impl Marks {
    /// Processes a packet's flags.
    fn take(&mut self, flags: u16) {
        let is_marked = flags & flag::ECN_CAPABLE != 0 && flags & flag::MARKED != 0;
        if flags & flag::CONG_ACTION != 0 {
            self.echoes = false;
        }
        self.echoes |= is_marked;
        self.was_marked = is_marked;
    }

    /// Whether an ACK for packets with these flags carries ECE.
    fn echo(&self, flags: u16) -> bool {
        if flags & flag::EXACT_ECHO != 0 { self.was_marked } else { self.echoes }
    }

    /// The flags of the ACK for a packet.
    fn flags(&self, said: &Said) -> u16 {
        match &self.accurate {
            Some(_) if said.is_syn => acc_ecn::answer(said.flags),
            Some(received) => received.flags(),
            // RFC 3168, 6.1.1: the answer to a SYN that requests ECN sets ECE.
            None if said.is_syn => said.flags & flag::ECN_ECHO,
            None if self.echo(said.flags) => flag::ECN_ECHO,
            None => 0,
        }
    }
}

/// The fields of a packet that its ACK needs.
#[derive(Clone, Copy, Debug)]
struct Said {
    seqno: i32,
    fid: i32,
    flags: u16,
    is_syn: bool,
}

/// The receiver.
#[derive(Params)]
struct Receiver {
    end: Endpoint,
    window: ReceivedPackets,
    sack: SackHistory,
    marks: Marks,
    timer: TimerId,
    /// The packet whose ACK is delayed.
    waiting: Option<Said>,
    room: Option<ReceiveWindow>,
    ts_to_echo: f64,
    last_ack: i32,
    reset_at_s: f64,
    /// Bytes received in order.
    #[param(state)]
    bytes: i32,
    /// Max delay of an ACK, s.
    #[param(state)]
    interval: f64,
    /// Number of packets at the start that are acknowledged immediately.
    #[param(state)]
    quick_acks: i32,
    /// Whether the first SACK block reports a duplicate.
    #[param(state)]
    generate_dsacks: bool,
    /// Whether ACKs of AccECN carry its option besides the three bits.
    #[param(state)]
    acc_ecn_option: bool,
    /// Whether the receive window is autotuned.
    #[param(state)]
    window_autotuning: bool,
    /// Initial autotuned window, packets.
    #[param(state)]
    window_init: f64,
    /// Max autotuned window, packets.
    #[param(state, name = "window")]
    window_most: f64,
}

impl Receiver {
    fn new(id: AgentId, net: &mut Network) -> Receiver {
        Receiver {
            end: Endpoint::new(id, PacketKind::Ack, 40),
            window: ReceivedPackets::default(),
            sack: SackHistory::default(),
            marks: Marks::default(),
            timer: net.add_timer(TimerOwner::Agent(id.0, 0)),
            waiting: None,
            room: None,
            ts_to_echo: 0.0,
            last_ack: 0,
            reset_at_s: 0.0,
            bytes: 0,
            interval: 0.04,
            quick_acks: 16,
            generate_dsacks: true,
            acc_ecn_option: true,
            window_autotuning: false,
            window_init: 45.0,
            window_most: 11586.0,
        }
    }

    /// Sends an ACK for a packet.
    fn acknowledge(&mut self, said: Said, net: &mut Network) {
        net.stop_timer(self.timer);
        self.waiting = None;
        let ack = self.end.make_packet(net);
        let mut blocks = self.sack.blocks(&self.window, said.seqno, HEADER_BLOCKS, self.generate_dsacks);
        let flags = self.marks.flags(&said);
        let header = &mut net.packets[ack];
        header.seqno = self.window.in_order();
        header.ts = header.made_at.secs();
        header.ts_echo = self.ts_to_echo;
        header.fid = said.fid;
        header.flags |= flags;
        header.ackno = self.room.map_or(0, |room| room.room());
        let option =
            if self.acc_ecn_option { self.marks.accurate.and_then(|received| received.option()) } else { None };
        let bytes = option.map_or(0, |option| option.length());
        let room = ((OPTION_ROOM - bytes - SACK_OPTION_BYTES / 2) / SACK_BLOCK_BYTES).max(SURE_BLOCKS);
        let count = blocks.as_mut().map_or(0, |blocks| {
            blocks.keep(room as usize);
            blocks.as_slice().len() as i32
        });
        let sack = if count > 0 { SACK_OPTION_BYTES / 2 + SACK_BLOCK_BYTES * count } else { 0 };
        let option = option.filter(|_| bytes + sack <= OPTION_ROOM);
        let words = (option.map_or(0, |_| bytes) + sack + 3) / 4;
        header.size += 4 * words;
        if let Some(blocks) = blocks {
            net.packets.set_sack(ack, blocks);
        }
        if let Some(option) = option {
            net.packets.set_header(ack, Header::AccEcn(option));
        }
        if let Some(received) = &mut self.marks.accurate {
            received.told();
        }
        self.last_ack = self.window.in_order();
        self.end.send(net, ack);
    }

    /// Autotuning: updates the receive window for a packet.
    fn size_window(&mut self, received: &Packet, net: &Network) {
        if !self.window_autotuning {
            return;
        }
        let now_s = net.now().secs();
        let room = self.room.get_or_insert_with(|| ReceiveWindow::new(self.window_init, now_s));
        if received.payload > 0 && received.ts_echo > 0.0 {
            room.sample(now_s - received.ts_echo);
        }
        let next = self.window.in_order() + 1;
        room.take(next, self.window.highest() - next, self.window_most, now_s);
    }

    /// Whether the ACK for this packet may be delayed.
    fn may_wait(&self, seqno: i32) -> bool {
        let fills_gap = seqno < self.window.highest();
        let is_last = seqno == self.window.in_order();
        is_last && !fills_gap && seqno > self.quick_acks && !self.window.was_duplicate()
    }
}

impl Agent for Receiver {
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
        let has_changed = received.has(flag::EXACT_ECHO) && is_marked != self.marks.was_marked;
        if has_changed && let Some(waiting) = self.waiting {
            // RFC 8257, 3.2: a separate ACK covers the packets before the change.
            self.acknowledge(waiting, net);
        }
        let is_first = received.seqno == 0;
        let said = Said {
            seqno: received.seqno,
            fid: received.fid,
            flags: received.flags,
            is_syn: is_first && received.payload == 0,
        };
        if is_first && received.has(acc_ecn::ASKS) && self.window.in_order() < 0 {
            self.marks.accurate = Some(Received::default());
        }
        let is_urgent = match &mut self.marks.accurate {
            Some(counted) => !said.is_syn && counted.take(received.flags, received.payload),
            None => {
                self.marks.take(received.flags);
                has_changed
            }
        };
        if received.ts >= self.ts_to_echo && received.seqno <= self.last_ack + 1 {
            self.ts_to_echo = received.ts;
        }
        let in_order_bytes = self.window.take(received.seqno, received.size);
        if in_order_bytes != 0 {
            self.bytes = self.bytes.wrapping_add(in_order_bytes);
            net.notify(Upcall::Received(self.end.id, in_order_bytes));
        }
        self.size_window(&received, net);
        if !is_urgent && self.waiting.is_none() && self.may_wait(received.seqno) {
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
        self.room = None;
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

    // RFC 3168, 6.1.3: ECE continues until CWR. RFC 8257, 3.2: ECE reports the last packet.
    #[test]
    fn marks_are_echoed_in_two_ways() {
        let mut marks = Marks::default();
        let mut said = Vec::new();
        for flags in [CAPABLE, MARKED, CAPABLE, MARKED, CAPABLE | flag::CONG_ACTION] {
            marks.take(flags);
            said.push((marks.echo(flags), marks.echo(flags | flag::EXACT_ECHO)));
        }
        let expected = [(false, false), (true, true), (true, false), (true, true), (false, false)];
        assert_eq!(said, expected);
    }
}
