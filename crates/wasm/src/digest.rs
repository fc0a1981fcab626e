//! A digest of tables: equal tables have equal digests, on every machine.

use ackclock_trace::columns::{Column, Table};

/// FNV-1a with 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv) over names and values of all columns.
pub fn digest(tables: &[(&'static str, Table)]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for (name, table) in tables {
        push(&mut hash, name.as_bytes());
        for (name, column) in &table.columns {
            push(&mut hash, name.as_bytes());
            for row in 0..column.len() {
                match column {
                    Column::Words(words) => push(&mut hash, words.get(row).as_bytes()),
                    numbers => {
                        let bits =
                            numbers.real(row).map_or(u64::MAX, |real| if real.is_nan() { 1 } else { real.to_bits() });
                        push(&mut hash, &bits.to_le_bytes());
                    }
                }
            }
        }
    }
    hash
}

fn push(hash: &mut u64, bytes: &[u8]) {
    for byte in bytes {
        *hash = (*hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    }
}
