//! Cache of recently parsed packets.
//!
//! In the plain format, the text after the link's nodes depends only on the packet. It is equal in all its lines, three
//! for each link. It is parsed once and then found by text comparison. On a cache miss, because the slot was reused or
//! the flags have changed, it is parsed again. The cache does not affect the result.

use crate::read::packet_line::PacketLine;

/// Number of slots, a power of two.
const PLACES: usize = 1 << 11;

/// Max length of a cached text, bytes.
const LONGEST: usize = 64;

struct Known {
    text: [u8; LONGEST],
    length: usize,
    line: PacketLine,
}

/// Packets by the tails of their lines.
pub struct KnownPackets {
    places: Vec<Option<Known>>,
}

/// The slot of a text; its last bytes contain the packet id.
#[inline(always)]
fn place(text: &[u8]) -> Option<usize> {
    let last = u64::from_le_bytes(*text.last_chunk::<8>()?);
    Some((last.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - PLACES.ilog2())) as usize)
}

impl Default for KnownPackets {
    fn default() -> KnownPackets {
        KnownPackets { places: (0..PLACES).map(|_| None).collect() }
    }
}

impl KnownPackets {
    /// Finds a line with the same tail.
    #[inline(always)]
    pub fn find(&self, text: &[u8]) -> Option<&PacketLine> {
        let known = self.places[place(text)?].as_ref()?;
        (known.text[..known.length] == *text).then_some(&known.line)
    }

    /// Stores a line with its tail.
    #[inline]
    pub fn learn(&mut self, text: &[u8], line: PacketLine) {
        let Some(place) = place(text).filter(|_| text.len() <= LONGEST) else { return };
        let mut known = Known { text: [0; LONGEST], length: text.len(), line };
        known.text[..text.len()].copy_from_slice(text);
        self.places[place] = Some(known);
    }
}
