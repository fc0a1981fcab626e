//! What makes packets one flow.

/// What makes packets one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Key {
    /// The flow id.
    #[default]
    Fid,
    /// The node they go to. Packets of flows that nobody has told of count for none.
    Destination,
    /// The nodes they come from and go to.
    Ends,
    /// The nodes and the flow id.
    EndsAndFid,
}

impl Key {
    /// The one that is called so.
    pub fn named(name: &str) -> Option<Key> {
        Some(match name {
            "fid" => Key::Fid,
            "dest" => Key::Destination,
            "src_dest" => Key::Ends,
            "src_dest_fid" => Key::EndsAndFid,
            _ => return None,
        })
    }

    /// What of a packet's ends and flow id counts; 0 in place of what does not.
    pub fn of(self, src: i32, dst: i32, fid: i32) -> (i32, i32, i32) {
        match self {
            Key::Fid => (0, 0, fid),
            Key::Destination => (0, dst, 0),
            Key::Ends => (src, dst, 0),
            Key::EndsAndFid => (src, dst, fid),
        }
    }
}
