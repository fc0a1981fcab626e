//! The bytes that a packet carries, where real packets pass through the simulation.

/// The payloads of all packets.
#[derive(Default)]
pub(super) struct Payloads {
    slots: Vec<Vec<u8>>,
    free: Vec<u32>,
}

impl Payloads {
    pub(super) fn add(&mut self, bytes: Vec<u8>) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = bytes;
                slot
            }
            None => {
                self.slots.push(bytes);
                self.slots.len() as u32 - 1
            }
        }
    }

    pub(super) fn take(&mut self, slot: u32) -> Vec<u8> {
        self.free.push(slot);
        std::mem::take(&mut self.slots[slot as usize])
    }

    pub(super) fn copy(&mut self, slot: u32) -> u32 {
        self.add(self.slots[slot as usize].clone())
    }

    pub(super) fn get(&self, slot: u32) -> &[u8] {
        &self.slots[slot as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
