//! Limits what a run may take in a browser.

/// The most memory of an instance, bytes: 1 GiB.
const MAX_MEMORY: u64 = 1 << 30;

fn main() {
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-cdylib-link-arg=--max-memory={MAX_MEMORY}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
