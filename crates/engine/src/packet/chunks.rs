//! The chunks of SCTP packets in the pool.

use super::PacketPool;
use super::header::Header;
use super::id::PacketId;
use super::sctp::Chunks;

impl PacketPool {
    /// Puts chunks into a packet.
    pub(crate) fn set_chunks(&mut self, packet: PacketId, chunks: Chunks) {
        let slot = self.chunks.add(chunks);
        self.set_header(packet, Header::Sctp(slot));
    }

    /// Takes the chunks out of a packet; none if it is no packet of SCTP.
    pub(crate) fn take_chunks(&mut self, packet: PacketId) -> Option<Chunks> {
        let header = self.header_mut(packet)?;
        let Header::Sctp(slot) = *header else { return None };
        *header = Header::Decapsulated;
        Some(self.chunks.take(slot))
    }

    /// The chunks that a header stands for.
    pub(crate) fn chunks_of(&self, header: &Header) -> Option<&Chunks> {
        match *header {
            Header::Sctp(slot) => Some(self.chunks.get(slot)),
            _ => None,
        }
    }
}
