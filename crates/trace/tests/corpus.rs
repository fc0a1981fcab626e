//! The fuzzers' corpora, with all that once broke a reader, on every compiler and with arithmetic checked for overflow.

#[path = "../../../fuzz/fuzz_targets/readers.rs"]
mod readers;

/// Offers each file of a corpus; how many there are.
fn offer(name: &str, reader: fn(&[u8])) -> usize {
    let folder = format!("{}/../../fuzz/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    files.map(|file| reader(&std::fs::read(file.expect("a file").path()).expect("it can be read"))).count()
}

#[test]
fn traces() {
    assert!(offer("tr", readers::tr) > 5);
    assert!(offer("nam", readers::tr) > 2);
}

#[test]
fn tables() {
    assert!(offer("table", readers::table) > 3);
}

#[test]
fn animations() {
    assert!(offer("tr", readers::nam) > 5);
    assert!(offer("nam", readers::nam) > 2);
}
