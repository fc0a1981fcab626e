//! Packets and their memory pool.
//!
//! In steady state no memory is allocated per packet: freed slots are reused. Optional parts, such as SACK blocks,
//! are in their own pools.

mod chunks;
mod encapsulation;
pub mod flow_key;
pub mod header;
mod id;
mod kind;
pub mod sctp;
pub mod segment;
pub mod seq;
mod slab;

use crate::packet::header::Header;
pub use crate::packet::id::PacketId;
pub use crate::packet::kind::PacketKind;
use crate::packet::segment::EcnCodepoint;
use crate::packet::slab::Slab;
use crate::prefetch::prefetch_at;
use crate::time::Time;

/// Bits of [`Packet::flags`], in the order of their letters in traces.
pub mod flag {
    /// ECN-Echo (`C`): the receiver echoes a congestion mark.
    pub const ECN_ECHO: u16 = 1;
    /// Priority (`P`).
    pub const PRIORITY: u16 = 1 << 1;
    /// Congestion window reduced (`A`).
    pub const CONG_ACTION: u16 = 1 << 2;
    /// Congestion experienced (`E`): a queue marked the packet.
    pub const MARKED: u16 = 1 << 3;
    /// Fast start (`F`).
    pub const FAST_START: u16 = 1 << 4;
    /// The transport is ECN-capable (`N`).
    pub const ECN_CAPABLE: u16 = 1 << 5;
    /// The ACK must not be used for a round-trip sample. Not printed.
    pub const NO_TIMESTAMP: u16 = 1 << 6;
    /// Explicit loss notification. Not printed.
    pub const ELN: u16 = 1 << 7;
    /// An error model corrupted the packet. Not printed.
    pub const CORRUPT: u16 = 1 << 8;
    /// The transport uses ECT(1) (RFC 9331): it responds to marks in proportion. Not printed.
    pub const ECT_1: u16 = 1 << 9;
    /// Sent in a Quick-Start window. Not printed.
    pub const QUICK_START: u16 = 1 << 10;
    /// The AE flag: with [`CONG_ACTION`] (CWR) and [`ECN_ECHO`] (ECE) the three ACE bits of AccECN (RFC 9768). Not
    /// printed.
    pub const ACCURATE: u16 = 1 << 12;
    /// Dropped by the policer of its flow. Not printed.
    pub const POLICED: u16 = 1 << 13;
    /// The packet's type says that it has a TCP header, or RTP's, and it has the other: ns-2 prints the sequence number of
    /// the one that is not there, which is 0. Not printed.
    pub const WITHOUT_RTP: u16 = 1 << 14;
    /// It was marked when it arrived at the queue that it is in ([`crate::measure::link_stats`]). Not printed.
    pub const MARKED_BEFORE: u16 = 1 << 15;
}

/// A node and a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The node's number; -1 for none.
    pub node: i32,
    /// The port at the node; -1 for none.
    pub port: i32,
}

/// Maximum number of SACK blocks in an ACK.
pub const MAX_SACK_BLOCKS: usize = 11;

/// SACK blocks: the first sequence number received, and the one after the last received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    count: u8,
    blocks: [(i32, i32); MAX_SACK_BLOCKS],
}

impl SackBlocks {
    /// The blocks, most recent first.
    pub fn as_slice(&self) -> &[(i32, i32)] {
        &self.blocks[..usize::from(self.count)]
    }

    /// Appends a block; ignored if there are [`MAX_SACK_BLOCKS`] already.
    pub fn push(&mut self, first: i32, after: i32) {
        if usize::from(self.count) < MAX_SACK_BLOCKS {
            self.blocks[usize::from(self.count)] = (first, after);
            self.count += 1;
        }
    }

    /// Keeps the first `most` blocks.
    pub fn keep(&mut self, most: usize) {
        self.count = self.count.min(most.min(MAX_SACK_BLOCKS) as u8);
    }
}

const NO_SACK: u32 = u32::MAX;
const NO_WORDS: u32 = u32::MAX;
const NO_HEADER: u32 = u32::MAX;

/// One packet. The fields that each hop and most agents need are in the first 64 bytes, one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Packet {
    /// Bytes on the wire.
    pub size: i32,
    /// Destination.
    pub dst: Address,
    /// Source.
    pub src: Address,
    /// Time to live: remaining hops.
    pub ttl: i32,
    /// Flow id.
    pub fid: i32,
    /// Unique id, in order of creation over the whole simulation.
    pub uid: i32,
    /// Sequence number, in packets for one-way TCP. In an ACK it is the highest one received in order.
    pub seqno: i32,
    /// Priority.
    pub prio: i32,
    /// Bits of [`flag`].
    pub flags: u16,
    /// Its type.
    pub kind: PacketKind,
    /// Reason for sending a segment: 0 for ordinary ones; other values are defined by the sender.
    pub reason: u8,
    /// Whether it has an optional part: SACK blocks, text or protocol header.
    pub(crate) has_more: bool,
    /// The sender's timestamp, s.
    pub ts: f64,
    /// The timestamp echoed, s.
    pub ts_echo: f64,
    /// When the packet was made, for delay statistics.
    pub made_at: Time,
    /// When the packet arrived at the last queue with delay samples; before that, when it was made.
    pub queued_at: Time,
    /// Two-way TCP: the acknowledgement number, in bytes. ACK of one-way TCP: the receive window in packets; 0 if it
    /// is not advertised.
    pub ackno: i32,
    /// Header length for traces, bytes.
    pub header_len: i32,
    /// The sender's last round-trip sample, ms.
    pub last_rtt_ms: i32,
    /// Bytes of application data (UDP, and the sender `tcp`).
    pub payload: i32,
    pub(crate) sack: u32,
    pub(crate) words: u32,
    pub(crate) header: u32,
    /// Two-way TCP: the TCP header flags of RFC 793.
    pub tcp_flags: u8,
    /// DiffServ code point (RFC 2474), 0 to 63.
    pub dscp: u8,
    /// Multicast: the label of the interface over which the packet arrived, plus 1; 0 for none.
    pub(crate) interface: i32,
    /// Multicast over bidirectional trees: the router that is to forward the packet upstream, plus 1; 0 for none.
    pub(crate) upstream: i32,
    /// Earliest departure time: a queue discipline that paces (`linux_fq`) does not send the packet before it. 0: none.
    pub departure: Time,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Packet>() == 128);

impl Packet {
    /// Sets the ECN field.
    pub fn set_ecn(&mut self, ecn: EcnCodepoint) {
        let bits = match ecn {
            EcnCodepoint::NotEct => 0,
            EcnCodepoint::Ect1 => flag::ECN_CAPABLE | flag::ECT_1,
            EcnCodepoint::Ect0 => flag::ECN_CAPABLE,
            EcnCodepoint::Ce => flag::ECN_CAPABLE | flag::MARKED,
        };
        self.flags = self.flags & !(flag::ECN_CAPABLE | flag::ECT_1 | flag::MARKED) | bits;
    }

    /// The ECN field.
    pub fn ecn(&self) -> EcnCodepoint {
        match () {
            () if self.has(flag::ECN_CAPABLE | flag::MARKED) => EcnCodepoint::Ce,
            () if self.has(flag::ECT_1) => EcnCodepoint::Ect1,
            () if self.has(flag::ECN_CAPABLE) => EcnCodepoint::Ect0,
            () => EcnCodepoint::NotEct,
        }
    }

    /// Sets [`flag::MARKED`] if the transport is ECN-capable; returns whether it is.
    #[inline]
    pub fn mark(&mut self) -> bool {
        let can_be = self.has(flag::ECN_CAPABLE);
        if can_be {
            self.flags |= flag::MARKED;
        }
        can_be
    }

    /// The DS field of RFC 2474 with the ECN field of RFC 3168 in its two lowest bits.
    pub fn ds_field(&self) -> u8 {
        self.dscp << 2 | self.ecn() as u8
    }

    /// Whether the sender has filled in the TCP header, as ns-2's TCP agents do. In others it is 0.
    #[inline]
    pub fn has_tcp_header(&self) -> bool {
        match self.kind {
            PacketKind::Tcp => true,
            PacketKind::Rtp | PacketKind::Rtcp => false,
            PacketKind::Tfrc | PacketKind::TfrcReport | PacketKind::RapData | PacketKind::RapAck => false,
            kind if kind.is_datagram() => self.has(flag::WITHOUT_RTP),
            kind => kind.has_sequence(),
        }
    }

    /// Whether the sender has filled in the RTP header, as ns-2's datagram agents do. In others it is 0.
    #[inline]
    pub fn has_rtp_header(&self) -> bool {
        self.kind == PacketKind::Rtp || self.kind.is_datagram() && !self.has(flag::WITHOUT_RTP)
    }

    /// Whether all of `bits` are set.
    #[inline]
    pub fn has(&self, bits: u16) -> bool {
        self.flags & bits == bits
    }
}

/// All packets of a simulation.
#[derive(Default)]
pub struct PacketPool {
    slots: Vec<Packet>,
    free: Vec<u32>,
    sacks: Vec<SackBlocks>,
    free_sacks: Vec<u32>,
    words: Vec<Box<str>>,
    free_words: Vec<u32>,
    headers: Vec<Header>,
    free_headers: Vec<u32>,
    chunks: Slab<sctp::Chunks>,
    payloads: Slab<Vec<u8>>,
    next_uid: i32,
    /// Number of packets inside others.
    inside: usize,
}

impl PacketPool {
    /// A new packet with the next uid; the other fields are those of `like`.
    #[inline(always)]
    pub fn make(&mut self, like: Packet) -> PacketId {
        let uid = self.next_uid;
        self.next_uid += 1;
        let packet = Packet { uid, has_more: false, sack: NO_SACK, words: NO_WORDS, header: NO_HEADER, ..like };
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = packet;
                PacketId(slot)
            }
            None => {
                self.slots.push(packet);
                PacketId(self.slots.len() as u32 - 1)
            }
        }
    }

    /// The uid of the next packet; the same again means that no packet was made meanwhile.
    pub fn next_uid(&self) -> i32 {
        self.next_uid
    }

    /// Takes the next uid for a packet that is made later.
    pub(crate) fn reserve_uid(&mut self) -> i32 {
        self.next_uid += 1;
        self.next_uid - 1
    }

    /// Goes on with another uid; returns the one that was next.
    pub(crate) fn swap_next_uid(&mut self, uid: i32) -> i32 {
        std::mem::replace(&mut self.next_uid, uid)
    }

    /// A copy of a packet, with the same uid.
    pub fn copy(&mut self, id: PacketId) -> PacketId {
        let original = self.slots[id.0 as usize];
        let next_uid = self.next_uid;
        let copy = self.make(original);
        self.next_uid = next_uid;
        self.slots[copy.0 as usize].uid = original.uid;
        if original.sack != NO_SACK {
            self.set_sack(copy, self.sacks[original.sack as usize]);
        }
        if original.words != NO_WORDS {
            let words = self.words[original.words as usize].clone();
            self.set_words(copy, &words);
        }
        if original.header != NO_HEADER {
            let header = self.copy_of_header(original.header);
            self.set_header(copy, header);
        }
        copy
    }

    /// Frees a packet and its optional parts.
    #[inline]
    pub fn free(&mut self, id: PacketId) {
        if self.slots[id.0 as usize].has_more {
            self.free_more(id);
        }
        self.free.push(id.0);
    }

    /// Whether a slot has no packet.
    pub(crate) fn is_free(&self, id: PacketId) -> bool {
        self.free.contains(&id.0)
    }

    /// Frees the optional parts of a packet.
    #[inline(never)]
    fn free_more(&mut self, id: PacketId) {
        let Packet { sack, words, header, .. } = self.slots[id.0 as usize];
        if sack != NO_SACK {
            self.free_sacks.push(sack);
        }
        if words != NO_WORDS {
            self.words[words as usize] = Box::default();
            self.free_words.push(words);
        }
        if header != NO_HEADER {
            self.free_inside(header);
            self.free_headers.push(header);
        }
    }

    /// The packet's SACK blocks; most packets have none.
    pub fn sack(&self, id: PacketId) -> &[(i32, i32)] {
        self.sack_of(&self[id])
    }

    pub(crate) fn sack_of(&self, packet: &Packet) -> &[(i32, i32)] {
        match packet.sack {
            _ if !packet.has_more => &[],
            NO_SACK => &[],
            slot => self.sacks[slot as usize].as_slice(),
        }
    }

    /// Sets the packet's SACK blocks.
    pub fn set_sack(&mut self, id: PacketId, blocks: SackBlocks) {
        if blocks.as_slice().is_empty() {
            return;
        }
        let slot = match self.free_sacks.pop() {
            Some(slot) => {
                self.sacks[slot as usize] = blocks;
                slot
            }
            None => {
                self.sacks.push(blocks);
                self.sacks.len() as u32 - 1
            }
        };
        let packet = &mut self.slots[id.0 as usize];
        (packet.sack, packet.has_more) = (slot, true);
    }

    /// The packet's text; most packets have none.
    pub fn words(&self, id: PacketId) -> Option<&str> {
        match self.slots[id.0 as usize].words {
            NO_WORDS => None,
            slot => Some(&self.words[slot as usize]),
        }
    }

    /// Sets the packet's text.
    pub fn set_words(&mut self, id: PacketId, words: &str) {
        let slot = match self.free_words.pop() {
            Some(slot) => {
                self.words[slot as usize] = words.into();
                slot
            }
            None => {
                self.words.push(words.into());
                self.words.len() as u32 - 1
            }
        };
        let packet = &mut self.slots[id.0 as usize];
        (packet.words, packet.has_more) = (slot, true);
    }

    /// The packet's protocol header, if any.
    pub fn header(&self, id: PacketId) -> Option<&Header> {
        self.header_of(&self[id])
    }

    pub(crate) fn header_of(&self, packet: &Packet) -> Option<&Header> {
        self.headers.get(packet.header as usize)
    }

    /// The packet's protocol header, mutable.
    pub fn header_mut(&mut self, id: PacketId) -> Option<&mut Header> {
        self.headers.get_mut(self.slots[id.0 as usize].header as usize)
    }

    /// Sets the packet's protocol header.
    pub fn set_header(&mut self, id: PacketId, header: Header) {
        if let Some(present) = self.header_mut(id) {
            *present = header;
            return;
        }
        let slot = match self.free_headers.pop() {
            Some(slot) => {
                self.headers[slot as usize] = header;
                slot
            }
            None => {
                self.headers.push(header);
                self.headers.len() as u32 - 1
            }
        };
        let packet = &mut self.slots[id.0 as usize];
        (packet.header, packet.has_more) = (slot, true);
    }

    /// Number of allocated packets.
    pub fn alive(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Prefetches the packet in a slot, if it exists.
    #[inline(always)]
    pub(crate) fn prefetch(&self, slot: u32) {
        prefetch_at(&self.slots, slot as usize, 2);
    }

    /// Size of the largest packet in any slot, also of freed ones, bytes.
    pub fn largest_bytes(&self) -> i64 {
        self.slots.iter().map(|packet| packet.size.into()).max().unwrap_or(0)
    }
}

impl std::ops::Index<PacketId> for PacketPool {
    type Output = Packet;
    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        &self.slots[id.0 as usize]
    }
}

impl std::ops::IndexMut<PacketId> for PacketPool {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slots[id.0 as usize]
    }
}
