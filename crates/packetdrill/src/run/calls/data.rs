//! Calls that send and receive.

use ackclock_engine::transport::tcp::socket::{SendFlags, SocketError};

use super::super::descriptors::Kind;
use super::super::runner::Runner;
use super::super::symbols::{Errno, value};
use super::{Arguments, Called, Outcome, Refusal};
use crate::script::Expression;

const MSG_PEEK: i64 = 0x02;
const MSG_DONTWAIT: i64 = 0x40;
const MSG_EOR: i64 = 0x80;
const MSG_WAITALL: i64 = 0x100;
const MSG_MORE: i64 = 0x8000;

/// The bytes of an `iovec` list.
fn vector_bytes(expression: &Expression) -> Result<u64, String> {
    let Expression::List(items) = expression else { return Err("expected a list of iovec".to_owned()) };
    items.iter().try_fold(0, |sum, item| match item {
        Expression::Structure(fields) if fields.len() == 2 => {
            let bytes = u64::try_from(value(&fields[1].value)?).map_err(|_| "expected a number of bytes".to_owned())?;
            Ok(sum + bytes)
        }
        _ => Err("expected {..., bytes}".to_owned()),
    })
}

/// Descriptor, bytes and flags of a call that sends or receives, and whether its buffer is a null pointer.
struct Transfer {
    descriptor: i64,
    bytes: u64,
    flags: i64,
    is_null: bool,
}

fn transfer(name: &str, arguments: &Arguments<'_>) -> Result<Transfer, String> {
    let descriptor = arguments.number(0)?;
    let (bytes, flags) = match name {
        "read" | "write" => (arguments.bytes(2)?, 0),
        "readv" | "writev" => (vector_bytes(arguments.get(1)?)?, 0),
        "recvmsg" | "sendmsg" => {
            let message = arguments.get(1)?;
            let vector = message.field("msg_iov").ok_or("expected a msghdr with msg_iov")?;
            (vector_bytes(vector)?, arguments.number(2)?)
        }
        _ => (arguments.bytes(2)?, arguments.number(3)?),
    };
    let is_null = match arguments.get(1)? {
        Expression::Word(word) => word == "NULL",
        Expression::Integer(address) => *address == 0,
        _ => false,
    };
    Ok(Transfer { descriptor, bytes, flags, is_null })
}

impl Runner<'_> {
    pub(super) fn sys_receive(&mut self, name: &str, arguments: &Arguments<'_>) -> Called {
        let Transfer { descriptor, bytes, flags, is_null } = transfer(name, arguments)?;
        let file = self.file(descriptor)?.clone();
        let Kind::Connection(at) = file.kind else { return Ok(Errno("ENOTCONN").into()) };
        if flags & MSG_WAITALL != 0 {
            return Err(Refusal::Missing("MSG_WAITALL".to_owned()));
        }
        let now = self.now;
        let connection = &mut self.connections[at];
        let unread = connection.unread();
        if is_null && unread > 0 && bytes > 0 {
            return Ok(Errno("EFAULT").into());
        }
        if flags & MSG_PEEK != 0 && unread > 0 {
            return Ok(Outcome::Returns(unread.min(bytes) as i64));
        }
        match connection.receive(now, bytes) {
            Ok(read) => {
                self.check_control(name, arguments, at)?;
                Ok(Outcome::Returns(read as i64))
            }
            Err(SocketError::WouldBlock) if !file.is_nonblocking && flags & MSG_DONTWAIT == 0 => Ok(Outcome::Blocks),
            Err(error) => Ok(Errno::from(error).into()),
        }
    }

    /// The control messages of `recvmsg`: the bytes that still wait (`TCP_CM_INQ`).
    fn check_control(&self, name: &str, arguments: &Arguments<'_>, at: usize) -> Result<(), Refusal> {
        if name != "recvmsg" {
            return Ok(());
        }
        let Some(Expression::List(messages)) = arguments.get(1)?.field("msg_control") else { return Ok(()) };
        for message in messages {
            let kind = message.field("cmsg_type").map(Expression::words).unwrap_or_default();
            if kind != ["TCP_CM_INQ"] {
                return Err(Refusal::Missing(format!("control messages {}", kind.join(" "))));
            }
            let connection = &self.connections[at];
            let waiting = connection.unread() as i64 + i64::from(connection.has_fin());
            let expected = message.field("cmsg_data").map_or(Ok(waiting), value)?;
            if expected != waiting {
                return Err(Refusal::Wrong(format!("TCP_CM_INQ: expected {expected} but got {waiting}")));
            }
        }
        Ok(())
    }

    pub(super) fn sys_send(&mut self, name: &str, arguments: &Arguments<'_>, progress: &mut u64) -> Called {
        let Transfer { descriptor, bytes, flags, is_null } = transfer(name, arguments)?;
        let file = self.file(descriptor)?.clone();
        let Kind::Connection(at) = file.kind else { return Ok(Errno("EPIPE").into()) };
        if is_null && bytes > 0 {
            return Ok(Errno("EFAULT").into());
        }
        let is_nonblocking = file.is_nonblocking || flags & MSG_DONTWAIT != 0;
        let connection = &mut self.connections[at];
        // A call that waits goes on when the socket says that there is room.
        if *progress > 0 && !connection.is_writable {
            return Ok(Outcome::Blocks);
        }
        let rest = bytes - *progress;
        let flags = SendFlags { more: flags & MSG_MORE != 0, eor: flags & MSG_EOR != 0 };
        let sent = connection.send(self.now, rest, flags);
        *progress += sent.unwrap_or(0);
        Ok(match sent {
            Err(SocketError::WouldBlock) | Ok(_) if *progress < bytes && !is_nonblocking => Outcome::Blocks,
            Err(error) if *progress == 0 => Errno::from(error).into(),
            _ => Outcome::Returns(*progress as i64),
        })
    }
}
