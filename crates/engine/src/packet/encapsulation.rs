//! Packets inside other packets.

use super::PacketPool;
use super::header::Header;
use super::id::PacketId;

impl PacketPool {
    /// Puts a packet into another one, which owns it from now on.
    pub(crate) fn encapsulate(&mut self, outer: PacketId, inner: PacketId) {
        self.set_header(outer, Header::Encapsulated(inner));
        self.inside += 1;
    }

    /// Takes the packet out of another one, if there is one in it.
    pub(crate) fn decapsulate(&mut self, outer: PacketId) -> Option<PacketId> {
        let header = self.header_mut(outer)?;
        let Header::Encapsulated(inner) = *header else { return None };
        *header = Header::Decapsulated;
        self.inside -= 1;
        Some(inner)
    }

    /// Number of packets inside others.
    pub(crate) fn inside(&self) -> usize {
        self.inside
    }

    /// Frees the packet or the chunks that a header stands for, if any.
    pub(super) fn free_inside(&mut self, header: u32) {
        match self.headers[header as usize] {
            Header::Encapsulated(inner) => {
                self.inside -= 1;
                self.free(inner);
            }
            Header::Sctp(chunks) => self.free_chunks_at(chunks),
            _ => {}
        }
    }

    /// A header for the copy of a packet; a packet or chunks inside it are copied, too.
    pub(super) fn copy_of_header(&mut self, header: u32) -> Header {
        match self.headers[header as usize] {
            Header::Encapsulated(inner) => {
                self.inside += 1;
                Header::Encapsulated(self.copy(inner))
            }
            Header::Sctp(chunks) => self.copy_of_chunks(chunks),
            header => header,
        }
    }
}
