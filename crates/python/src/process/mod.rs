//! The process that Python runs in: its memory, its stack, its files, and what confines it.

pub mod allocator;
pub mod confinement;
pub mod files;
pub mod stack;
