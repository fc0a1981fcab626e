//! Which packets belong to the same flow.

/// The fields that identify a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Key {
    /// The flow id.
    #[default]
    Fid,
    /// The destination node. Packets to unregistered destinations belong to no flow.
    Destination,
    /// The source and the destination node.
    Ends,
    /// The source node, the destination node and the flow id.
    EndsAndFid,
}

impl Key {
    /// The key with this ns-2 name.
    pub fn named(name: &str) -> Option<Key> {
        Some(match name {
            "fid" => Key::Fid,
            "dest" => Key::Destination,
            "src_dest" => Key::Ends,
            "src_dest_fid" => Key::EndsAndFid,
            _ => return None,
        })
    }

    /// The fields of the key; 0 for the other fields.
    pub fn of(self, src: i32, dst: i32, fid: i32) -> (i32, i32, i32) {
        match self {
            Key::Fid => (0, 0, fid),
            Key::Destination => (0, dst, 0),
            Key::Ends => (src, dst, 0),
            Key::EndsAndFid => (src, dst, fid),
        }
    }
}
