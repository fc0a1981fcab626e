//! All error models of a simulation: their parameters, and the outcome for each packet.

use super::make;
use super::model::{Common, Fate, Model, ModelContext, ModelId, Unit, number};
use crate::event::timer::TimerId;
use crate::packet::{Packet, flag};
use crate::params::Value;
use crate::random::random_variable::VariableId;
use crate::time::Time;

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
            context.error = Some("an error model is a state of itself".into());
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

    /// Whether the model marks or delays packets instead of losing them.
    pub(crate) fn marks_or_delays(&self, id: ModelId) -> bool {
        let common = &self.slots[id.0 as usize].common;
        common.markecn || common.delay_pkt
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
