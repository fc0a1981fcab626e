//! Line fragments that many packets share: formatted once, then copied.

use ackclock_engine::packet::{Address, Packet, PacketKind};

/// A short text in a fixed-size buffer. Copying the whole buffer and truncating is faster than a variable-length copy.
#[derive(Clone, Copy)]
pub struct Phrase<const MOST: usize> {
    bytes: [u8; MOST],
    length: usize,
}

/// A time in s, as text.
pub type Clock = Phrase<32>;

impl<const MOST: usize> Phrase<MOST> {
    /// A phrase with the text that `write` appends.
    ///
    /// # Panics
    /// If the text is longer than `MOST` bytes.
    pub fn new(write: impl FnOnce(&mut Vec<u8>)) -> Phrase<MOST> {
        let mut text = Vec::with_capacity(MOST);
        write(&mut text);
        let length = text.len();
        text.resize(length.max(MOST), 0);
        Phrase { bytes: text.try_into().expect("a phrase has room for its longest text"), length }
    }

    /// Replaces the text by what `write` appends.
    ///
    /// # Panics
    /// If the text is longer than `MOST` bytes.
    #[inline]
    pub fn set(&mut self, scratch: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        scratch.clear();
        write(scratch);
        self.length = scratch.len();
        self.bytes[..self.length].copy_from_slice(scratch);
    }

    /// The text.
    #[inline]
    pub fn text(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Appends the text.
    #[inline]
    pub fn push_to(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.bytes);
        out.truncate(start + self.length);
    }
}

impl<const MOST: usize> Default for Phrase<MOST> {
    fn default() -> Phrase<MOST> {
        Phrase { bytes: [0; MOST], length: 0 }
    }
}

/// The fields that the packets of a flow share.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Common {
    kind: PacketKind,
    size: i32,
    flags: u16,
    fid: i32,
    src: Address,
    dst: Address,
}

impl Common {
    #[inline]
    fn of(packet: &Packet) -> Common {
        let &Packet { kind, size, flags, fid, src, dst, .. } = packet;
        Common { kind, size, flags, fid, src, dst }
    }

    /// Hash into `0..SLOTS`.
    #[inline]
    fn slot(&self) -> usize {
        let mixed = [self.fid, self.size, self.src.node, self.dst.node, self.src.port]
            .into_iter()
            .fold(0u32, |sum, field| (sum ^ field as u32).wrapping_mul(0x9e37_79b1).rotate_left(11));
        (mixed >> (32 - SLOTS.ilog2())) as usize
    }
}

const SLOTS: usize = 2048;

/// Cache of line fragments by the shared fields of packets.
pub struct Phrases<T> {
    slots: Vec<Option<(Common, T)>>,
}

impl<T> Default for Phrases<T> {
    fn default() -> Phrases<T> {
        Phrases { slots: Vec::new() }
    }
}

impl<T> Phrases<T> {
    /// The fragments for a packet; `make` is called on a cache miss.
    #[inline]
    pub fn about(&mut self, packet: &Packet, make: impl FnOnce(&Packet) -> T) -> &T {
        if self.slots.is_empty() {
            self.slots.resize_with(SLOTS, || None);
        }
        let common = Common::of(packet);
        let slot = &mut self.slots[common.slot()];
        if !matches!(slot, Some((known, _)) if *known == common) {
            *slot = Some((common, make(packet)));
        }
        &slot.as_ref().expect("it was just put there").1
    }
}

/// Number of slots for single packets.
const RECENT: usize = 1024;

/// Cache of line fragments by single packets: a packet soon has more lines, about eight on a path of three links.
pub struct Recent<T> {
    slots: Vec<Option<(Common, i32, i32, T)>>,
}

impl<T> Default for Recent<T> {
    fn default() -> Recent<T> {
        Recent { slots: Vec::new() }
    }
}

impl<T> Recent<T> {
    /// The fragment for a packet; `make` is called on a cache miss.
    #[inline]
    pub fn about(&mut self, packet: &Packet, make: impl FnOnce(&Packet) -> T) -> &T {
        if self.slots.is_empty() {
            self.slots.resize_with(RECENT, || None);
        }
        let (common, uid, seqno) = (Common::of(packet), packet.uid, packet.seqno);
        let slot = &mut self.slots[uid as usize % RECENT];
        if !matches!(slot, Some((of, its_uid, its_seqno, _)) if *its_uid == uid && *its_seqno == seqno && *of == common)
        {
            *slot = Some((common, uid, seqno, make(packet)));
        }
        &slot.as_ref().expect("it was just put there").3
    }
}
