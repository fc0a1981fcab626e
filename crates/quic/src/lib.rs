//! QUIC stacks of others as endpoints of ackclock's network, in virtual time.
//!
//! Each adapter is a file: it lets a stack that knows no sockets and no clock take datagrams, give datagrams and say when its
//! timers expire. [`transfer::run`] lets a client and a server of a stack transfer data beside a TCP flow of the engine,
//! [`request::answer`] in the network of a scenario.
//!
//! A handshake has the same bytes each time: connection ids, keys and random numbers follow from a seed.

pub mod drive;
pub mod failure;
#[cfg(feature = "quiche")]
pub mod host;
#[cfg(feature = "noq")]
pub mod noq;
#[cfg(feature = "quiche")]
pub mod quiche;
#[cfg(feature = "quinn")]
pub mod quinn;
pub mod request;
pub mod seeded;
pub mod stack;
pub mod stacks;
pub mod table;
pub mod transfer;
