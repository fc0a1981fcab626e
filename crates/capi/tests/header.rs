//! The header is the one that cbindgen writes from the functions.
//!
//! It is checked in: who compiles C needs no cbindgen, and a change of the interface shows in the diff.

use std::path::Path;

/// The files of the interface, in the header's order.
const FILES: [&str; 14] = [
    "parts",
    "status",
    "registry",
    "description",
    "link",
    "flow",
    "network",
    "external_flow",
    "scenario",
    "simulation",
    "reports",
    "capture",
    "tables",
    "boundary",
];

#[test]
fn the_header_is_what_cbindgen_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = std::fs::read_dir(root.join("src")).unwrap().count();
    assert_eq!(sources, FILES.len() + 1, "lib.rs and those in the list");
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in FILES {
        builder = builder.with_src(root.join("src").join(file).with_extension("rs"));
    }
    let mut written = Vec::new();
    builder.generate().unwrap().write(&mut written);
    let header = root.join("include/ackclock.h");
    if std::env::var_os("ACKCLOCK_WRITE").is_some() {
        std::fs::write(&header, &written).unwrap();
    }
    let kept = std::fs::read_to_string(&header).unwrap_or_default();
    let written = String::from_utf8(written).unwrap();
    assert!(kept == written, "write it again: ACKCLOCK_WRITE=1 cargo test -p ackclock-capi --test header");
}
