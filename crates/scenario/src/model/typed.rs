//! What the keys of a description take: texts with units ([`Rate`], [`Time`], ...), numbers, lists, each checked as it is
//! read.

use crate::error::ScenarioError;
use crate::model::shape::{Parts, Shape};
use crate::outside::Outside;
use crate::tree::Tree;
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

    /// What a key of this type takes; the parts among it are added to `parts`.
    fn shape(parts: &mut Parts) -> Shape;

    /// The value as a description has it; `None` where it has no such key.
    fn to_tree(&self) -> Option<Tree>;
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

    fn shape(_: &mut Parts) -> Shape {
        Shape::Flag
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(Tree::Flag(*self))
    }
}

impl Read for i64 {
    fn read(tree: &Tree, _: &dyn Outside) -> Result<i64, ScenarioError> {
        if let Tree::Whole(whole) = tree { Ok(*whole) } else { Err(wrong::<i64>(tree)) }
    }

    fn expected() -> String {
        "a whole number".into()
    }

    fn shape(_: &mut Parts) -> Shape {
        Shape::Whole
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(Tree::Whole(*self))
    }
}

impl Read for String {
    fn read(tree: &Tree, _: &dyn Outside) -> Result<String, ScenarioError> {
        if let Tree::Text(text) = tree { Ok(text.clone()) } else { Err(wrong::<String>(tree)) }
    }

    fn expected() -> String {
        "a text".into()
    }

    fn shape(_: &mut Parts) -> Shape {
        Shape::Text
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(Tree::Text(self.clone()))
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

    fn shape(_: &mut Parts) -> Shape {
        Shape::Number
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(self.given())
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

    fn shape(_: &mut Parts) -> Shape {
        Shape::AnyOf(vec![Shape::Whole, Shape::Text])
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(self.given())
    }
}

impl<T: Read> Read for Option<T> {
    fn read(tree: &Tree, outside: &dyn Outside) -> Result<Option<T>, ScenarioError> {
        T::read(tree, outside).map(Some)
    }

    fn expected() -> String {
        T::expected()
    }

    fn shape(parts: &mut Parts) -> Shape {
        Shape::Optional(Box::new(T::shape(parts)))
    }

    fn to_tree(&self) -> Option<Tree> {
        self.as_ref().and_then(T::to_tree)
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

    fn shape(parts: &mut Parts) -> Shape {
        Shape::List(Box::new(T::shape(parts)))
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(Tree::List(self.iter().filter_map(T::to_tree).collect()))
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

    fn shape(_: &mut Parts) -> Shape {
        Shape::Parameters
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(Tree::Table(self.clone()))
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

            fn shape(_: &mut Parts) -> Shape {
                Shape::Quantity(Kind::$kind)
            }

            fn to_tree(&self) -> Option<Tree> {
                Some(Tree::Text(self.text.clone()))
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
