//! Variables of a queue: traced ones, and the average length since the start.

use super::discipline::QueueContext;
use crate::measure::observe::TraceId;
use crate::params;
use crate::time::Time;

/// A variable that can be traced.
#[derive(Default)]
pub struct Watched<T> {
    /// The value.
    pub value: T,
    /// Where changes are reported; `None` for nowhere.
    pub place: Option<TraceId>,
}

impl<T: Copy + PartialEq + params::Field> Watched<T> {
    /// Sets the value; reports a change under `name`.
    pub fn set(&mut self, value: T, name: &'static str, context: &mut QueueContext) {
        if value == self.value {
            return;
        }
        self.value = value;
        if let Some(place) = self.place {
            context.observer.variable(place, context.now, name, params::Field::value(&value));
        }
    }
}

/// Implements `watch` of a [`super::Discipline`]: the names of its traced variables, and their fields.
macro_rules! watches {
    ($($name:literal => $field:ident),+) => {
        fn watch(&mut self, name: &str, place: $crate::measure::observe::TraceId) -> bool {
            let watched = match name {
                $($name => &mut self.$field.place,)+
                _ => return false,
            };
            *watched = Some(place);
            true
        }
    };
}
pub(super) use watches;

/// The time-weighted average queue length since the start.
#[derive(Default)]
pub struct TrueAverage {
    average: f64,
    until_s: f64,
}

impl TrueAverage {
    /// The queue had this length from the last update until now.
    pub fn update(&mut self, now: Time, length: f64) {
        let lasted = now.secs() - self.until_s;
        if lasted > 0.0 {
            self.average = (self.until_s * self.average + lasted * length) / now.secs();
            self.until_s = now.secs();
        }
    }

    /// The line that ns-2's `printstats` prints: the average and the time of the last update.
    pub fn line(&self, queue_in_bytes: bool) -> String {
        let unit = if queue_in_bytes { " (in bytes)" } else { "" };
        format!("True average queue: {:5.3}{unit} time: {:5.3}\n", self.average, self.until_s)
    }
}
