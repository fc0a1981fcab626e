//! Runs packetdrill scripts: `cargo run -p ackclock-packetdrill --example run -- [--packets] FILES`.

use std::process::ExitCode;

use ackclock_packetdrill::{Settings, Verdict, parse, run};

fn main() -> ExitCode {
    let (mut passes, mut differs, mut others) = (0, 0, 0);
    let mut shows_packets = false;
    let mut settings = Settings::default();
    let mut definitions = vec![];
    for file in std::env::args().skip(1) {
        if file == "--packets" {
            shows_packets = true;
            continue;
        }
        if let Some(definition) = file.strip_prefix("-D") {
            definitions.extend(definition.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())));
            continue;
        }
        if let Some(option) = file.strip_prefix("--") {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            if let Err(message) = settings.set(name, Some(value)) {
                println!("{message}");
            }
            continue;
        }
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                println!("{file}: {error}");
                differs += 1;
                continue;
            }
        };
        let script = match parse(&file, &text, &definitions) {
            Ok(script) => script,
            Err(error) => {
                println!("{file}:{}:{}: {}", error.line, error.column, error.message);
                differs += 1;
                continue;
            }
        };
        let report = run(&script, &settings);
        if shows_packets {
            for packet in &report.packets {
                println!("{:9.6} {:?} {}", packet.at as f64 / 1e6, packet.direction, packet.text);
            }
            for line in &report.printed {
                println!("printed: {line}");
            }
        }
        match report.verdict {
            Verdict::Passes => {
                passes += 1;
                println!("{file}: passes");
            }
            Verdict::Differs(message) => {
                differs += 1;
                println!("{message}");
            }
            Verdict::NotApplicable(feature) => {
                others += 1;
                println!("{file}: not applicable: {feature}");
            }
        }
    }
    println!("{passes} pass, {differs} differ, {others} not applicable");
    if differs > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
