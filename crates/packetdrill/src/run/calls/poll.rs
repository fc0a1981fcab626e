//! `poll`.
//!
//! Source: `tcp_poll`, net/ipv4/tcp.c.

use ackclock_engine::transport::tcp::socket::clock::{Duration, Instant};
use ackclock_engine::transport::tcp::socket::{SocketOption, TcpState};

use super::super::descriptors::{File, Kind};
use super::super::runner::Runner;
use super::super::symbols::{poll_flags, value};
use super::{Arguments, Called, Outcome, Refusal};
use crate::script::Expression;

const POLLIN: i64 = 0x001 | 0x040;
const POLLOUT: i64 = 0x004 | 0x100;
const POLLERR: i64 = 0x008;
const POLLHUP: i64 = 0x010;
const POLLRDHUP: i64 = 0x2000;

impl Runner<'_> {
    pub(super) fn sys_poll(&mut self, arguments: &Arguments<'_>, wakes_at: &mut Option<Instant>) -> Called {
        arguments.check_count(3)?;
        let Expression::List(polled) = arguments.get(0)? else {
            return Err(Refusal::Wrong("expected a list of pollfd".to_owned()));
        };
        let timeout = arguments.number(2)?;
        let mut found = Vec::new();
        for entry in polled {
            let field = |name| entry.field(name).map_or(Ok(0), value);
            let file = self.file(field("fd")?)?;
            let events = self.readiness(file) & (field("events")? | POLLERR | POLLHUP);
            found.push((events, field("revents")?));
        }
        let count = found.iter().filter(|(events, _)| *events != 0).count();
        let limit = *wakes_at.get_or_insert_with(|| match u64::try_from(timeout) {
            Ok(millis) => self.now + Duration::from_millis(millis),
            Err(_) => Instant(u64::MAX),
        });
        if count == 0 && self.now < limit {
            return Ok(Outcome::Blocks);
        }
        for (actual, expected) in found {
            if actual != expected {
                let (expected, actual) = (poll_flags(expected), poll_flags(actual));
                return Err(Refusal::Wrong(format!("Expected revents of {expected} but got {actual}")));
            }
        }
        Ok(Outcome::Returns(count as i64))
    }

    fn readiness(&self, file: &File) -> i64 {
        let at = match file.kind {
            Kind::Connection(at) => at,
            Kind::New => return POLLOUT | POLLHUP,
            Kind::Listener => {
                let is_ready = self.connections.iter().any(|connection| {
                    !connection.is_accepted && connection.was_established && connection.listener.is_some()
                });
                return if is_ready { POLLIN } else { 0 };
            }
        };
        let connection = &self.connections[at];
        let state = connection.socket.state();
        let has_fin = connection.has_fin() || file.is_read_shut;
        let is_send_shut = !matches!(
            state,
            TcpState::Established | TcpState::CloseWait | TcpState::SynSent | TcpState::SynReceived | TcpState::Listen
        );
        let mut flags = 0;
        if state == TcpState::Closed || (has_fin && is_send_shut) {
            flags |= POLLHUP;
        }
        if has_fin || state == TcpState::Closed {
            flags |= POLLIN | POLLRDHUP;
        }
        if connection.error.is_some() {
            flags |= POLLERR;
        }
        if matches!(state, TcpState::SynSent | TcpState::SynReceived) {
            return flags;
        }
        if connection.unread() > 0 {
            flags |= POLLIN;
        }
        let low_water = file.options.iter().rev().find_map(|option| match option {
            SocketOption::NotSentLowWater(bytes) if *bytes != 0 => Some(*bytes),
            _ => None,
        });
        let low_water = low_water.unwrap_or(self.environment.config.notsent_lowat);
        let has_room = connection.is_writable && connection.unsent(self.now) < u64::from(low_water);
        if is_send_shut || has_room {
            flags |= POLLOUT;
        }
        flags
    }
}
