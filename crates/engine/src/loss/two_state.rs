//! Two-state error model (Gilbert): a good state without errors and a bad state in which all is in error, with random
//! durations.
//!
//! Source: ns-2.35's `ErrorModel/TwoState` and its subclasses (`Expo`, `Empirical`, `TwoStateMarkov`); E. N. Gilbert,
//! "Capacity of a burst-noise channel", 1960.
//! What it decides: in the packet and byte units, a packet is in error if any part of it falls into the bad state. In
//! the time unit, it is in error if it arrives during the bad state.
//! In the time unit a reset leaves the timer running, and ns-2 ends when it expires; so does this model.
//! Departures: none. In the time unit the bad state lasts at most 120 s, as in ns-2.
//! Not implemented: the traced events of its timer.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::model::number;
use super::{Common, Entry, Model, ModelContext, Unit};
use crate::packet::Packet;
use crate::random::random_variable::VariableId;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "two_state",
    about: "good and bad times by turns, their lengths drawn (Gilbert 1960)",
    make: || Box::new(TwoState { lengths: [None, None], is_bad: false, left: 0.0, is_fresh: true }),
};

const LONGEST_BAD_S: f64 = 120.0;
/// Ends an infinite loop between states whose durations sum to zero.
const MAX_CHANGES: u32 = 10_000_000;

struct TwoState {
    lengths: [Option<VariableId>; 2],
    is_bad: bool,
    /// The rest of the current state, in the model's unit.
    left: f64,
    is_fresh: bool,
}

impl TwoState {
    fn draw(&self, context: &mut ModelContext) -> f64 {
        match self.lengths[usize::from(self.is_bad)] {
            Some(variable) => context.rng.variable(variable),
            None => {
                context.error = Some("a two-state error model has no random variable for one of its states".into());
                f64::INFINITY
            }
        }
    }

    fn change_by_time(&mut self, context: &mut ModelContext) {
        if self.is_fresh {
            self.is_fresh = false;
            self.is_bad = false;
            self.left = self.draw(context);
        } else {
            self.is_bad = !self.is_bad;
            self.left = self.draw(context);
            if self.is_bad && self.left > LONGEST_BAD_S {
                self.left = LONGEST_BAD_S;
            }
        }
        context.wake_in_s = Some(self.left);
    }

    fn set_length(
        &mut self,
        arguments: &[&str],
        common: &Common,
        context: &mut ModelContext,
    ) -> Result<String, String> {
        let state: usize = number(arguments, 0)?;
        let place =
            self.lengths.get_mut(state).ok_or_else(|| format!("a two-state error model has no state {state}"))?;
        *place = Some(VariableId(number(arguments, 1)?));
        if common.unit == Unit::Time && self.lengths.iter().all(Option::is_some) {
            self.change_by_time(context);
        }
        Ok(String::new())
    }
}

impl Model for TwoState {
    fn errs(&mut self, packet: &Packet, common: &Common, context: &mut ModelContext) -> bool {
        if common.unit == Unit::Time {
            return self.is_bad;
        }
        if self.is_fresh {
            self.is_fresh = false;
            self.is_bad = false;
            self.left = self.draw(context);
        }
        let mut errs = self.is_bad && self.left > 0.0;
        self.left -= common.length(packet);
        let mut changes = 0;
        while self.left <= 0.0 {
            self.is_bad = !self.is_bad;
            self.left += self.draw(context);
            errs |= self.is_bad;
            changes += 1;
            if changes == MAX_CHANGES {
                context.error = Some(format!("a two-state error model changed {changes} times within one packet"));
                break;
            }
        }
        errs
    }

    fn reset(&mut self) {
        self.is_fresh = true;
    }

    fn timer(&mut self, context: &mut ModelContext) {
        if self.is_fresh {
            context.error = Some(
                "an error model in units of time was reset, as the models of a link are when it fails; ns-2 ends at its \
                 next change of state: Couldn't schedule timer"
                    .into(),
            );
            return;
        }
        self.change_by_time(context);
    }

    fn command(
        &mut self,
        name: &str,
        arguments: &[&str],
        common: &Common,
        context: &mut ModelContext,
    ) -> Option<Result<String, String>> {
        if name == "ranvar" { Some(self.set_length(arguments, common, context)) } else { None }
    }
}
