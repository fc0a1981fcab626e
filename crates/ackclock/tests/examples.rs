//! The examples run to their end.

#[path = "../examples/ping.rs"]
mod ping;

#[test]
fn ping() {
    ping::main().unwrap();
}
