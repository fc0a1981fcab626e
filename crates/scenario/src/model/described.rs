//! Parts of descriptions: structs whose fields are read from tables.
//!
//! A field's type says what it takes. [`described`] makes the reader of a struct from its fields, [`kinds`] that of several
//! structs that differ in `kind`.

use crate::error::{ScenarioError, nearest};
use crate::model::shape::{Key, Part, Parts, Shape};
use crate::model::typed::Read;
use crate::outside::{Nothing, Outside};
use crate::tree::{Table, Tree, get};

/// A part of a description: a struct that [`described`] made.
pub trait Described: Sized {
    /// Its name in messages.
    const NAME: &'static str;
    /// The module that has it.
    const MODULE: &'static str;
    /// What it is: the lines of its documentation.
    const ABOUT: &'static [&'static str];
    /// Its keys in order, and whether each must be there.
    const FIELDS: &'static [(&'static str, bool)];
    /// Keys that older versions had, and what they are called now.
    const RENAMED: &'static [(&'static str, &'static str)];
    /// Keys of other parts that are written here by mistake, and where they belong.
    const BELONGS: &'static [(&'static str, &'static str)];
    /// The key that a bare word stands for; empty if there is none.
    const SHORT: &'static str;

    /// What its keys take, in order; the parts among it are added to `parts`.
    fn keys(parts: &mut Parts) -> Vec<Key>;

    /// The keys that it has, with their values.
    fn entries(&self) -> Table;

    /// Reads the fields in order.
    ///
    /// # Errors
    /// The first that is wrong.
    fn fill(table: &[(String, Tree)], outside: &dyn Outside) -> Result<Self, ScenarioError>;

    /// All that there is to know of it, its `kind` excepted.
    fn part(parts: &mut Parts) -> Part {
        Part {
            name: Self::NAME,
            module: Self::MODULE,
            about: Self::ABOUT,
            kind: None,
            renamed: Self::RENAMED,
            belongs: Self::BELONGS,
            short: Self::SHORT,
            keys: Self::keys(parts),
            check: |table| Self::of(table, true, &Nothing).map(drop),
        }
    }

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
            if !(Self::FIELDS.iter().any(|(name, _)| name == key) || has_kind && key == "kind") {
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

    fn shape(parts: &mut Parts) -> Shape {
        parts.add(T::NAME, T::part);
        Shape::Part(T::NAME)
    }

    fn to_tree(&self) -> Option<Tree> {
        Some(Tree::Table(self.entries()))
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
    let listed = || kinds.join(", ");
    match get(table, "kind") {
        Some(Tree::Text(kind)) if kinds.contains(&kind.as_str()) => read(kind, table),
        Some(other) => {
            let given = other.text().map_or_else(|| other.to_string(), Into::into);
            let error = ScenarioError::new(format!("expected one of {}", listed())).key("kind").value(other.clone());
            Err(error.near(nearest(&given, kinds)))
        }
        None => Err(ScenarioError::new(format!("the key is missing; expected one of {}", listed())).key("kind")),
    }
}

/// Makes a description of a struct: `NAME { key: Type [words] = default, ... }`. A key without a default is required. Its
/// documentation, types and defaults are what Python's classes, the schema and the reference say.
macro_rules! described {
    (@required) => { true };
    (@required $default:expr) => { false };
    (@default) => { unreachable!("required keys are there") };
    (@default $default:expr) => { $default };
    (@told $type:ty) => { None };
    (@told $type:ty, $default:expr) => {{
        let default: $type = $default;
        $crate::model::typed::Read::to_tree(&default)
    }};
    (@says) => { None };
    (@says $says:expr) => { Some($says) };
    (
        $(#[doc = $doc:literal])*
        $name:ident $(renamed $renamed:expr)? $(, belongs $belongs:expr)? $(, short $short:literal)?;
        $($(#[doc = $about:literal])* $field:ident: $type:ty $([$says:expr])? $(= $default:expr)?,)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $about])* pub $field: $type,)*
        }

        impl $crate::model::described::Described for $name {
            const NAME: &'static str = stringify!($name);
            const MODULE: &'static str = module_path!();
            const ABOUT: &'static [&'static str] = &[$($doc),*];
            const FIELDS: &'static [(&'static str, bool)] =
                &[$((stringify!($field), described!(@required $($default)?)),)*];
            #[allow(unused_mut, unused_assignments)]
            const RENAMED: &'static [(&'static str, &'static str)] = { let mut all: &[_] = &[]; $(all = $renamed;)? all };
            #[allow(unused_mut, unused_assignments)]
            const BELONGS: &'static [(&'static str, &'static str)] = { let mut all: &[_] = &[]; $(all = $belongs;)? all };
            #[allow(unused_mut, unused_assignments)]
            const SHORT: &'static str = { let mut key = ""; $(key = $short;)? key };

            fn keys(parts: &mut $crate::model::shape::Parts) -> Vec<$crate::model::shape::Key> {
                vec![$($crate::model::shape::Key {
                    name: stringify!($field),
                    about: &[$($about),*],
                    shape: <$type as $crate::model::typed::Read>::shape(parts),
                    says: described!(@says $($says)?),
                    is_required: described!(@required $($default)?),
                    default: described!(@told $type $(, $default)?),
                },)*]
            }

            fn entries(&self) -> $crate::tree::Table {
                let all = [$((stringify!($field), $crate::model::typed::Read::to_tree(&self.$field)),)*];
                all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
            }

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

/// Makes a type of several descriptions that differ in `kind`: `NAME, KINDS; "kind" => Part(Type), ...`, where `KINDS` is the
/// constant of their names, and `Type` is the part or its `Box`.
macro_rules! kinds {
    (
        $(#[doc = $doc:literal])*
        $name:ident, $(#[doc = $of_names:literal])* $names:ident;
        $($(#[doc = $about:literal])* $kind:literal => $part:ident($type:ty),)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $($(#[doc = $about])* $part($type),)*
        }

        $(#[doc = $of_names])*
        pub const $names: &[&str] = &[$($kind),*];

        impl $name {
            /// Its name.
            pub fn kind(&self) -> &'static str {
                match self {
                    $($name::$part(_) => $kind,)*
                }
            }
        }

        impl $crate::model::typed::Read for $name {
            fn read(
                tree: &$crate::tree::Tree,
                outside: &dyn $crate::outside::Outside,
            ) -> Result<$name, $crate::error::ScenarioError> {
                use $crate::model::described::Described;
                let first = [$($part::NAME),*][0];
                $crate::model::described::of_kind(tree, first, $names, |kind, table| match kind {
                    $($kind => Ok($name::$part($part::of(table, true, outside)?.into())),)*
                    _ => unreachable!("the kind is one of these"),
                })
            }

            fn expected() -> String {
                use $crate::model::described::Described;
                format!("a table of {}", [$($part::NAME),*][0])
            }

            fn shape(parts: &mut $crate::model::shape::Parts) -> $crate::model::shape::Shape {
                use $crate::model::described::Described;
                $(
                    parts.add($part::NAME, $part::part);
                    parts.is_kind($part::NAME, $kind, stringify!($name), module_path!());
                )*
                $crate::model::shape::Shape::Kinds(stringify!($name))
            }

            fn to_tree(&self) -> Option<$crate::tree::Tree> {
                use $crate::model::described::Described;
                let mut table = vec![("kind".to_owned(), self.kind().into())];
                match self {
                    $($name::$part(part) => table.extend(part.entries()),)*
                }
                Some($crate::tree::Tree::Table(table))
            }
        }
    };
}

pub(crate) use {described, kinds};
