//! Multi-state error model: a Markov chain with an error model for each state.
//!
//! Source: ns-2.35's `ErrorModel/MultiState`.
//! What it decides: the next state is drawn at each packet or, by time, at the first packet after the current state's
//! period. The new state's model decides about the packet.
//! Departures: if a row of the transition matrix sums to less than the draw, the state does not change. ns-2 does
//! likewise, and prints a message.
//! Not implemented: a transition procedure defined by the script.
//! Checked against: ns-2.35 by its source.

use super::model::number;
use super::{Common, Deputy, Entry, Model, ModelContext, ModelId};
use crate::packet::Packet;
use crate::params::{Params, own_values};

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "multi_state",
    about: "other error models by turns, the next one drawn (ns-2.35's ErrorModel/MultiState)",
    make: || Box::new(MultiState { curperiod: 0.0, is_fresh: true, ..MultiState::default() }),
};

#[derive(Default, Params)]
struct MultiState {
    states: Vec<ModelId>,
    periods: Vec<f64>,
    /// Row-major: the probability of each next state.
    transitions: Vec<f64>,
    present: usize,
    /// 0: transitions by time; otherwise at each packet.
    #[param(state)]
    sttype: i32,
    #[param(state)]
    texpired: i32,
    #[param(state)]
    curperiod: f64,
    since_s: f64,
    is_fresh: bool,
}

impl MultiState {
    /// Draws the next state.
    fn next(&mut self, context: &mut ModelContext) -> usize {
        // An integer divided by its maximum, as ns-2's scripts draw.
        let draw = context.rng.whole() as f64 / 2_147_483_647.0;
        let count = self.states.len();
        let mut total = 0.0;
        for state in 0..count {
            total += self.transitions.get(self.present * count + state).copied().unwrap_or(0.0);
            if draw <= total {
                if self.sttype == 0 {
                    self.curperiod = self.periods.get(state).copied().unwrap_or(0.0);
                }
                return state;
            }
        }
        self.present
    }

    fn set(&mut self, name: &str, arguments: &[&str]) -> Option<Result<String, String>> {
        let numbers = || (0..arguments.len()).map(|index| number(arguments, index)).collect::<Result<Vec<f64>, _>>();
        let done = match name {
            "states" => (0..arguments.len())
                .map(|index| number(arguments, index).map(ModelId))
                .collect::<Result<_, _>>()
                .map(|states| self.states = states),
            "periods" => numbers().map(|periods| self.periods = periods),
            "transitions" => numbers().map(|transitions| self.transitions = transitions),
            "sttype" => match arguments {
                [] => return Some(Ok(if self.sttype == 0 { "time" } else { "pkt" }.into())),
                [kind, ..] => {
                    self.sttype = i32::from(*kind != "time");
                    Ok(())
                }
            },
            "start" => number(arguments, 0).map(|state: usize| {
                self.present = state;
                if self.sttype == 0 {
                    self.curperiod = self.periods.get(state).copied().unwrap_or(0.0);
                }
            }),
            _ => return None,
        };
        Some(done.map(|()| String::new()))
    }
}

impl Model for MultiState {
    fn errs(&mut self, _packet: &Packet, _common: &Common, context: &mut ModelContext) -> bool {
        context.error = Some("a multi-state error model has no states".into());
        false
    }

    fn defers(&self) -> bool {
        true
    }

    fn deputy(&mut self, _common: &Common, context: &mut ModelContext) -> Option<Deputy> {
        let before = *self.states.get(self.present)?;
        let now_s = context.now.secs();
        if self.sttype == 0 && now_s - self.since_s >= self.curperiod {
            self.texpired = 1;
        }
        let next = if self.sttype == 0 && self.texpired != 1 { self.present } else { self.next(context) };
        let left = if next == self.present { None } else { Some(before) };
        self.present = next;
        if left.is_some() || self.is_fresh {
            self.is_fresh = false;
            self.since_s = now_s;
            self.texpired = 0;
        }
        Some(Deputy { model: self.states[next], left })
    }

    fn reset(&mut self) {
        self.is_fresh = true;
    }

    own_values!();

    fn command(
        &mut self,
        name: &str,
        arguments: &[&str],
        _common: &Common,
        _context: &mut ModelContext,
    ) -> Option<Result<String, String>> {
        self.set(name, arguments)
    }
}
