//! What a script's descriptors stand for, and which connection is under test.

use ackclock_engine::transport::tcp::socket::SocketOption;

/// A descriptor.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) kind: Kind,
    pub(super) is_nonblocking: bool,
    /// Whether the reading side is shut down.
    pub(super) is_read_shut: bool,
    /// Options set before there is a connection.
    pub(super) options: Vec<SocketOption>,
}

/// What a descriptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Neither connected nor listening.
    New,
    /// Listening.
    Listener,
    /// The connection of that index.
    Connection(usize),
}

/// The socket that packets belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnderTest {
    /// There is none.
    Nothing,
    /// A descriptor without a connection.
    File(i64),
    /// A connection.
    Connection(usize),
}
