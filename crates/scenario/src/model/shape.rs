//! What a description's keys take, and the parts that it consists of.

use crate::error::ScenarioError;
use crate::outside::Role;
use crate::tree::Tree;
use crate::units::Kind;

/// What a key takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A text with a unit.
    Quantity(Kind),
    /// A seed.
    Seed,
    /// The engine's parameters by name.
    Parameters,
    /// A list of these.
    List(Box<Shape>),
    /// A part, by its name.
    Part(&'static str),
    /// One of several parts that differ in `kind`, by the name of their type.
    Kinds(&'static str),
    /// One of these.
    AnyOf(Vec<Shape>),
    /// This, or nothing.
    Optional(Box<Shape>),
}

/// What else there is to know of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Says {
    /// It is one of these words.
    Words(Vec<&'static str>),
    /// It may name code.
    Code(Role),
}

/// A text that is one of these words.
pub fn words(all: impl IntoIterator<Item = &'static str>) -> Says {
    Says::Words(all.into_iter().collect())
}

/// A key of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it is for: the lines of its documentation.
    pub about: &'static [&'static str],
    /// What it takes.
    pub shape: Shape,
    /// What else is known of its text.
    pub says: Option<Says>,
    /// Whether it must be there.
    pub is_required: bool,
    /// What it is where a description does not say it; `None` for nothing.
    pub default: Option<Tree>,
}

/// Reads a table as a part, and forgets it.
pub type Check = fn(&[(String, Tree)]) -> Result<(), ScenarioError>;

/// A part of a description.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// The module that has it.
    pub module: &'static str,
    /// What it is: the lines of its documentation.
    pub about: &'static [&'static str],
    /// The `kind` by which it differs from other parts at its place; the name of the type of all of them, and its module.
    pub kind: Option<(&'static str, &'static str, &'static str)>,
    /// Keys that older versions had, and what they are called now.
    pub renamed: &'static [(&'static str, &'static str)],
    /// Keys of other parts, and where they belong.
    pub belongs: &'static [(&'static str, &'static str)],
    /// The key that a bare word stands for; empty if there is none.
    pub short: &'static str,
    /// Its keys.
    pub keys: Vec<Key>,
    /// What says what is wrong with a table.
    pub check: Check,
}

/// The parts of descriptions, each behind those that its keys take.
#[derive(Clone, Debug, Default)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// The parts, in order.
    pub fn all(&self) -> &[Part] {
        &self.0
    }

    /// Adds the part of this name, as `make` has it, where it is not there. `make` adds those that its keys take.
    pub fn add(&mut self, name: &'static str, make: fn(&mut Parts) -> Part) {
        if self.0.iter().all(|part| part.name != name) {
            let part = make(self);
            self.0.push(part);
        }
    }

    /// Says of a part that was added that it is one of several of the type `of`, which this module has.
    pub fn is_kind(&mut self, name: &'static str, kind: &'static str, of: &'static str, module: &'static str) {
        if let Some(part) = self.0.iter_mut().find(|part| part.name == name) {
            part.kind = Some((kind, of, last(module)));
        }
    }

    /// Checks a table as the part of this name. A recording in a file is refused.
    ///
    /// # Errors
    /// What is wrong; an unknown name, which is none of ours.
    pub fn check(&self, name: &str, table: &[(String, Tree)]) -> Result<(), ScenarioError> {
        match self.0.iter().find(|part| part.name == name) {
            Some(part) => (part.check)(table),
            None => Err(ScenarioError::new("expected a part of a description").value(name)),
        }
    }
}

/// The last name of a path.
fn last(path: &'static str) -> &'static str {
    path.rsplit("::").next().unwrap_or_default()
}

fn table<const COUNT: usize>(entries: [(&str, Tree); COUNT]) -> Tree {
    Tree::Table(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A list of texts.
pub fn texts<'a>(all: impl IntoIterator<Item = &'a str>) -> Tree {
    Tree::List(all.into_iter().map(Tree::from).collect())
}

fn pairs(all: &[(&str, &str)]) -> Tree {
    Tree::Table(all.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect())
}

/// Lines of documentation, of which each has a space at its beginning.
fn prose(lines: &[&str]) -> Tree {
    let lines: Vec<&str> = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    Tree::Text(lines.join("\n"))
}

impl Shape {
    fn tree(&self) -> Tree {
        match self {
            Shape::Flag => "flag".into(),
            Shape::Whole => "whole".into(),
            Shape::Number => "number".into(),
            Shape::Text => "text".into(),
            Shape::Quantity(kind) => kind.name().into(),
            Shape::Seed => "seed".into(),
            Shape::Parameters => "parameters".into(),
            Shape::List(item) => table([("list", item.tree())]),
            Shape::Part(name) => table([("part", (*name).into())]),
            Shape::Kinds(name) => table([("kinds", (*name).into())]),
            Shape::AnyOf(shapes) => table([("any", Tree::List(shapes.iter().map(Shape::tree).collect()))]),
            Shape::Optional(shape) => table([("optional", shape.tree())]),
        }
    }
}

impl Key {
    fn tree(&self) -> Tree {
        let mut told = vec![
            ("name".to_owned(), self.name.into()),
            ("about".to_owned(), prose(self.about)),
            ("shape".to_owned(), self.shape.tree()),
            ("is_required".to_owned(), self.is_required.into()),
        ];
        match &self.says {
            Some(Says::Words(words)) => told.push(("words".to_owned(), texts(words.iter().copied()))),
            Some(Says::Code(Role::Control)) => told.push(("code".to_owned(), "control".into())),
            Some(Says::Code(Role::Queue)) => told.push(("code".to_owned(), "queue".into())),
            None => {}
        }
        told.extend(self.default.clone().map(|default| ("default".to_owned(), default)));
        Tree::Table(told)
    }
}

impl Part {
    /// As a value.
    pub fn tree(&self) -> Tree {
        let kind = self.kind.map_or_else(|| Tree::List(Vec::new()), |(kind, of, module)| texts([kind, of, module]));
        table([
            ("name", self.name.into()),
            ("module", last(self.module).into()),
            ("about", prose(self.about)),
            ("kind", kind),
            ("renamed", pairs(self.renamed)),
            ("belongs", pairs(self.belongs)),
            ("short", self.short.into()),
            ("keys", Tree::List(self.keys.iter().map(Key::tree).collect())),
        ])
    }
}
