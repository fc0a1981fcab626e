//! Named parameters, for scripts, scenario files and Python.

pub mod cow_arc;

use std::borrow::Cow;

pub use ackclock_derive::Params;

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A real number. Its unit is the suffix of the parameter's name.
    Real(f64),
    /// On or off.
    Flag(bool),
}

impl Value {
    /// Converts to a real number.
    pub fn real(self) -> f64 {
        match self {
            Value::Int(value) => value as f64,
            Value::Real(value) => value,
            Value::Flag(value) => f64::from(u8::from(value)),
        }
    }

    /// Converts to an integer; truncates towards zero.
    pub fn int(self) -> i64 {
        match self {
            Value::Int(value) => value,
            Value::Real(value) => value as i64,
            Value::Flag(value) => i64::from(value),
        }
    }

    /// Converts to a boolean.
    pub fn flag(self) -> bool {
        match self {
            Value::Int(value) => value != 0,
            Value::Real(value) => value != 0.0,
            Value::Flag(value) => value,
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::Int(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Real(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Flag(value)
    }
}

/// A parameter as scenarios offer it. It is declared once, at its field, by [`Params`].
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name in scenarios.
    pub name: Cow<'static, str>,
    /// Its value.
    pub value: Value,
    /// Its unit: `"s"`, `"bytes"`, `"packets"`, `"bit/s"`, `"flag"` for on or off, or `""` for a number without a unit.
    pub unit: &'static str,
    /// What it means, in a sentence.
    pub about: Cow<'static, str>,
}

/// A field that can be read and written as a [`Value`].
pub trait Field {
    /// The field's value.
    fn value(&self) -> Value;
    /// Sets the field; converts the value to its type.
    fn assign(&mut self, value: Value);
}

impl Field for f64 {
    fn value(&self) -> Value {
        Value::Real(*self)
    }
    fn assign(&mut self, value: Value) {
        *self = value.real();
    }
}

impl Field for i32 {
    fn value(&self) -> Value {
        Value::Int(i64::from(*self))
    }
    fn assign(&mut self, value: Value) {
        *self = value.int() as i32;
    }
}

impl Field for i64 {
    fn value(&self) -> Value {
        Value::Int(*self)
    }
    fn assign(&mut self, value: Value) {
        *self = value.int();
    }
}

impl Field for bool {
    fn value(&self) -> Value {
        Value::Flag(*self)
    }
    fn assign(&mut self, value: Value) {
        *self = value.flag();
    }
}

/// Implements `param` and `set_param` of a trait by the functions that [`Params`] derives.
macro_rules! own_values {
    () => {
        fn param(&self, name: &str) -> Option<$crate::params::Value> {
            self.own_param(name)
        }

        fn set_param(&mut self, name: &str, value: $crate::params::Value) -> bool {
            self.set_own_param(name, value)
        }
    };
}
pub(crate) use own_values;

/// Implements `param`, `set_param` and `describe` of a trait by the functions that [`Params`] derives.
macro_rules! own_params {
    () => {
        fn describe(&self, out: &mut Vec<$crate::params::Parameter>) {
            self.describe_own(out);
        }

        $crate::params::own_values!();
    };
}
pub(crate) use own_params;
