//! Transfers of the stacks, beside CUBIC through each queue discipline, or in the network of a scenario.
//!
//!     ackclock-quic [STACK...]     the table of docs/guide/library.md: ten seconds of 50 Mb/s and 40 ms
//!     ackclock-quic --request      a request of `ackclock quic` on standard input, an answer on standard output

use std::io::{Read, stdin};
use std::process::ExitCode;

use ackclock_quic::request::answer;
use ackclock_quic::stack::Direction;
use ackclock_quic::stacks::STACKS;
use ackclock_quic::table::{HEADING, QUEUES, row};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words == ["--request"] {
        return answer_request();
    }
    let stacks = if words.is_empty() { STACKS.iter().map(|entry| entry.name.to_owned()).collect() } else { words };
    for (number, stack) in stacks.iter().enumerate() {
        for direction in [Direction::Download, Direction::Upload] {
            for queue in QUEUES {
                match row(stack, direction, queue) {
                    Ok(row) if number == 0 && direction == Direction::Download && queue == &QUEUES[0] => {
                        println!("{HEADING}\n{row}");
                    }
                    Ok(row) => println!("{row}"),
                    Err(error) => {
                        eprintln!("ackclock-quic: {error}");
                        return ExitCode::FAILURE;
                    }
                }
            }
        }
    }
    ExitCode::SUCCESS
}

fn answer_request() -> ExitCode {
    let mut request = String::new();
    if let Err(error) = stdin().read_to_string(&mut request) {
        eprintln!("ackclock-quic: standard input: {error}");
        return ExitCode::FAILURE;
    }
    let (answer, is_good) = answer(&request);
    println!("{answer}");
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
