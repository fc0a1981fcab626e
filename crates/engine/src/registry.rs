//! Registries: the tables of all variants of one kind.
//!
//! Each kind has a trait, a file per variant, and a table with one [`Entry`] per variant. The file of the trait is below
//! the variants, the table above them.

/// A line of a registry.
pub struct Entry<Make> {
    /// The id used in scenarios and commands, such as `drop_tail`.
    pub id: &'static str,
    /// One line for lists and help.
    pub about: &'static str,
    /// Creates the variant with default parameters.
    pub make: Make,
}
