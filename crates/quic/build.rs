//! quiche reads the clock of the process, and BoringSSL its random numbers: the linker puts `src/host.rs` in their place.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_QUICHE").is_some() {
        for function in ["clock_gettime", "gettimeofday", "RAND_bytes"] {
            println!("cargo::rustc-link-arg=-Wl,--wrap={function}");
        }
    }
}
