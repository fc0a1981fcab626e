//! How many queues, precedences and code points there are.

/// Maximum number of physical queues.
pub const QUEUES: usize = 8;
/// Maximum number of precedences per queue.
pub const PRECEDENCES: usize = 3;
/// Maximum number of code points; each code point is below this.
pub const CODE_POINTS: usize = 40;
