//! List error model: the packets or bytes at listed positions, counted from 0, are in error.
//!
//! Source: ns-2.35's `ErrorModel/List`.
//! What it decides: in the packet unit, each listed packet is in error. In the byte unit, the packet that brings the
//! byte count to the next listed position is in error.
//! Departures: in the time unit, and with an empty list, no packet is in error. ns-2 does likewise, and prints a
//! message on standard error for each packet.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::{Common, Entry, Model, ModelContext, Unit};
use crate::packet::Packet;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "list",
    about: "the packets or bytes of a list are in error (ns-2.35's ErrorModel/List)",
    make: || Box::new(List::default()),
};

#[derive(Default)]
struct List {
    listed: Vec<i32>,
    next: usize,
    count: i32,
}

impl List {
    fn set(&mut self, arguments: &[&str]) -> Result<String, String> {
        let mut listed = Vec::new();
        for word in arguments.iter().flat_map(|argument| argument.split_ascii_whitespace()) {
            let digits = word.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(word.len());
            listed.push(word[..digits].parse().map_err(|_| format!("{word:?} in a drop list is not a number"))?);
        }
        listed.sort_unstable();
        if let Some(pair) = listed.windows(2).find(|pair| pair[0] == pair[1]) {
            self.listed.clear();
            return Err(format!("{} is twice in a drop list", pair[0]));
        }
        self.listed = listed;
        Ok(self.listed.len().to_string())
    }
}

impl Model for List {
    fn errs(&mut self, packet: &Packet, common: &Common, _context: &mut ModelContext) -> bool {
        if self.listed.is_empty() || common.unit == Unit::Time {
            return false;
        }
        let next = self.listed.get(self.next).copied();
        let (step, errs) = match common.unit {
            Unit::Byte => (packet.size, next.is_some_and(|next| self.count + packet.size >= next)),
            _ => (1, next == Some(self.count)),
        };
        self.count += step;
        self.next += usize::from(errs);
        errs
    }

    fn command(
        &mut self,
        name: &str,
        arguments: &[&str],
        _common: &Common,
        _context: &mut ModelContext,
    ) -> Option<Result<String, String>> {
        if name == "droplist" { Some(self.set(arguments)) } else { None }
    }
}
