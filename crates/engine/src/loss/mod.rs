//! Error models: loss, delay, duplication and ECN marking of packets on a link.
//!
//! Each model has one file and one line in [`MODELS`]. Model ids are unique in the simulation. A model can be attached
//! to a link, serve some flows in an error module, or be a state of another model. A model draws from its random
//! variable if it has one, else from the default stream.
//!
//! Source: ns-2.35's `ErrorModel`, `ErrorModule` and their subclasses. Random delay, with or without reordering, and
//! duplication follow tc-netem(8); ns-2 does not have them.
//! Not implemented: the bit unit with forward error correction, errors read from a file, the complex two-state model.

mod list;
mod multi_state;
mod periodic;
mod select;
mod two_state;
mod uniform;

use crate::event::timer::TimerId;
use crate::packet::{Packet, flag};
use crate::params;
use crate::params::Value;
use crate::random::random_variable::VariableId;
use crate::random::rng::Draws;
use crate::time::Time;

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
#[derive(Clone, Debug)]
pub struct Common {
    /// 0 disables the uniform model.
    pub enable: i32,
    /// Error rate, per unit.
    pub rate: f64,
    /// The delay of a delayed packet, s.
    pub delay: f64,
    /// If this exceeds `delay`, the delay is drawn uniformly between `delay` and this value, s.
    pub delay_most: f64,
    /// Whether delayed packets keep their order: no packet passes one that was delayed before it.
    pub in_order: bool,
    /// Whether a packet in error is duplicated instead of lost.
    pub double: bool,
    /// Rate in bit/s. It gives a packet's duration in the time unit, and the maximum time that a loss before the link
    /// costs.
    pub bandwidth: f64,
    /// Whether a packet in error is ECN-marked instead of lost.
    pub markecn: bool,
    /// Whether a packet in error is delayed instead of lost.
    pub delay_pkt: bool,
    /// Whether losses are silent instead of reported as drops.
    pub vanish: bool,
    /// The unit in which the model counts.
    pub unit: Unit,
    /// The random variable to draw from; `None` draws a uniform number from the default stream.
    pub variable: Option<VariableId>,
}

params!(Common { enable, rate, delay, delay_most, in_order, double, bandwidth, markecn, delay_pkt, vanish });

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
    fn draw(&self, rng: &mut Draws) -> f64 {
        match self.variable {
            Some(variable) => rng.variable(variable),
            None => rng.unit(),
        }
    }

    fn length(&self, packet: &Packet) -> f64 {
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
    pub trouble: Option<String>,
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

/// One registry entry.
pub struct Entry {
    /// The id used in scenarios and commands, such as `uniform`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Creates a model with default parameters.
    pub make: fn() -> Box<dyn Model>,
}

/// Every error model.
pub const MODELS: &[Entry] =
    &[uniform::ENTRY, list::ENTRY, periodic::ENTRY, two_state::ENTRY, multi_state::ENTRY, select::ENTRY];

/// Creates the model with this id.
pub fn make(id: &str) -> Option<Box<dyn Model>> {
    MODELS.iter().find(|entry| entry.id == id).map(|entry| (entry.make)())
}

/// Parses a number among a command's arguments.
fn number<T: std::str::FromStr>(arguments: &[&str], index: usize) -> Result<T, String> {
    let text = arguments.get(index).ok_or_else(|| format!("argument {} is missing", index + 1))?;
    text.trim().parse().map_err(|_| format!("{text:?} is not a number that fits here"))
}

struct Slot {
    common: Common,
    model: Box<dyn Model>,
    /// Whether the model may delegate decisions.
    defers: bool,
    /// When the last delayed packet continues.
    held_until: Time,
    timer: Option<TimerId>,
}

impl Slot {
    #[inline(always)]
    fn errs(&mut self, packet: &Packet, context: &mut ModelContext) -> bool {
        self.model.errs(packet, &self.common, context)
    }

    #[inline(always)]
    fn fate(&mut self, errs: bool, packet: &mut Packet, context: &mut ModelContext) -> Fate {
        if errs {
            self.fate_of_error(packet, context)
        } else if self.common.in_order && self.held_until > context.now {
            Fate::Hold { until: self.held_until }
        } else {
            Fate::Pass
        }
    }

    #[cold]
    fn fate_of_error(&mut self, packet: &mut Packet, context: &mut ModelContext) -> Fate {
        let Slot { common, held_until, .. } = self;
        packet.flags |= flag::CORRUPT;
        if common.markecn {
            packet.flags |= flag::MARKED;
            Fate::Pass
        } else if common.delay_pkt {
            let more_s = common.delay_most - common.delay;
            let delay_s = common.delay + if more_s > 0.0 { context.rng.uniform_below(more_s) } else { 0.0 };
            let mut until = context.now + delay_s;
            if common.in_order {
                until = until.max(*held_until);
                *held_until = until;
            }
            Fate::Hold { until }
        } else if common.double {
            Fate::Double
        } else if common.vanish {
            Fate::Vanish
        } else {
            Fate::Drop
        }
    }
}

/// All error models of a simulation.
#[derive(Default)]
pub struct Models {
    slots: Vec<Slot>,
}

impl Models {
    /// Adds a model of this kind; `None` for an unknown kind.
    pub fn add(&mut self, kind: &str) -> Option<ModelId> {
        let model = make(kind)?;
        let defers = model.defers();
        self.slots.push(Slot { common: Common::default(), model, defers, held_until: Time::ZERO, timer: None });
        Some(ModelId(self.slots.len() as u32 - 1))
    }

    fn slot(&mut self, id: ModelId) -> &mut Slot {
        &mut self.slots[id.0 as usize]
    }

    /// The number of models.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no models.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether the model, or the one to which it delegates, puts the packet in error.
    fn errs(&mut self, id: ModelId, packet: &Packet, context: &mut ModelContext) -> bool {
        let slot = self.slot(id);
        let Some(deputy) = slot.model.deputy(&slot.common, context) else { return slot.errs(packet, context) };
        if deputy.model == id {
            context.trouble = Some("an error model is a state of itself".into());
            return false;
        }
        if let Some(left) = deputy.left {
            self.slot(left).model.reset();
        }
        self.errs(deputy.model, packet, context)
    }

    /// Decides the outcome for a packet. A packet to be marked is marked here, and passes.
    #[inline]
    pub fn judge(&mut self, id: ModelId, packet: &mut Packet, context: &mut ModelContext) -> Fate {
        let slot = self.slot(id);
        if slot.defers {
            let errs = self.errs(id, packet, context);
            return self.slot(id).fate(errs, packet, context);
        }
        let errs = slot.errs(packet, context);
        slot.fate(errs, packet, context)
    }

    /// The model's `bandwidth`, bit/s.
    pub(crate) fn rate_bps(&self, id: ModelId) -> f64 {
        self.slots[id.0 as usize].common.bandwidth
    }

    /// The value of a parameter, `None` for an unknown name.
    pub fn param(&self, id: ModelId, name: &str) -> Option<Value> {
        let slot = &self.slots[id.0 as usize];
        slot.model.param(name).or_else(|| slot.common.own_param(name))
    }

    /// Sets a parameter; returns whether the name is known.
    pub fn set_param(&mut self, id: ModelId, name: &str, value: Value) -> bool {
        let slot = self.slot(id);
        slot.model.set_param(name, value) || slot.common.set_own_param(name, value)
    }

    /// Runs a command by name. All models have `unit` (`pkt`, `byte` or `time`), `ranvar` (a random variable's number)
    /// and `reset`.
    ///
    /// # Errors
    /// If the model has no such command or the command fails.
    pub fn command(
        &mut self,
        id: ModelId,
        name: &str,
        arguments: &[&str],
        context: &mut ModelContext,
    ) -> Result<String, String> {
        let Slot { common, model, .. } = self.slot(id);
        if let Some(result) = model.command(name, arguments, common, context) {
            return result;
        }
        match (name, arguments) {
            ("reset", _) => model.reset(),
            ("unit", []) => {
                let unit = match common.unit {
                    Unit::Packet => "pkt",
                    Unit::Byte => "byte",
                    Unit::Time => "time",
                };
                return Ok(unit.into());
            }
            ("unit", [unit, ..]) => {
                common.unit = match *unit {
                    "time" => Unit::Time,
                    "byte" => Unit::Byte,
                    "bit" => return Err("errors by the bit are not implemented".into()),
                    _ => Unit::Packet,
                }
            }
            ("ranvar", _) => common.variable = Some(VariableId(number(arguments, 0)?)),
            _ => return Err(format!("this error model has no command {name}")),
        }
        Ok(String::new())
    }

    pub(crate) fn timer(&mut self, id: ModelId, context: &mut ModelContext) {
        self.slot(id).model.timer(context);
    }

    pub(crate) fn timer_slot(&mut self, id: ModelId) -> &mut Option<TimerId> {
        &mut self.slot(id).timer
    }
}
