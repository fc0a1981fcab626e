//! `setsockopt`, `getsockopt` and `ioctl`.

use ackclock_engine::transport::tcp::socket::{SocketOption, TcpState};

use super::super::descriptors::Kind;
use super::super::environment::linux_control;
use super::super::options::{Setting, has_no_effect, setting};
use super::super::runner::Runner;
use super::super::symbols::{Errno, number, value};
use super::{Arguments, Called, Outcome, Refusal};
use crate::script::Expression;

/// Linux's least sizes of the buffers, bytes (include/net/sock.h: `SOCK_MIN_SNDBUF`, `SOCK_MIN_RCVBUF`).
const MIN_SEND_BUFFER: i64 = 4608;
const MIN_RECEIVE_BUFFER: i64 = 2304;

impl Runner<'_> {
    pub(super) fn sys_setsockopt(&mut self, arguments: &Arguments<'_>) -> Called {
        arguments.check_count(5)?;
        let descriptor = arguments.number(0)?;
        let kind = self.file(descriptor)?.kind;
        let name = arguments.name(2)?;
        let option = match (name, arguments.get(3)?) {
            ("TCP_CONGESTION", Expression::Text(control)) => SocketOption::CongestionControl(linux_control(control)),
            ("SO_LINGER", linger @ Expression::Structure(_)) => {
                let field = |name| linger.field(name).map_or(Ok(0), value);
                let (is_on, seconds) = (field("onoff")? != 0, field("linger")?);
                SocketOption::Linger(is_on.then(|| u32::try_from(seconds).unwrap_or(0)))
            }
            _ if has_no_effect(name) => return Ok(Outcome::Returns(0)),
            (_, expression) => match setting(name, value(expression)?) {
                Setting::Option(option) => option,
                Setting::Invalid => return Ok(Errno("EINVAL").into()),
                Setting::Unknown => return Err(Refusal::Missing(format!("the socket option {name}"))),
            },
        };
        if let Kind::Connection(at) = kind {
            let now = self.now;
            if let Err(error) = self.connections[at].socket.set_option(now, option.clone()) {
                return Ok(Errno::from(error).into());
            }
        }
        if let Some(file) = self.files.get_mut(&descriptor) {
            file.options.push(option);
        }
        Ok(Outcome::Returns(0))
    }

    pub(super) fn sys_getsockopt(&mut self, arguments: &Arguments<'_>) -> Called {
        arguments.check_count(5)?;
        let descriptor = arguments.number(0)?;
        let file = self.file(descriptor)?.clone();
        let name = arguments.name(2)?;
        let connection = match file.kind {
            Kind::Connection(at) => Some(at),
            _ => None,
        };
        let config = self.environment.socket_config();
        let last = |read: &dyn Fn(&SocketOption) -> Option<i64>| file.options.iter().rev().find_map(read);
        let actual = match name {
            "SO_ERROR" => {
                let error = connection.and_then(|at| self.connections[at].error.take());
                error.map_or(0, |error| number(error.into()))
            }
            "SO_SNDBUF" => last(&|option| match option {
                SocketOption::SendBuffer(bytes) => Some((i64::from(*bytes) * 2).max(MIN_SEND_BUFFER)),
                _ => None,
            })
            .unwrap_or(i64::from(config.wmem[1])),
            "SO_RCVBUF" => last(&|option| match option {
                SocketOption::ReceiveBuffer(bytes) => Some((i64::from(*bytes) * 2).max(MIN_RECEIVE_BUFFER)),
                _ => None,
            })
            .unwrap_or(i64::from(config.rmem[1])),
            "TCP_MAXSEG" => {
                let user = last(&|option| match option {
                    SocketOption::MaxSegment(bytes) => Some(i64::from(*bytes)),
                    _ => None,
                });
                let open = connection.filter(|at| self.connections[*at].socket.state() != TcpState::Closed);
                match (open, user) {
                    (Some(at), _) => i64::from(self.connections[at].socket.info(self.now).tcpi_snd_mss),
                    // Linux's mss_cache before there is a connection (TCP_MSS_DEFAULT).
                    (None, user) => user.unwrap_or(536),
                }
            }
            "TCP_NOTSENT_LOWAT" => last(&|option| match option {
                SocketOption::NotSentLowWater(bytes) => Some(i64::from(*bytes)),
                _ => None,
            })
            .unwrap_or(0),
            "TCP_NODELAY" => last(&|option| match option {
                SocketOption::NoDelay(is_set) => Some(i64::from(*is_set)),
                _ => None,
            })
            .unwrap_or(0),
            "TCP_CORK" => last(&|option| match option {
                SocketOption::Cork(is_set) => Some(i64::from(*is_set)),
                _ => None,
            })
            .unwrap_or(0),
            _ => return Err(Refusal::Missing(format!("the socket option {name}"))),
        };
        let expected = match arguments.get(3)? {
            Expression::Ellipsis => return Ok(Outcome::Returns(0)),
            expression => value(expression)?,
        };
        if expected as i32 != actual as i32 {
            return Err(Refusal::Wrong(format!("{name}: expected value {expected} but got {actual}")));
        }
        Ok(Outcome::Returns(0))
    }

    pub(super) fn sys_ioctl(&mut self, arguments: &Arguments<'_>) -> Called {
        let descriptor = arguments.number(0)?;
        let file = self.file(descriptor)?.clone();
        let Kind::Connection(at) = file.kind else { return Ok(Errno("EINVAL").into()) };
        let (connection, now) = (&self.connections[at], self.now);
        let name = arguments.name(1)?;
        let actual = match name {
            "SIOCINQ" | "FIONREAD" => connection.unread(),
            "SIOCOUTQ" | "TIOCOUTQ" => connection.unacknowledged(now),
            "SIOCOUTQNSD" => connection.unsent(now),
            _ => return Err(Refusal::Missing(format!("ioctl {name}"))),
        };
        let expected = arguments.number(2)?;
        if expected != actual as i64 {
            return Err(Refusal::Wrong(format!("{name}: expected value {expected} but got {actual}")));
        }
        Ok(Outcome::Returns(0))
    }
}
