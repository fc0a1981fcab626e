//! Packets inside other packets, and the bytes that packets carry.
//!
//! Both live as long as the packet that has them: a packet that is dropped frees them, a duplicate has a copy.

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

    /// Frees the packet, the chunks or the bytes that a header stands for, if any.
    pub(super) fn free_inside(&mut self, header: u32) {
        match self.headers[header as usize] {
            Header::Encapsulated(inner) => {
                self.inside -= 1;
                self.free(inner);
            }
            Header::Sctp(slot) => {
                self.chunks.take(slot);
            }
            Header::Payload(slot) => {
                self.payloads.take(slot);
            }
            _ => {}
        }
    }

    /// A header for the copy of a packet; a packet, chunks or bytes inside it are copied, too.
    pub(super) fn copy_of_header(&mut self, header: u32) -> Header {
        match self.headers[header as usize] {
            Header::Encapsulated(inner) => {
                self.inside += 1;
                Header::Encapsulated(self.copy(inner))
            }
            Header::Sctp(slot) => Header::Sctp(self.chunks.copy(slot)),
            Header::Payload(slot) => Header::Payload(self.payloads.copy(slot)),
            header => header,
        }
    }

    /// Gives a packet the bytes that it carries. Its size does not change.
    pub fn set_payload(&mut self, id: PacketId, bytes: Vec<u8>) {
        let slot = self.payloads.add(bytes);
        self.set_header(id, Header::Payload(slot));
    }

    /// The bytes that a packet carries; most packets carry none.
    pub fn payload(&self, id: PacketId) -> Option<&[u8]> {
        match *self.header(id)? {
            Header::Payload(slot) => Some(self.payloads.get(slot)),
            _ => None,
        }
    }

    /// Frees a packet, and returns the bytes that it carried.
    pub fn free_but_payload(&mut self, id: PacketId) -> Vec<u8> {
        let bytes = match self.header_mut(id) {
            Some(header) => match std::mem::replace(header, Header::Decapsulated) {
                Header::Payload(slot) => self.payloads.take(slot),
                other => {
                    *header = other;
                    Vec::new()
                }
            },
            None => Vec::new(),
        };
        self.free(id);
        bytes
    }

    /// Number of payloads that packets carry.
    pub fn payloads(&self) -> usize {
        self.payloads.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Packet;
    use crate::packet::sctp::{Chunk, Chunks};

    #[test]
    fn chunks_live_as_long_as_their_packet() {
        let mut pool = PacketPool::default();
        let chunks = || Chunks { all: vec![Chunk::CookieEcho], untraced: 0 };
        let first = pool.make(Packet::default());
        pool.set_chunks(first, chunks());
        let copy = pool.copy(first);
        assert_eq!((pool.take_chunks(first), pool.chunks.len()), (Some(chunks()), 1));
        assert_eq!(pool.take_chunks(first), None);
        pool.free(first);
        assert_eq!(pool.chunks_of(pool.header(copy).unwrap()), Some(&chunks()));
        pool.free(copy);
        assert_eq!((pool.chunks.len(), pool.alive()), (0, 0));
    }

    #[test]
    fn bytes_live_as_long_as_their_packet() {
        let mut pool = PacketPool::default();
        let first = pool.make(Packet::default());
        pool.set_payload(first, vec![1, 2, 3]);
        let copy = pool.copy(first);
        assert_eq!((pool.payload(copy), pool.payloads()), (Some(&[1, 2, 3][..]), 2));
        pool.free(first);
        assert_eq!(pool.payloads(), 1);
        assert_eq!(pool.free_but_payload(copy), [1, 2, 3]);
        assert_eq!((pool.payloads(), pool.alive()), (0, 0));
        let other = pool.make(Packet::default());
        assert_eq!(pool.payload(other), None);
        assert_eq!(pool.free_but_payload(other), []);
    }
}
