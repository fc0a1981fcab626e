//! Values by number, in slots that are used again once they are free.

/// Values by number.
pub(super) struct Slab<T> {
    slots: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Keeps a value; its number.
    pub(super) fn add(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = value;
                slot
            }
            None => {
                self.slots.push(value);
                self.slots.len() as u32 - 1
            }
        }
    }

    /// A value.
    pub(super) fn get(&self, slot: u32) -> &T {
        &self.slots[slot as usize]
    }

    /// Frees a slot; what was in it.
    pub(super) fn take(&mut self, slot: u32) -> T
    where
        T: Default,
    {
        self.free.push(slot);
        std::mem::take(&mut self.slots[slot as usize])
    }

    /// The number of a copy of a value.
    pub(super) fn copy(&mut self, slot: u32) -> u32
    where
        T: Clone,
    {
        self.add(self.get(slot).clone())
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
