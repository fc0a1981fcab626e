//! What all Linux senders of one simulation share: the clock, which stands still between ACKs, and the tunables.

use super::CONTROLS;

/// The greatest number of tunables that a law has.
pub(super) const MAX_TUNABLES: usize = 6;

/// A law's tunable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Its name.
    pub name: &'static str,
    /// Its value until it is set.
    pub default: i32,
}

/// Values of all tunables. `linux` stands for those of no single law.
#[derive(Clone, Debug)]
pub struct Tunables {
    laws: Vec<[i32; MAX_TUNABLES]>,
    /// Level of debugging, largest burst, byte counting, and three bytes that nobody reads but whoever lists them.
    common: [u8; 6],
}

/// Names of the common tunables, in the order of their bytes.
const COMMON: [&str; 3] = ["debug_level", "tcp_max_burst", "sysctl_tcp_abc"];

/// Where a tunable is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunableId {
    /// The law's number and the tunable's among its own.
    Law(usize, usize),
    /// The first byte among the common ones.
    Common(usize),
}

impl Default for Tunables {
    fn default() -> Tunables {
        let defaults = |index: usize, entry: &super::Entry| entry.tunables.get(index).map_or(0, |one| one.default);
        Tunables {
            laws: CONTROLS.iter().map(|entry| std::array::from_fn(|index| defaults(index, entry))).collect(),
            common: [1, 3, 1, 0, 0, 0],
        }
    }
}

impl Tunables {
    /// Where the tunable `name` of a law, or of `linux`, is kept.
    pub fn find(law: &str, name: &str) -> Option<TunableId> {
        if law == "linux" {
            return COMMON.iter().position(|common| *common == name).map(TunableId::Common);
        }
        let number = super::named(law)?;
        let index = CONTROLS[number].tunables.iter().position(|tunable| tunable.name == name)?;
        Some(TunableId::Law(number, index))
    }

    /// A tunable's value; for a common one, of the four bytes from its own on.
    pub fn get(&self, place: TunableId) -> i32 {
        match place {
            TunableId::Law(law, index) => self.laws[law][index],
            TunableId::Common(at) => {
                i32::from_le_bytes([self.common[at], self.common[at + 1], self.common[at + 2], self.common[at + 3]])
            }
        }
    }

    /// Sets a tunable; for a common one, the four bytes from its own on.
    pub fn set(&mut self, place: TunableId, value: i32) {
        match place {
            TunableId::Law(law, index) => self.laws[law][index] = value,
            TunableId::Common(at) => {
                let end = self.common.len().min(at + 4);
                self.common[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
            }
        }
    }

    /// All tunables of a law.
    pub(super) fn of(&self, law: usize) -> [i32; MAX_TUNABLES] {
        self.laws[law]
    }

    /// The level of debugging: up to 1, laws make remarks.
    pub(super) fn debug_level(&self) -> u8 {
        self.common[0]
    }

    /// Packets that may be sent at one go after recovery.
    pub(super) fn max_burst(&self) -> u8 {
        self.common[1]
    }

    /// Windows grow by bytes acknowledged, not by ACKs.
    pub(super) fn counts_bytes(&self) -> u8 {
        self.common[2]
    }
}

/// A tunable that one sender has otherwise than the rest.
#[derive(Clone, Copy, Debug)]
pub struct Override {
    /// Which.
    pub place: TunableId,
    /// This sender's value.
    pub value: i32,
    usual: i32,
}

impl Override {
    /// This sender's own value of a tunable.
    pub fn new(place: TunableId, value: i32) -> Override {
        Override { place, value, usual: 0 }
    }
}

/// What all Linux senders of a simulation share.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    /// Milliseconds at the last ACK that any of them received.
    pub jiffies: u64,
    /// Nanoseconds at the same time.
    pub nanoseconds: i64,
    /// Tunables.
    pub tunables: Tunables,
}

impl Kernel {
    /// A sender's own tunables hold from here on.
    pub fn put_on(&mut self, overrides: &mut [Override]) {
        for one in overrides {
            one.usual = self.tunables.get(one.place);
            self.tunables.set(one.place, one.value);
        }
    }

    /// A sender's own tunables hold no longer. In the same order as they were put on: overlapping ones leave their marks.
    pub fn take_off(&mut self, overrides: &mut [Override]) {
        for one in overrides {
            one.value = self.tunables.get(one.place);
            self.tunables.set(one.place, one.usual);
        }
    }

    /// An ACK came at this time.
    pub fn tick(&mut self, now_s: f64) {
        self.jiffies = (now_s * 1e3).trunc() as u64;
        self.nanoseconds = (now_s * 1e9).trunc() as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // As ns-2.35 answers get_ca_default_param before and after `set_ca_default_param linux debug_level 2`.
    #[test]
    fn common_tunables_overlap() {
        let mut tunables = Tunables::default();
        let [level, burst, bytes] = COMMON.map(|name| Tunables::find("linux", name).expect("its name is in the list"));
        assert_eq!([level, burst, bytes].map(|place| tunables.get(place)), [66305, 259, 1]);
        tunables.set(level, 2);
        assert_eq!([level, burst, bytes].map(|place| tunables.get(place)), [2, 0, 0]);
        tunables.set(burst, 5);
        assert_eq!([level, burst, bytes].map(|place| tunables.get(place)), [1282, 5, 0]);
    }

    #[test]
    fn a_senders_own_value_holds_for_a_while() {
        let mut kernel = Kernel::default();
        let beta = Tunables::find("cubic", "beta").expect("cubic has a beta");
        let mut overrides = [Override::new(beta, 717)];
        kernel.put_on(&mut overrides);
        assert_eq!(kernel.tunables.get(beta), 717);
        kernel.take_off(&mut overrides);
        assert_eq!((kernel.tunables.get(beta), overrides[0].value), (819, 717));
    }

    #[test]
    fn no_law_has_too_many_tunables() {
        assert!(CONTROLS.iter().all(|entry| entry.tunables.len() <= MAX_TUNABLES));
    }
}
