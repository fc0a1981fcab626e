//! The reassembly queue of ns-2.35's two-way TCP: blocks of bytes, by sequence number and by arrival order.
//!
//! The receiver stores out-of-order data here and builds SACK blocks from it, most recent first. The sender stores the
//! SACK blocks that it receives.

/// Bytes `start..end`, and the flags of their segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    start: i32,
    end: i32,
    flags: u8,
    name: u32,
}

/// The blocks.
#[derive(Clone, Debug, Default)]
pub struct Reassembly {
    /// Sorted by sequence number, without overlap.
    blocks: Vec<Block>,
    /// Block names in order of arrival.
    came: Vec<u32>,
    total: i32,
    next_name: u32,
}

/// A hole between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The first missing byte.
    pub start: i32,
    /// Number of blocks above it; -1 if none.
    pub blocks_above: i32,
    /// Bytes in those blocks; -1 if none.
    pub bytes_above: i32,
}

impl Reassembly {
    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Bytes in all blocks.
    pub fn total(&self) -> i32 {
        self.total
    }

    /// Removes all blocks.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.came.clear();
        self.total = 0;
    }

    fn forget(&mut self, index: usize) -> Block {
        let block = self.blocks.remove(index);
        self.came.retain(|&name| name != block.name);
        block
    }

    fn insert(&mut self, index: usize, start: i32, end: i32, flags: u8) {
        let name = self.next_name;
        self.next_name += 1;
        self.blocks.insert(index, Block { start, end, flags, name });
        self.came.push(name);
        self.total += end - start;
    }

    /// Removes everything below `seqno`. Returns the flags of all blocks that this touched.
    pub fn clear_to(&mut self, seqno: i32) -> u8 {
        let mut flags = 0;
        while self.blocks.first().is_some_and(|block| block.end <= seqno) {
            let block = self.forget(0);
            flags |= block.flags;
            self.total -= block.end - block.start;
        }
        if let Some(block) = self.blocks.first_mut()
            && block.start <= seqno
        {
            self.total -= seqno - block.start;
            block.start = seqno;
            flags |= block.flags;
        }
        flags
    }

    /// The blocks, most recent first.
    pub fn latest(&self) -> impl Iterator<Item = (i32, i32)> + '_ {
        self.came.iter().rev().filter_map(|&name| {
            self.blocks.iter().find(|block| block.name == name).map(|block| (block.start, block.end))
        })
    }

    /// Adds a block and merges it with its neighbours. If the result covers byte `next`, moves `next` to the result's
    /// end. Returns the flags of the result.
    pub fn add(&mut self, start: i32, end: i32, flags: u8, next: &mut i32) -> u8 {
        let mut flags = flags;
        loop {
            let Some(last) = self.blocks.last() else {
                self.insert(0, start, end, flags);
                if *next >= start {
                    *next = end;
                }
                return flags;
            };
            if start >= last.end {
                return self.place(self.blocks.len(), start, end, flags, next, start == last.end);
            }
            let first = self.blocks[0];
            if end <= first.start {
                return self.place(0, start, end, flags, next, end == first.start);
            }
            // The rest of the new block starts before `after`; the blocks to its right start at `before`.
            let before = self.blocks.partition_point(|block| block.start < end);
            let after = self.blocks.iter().rposition(|block| block.end <= start).map_or(0, |index| index + 1);
            let mut swallowed = false;
            let mut index = after.saturating_sub(1);
            let mut stop = before;
            while index < stop {
                let block = self.blocks[index];
                if (start, end) == (block.start, block.end) {
                    self.blocks[index].flags |= flags;
                    return self.blocks[index].flags;
                }
                if start <= block.start && end >= block.end {
                    self.forget(index);
                    self.total -= block.end - block.start;
                    flags |= block.flags;
                    swallowed = true;
                    stop -= 1;
                } else {
                    index += 1;
                }
            }
            if swallowed && !self.is_empty() {
                continue;
            }
            if self.is_empty() {
                return self.place(0, start, end, flags, next, false);
            }
            return self.join(after, before, start, end, flags, next);
        }
    }

    /// Adds a block that neither contains nor equals another one. Overlapped blocks grow, and the gap between them
    /// becomes a new block.
    fn join(&mut self, after: usize, before: usize, start: i32, end: i32, flags: u8, next: &mut i32) -> u8 {
        let (mut start, mut end) = (start, end);
        let mut place = after;
        let mut touches = false;
        if after == 0 || self.blocks[after].start < start {
            let left = &mut self.blocks[after];
            if start < left.start {
                self.total += left.start - start;
                left.start = start;
            }
            start = left.end;
            left.flags |= flags;
            touches = true;
            place = after + 1;
        }
        if before == self.blocks.len() || self.blocks[before - 1].end > end {
            let right = &mut self.blocks[before - 1];
            if end > right.end {
                self.total += end - right.end;
                right.end = end;
            }
            end = right.start;
            right.flags |= flags;
            touches = true;
        }
        if end <= start {
            if *next >= self.blocks[0].start {
                *next = self.blocks[0].end;
            }
            return flags;
        }
        let meets = place.checked_sub(1).is_some_and(|left| self.blocks[left].end == start)
            || self.blocks.get(place).is_some_and(|right| right.start == end);
        self.place(place, start, end, flags, next, touches || meets)
    }

    /// Inserts a block at `index` and merges it with adjacent blocks.
    fn place(&mut self, index: usize, start: i32, end: i32, flags: u8, next: &mut i32, touches: bool) -> u8 {
        self.insert(index, start, end, flags);
        if !touches {
            if *next >= start {
                *next = end;
            }
            return flags;
        }
        let left = index.checked_sub(1).filter(|&left| self.blocks[left].end == start);
        let right = self.blocks.get(index + 1).filter(|right| right.start == end).map(|_| index + 1);
        let (grown, flags) = match (left, right) {
            (Some(left), right) => {
                self.forget(index);
                let end = if right.is_some() { self.forget(index).end } else { end };
                let block = &mut self.blocks[left];
                block.end = end;
                block.flags |= flags;
                (left, block.flags)
            }
            (None, Some(_)) => {
                self.forget(index);
                let block = &mut self.blocks[index];
                block.start = start;
                block.flags |= flags;
                (index, block.flags)
            }
            (None, None) => (index, flags),
        };
        if *next >= self.blocks[grown].start {
            *next = self.blocks[grown].end;
        }
        flags
    }

    /// The first hole at or above `seqno`, if a block is above it or adjacent to it.
    pub fn next_hole(&self, seqno: i32) -> Option<Hole> {
        let index = self.blocks.iter().position(|block| block.start > seqno || block.end >= seqno)?;
        let block = self.blocks[index];
        let (start, above) =
            if block.start > seqno { (seqno, &self.blocks[index..]) } else { (block.end, &self.blocks[index + 1..]) };
        if above.is_empty() {
            return Some(Hole { start, blocks_above: -1, bytes_above: -1 });
        }
        let bytes_above = above.iter().map(|block| block.end - block.start).sum();
        Some(Hole { start, blocks_above: above.len() as i32, bytes_above })
    }
}

#[cfg(test)]
mod tests {
    use super::Reassembly;

    fn held(blocks: &[(i32, i32)]) -> (Reassembly, i32) {
        let (mut queue, mut next) = (Reassembly::default(), 1);
        for &(start, end) in blocks {
            queue.add(start, end, 0, &mut next);
        }
        (queue, next)
    }

    fn in_order(queue: &Reassembly) -> Vec<(i32, i32)> {
        queue.blocks.iter().map(|block| (block.start, block.end)).collect()
    }

    #[test]
    fn blocks_that_touch_become_one() {
        let (queue, next) = held(&[(10, 20), (30, 40), (20, 30)]);
        assert_eq!((in_order(&queue), queue.total(), next), (vec![(10, 40)], 30, 1));
        let (queue, next) = held(&[(10, 20), (1, 10)]);
        assert_eq!((in_order(&queue), next), (vec![(1, 20)], 20));
    }

    #[test]
    fn overlaps_count_once() {
        for blocks in [
            &[(10, 20), (30, 40), (15, 35)][..],
            &[(10, 20), (12, 18), (5, 50), (10, 40)],
            &[(10, 20), (30, 40), (5, 15)],
            &[(10, 20), (30, 40), (35, 50)],
            &[(10, 20), (30, 40), (25, 35)],
            &[(10, 20), (30, 40), (15, 25)],
            &[(10, 20), (10, 20)],
        ] {
            let (queue, _) = held(blocks);
            let mut bytes: Vec<i32> = blocks.iter().flat_map(|&(start, end)| start..end).collect();
            bytes.sort_unstable();
            bytes.dedup();
            let have: Vec<i32> = in_order(&queue).into_iter().flat_map(|(start, end)| start..end).collect();
            assert_eq!((&have, queue.total()), (&bytes, bytes.len() as i32), "{blocks:?}");
        }
    }

    #[test]
    fn the_latest_block_comes_first() {
        let (mut queue, mut next) = held(&[(10, 20), (30, 40), (50, 60)]);
        assert_eq!(queue.latest().collect::<Vec<_>>(), [(50, 60), (30, 40), (10, 20)]);
        queue.add(20, 25, 0, &mut next);
        assert_eq!(queue.latest().collect::<Vec<_>>(), [(50, 60), (30, 40), (10, 25)]);
        queue.clear_to(35);
        assert_eq!(queue.latest().collect::<Vec<_>>(), [(50, 60), (35, 40)]);
    }
}
