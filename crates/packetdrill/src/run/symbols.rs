//! The numbers of Linux's symbols in system calls, and its error numbers.
//!
//! Source: Linux's headers (include/uapi), for x86-64.

use ackclock_engine::transport::tcp::socket::SocketError;

use crate::script::Expression;

/// Flags and results that scripts write as symbols.
const VALUES: &[(&str, i64)] = &[
    ("NULL", 0),
    ("F_GETFL", 3),
    ("F_SETFL", 4),
    ("O_RDONLY", 0),
    ("O_WRONLY", 1),
    ("O_RDWR", 2),
    ("O_NONBLOCK", 0o4000),
    ("POLLIN", 0x001),
    ("POLLPRI", 0x002),
    ("POLLOUT", 0x004),
    ("POLLERR", 0x008),
    ("POLLHUP", 0x010),
    ("POLLRDNORM", 0x040),
    ("POLLRDBAND", 0x080),
    ("POLLWRNORM", 0x100),
    ("POLLWRBAND", 0x200),
    ("POLLMSG", 0x400),
    ("POLLRDHUP", 0x2000),
    ("SHUT_RD", 0),
    ("SHUT_WR", 1),
    ("SHUT_RDWR", 2),
    ("MSG_PEEK", 0x02),
    ("MSG_TRUNC", 0x20),
    ("MSG_DONTWAIT", 0x40),
    ("MSG_EOR", 0x80),
    ("MSG_WAITALL", 0x100),
    ("MSG_NOSIGNAL", 0x4000),
    ("MSG_MORE", 0x8000),
    ("SOCK_STREAM", 1),
    ("SOCK_NONBLOCK", 0o4000),
    ("IPPROTO_TCP", 6),
    ("AF_INET", 2),
    ("AF_INET6", 10),
];

/// Error numbers: symbol, number, text of `strerror`.
const ERRORS: &[(&str, i32, &str)] = &[
    ("EBADF", 9, "Bad file descriptor"),
    ("EAGAIN", 11, "Resource temporarily unavailable"),
    ("EFAULT", 14, "Bad address"),
    ("EINVAL", 22, "Invalid argument"),
    ("EPIPE", 32, "Broken pipe"),
    ("ENOPROTOOPT", 92, "Protocol not available"),
    ("EOPNOTSUPP", 95, "Operation not supported"),
    ("ECONNRESET", 104, "Connection reset by peer"),
    ("EISCONN", 106, "Transport endpoint is already connected"),
    ("ENOTCONN", 107, "Transport endpoint is not connected"),
    ("ETIMEDOUT", 110, "Connection timed out"),
    ("ECONNREFUSED", 111, "Connection refused"),
    ("EALREADY", 114, "Operation already in progress"),
    ("EINPROGRESS", 115, "Operation now in progress"),
];

/// An error number, by its symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errno(pub(super) &'static str);

impl Errno {
    /// Whether the script's symbol stands for this error.
    pub(super) fn is(self, symbol: &str) -> bool {
        self.0 == symbol || (self.0 == "EAGAIN" && symbol == "EWOULDBLOCK")
    }

    /// `errno 11 (Resource temporarily unavailable)`.
    pub(super) fn describe(self) -> String {
        let known = ERRORS.iter().find(|(symbol, ..)| *symbol == self.0);
        known.map_or_else(|| self.0.to_owned(), |(symbol, number, text)| format!("{symbol}, errno {number} ({text})"))
    }
}

impl From<SocketError> for Errno {
    fn from(error: SocketError) -> Errno {
        Errno(match error {
            SocketError::ConnectionReset => "ECONNRESET",
            SocketError::ConnectionRefused => "ECONNREFUSED",
            SocketError::TimedOut => "ETIMEDOUT",
            SocketError::BrokenPipe => "EPIPE",
            SocketError::NotConnected => "ENOTCONN",
            SocketError::WouldBlock => "EAGAIN",
            SocketError::AlreadyConnected => "EISCONN",
            SocketError::Invalid => "EINVAL",
        })
    }
}

/// `SO_ERROR`'s number.
pub(super) fn number(errno: Errno) -> i64 {
    ERRORS.iter().find(|(symbol, ..)| *symbol == errno.0).map_or(0, |(_, number, _)| i64::from(*number))
}

/// The number that an expression stands for.
///
/// # Errors
/// The symbol that is not known, or what stands there instead of a number.
pub(super) fn value(expression: &Expression) -> Result<i64, String> {
    match expression {
        Expression::Integer(value) => Ok(*value),
        Expression::Word(word) => VALUES
            .iter()
            .find(|(symbol, _)| symbol == word)
            .map(|(_, value)| *value)
            .ok_or_else(|| format!("unknown symbol {word}")),
        Expression::Or(left, right) => Ok(value(left)? | value(right)?),
        Expression::List(items) if items.len() == 1 => value(&items[0]),
        _ => Err("expected a number".to_owned()),
    }
}

/// Flags and their symbols, for messages: `POLLIN|POLLHUP`.
pub(super) fn poll_flags(flags: i64) -> String {
    let names: Vec<&str> = VALUES
        .iter()
        .filter(|(name, value)| name.starts_with("POLL") && flags & value != 0)
        .map(|(name, _)| *name)
        .collect();
    if names.is_empty() { "0".to_owned() } else { names.join("|") }
}
