//! Parameters by name, for whoever describes a simulation in words (a script, a file, Python).

pub mod cow_arc;

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A real number, in the unit that the parameter's name ends with.
    Real(f64),
    /// On or off.
    Flag(bool),
}

impl Value {
    /// As a real number.
    pub fn real(self) -> f64 {
        match self {
            Value::Int(value) => value as f64,
            Value::Real(value) => value,
            Value::Flag(value) => f64::from(u8::from(value)),
        }
    }

    /// As a whole number, cut towards zero.
    pub fn int(self) -> i64 {
        match self {
            Value::Int(value) => value,
            Value::Real(value) => value as i64,
            Value::Flag(value) => i64::from(value),
        }
    }

    /// As on or off.
    pub fn flag(self) -> bool {
        match self {
            Value::Int(value) => value != 0,
            Value::Real(value) => value != 0.0,
            Value::Flag(value) => value,
        }
    }
}

/// A field that can be read and written as a [`Value`].
pub trait Field {
    /// The field's value.
    fn value(&self) -> Value;
    /// Sets the field, converting between whole and real numbers.
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

/// Makes `own_param` and `set_own_param` of a struct from one list of its named fields:
/// `params!(DropTail { limit, drop_front })`. A field is named by its path: `params!(Tcp { cwnd = state.cwnd })`.
#[macro_export]
macro_rules! params {
    (@path $object:ident $name:ident) => { $object.$name };
    (@path $object:ident $name:ident $($path:tt)+) => { $object.$($path)+ };
    ($type:ty { $($name:ident $(= $($path:ident).+)?),* $(,)? }) => {
        impl $type {
            /// The value of a parameter, `None` for an unknown name.
            pub fn own_param(&self, name: &str) -> Option<$crate::params::Value> {
                match name {
                    $(stringify!($name) => Some($crate::params::Field::value(
                        &$crate::params!(@path self $name $($($path).+)?))),)*
                    _ => None,
                }
            }

            /// Sets a parameter; whether the name is known.
            pub fn set_own_param(&mut self, name: &str, value: $crate::params::Value) -> bool {
                match name {
                    $(stringify!($name) => $crate::params::Field::assign(
                        &mut $crate::params!(@path self $name $($($path).+)?), value),)*
                    _ => return false,
                }
                true
            }
        }
    };
}

/// In an implementation of a trait whose `param` and `set_param` ask for parameters by name: those of [`params!`]'s list.
macro_rules! own_params {
    () => {
        fn param(&self, name: &str) -> Option<$crate::params::Value> {
            self.own_param(name)
        }

        fn set_param(&mut self, name: &str, value: $crate::params::Value) -> bool {
            self.set_own_param(name, value)
        }
    };
}
pub(crate) use own_params;
