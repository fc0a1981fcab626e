//! Pieces of lines that many packets have in common: made once, copied from then on.

use ackclock_engine::packet::{Address, Packet, PacketKind};

/// A short piece of text. It is copied whole and cut, which is quicker than copying so many bytes.
#[derive(Clone, Copy)]
pub struct Phrase<const MOST: usize> {
    bytes: [u8; MOST],
    length: usize,
}

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

    /// Appends the text.
    #[inline]
    pub fn push_to(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.bytes);
        out.truncate(start + self.length);
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
