//! Calls that make, connect and close descriptors.

use ackclock_engine::transport::tcp::socket::{SocketOption, TcpState};

use super::super::descriptors::{File, Kind, UnderTest};
use super::super::runner::Runner;
use super::super::symbols::{Errno, value};
use super::{Arguments, Called, Outcome, Refusal};
use crate::script::Call;

const O_RDWR: i64 = 2;
const O_NONBLOCK: i64 = 0o4000;

impl Runner<'_> {
    pub(super) fn file(&self, descriptor: i64) -> Result<&File, String> {
        self.files.get(&descriptor).ok_or_else(|| format!("unable to find fd with script fd {descriptor}"))
    }

    fn add_file(
        &mut self,
        descriptor: i64,
        kind: Kind,
        is_nonblocking: bool,
        options: Vec<SocketOption>,
    ) -> Result<(), Refusal> {
        if descriptor < 0 {
            return Err(Refusal::Wrong("Expected an error but got a new descriptor".to_owned()));
        }
        if self.files.contains_key(&descriptor) {
            return Err(Refusal::Wrong(format!("duplicate fd {descriptor} in script")));
        }
        self.files.insert(descriptor, File { kind, is_nonblocking, is_read_shut: false, options });
        Ok(())
    }

    pub(super) fn sys_socket(&mut self, call: &Call, arguments: &Arguments<'_>) -> Called {
        arguments.check_count(3)?;
        let is_nonblocking = arguments.number(1)? & O_NONBLOCK != 0;
        let descriptor = value(&call.result)?;
        self.add_file(descriptor, Kind::New, is_nonblocking, Vec::new())?;
        self.under_test = UnderTest::File(descriptor);
        Ok(Outcome::Returns(descriptor))
    }

    pub(super) fn sys_bind(&mut self, arguments: &Arguments<'_>) -> Called {
        arguments.check_count(3)?;
        self.file(arguments.number(0)?)?;
        Ok(Outcome::Returns(0))
    }

    pub(super) fn sys_listen(&mut self, arguments: &Arguments<'_>) -> Called {
        arguments.check_count(2)?;
        let descriptor = arguments.number(0)?;
        if matches!(self.file(descriptor)?.kind, Kind::Connection(_)) {
            return Ok(Errno("EINVAL").into());
        }
        if let Some(file) = self.files.get_mut(&descriptor) {
            file.kind = Kind::Listener;
        }
        self.under_test = UnderTest::File(descriptor);
        Ok(Outcome::Returns(0))
    }

    pub(super) fn sys_accept(&mut self, call: &Call, arguments: &Arguments<'_>) -> Called {
        arguments.check_count(3)?;
        let descriptor = arguments.number(0)?;
        let file = self.file(descriptor)?.clone();
        if file.kind != Kind::Listener {
            return Ok(Errno("EINVAL").into());
        }
        let waiting = self.connections.iter().position(|connection| {
            connection.listener == Some(descriptor) && !connection.is_accepted && connection.was_established
        });
        let Some(at) = waiting else {
            return Ok(if file.is_nonblocking { Errno("EAGAIN").into() } else { Outcome::Blocks });
        };
        let accepted = value(&call.result)?;
        self.add_file(accepted, Kind::Connection(at), false, file.options)?;
        self.connections[at].is_accepted = true;
        Ok(Outcome::Returns(accepted))
    }

    pub(super) fn sys_connect(&mut self, arguments: &Arguments<'_>) -> Called {
        arguments.check_count(3)?;
        let descriptor = arguments.number(0)?;
        let file = self.file(descriptor)?.clone();
        let is_first = file.kind == Kind::New;
        let at = match file.kind {
            Kind::Listener => return Ok(Errno("EISCONN").into()),
            Kind::Connection(at) => at,
            Kind::New => {
                let at = self.open(&file.options, None);
                if let Some(file) = self.files.get_mut(&descriptor) {
                    file.kind = Kind::Connection(at);
                }
                self.under_test = UnderTest::Connection(at);
                let now = self.now;
                if let Err(error) = self.connections[at].socket.connect(now) {
                    return Ok(Errno::from(error).into());
                }
                self.connections[at].is_connecting = true;
                at
            }
        };
        let connection = &mut self.connections[at];
        connection.take_events();
        if connection.was_established {
            let is_news = std::mem::take(&mut connection.is_connecting);
            return Ok(if is_news { Outcome::Returns(0) } else { Errno("EISCONN").into() });
        }
        if let Some(error) = connection.error.take() {
            return Ok(Errno::from(error).into());
        }
        if connection.socket.state() == TcpState::Closed {
            return Ok(Errno("ECONNREFUSED").into());
        }
        Ok(match file.is_nonblocking {
            true if is_first => Errno("EINPROGRESS").into(),
            true => Errno("EALREADY").into(),
            false => Outcome::Blocks,
        })
    }

    pub(super) fn sys_close(&mut self, arguments: &Arguments<'_>) -> Called {
        arguments.check_count(1)?;
        let descriptor = arguments.number(0)?;
        let kind = self.file(descriptor)?.kind;
        self.files.remove(&descriptor);
        let now = self.now;
        match kind {
            Kind::New => {}
            Kind::Connection(at) => {
                self.connections[at].socket.close(now);
            }
            Kind::Listener => {
                // Connections that nobody has accepted are reset.
                for connection in &mut self.connections {
                    if connection.listener == Some(descriptor) && !connection.is_accepted {
                        let _ = connection.socket.set_option(now, SocketOption::Linger(Some(0)));
                        connection.socket.close(now);
                    }
                }
            }
        }
        Ok(Outcome::Returns(0))
    }

    pub(super) fn sys_shutdown(&mut self, arguments: &Arguments<'_>) -> Called {
        arguments.check_count(2)?;
        let (descriptor, how) = (arguments.number(0)?, arguments.number(1)?);
        let Kind::Connection(at) = self.file(descriptor)?.kind else {
            return Ok(Errno("ENOTCONN").into());
        };
        if !(0..=2).contains(&how) {
            return Ok(Errno("EINVAL").into());
        }
        if self.connections[at].socket.state() == TcpState::Closed {
            return Ok(Errno("ENOTCONN").into());
        }
        if how != 1 {
            if let Some(file) = self.files.get_mut(&descriptor) {
                file.is_read_shut = true;
            }
            if let Err(error) = self.connections[at].socket.shutdown_receive() {
                return Ok(Errno::from(error).into());
            }
        }
        if how != 0 {
            let now = self.now;
            if let Err(error) = self.connections[at].socket.shutdown(now) {
                return Ok(Errno::from(error).into());
            }
        }
        Ok(Outcome::Returns(0))
    }

    pub(super) fn sys_fcntl(&mut self, arguments: &Arguments<'_>) -> Called {
        let descriptor = arguments.number(0)?;
        let is_nonblocking = self.file(descriptor)?.is_nonblocking;
        match arguments.name(1)? {
            "F_GETFL" => Ok(Outcome::Returns(O_RDWR | if is_nonblocking { O_NONBLOCK } else { 0 })),
            "F_SETFL" => {
                let flags = arguments.number(2)?;
                if let Some(file) = self.files.get_mut(&descriptor) {
                    file.is_nonblocking = flags & O_NONBLOCK != 0;
                }
                Ok(Outcome::Returns(0))
            }
            name => Err(Refusal::Missing(format!("fcntl {name}"))),
        }
    }
}
