//! A tunable of a congestion control.

/// Maximum number of tunables per congestion control.
pub(super) const MAX_TUNABLES: usize = 6;

/// A tunable of a congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Its name.
    pub name: &'static str,
    /// Default value.
    pub default: i32,
}
