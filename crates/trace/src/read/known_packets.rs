//! Packets that lines have told of lately.
//!
//! What a line of the plain format says behind its link is the packet's own, and stands so in each of its lines, three for
//! every link that it crosses. It is read once and then recognised as text. A packet that is not recognised, because its
//! place was taken or its flags have changed, is read again: nothing depends on what is known.

use crate::read::ns2_trace::PacketLine;

/// How many packets are known, a power of two.
const PLACES: usize = 1 << 11;

/// The longest text that is kept, bytes.
const LONGEST: usize = 64;

struct Known {
    text: [u8; LONGEST],
    length: usize,
    line: PacketLine,
}

/// Packets by the ends of their lines.
pub struct KnownPackets {
    places: Vec<Option<Known>>,
}

/// The place of a text: its last bytes hold the packet's unique number.
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
    /// A line that went on in the same way behind its link.
    #[inline(always)]
    pub fn find(&self, text: &[u8]) -> Option<&PacketLine> {
        let known = self.places[place(text)?].as_ref()?;
        (known.text[..known.length] == *text).then_some(&known.line)
    }

    /// A line, and how it goes on behind its link.
    #[inline]
    pub fn learn(&mut self, text: &[u8], line: PacketLine) {
        let Some(place) = place(text).filter(|_| text.len() <= LONGEST) else { return };
        let mut known = Known { text: [0; LONGEST], length: text.len(), line };
        known.text[..text.len()].copy_from_slice(text);
        self.places[place] = Some(known);
    }
}
