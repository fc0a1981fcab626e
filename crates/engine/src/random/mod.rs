//! Random numbers: the generator, distributions, and the PackMime model of Web traffic.

pub mod pack_mime;
pub mod random_variable;
pub mod rng;
