//! System calls: what they return, and calls that wait.
//!
//! Source: packetdrill's `run_system_call.c` for the checks, Linux's net/ipv4/{af_inet,tcp}.c for the results.

mod data;
mod names;
mod options;
mod poll;

use ackclock_engine::transport::tcp::socket::clock::Duration;

use super::runner::{Pending, Runner, Step, Stop};
use super::symbols::{Errno, value};
use crate::script::{Call, Event, Expression};

/// How long packetdrill waits for a call that is under way before it starts the next one.
const IDLE_WAIT: Duration = Duration::from_secs(1);

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Returns(i64),
    Fails(Errno),
    Blocks,
}

impl From<Errno> for Outcome {
    fn from(errno: Errno) -> Outcome {
        Outcome::Fails(errno)
    }
}

/// Why a call could not be made: what is wrong with the script, or what is missing.
pub(super) enum Refusal {
    /// The script is wrong, or a value that a call writes differs.
    Wrong(String),
    /// A simulation does not have this.
    Missing(String),
}

impl From<String> for Refusal {
    fn from(message: String) -> Refusal {
        Refusal::Wrong(message)
    }
}

pub(super) type Called = Result<Outcome, Refusal>;

/// The arguments of a call.
pub(super) struct Arguments<'a>(&'a [Expression]);

impl<'a> Arguments<'a> {
    pub(super) fn get(&self, at: usize) -> Result<&'a Expression, String> {
        self.0.get(at).ok_or_else(|| format!("expected at least {} arguments but got {}", at + 1, self.0.len()))
    }

    pub(super) fn number(&self, at: usize) -> Result<i64, String> {
        value(self.get(at)?)
    }

    /// The symbol at that place.
    pub(super) fn name(&self, at: usize) -> Result<&'a str, String> {
        match self.get(at)? {
            Expression::Word(word) => Ok(word),
            _ => Err(format!("argument {}: expected a symbol", at + 1)),
        }
    }

    pub(super) fn bytes(&self, at: usize) -> Result<u64, String> {
        u64::try_from(self.number(at)?).map_err(|_| format!("argument {}: expected a number of bytes", at + 1))
    }

    pub(super) fn check_count(&self, expected: usize) -> Result<(), String> {
        if self.0.len() == expected {
            return Ok(());
        }
        Err(format!("Expected {expected} args but got {}", self.0.len()))
    }
}

impl<'a> Runner<'a> {
    /// Makes a call. `end` is the time at which it has to return, if it waits.
    pub(super) fn call(&mut self, event: &'a Event, call: &'a Call, start: i64, end: Option<i64>) -> Step {
        let mut pending = Pending { event, call, start, end: end.unwrap_or(start), progress: 0, wakes_at: None };
        let outcome = self.invoke(&mut pending)?;
        match outcome {
            Outcome::Blocks if end.is_some() => self.pending = Some(pending),
            Outcome::Blocks => {
                let message =
                    format!("runtime error in {} call: the call blocks, expected one that does not", call.name);
                return Err(self.differs(event, message));
            }
            _ => self.complete(&pending, outcome, end.is_some())?,
        }
        self.settle()
    }

    /// Goes on with the call that waits, if there is one.
    pub(super) fn resume_pending(&mut self) -> Step {
        let Some(mut pending) = self.pending.take() else { return Ok(()) };
        let outcome = self.invoke(&mut pending)?;
        if outcome == Outcome::Blocks {
            self.pending = Some(pending);
            return Ok(());
        }
        self.complete(&pending, outcome, true)
    }

    /// Waits for the call that is under way, for as long as packetdrill does.
    pub(super) fn await_idle(&mut self, event: &Event, is_blocking: bool) -> Step {
        let limit = self.now + IDLE_WAIT;
        while self.pending.is_some() && self.step(limit)? {}
        if is_blocking && self.pending.is_some() {
            let message = "blocking system call while another blocking system call is already in progress";
            return Err(self.differs(event, message));
        }
        Ok(())
    }

    /// At the end of the script: a call that still waits has to return soon.
    pub(super) fn finish_pending(&mut self) -> Step {
        let limit = self.now + IDLE_WAIT;
        while self.pending.is_some() && self.step(limit)? {}
        match &self.pending {
            None => Ok(()),
            Some(pending) => {
                let message = "runtime error: exiting while a blocking system call is in progress";
                Err(self.differs(pending.event, message))
            }
        }
    }

    fn invoke(&mut self, pending: &mut Pending<'a>) -> Step<Outcome> {
        let call = pending.call;
        let arguments = Arguments(&call.arguments);
        let called = match call.name.as_str() {
            "socket" => self.sys_socket(call, &arguments),
            "bind" => self.sys_bind(&arguments),
            "listen" => self.sys_listen(&arguments),
            "accept" => self.sys_accept(call, &arguments),
            "connect" => self.sys_connect(&arguments),
            "close" => self.sys_close(&arguments),
            "shutdown" => self.sys_shutdown(&arguments),
            "fcntl" => self.sys_fcntl(&arguments),
            "ioctl" => self.sys_ioctl(&arguments),
            "getsockopt" => self.sys_getsockopt(&arguments),
            "setsockopt" => self.sys_setsockopt(&arguments),
            "poll" => self.sys_poll(&arguments, &mut pending.wakes_at),
            "read" | "recv" | "recvfrom" | "readv" | "recvmsg" => self.sys_receive(&call.name, &arguments),
            "write" | "send" | "sendto" | "writev" | "sendmsg" => {
                self.sys_send(&call.name, &arguments, &mut pending.progress)
            }
            name => Err(Refusal::Missing(format!("the call {name}"))),
        };
        called.map_err(|refusal| match refusal {
            Refusal::Missing(name) => Stop::NotApplicable(format!("{name} (line {})", pending.event.line)),
            Refusal::Wrong(message) => {
                self.differs(pending.event, format!("runtime error in {} call: {message}", call.name))
            }
        })
    }

    /// Compares a call's result with the script's.
    fn complete(&self, pending: &Pending<'a>, outcome: Outcome, is_blocking: bool) -> Step {
        let call = pending.call;
        let error = |message: String| {
            Err(self.differs(pending.event, format!("runtime error in {} call: {message}", call.name)))
        };
        let expected = match &call.result {
            Expression::Ellipsis => None,
            result => match value(result) {
                Ok(value) => Some(value),
                Err(message) => return error(message),
            },
        };
        let (actual, errno) = match outcome {
            Outcome::Returns(value) => (value, None),
            Outcome::Fails(errno) => (-1, Some(errno)),
            Outcome::Blocks => return Ok(()),
        };
        let text = errno.map_or_else(String::new, |errno| format!(" with {}", errno.describe()));
        if let Some(expected) = expected.filter(|expected| *expected as i32 != actual as i32) {
            return error(format!("Expected result {expected} but got {actual}{text}"));
        }
        if let (Some(symbol), Some(errno)) = (&call.error, errno)
            && !errno.is(symbol)
        {
            return error(format!("Expected errno {symbol} but got {}", errno.describe()));
        }
        if is_blocking {
            let (now, tolerance) = (self.micros(), self.tolerance(pending.end - pending.start));
            if (now - pending.end).abs() > tolerance {
                let message = self.timing("system call return", pending.end, now, tolerance);
                return Err(self.differs(pending.event, message));
            }
        }
        Ok(())
    }
}
