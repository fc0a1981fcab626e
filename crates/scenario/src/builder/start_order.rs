//! The order in which nodes start, which decides what senders draw.

/// The order in which ns-2 starts nodes numbered from 0: that of a hash table of Tcl's with their numbers as keys. Senders
/// draw their clock's phase as they start, so their order decides who draws what.
pub(super) fn start_order(count: usize) -> Vec<usize> {
    let mixed = |number: usize| {
        let letters = number.to_string().into_bytes();
        letters.into_iter().fold(0u32, |value, letter| value.wrapping_mul(9).wrapping_add(u32::from(letter))) as usize
    };
    let mut table: Vec<Vec<usize>> = vec![Vec::new(); 4];
    for number in 0..count {
        let size = table.len();
        table[mixed(number) % size].insert(0, number);
        if number + 1 >= size * 3 {
            let mut bigger: Vec<Vec<usize>> = vec![Vec::new(); size * 4];
            for &old in table.iter().flatten() {
                bigger[mixed(old) % (size * 4)].insert(0, old);
            }
            table = bigger;
        }
    }
    table.concat()
}
