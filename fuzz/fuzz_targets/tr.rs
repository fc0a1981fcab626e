#![no_main]
//! libFuzzer's way in: `readers::tr` with what it made up.
#[allow(dead_code)]
mod readers;

libfuzzer_sys::fuzz_target!(|file: &[u8]| readers::tr(file));
