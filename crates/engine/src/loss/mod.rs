//! Error models: which packets a link loses, holds back, doubles or marks.
//!
//! One file per model, one line in [`MODELS`]. Models are numbered for the whole simulation, since a model can stand at
//! a link, in a module for some flows, or be one state of another model. They draw from their random variable, or from
//! the default stream when they have none.
//!
//! Source: ns-2.35's `ErrorModel`, `ErrorModule` and their kin; holding back for a random time, in order or not, and
//! doubling as tc-netem(8) has them, which ns-2 has not.
//! Not implemented: errors by the bit with forward error correction, errors read from a file, the complex two-state model.

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

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// It goes on.
    Pass,
    /// It is lost and goes the way of lost packets.
    Drop,
    /// It is lost and nobody hears of it.
    Vanish,
    /// It goes on later.
    Hold {
        /// Until when it is held.
        until: Time,
    },
    /// It goes on, and so does a copy behind it.
    Double,
}

/// What a model counts in.
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

/// What every model has.
#[derive(Clone, Debug)]
pub struct Common {
    /// Whether the uniform model errs at all.
    pub enable: i32,
    /// Errors per unit.
    pub rate: f64,
    /// How long a packet is held back, s.
    pub delay: f64,
    /// Where this is more, it is held for a random time from `delay` up to this, s.
    pub delay_most: f64,
    /// Whether no packet goes on before those that were held back before it.
    pub in_order: bool,
    /// Whether a packet in error is doubled instead of lost.
    pub double: bool,
    /// Bit/s: errors by time are computed with it, and what a loss before the link costs.
    pub bandwidth: f64,
    /// Whether a packet in error is marked instead of lost.
    pub markecn: bool,
    /// Whether a packet in error is held back instead of lost.
    pub delay_pkt: bool,
    /// Whether losses go to nobody instead of the way of lost packets.
    pub vanish: bool,
    /// What the model counts in.
    pub unit: Unit,
    /// What it draws from, instead of a uniform number of the default stream.
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

/// What a model may use.
pub struct ModelContext<'a> {
    /// The present instant.
    pub now: Time,
    /// Random numbers.
    pub rng: Draws<'a>,
    /// Set by a model that wants its timer: seconds from now.
    pub wake_in_s: Option<f64>,
    /// Set by a model that cannot go on: the reason.
    pub trouble: Option<String>,
}

/// An error model: whether a packet is in error.
pub trait Model: Send + Sync {
    /// Whether this packet is in error.
    fn errs(&mut self, packet: &Packet, common: &Common, context: &mut ModelContext) -> bool;

    /// Whether other models may decide instead.
    fn defers(&self) -> bool {
        false
    }

    /// Another model that decides instead, and one that starts anew for it.
    fn deputy(&mut self, common: &Common, context: &mut ModelContext) -> Option<Deputy> {
        let _ = (common, context);
        None
    }

    /// Starts anew.
    fn reset(&mut self) {}

    /// Its timer is due.
    fn timer(&mut self, context: &mut ModelContext) {
        let _ = context;
    }

    /// The value of a parameter of its own, `None` for an unknown name.
    fn param(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// Sets a parameter of its own; whether the name is known.
    fn set_param(&mut self, name: &str, value: Value) -> bool {
        let _ = (name, value);
        false
    }

    /// A command by name; `None` when it knows no such command.
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

/// The model that decides for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deputy {
    /// It.
    pub model: ModelId,
    /// The one that decided so far, if it does no longer: it starts anew.
    pub left: Option<ModelId>,
}

/// One model of the table.
pub struct Entry {
    /// Its id everywhere: `uniform`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Makes one with its default parameters.
    pub make: fn() -> Box<dyn Model>,
}

/// Every error model.
pub const MODELS: &[Entry] =
    &[uniform::ENTRY, list::ENTRY, periodic::ENTRY, two_state::ENTRY, multi_state::ENTRY, select::ENTRY];

/// The model with this id.
pub fn make(id: &str) -> Option<Box<dyn Model>> {
    MODELS.iter().find(|entry| entry.id == id).map(|entry| (entry.make)())
}

/// Reads a number among a command's arguments.
fn number<T: std::str::FromStr>(arguments: &[&str], index: usize) -> Result<T, String> {
    let text = arguments.get(index).ok_or_else(|| format!("argument {} is missing", index + 1))?;
    text.trim().parse().map_err(|_| format!("{text:?} is not a number that fits here"))
}

struct Slot {
    common: Common,
    model: Box<dyn Model>,
    /// Whether it is asked who decides.
    defers: bool,
    /// When the last of those held back goes on.
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
    /// A new model of this kind; `None` for an unknown kind.
    pub fn add(&mut self, kind: &str) -> Option<ModelId> {
        let model = make(kind)?;
        let defers = model.defers();
        self.slots.push(Slot { common: Common::default(), model, defers, held_until: Time::ZERO, timer: None });
        Some(ModelId(self.slots.len() as u32 - 1))
    }

    fn slot(&mut self, id: ModelId) -> &mut Slot {
        &mut self.slots[id.0 as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether the model, or the one that decides for it, errs.
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

    /// What becomes of this packet; a packet that is marked is changed and passes.
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

    /// The model's own rate, bit/s.
    pub(crate) fn rate_bps(&self, id: ModelId) -> f64 {
        self.slots[id.0 as usize].common.bandwidth
    }

    /// The value of a parameter, `None` for an unknown name.
    pub fn param(&self, id: ModelId, name: &str) -> Option<Value> {
        let slot = &self.slots[id.0 as usize];
        slot.model.param(name).or_else(|| slot.common.own_param(name))
    }

    /// Sets a parameter; whether the name is known.
    pub fn set_param(&mut self, id: ModelId, name: &str, value: Value) -> bool {
        let slot = self.slot(id);
        slot.model.set_param(name, value) || slot.common.set_own_param(name, value)
    }

    /// A command by name. All models know `unit` (`pkt`, `byte` or `time`), `ranvar` (a random variable's number) and
    /// `reset`.
    ///
    /// # Errors
    /// When the model knows no such command or cannot do it.
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
