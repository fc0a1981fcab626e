//! Node addresses in traces: plain node numbers, or hierarchical addresses such as `1.0.2`.

use ackclock_engine::net::multicast::GROUP_BIT;
use ackclock_engine::packet::Address;

use crate::ns2::number::push_int;

/// Hierarchical node addresses. Empty if the addresses are the node numbers.
#[derive(Default)]
pub struct Addresses {
    /// By node: the address as a number, and as text.
    of: Vec<Option<(i32, String)>>,
    /// Mask and shift of each level, for the addresses of groups, which are no nodes'.
    levels: Vec<(i32, u32)>,
}

impl Addresses {
    /// Max length of a hierarchical address, bytes: the buffers for line fragments have this size.
    pub const MAX_LENGTH: usize = 15;

    /// Sets a node's address.
    ///
    /// # Panics
    /// If the text has more than [`Addresses::MAX_LENGTH`] bytes.
    pub fn set(&mut self, node: u32, packed: i32, text: &str) {
        assert!(text.len() <= Addresses::MAX_LENGTH, "an address is short");
        let index = node as usize;
        if self.of.len() <= index {
            self.of.resize(index + 1, None);
        }
        self.of[index] = Some((packed, text.into()));
    }

    /// Sets mask and shift of each level, for the addresses of groups.
    pub fn set_levels(&mut self, levels: Vec<(i32, u32)>) {
        self.levels = levels;
    }

    /// Appends the address of a group, level by level.
    #[cold]
    fn push_group(&self, out: &mut Vec<u8>, group: i32) {
        for (place, &(mask, shift)) in self.levels.iter().enumerate() {
            if place > 0 {
                out.push(b'.');
            }
            push_int(out, i64::from(group >> shift & mask));
        }
    }

    fn find(&self, node: i32) -> Option<&(i32, String)> {
        self.of.get(usize::try_from(node).ok()?)?.as_ref()
    }

    /// The address for lines that show it as a single number.
    pub fn packed(&self, address: Address) -> Address {
        self.find(address.node).map_or(address, |&(node, _)| Address { node, ..address })
    }

    /// Appends the address, a dot and the port.
    pub fn push(&self, out: &mut Vec<u8>, address: Address) {
        match self.find(address.node) {
            Some((_, text)) => out.extend_from_slice(text.as_bytes()),
            None if !self.levels.is_empty() && address.node & GROUP_BIT != 0 => self.push_group(out, address.node),
            None => push_int(out, i64::from(address.node)),
        }
        out.push(b'.');
        push_int(out, i64::from(address.port));
    }
}
