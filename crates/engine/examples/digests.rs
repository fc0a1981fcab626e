//! Prints a number for each sender through each queue discipline, which follows from every packet of a short run.
//!
//!     cargo run --release -p ackclock-engine --example digests > crates/engine/tests/digests.tsv
//!
//! records them; `tests/digests.rs` holds every build to the record.

mod networks;

use networks::digests::{cases, digest};

fn main() {
    for (sender, queue) in cases() {
        println!("{sender}\t{queue}\t{:016x}", digest(&sender, queue));
    }
}
