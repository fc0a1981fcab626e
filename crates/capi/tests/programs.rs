//! Programs in C and C++ are compiled with the header, linked with both libraries, and run.

use std::env::current_exe;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ackclock::{Datagram, Flow, Link, Network};
// Cargo builds the libraries for a test that uses the crate.
use ackclock_capi::ackclock_version;

/// A compiler that is there, by its variable or its usual name.
fn compiler(variable: &str, usual: &str) -> Option<String> {
    let name = std::env::var(variable).unwrap_or_else(|_| usual.into());
    let found = Command::new(&name).arg("--version").output().is_ok_and(|told| told.status.success());
    if !found {
        eprintln!("skipped: no compiler {name}; {variable} names another");
    }
    found.then_some(name)
}

/// The folder where cargo has put the libraries: that of the test, or the one above.
fn libraries() -> PathBuf {
    assert!(!ackclock_version().is_null());
    let exe = current_exe().unwrap();
    let folder = exe.ancestors().skip(1).take(2).find(|folder| folder.join("libackclock_capi.a").is_file());
    folder.expect("cargo has built the library").to_path_buf()
}

/// Compiles a program, runs it, and returns what it printed.
fn output_of(compiler: &str, source: &Path, name: &str, more: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let program = folder.join(name);
    let mut compile = Command::new(compiler);
    compile.args(["-Wall", "-Wextra", "-Werror", "-pedantic"]).arg(source).arg("-I").arg(root.join("include"));
    let compiled = compile.args(more).arg("-o").arg(&program).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&program).output().unwrap();
    assert!(ran.status.success(), "{}: {}", ran.status, String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// What `examples/ping.c` prints, by the library in Rust.
fn pings() -> String {
    let mut network = Network::new().ends(Duration::from_secs(5));
    let (left, right) = (network.node("left"), network.node("right"));
    network.duplex(left, right, Link::new(10e6, Duration::from_millis(20)).param("limit", 100));
    network.flow(Flow::tcp(left, right).starts(Duration::from_secs(2)));
    let (client, server) = (network.endpoint(left), network.endpoint(right));
    let mut simulation = network.build().unwrap();
    let (mut printed, mut next_request) = (String::new(), Duration::ZERO);
    while let Ok(now) = simulation.advance(next_request) {
        for one in simulation.deliveries().collect::<Vec<_>>() {
            if one.at == server {
                simulation.send(server, now, Datagram::new(client, one.payload)).unwrap();
            } else {
                let sent = Duration::from_nanos(u64::from_ne_bytes(one.payload.try_into().unwrap()));
                let (now_s, trip_ms) = (now.as_nanos() as f64 / 1e9, (now - sent).as_nanos() as f64 / 1e6);
                writeln!(printed, "{now_s:.3} s: round trip of {trip_ms:.1} ms").unwrap();
            }
        }
        if now == next_request {
            next_request += Duration::from_millis(100);
            let _ = simulation.send(client, now, Datagram::new(server, (now.as_nanos() as u64).to_ne_bytes()));
        }
    }
    printed
}

#[test]
fn the_example_prints_what_the_library_in_rust_gives() {
    let Some(cc) = compiler("CC", "cc") else { return };
    let (root, libraries) = (Path::new(env!("CARGO_MANIFEST_DIR")), libraries());
    let source = root.join("examples/ping.c");
    let (search, rpath) = (format!("-L{}", libraries.display()), format!("-Wl,-rpath,{}", libraries.display()));
    let shared = ["-std=c99", &search, "-lackclock_capi", &rpath];
    let printed = output_of(&cc, &source, "ping-shared", &shared);
    // 36 bytes on the wire take 28.8 us at 10 Mb/s, and 20 ms of propagation; both ways 40.0576 ms.
    assert!(printed.starts_with("0.040 s: round trip of 40.1 ms\n0.140 s: round trip of 40.1 ms\n"), "{printed}");
    assert_eq!(printed, pings());
    let archive = libraries.join("libackclock_capi.a").display().to_string();
    let of_rust: &[&str] =
        if cfg!(target_os = "linux") { &["-lgcc_s", "-lpthread", "-ldl", "-lm", "-lc"] } else { &[] };
    let whole = [&["-std=c99", &*archive], of_rust].concat();
    assert_eq!(output_of(&cc, &source, "ping-static", &whole), printed);
}

#[test]
fn the_header_is_one_of_cpp() {
    let Some(cxx) = compiler("CXX", "c++") else { return };
    let libraries = libraries();
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("names.cpp");
    let program = r#"
        #include <cstddef>
        #include <iostream>
        #include "ackclock.h"
        int main() {
            for (std::size_t i = 0; ackclock_queue(i) != nullptr; i++) std::cout << ackclock_queue(i) << "\n";
            for (std::size_t i = 0; ackclock_control(i) != nullptr; i++) std::cout << ackclock_control(i) << "\n";
        }
    "#;
    std::fs::write(&source, program).unwrap();
    let (search, rpath) = (format!("-L{}", libraries.display()), format!("-Wl,-rpath,{}", libraries.display()));
    let printed = output_of(&cxx, &source, "names", &["-std=c++11", &search, "-lackclock_capi", &rpath]);
    let known = ackclock::queues().chain(ackclock::controls()).map(|(id, _)| id);
    assert_eq!(printed.lines().collect::<Vec<_>>(), known.collect::<Vec<_>>());
}
