//! The chunks of SCTP packets in the pool.

use super::PacketPool;
use super::header::Header;
use super::id::PacketId;
use super::sctp::Chunks;

impl PacketPool {
    /// Puts chunks into a packet.
    pub(crate) fn set_chunks(&mut self, packet: PacketId, chunks: Chunks) {
        let slot = self.keep_chunks(chunks);
        self.set_header(packet, Header::Sctp(slot));
    }

    fn keep_chunks(&mut self, chunks: Chunks) -> u32 {
        match self.free_chunks.pop() {
            Some(slot) => {
                self.chunks[slot as usize] = chunks;
                slot
            }
            None => {
                self.chunks.push(chunks);
                self.chunks.len() as u32 - 1
            }
        }
    }

    /// Takes the chunks out of a packet; none if it is no packet of SCTP.
    pub(crate) fn take_chunks(&mut self, packet: PacketId) -> Option<Chunks> {
        match self.header(packet) {
            Some(&Header::Sctp(slot)) => Some(std::mem::take(&mut self.chunks[slot as usize])),
            _ => None,
        }
    }

    /// The chunks that a header stands for.
    pub(crate) fn chunks_of(&self, header: &Header) -> Option<&Chunks> {
        match *header {
            Header::Sctp(slot) => self.chunks.get(slot as usize),
            _ => None,
        }
    }

    /// Frees chunks.
    pub(super) fn free_chunks_at(&mut self, slot: u32) {
        self.chunks[slot as usize] = Chunks::default();
        self.free_chunks.push(slot);
    }

    /// A copy of chunks.
    pub(super) fn copy_of_chunks(&mut self, slot: u32) -> Header {
        let chunks = self.chunks[slot as usize].clone();
        Header::Sctp(self.keep_chunks(chunks))
    }
}
