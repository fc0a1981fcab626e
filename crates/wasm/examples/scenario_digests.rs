//! Digests of runs, to be compared with a browser's: reads a scenario in JSON, or `{"toml": "..."}`, from each line of the
//! standard input, and writes the digest of its tables, or what is wrong with it, as a line.
//!
//!     cargo run -p ackclock-wasm --features portable-math --example scenario_digests < scenarios.jsonl

use std::io::{self, BufRead};

use ackclock_wasm::session::{REFUSED, Session};
use serde_json::Value;

fn told(session: &mut Session, request: &Value) -> (bool, Value) {
    let (kind, answer) = session.answer(request.to_string().as_bytes());
    (kind != REFUSED, serde_json::from_slice(&answer).unwrap_or_default())
}

fn digest(scenario: &Value) -> String {
    let mut session = Session::default();
    let mut begin = serde_json::json!({"do": "begin", "scenario": scenario});
    if let Some(text) = scenario.get("toml") {
        begin = serde_json::json!({"do": "begin", "toml": text, "plain": true});
    }
    let mut step = told(&mut session, &begin);
    while step.0 && step.1["done"] != true {
        step = told(&mut session, &serde_json::json!({"do": "step"}));
    }
    if step.0 {
        step = told(&mut session, &serde_json::json!({"do": "digest"}));
    }
    let found = if step.0 { &step.1["digest"] } else { &step.1["error"] };
    found.as_str().unwrap_or_default().to_owned()
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        println!("{}", digest(&serde_json::from_str(&line?)?));
    }
    Ok(())
}
