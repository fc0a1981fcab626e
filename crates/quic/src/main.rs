//! Each stack's download and upload beside CUBIC, through each queue discipline: ten seconds of 50 Mb/s and 40 ms.
//!
//!     cargo run --release --manifest-path crates/quic/Cargo.toml [STACK...]

use std::process::ExitCode;

use ackclock_quic::table::{HEADING, QUEUES, STACKS, row};
use ackclock_quic::transfer::Direction;

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    println!("{HEADING}");
    let stacks = if named.is_empty() { STACKS.iter().map(|&name| name.to_owned()).collect() } else { named };
    for stack in &stacks {
        for direction in [Direction::Download, Direction::Upload] {
            for queue in QUEUES {
                match row(stack, direction, queue) {
                    Ok(row) => println!("{row}"),
                    Err(error) => {
                        eprintln!("{stack}, {direction:?}, {queue}: {error:?}");
                        return ExitCode::FAILURE;
                    }
                }
            }
        }
    }
    ExitCode::SUCCESS
}
