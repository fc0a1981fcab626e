//! Pieces of lines that many packets have in common: made once, copied from then on.

use ackclock_engine::packet::{Address, Packet, PacketKind};

/// A short piece of text. It is copied whole and cut, which is quicker than copying so many bytes.
#[derive(Clone, Copy)]
pub struct Phrase<const MOST: usize> {
    bytes: [u8; MOST],
    length: usize,
}

/// A time, s.
pub type Clock = Phrase<32>;

impl<const MOST: usize> Phrase<MOST> {
    /// The text that `write` appends.
    ///
    /// # Panics
    /// For a text longer than `MOST` bytes.
    pub fn new(write: impl FnOnce(&mut Vec<u8>)) -> Phrase<MOST> {
        let mut text = Vec::with_capacity(MOST);
        write(&mut text);
        let length = text.len();
        text.resize(length.max(MOST), 0);
        Phrase { bytes: text.try_into().expect("a phrase has room for its longest text"), length }
    }

    /// The text that `write` appends from now on.
    ///
    /// # Panics
    /// For a text longer than `MOST` bytes.
    #[inline]
    pub fn set(&mut self, scratch: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        scratch.clear();
        write(scratch);
        self.length = scratch.len();
        self.bytes[..self.length].copy_from_slice(scratch);
    }

    /// The text itself.
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

/// What the packets of a flow have in common.
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

    /// A number below [`SLOTS`] that differs for most that differ.
    #[inline]
    fn slot(&self) -> usize {
        let mixed = [self.fid, self.size, self.src.node, self.dst.node, self.src.port]
            .into_iter()
            .fold(0u32, |sum, field| (sum ^ field as u32).wrapping_mul(0x9e37_79b1).rotate_left(11));
        (mixed >> (32 - SLOTS.ilog2())) as usize
    }
}

const SLOTS: usize = 2048;

/// Phrases about packets, remembered by what the packets have in common.
pub struct Phrases<T> {
    slots: Vec<Option<(Common, T)>>,
}

impl<T> Default for Phrases<T> {
    fn default() -> Phrases<T> {
        Phrases { slots: Vec::new() }
    }
}

impl<T> Phrases<T> {
    /// The phrases about a packet, made by `make` if they are not remembered.
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

/// How many packets are remembered one by one.
const RECENT: usize = 1024;

/// What lines say of single packets: a packet's next lines are soon to come, some eight on a way over three links.
pub struct Recent<T> {
    slots: Vec<Option<(Common, i32, i32, T)>>,
}

impl<T> Default for Recent<T> {
    fn default() -> Recent<T> {
        Recent { slots: Vec::new() }
    }
}

impl<T> Recent<T> {
    /// What lines say of a packet, made by `make` if it is not remembered.
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
