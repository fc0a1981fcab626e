//! The interface of an error model, and what all models share.

use crate::packet::Packet;
use crate::params::{Params, Value};
use crate::random::random_variable::VariableId;
use crate::random::rng::Draws;
use crate::registry;
use crate::time::Time;

/// A line of the table of error models.
pub type Entry = registry::Entry<fn() -> Box<dyn Model>>;

/// Index of an error model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelId(pub u32);

/// The outcome for one packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// The packet continues.
    Pass,
    /// The packet is lost and is reported as a drop.
    Drop,
    /// The packet is lost silently: it is freed and no drop is reported.
    Vanish,
    /// The packet is delayed.
    Hold {
        /// The time at which it continues.
        until: Time,
    },
    /// The packet continues, followed by a copy.
    Double,
}

/// The unit in which a model counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Packets.
    #[default]
    Packet,
    /// Bytes.
    Byte,
    /// Seconds.
    Time,
}

/// The parameters that all models have.
#[derive(Clone, Debug, Params)]
pub struct Common {
    /// 0 disables the uniform model.
    #[param(state)]
    pub enable: i32,
    /// Error rate, per unit.
    #[param(state)]
    pub rate: f64,
    /// The delay of a delayed packet, s.
    #[param(state)]
    pub delay: f64,
    /// If this exceeds `delay`, the delay is drawn uniformly between `delay` and this value, s.
    #[param(state)]
    pub delay_most: f64,
    /// Whether delayed packets keep their order: no packet passes one that was delayed before it.
    #[param(state)]
    pub in_order: bool,
    /// Whether a packet in error is duplicated instead of lost.
    #[param(state)]
    pub double: bool,
    /// Rate in bit/s. It gives a packet's duration in the time unit, and the maximum time that a loss before the link
    /// costs.
    #[param(state)]
    pub bandwidth: f64,
    /// Whether a packet in error is ECN-marked instead of lost.
    #[param(state)]
    pub markecn: bool,
    /// Whether a packet in error is delayed instead of lost.
    #[param(state)]
    pub delay_pkt: bool,
    /// Whether losses are silent instead of reported as drops.
    #[param(state)]
    pub vanish: bool,
    /// The unit in which the model counts.
    pub unit: Unit,
    /// The random variable to draw from; `None` draws a uniform number from the default stream.
    pub variable: Option<VariableId>,
}

impl Default for Common {
    fn default() -> Common {
        Common {
            enable: 1,
            rate: 0.0,
            delay: 0.0,
            delay_most: 0.0,
            in_order: false,
            double: false,
            bandwidth: 2e6,
            markecn: false,
            delay_pkt: false,
            vanish: false,
            unit: Unit::Packet,
            variable: None,
        }
    }
}

impl Common {
    pub(super) fn draw(&self, rng: &mut Draws) -> f64 {
        match self.variable {
            Some(variable) => rng.variable(variable),
            None => rng.unit(),
        }
    }

    pub(super) fn length(&self, packet: &Packet) -> f64 {
        match self.unit {
            Unit::Packet => 1.0,
            Unit::Byte => f64::from(packet.size),
            Unit::Time => 8.0 * f64::from(packet.size) / self.bandwidth,
        }
    }
}

/// What a model may use while it decides.
pub struct ModelContext<'a> {
    /// The current time.
    pub now: Time,
    /// Random numbers.
    pub rng: Draws<'a>,
    /// A model sets this to start its timer: seconds from now.
    pub wake_in_s: Option<f64>,
    /// A model sets this to the reason when the simulation cannot continue.
    pub error: Option<String>,
}

/// An error model: decides whether a packet is in error.
pub trait Model: Send + Sync {
    /// Whether this packet is in error.
    fn errs(&mut self, packet: &Packet, common: &Common, context: &mut ModelContext) -> bool;

    /// Whether the model may delegate decisions to other models.
    fn defers(&self) -> bool {
        false
    }

    /// The model that decides for this packet instead, and a model to reset; `None` if this model decides.
    fn deputy(&mut self, common: &Common, context: &mut ModelContext) -> Option<Deputy> {
        let _ = (common, context);
        None
    }

    /// Resets the state.
    fn reset(&mut self) {}

    /// The model's timer has expired.
    fn timer(&mut self, context: &mut ModelContext) {
        let _ = context;
    }

    /// The value of one of the model's parameters, `None` for an unknown name.
    fn param(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// Sets one of the model's parameters; returns whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let _ = (name, value);
        false
    }

    /// Runs a command by name; `None` if the model has no such command.
    fn command(
        &mut self,
        name: &str,
        arguments: &[&str],
        common: &Common,
        context: &mut ModelContext,
    ) -> Option<Result<String, String>> {
        let _ = (name, arguments, common, context);
        None
    }
}

/// The model to which another model delegates a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deputy {
    /// The deciding model.
    pub model: ModelId,
    /// The previously deciding model, if it is replaced: it is reset.
    pub left: Option<ModelId>,
}

/// Parses a number among a command's arguments.
pub(super) fn number<T: std::str::FromStr>(arguments: &[&str], index: usize) -> Result<T, String> {
    let text = arguments.get(index).ok_or_else(|| format!("argument {} is missing", index + 1))?;
    text.trim().parse().map_err(|_| format!("{text:?} is not a number that fits here"))
}
