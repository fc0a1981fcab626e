//! Typed descriptions: structs whose fields are read from tables, each checked as it is read.
//!
//! A field's type says all: a text with a unit ([`Rate`], [`Time`], ...), a number, a list, another description, or one
//! of several that differ in `kind`. [`described`] makes the reader of a struct from its fields.

use crate::error::{ScenarioError, nearest};
use crate::outside::Outside;
use crate::tree::{Tree, get};
use crate::units::{self, Kind};

/// What can be read from a value.
pub trait Read: Sized {
    /// The value as this type; `outside` has what it names that does not stand in it.
    ///
    /// # Errors
    /// With a path below it, where it cannot be that.
    fn read(tree: &Tree, outside: &dyn Outside) -> Result<Self, ScenarioError>;

    /// What an error says was expected.
    fn expected() -> String;
}

fn wrong<T: Read>(tree: &Tree) -> ScenarioError {
    ScenarioError::new(format!("expected {}", T::expected())).value(tree.clone())
}

impl Read for bool {
    fn read(tree: &Tree, _: &dyn Outside) -> Result<bool, ScenarioError> {
        if let Tree::Flag(flag) = tree { Ok(*flag) } else { Err(wrong::<bool>(tree)) }
    }

    fn expected() -> String {
        "true or false".into()
    }
}

impl Read for i64 {
    fn read(tree: &Tree, _: &dyn Outside) -> Result<i64, ScenarioError> {
        if let Tree::Whole(whole) = tree { Ok(*whole) } else { Err(wrong::<i64>(tree)) }
    }

    fn expected() -> String {
        "a whole number".into()
    }
}

impl Read for String {
    fn read(tree: &Tree, _: &dyn Outside) -> Result<String, ScenarioError> {
        if let Tree::Text(text) = tree { Ok(text.clone()) } else { Err(wrong::<String>(tree)) }
    }

    fn expected() -> String {
        "a text".into()
    }
}

/// A number, and whether it was given as a whole one, which messages show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Its value.
    pub value: f64,
    whole: Option<i64>,
}

impl Number {
    /// A number of ours.
    pub fn new(value: f64) -> Number {
        Number { value, whole: None }
    }

    /// As it was given.
    pub fn given(self) -> Tree {
        self.whole.map_or(Tree::Real(self.value), Tree::Whole)
    }
}

impl Read for Number {
    fn read(tree: &Tree, _: &dyn Outside) -> Result<Number, ScenarioError> {
        match tree {
            Tree::Whole(whole) => Ok(Number { value: *whole as f64, whole: Some(*whole) }),
            Tree::Real(real) if real.is_finite() => Ok(Number::new(*real)),
            _ => Err(wrong::<Number>(tree)),
        }
    }

    fn expected() -> String {
        "a number".into()
    }
}

/// A whole number or a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Name {
    /// A number.
    Whole(i64),
    /// A name.
    Text(String),
}

impl Name {
    /// As it was given.
    pub fn given(&self) -> Tree {
        match self {
            Name::Whole(whole) => Tree::Whole(*whole),
            Name::Text(text) => Tree::Text(text.clone()),
        }
    }
}

impl Read for Name {
    fn read(tree: &Tree, _: &dyn Outside) -> Result<Name, ScenarioError> {
        match tree {
            Tree::Whole(whole) => Ok(Name::Whole(*whole)),
            Tree::Text(text) => Ok(Name::Text(text.clone())),
            _ => Err(wrong::<Name>(tree)),
        }
    }

    fn expected() -> String {
        "a whole number or a text".into()
    }
}

impl<T: Read> Read for Option<T> {
    fn read(tree: &Tree, outside: &dyn Outside) -> Result<Option<T>, ScenarioError> {
        T::read(tree, outside).map(Some)
    }

    fn expected() -> String {
        T::expected()
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(tree: &Tree, outside: &dyn Outside) -> Result<Vec<T>, ScenarioError> {
        let Tree::List(items) = tree else { return Err(wrong::<Vec<T>>(tree)) };
        let read = |(index, item)| T::read(item, outside).map_err(|error| error.under(index));
        items.iter().enumerate().map(read).collect()
    }

    fn expected() -> String {
        let item = T::expected();
        format!("a list ({})", item.strip_prefix("a table of ").unwrap_or(&item))
    }
}

/// Engine parameters by name, in the order of the text; those that have a unit are texts.
pub type Parameters = Vec<(String, Tree)>;

impl Read for Parameters {
    fn read(tree: &Tree, _: &dyn Outside) -> Result<Parameters, ScenarioError> {
        let Tree::Table(entries) = tree else {
            return Err(ScenarioError::new("expected a table").value(tree.clone()));
        };
        for (name, value) in entries {
            let is_plain = match value {
                Tree::Flag(_) | Tree::Whole(_) | Tree::Text(_) => true,
                Tree::Real(real) => real.is_finite(),
                _ => false,
            };
            if !is_plain {
                let expected = "expected true or false or a whole number or a number or a text";
                return Err(ScenarioError::new(expected).value(value.clone()).under(name));
            }
        }
        Ok(entries.clone())
    }

    fn expected() -> String {
        "a table".into()
    }
}

macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident: $kind:ident, $type:ty, $read:expr;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            /// The text.
            pub text: String,
            /// What it comes to.
            pub value: $type,
        }

        impl $name {
            /// # Panics
            /// For a text that is none; it is one of ours.
            pub fn of(text: &str) -> $name {
                $name { text: text.into(), value: $read(text).expect("the default has its unit") }
            }
        }

        impl Read for $name {
            fn read(tree: &Tree, _: &dyn Outside) -> Result<$name, ScenarioError> {
                match tree {
                    Tree::Text(text) => Ok($name { text: text.clone(), value: $read(text)? }),
                    other => {
                        let expected = format!("expected {}", Kind::$kind.expected());
                        Err(ScenarioError::new(expected).value(other.clone()))
                    }
                }
            }

            fn expected() -> String {
                "str".into()
            }
        })*
    };
}

quantities! {
    /// A rate, bit/s.
    Rate: Rate, f64, units::rate_bps;
    /// A time, s.
    Time: Time, f64, units::time_s;
    /// A number of bytes.
    Size: Size, i64, units::size_bytes;
    /// Packets, bytes or bandwidth-delay products.
    AmountText: Amount, units::Amount, units::limit;
    /// Packets or bytes.
    Data: Data, units::Amount, units::data;
    /// Packets.
    Window: Window, f64, units::window;
}

/// A part of a description: a struct that [`described`] made.
pub trait Described: Sized {
    /// Its name in messages.
    const NAME: &'static str;
    /// Its keys in order, and whether each must be there.
    const FIELDS: &'static [(&'static str, bool)];
    /// Keys that older versions had, and what they are called now.
    const RENAMED: &'static [(&'static str, &'static str)];
    /// Keys of other parts that are written here by mistake, and where they belong.
    const BELONGS: &'static [(&'static str, &'static str)];
    /// The key that a bare word stands for; empty if there is none.
    const SHORT: &'static str;

    /// Reads the fields in order.
    ///
    /// # Errors
    /// The first that is wrong.
    fn fill(table: &[(String, Tree)], outside: &dyn Outside) -> Result<Self, ScenarioError>;

    /// What no single field can say.
    ///
    /// # Errors
    /// What is wrong.
    fn check(&mut self) -> Result<(), ScenarioError>;

    /// The description that a table holds; `has_kind`: the key `kind` has been read already.
    ///
    /// # Errors
    /// An unknown or missing key, or a wrong value.
    fn of(table: &[(String, Tree)], has_kind: bool, outside: &dyn Outside) -> Result<Self, ScenarioError> {
        let known = || Self::FIELDS.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        for (key, _) in table {
            if let Some((_, now)) = Self::RENAMED.iter().find(|(old, _)| old == key) {
                let error = ScenarioError::new(format!("renamed; the key is now {now}")).key(key);
                return Err(ScenarioError { is_renamed: true, ..error });
            }
            if let Some((_, place)) = Self::BELONGS.iter().find(|(other, _)| other == key) {
                return Err(ScenarioError::new(format!("unknown key here; {place}")).key(key));
            }
            if !(known().contains(&key.as_str()) || has_kind && key == "kind") {
                let listed = format!("unknown key; expected one of {}", known().join(", "));
                return Err(ScenarioError::new(listed).key(key).near(nearest(key, &known())));
            }
        }
        for (name, is_required) in Self::FIELDS {
            if *is_required && get(table, name).is_none() {
                let missing = format!("the key is missing; {} needs it", Self::NAME);
                return Err(ScenarioError::new(missing).key(*name));
            }
        }
        let mut found = Self::fill(table, outside)?;
        found.check()?;
        Ok(found)
    }
}

impl<T: Described> Read for T {
    fn read(tree: &Tree, outside: &dyn Outside) -> Result<T, ScenarioError> {
        match tree {
            Tree::Table(table) => T::of(table, false, outside),
            Tree::Text(_) if !T::SHORT.is_empty() => T::of(&[(T::SHORT.into(), tree.clone())], false, outside),
            other => Err(ScenarioError::new(format!("expected {}", T::expected())).value(other.clone())),
        }
    }

    fn expected() -> String {
        format!("a table of {}", T::NAME)
    }
}

/// Reads one of several descriptions that differ in `kind`. `first` is the first one's name.
///
/// # Errors
/// A kind that is missing or none of these, or what is wrong with the description.
pub fn of_kind<T>(
    tree: &Tree,
    first: &str,
    kinds: &[&str],
    read: impl FnOnce(&str, &[(String, Tree)]) -> Result<T, ScenarioError>,
) -> Result<T, ScenarioError> {
    let bare;
    let table = match tree {
        Tree::Table(table) => table,
        Tree::Text(_) => {
            bare = vec![("kind".to_owned(), tree.clone())];
            &bare
        }
        other => return Err(ScenarioError::new(format!("expected a table of {first}")).value(other.clone())),
    };
    let listed = kinds.join(", ");
    match get(table, "kind") {
        Some(Tree::Text(kind)) if kinds.contains(&kind.as_str()) => read(kind, table),
        Some(other) => {
            let given = other.text().map_or_else(|| other.to_string(), Into::into);
            let error = ScenarioError::new(format!("expected one of {listed}")).key("kind").value(other.clone());
            Err(error.near(nearest(&given, kinds)))
        }
        None => Err(ScenarioError::new(format!("the key is missing; expected one of {listed}")).key("kind")),
    }
}

/// Makes a description of a struct: `NAME { key: Type = default, ... }`, a key without a default being required.
macro_rules! described {
    (@required) => { true };
    (@required $default:expr) => { false };
    (@default) => { unreachable!("required keys are there") };
    (@default $default:expr) => { $default };
    (
        $(#[$doc:meta])*
        $name:ident $(renamed $renamed:expr)? $(, belongs $belongs:expr)? $(, short $short:literal)?;
        $($(#[$about:meta])* $field:ident: $type:ty $(= $default:expr)?,)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
        }

        impl $crate::model::typed::Described for $name {
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [(&'static str, bool)] =
                &[$((stringify!($field), described!(@required $($default)?)),)*];
            #[allow(unused_mut, unused_assignments)]
            const RENAMED: &'static [(&'static str, &'static str)] = { let mut all: &[_] = &[]; $(all = $renamed;)? all };
            #[allow(unused_mut, unused_assignments)]
            const BELONGS: &'static [(&'static str, &'static str)] = { let mut all: &[_] = &[]; $(all = $belongs;)? all };
            #[allow(unused_mut, unused_assignments)]
            const SHORT: &'static str = { let mut key = ""; $(key = $short;)? key };

            fn fill(
                table: &[(String, $crate::tree::Tree)],
                outside: &dyn $crate::outside::Outside,
            ) -> Result<$name, $crate::error::ScenarioError> {
                Ok($name {
                    $($field: match $crate::tree::get(table, stringify!($field)) {
                        Some(value) => <$type as $crate::model::typed::Read>::read(value, outside)
                            .map_err(|error| error.under(stringify!($field)))?,
                        None => described!(@default $($default)?),
                    },)*
                })
            }

            fn check(&mut self) -> Result<(), $crate::error::ScenarioError> {
                self.check_whole()
            }
        }
    };
}

pub(crate) use described;
