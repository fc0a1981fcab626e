//! The kernel state that all Linux senders of a simulation share: the clock, which advances only with ACKs, and the
//! tunables.

use super::control::KernelModule;
use super::socket::Socket;
use super::tunable::MAX_TUNABLES;
use super::{CONTROLS, named};

/// Values of all tunables. The common ones have the name `linux`.
#[derive(Clone, Debug)]
pub struct Tunables {
    laws: Vec<[i32; MAX_TUNABLES]>,
    /// Debug level, maximum burst, byte counting, and three bytes that only the listing reads.
    common: [u8; 6],
}

/// Names of the common tunables, in byte order.
const COMMON: [&str; 3] = ["debug_level", "tcp_max_burst", "sysctl_tcp_abc"];

/// Location of a tunable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunableId {
    /// Index of the congestion control, and index of the tunable within it.
    Law(usize, usize),
    /// Index of the first byte in the common tunables.
    Common(usize),
}

impl Default for Tunables {
    fn default() -> Tunables {
        let defaults = |index: usize, entry: &KernelModule| entry.tunables.get(index).map_or(0, |one| one.default);
        Tunables {
            laws: CONTROLS.iter().map(|entry| std::array::from_fn(|index| defaults(index, entry))).collect(),
            common: [1, 3, 1, 0, 0, 0],
        }
    }
}

impl Tunables {
    /// Finds the tunable `name` of a congestion control, or of `linux`.
    pub fn find(law: &str, name: &str) -> Option<TunableId> {
        if law == "linux" {
            return COMMON.iter().position(|common| *common == name).map(TunableId::Common);
        }
        let number = named(law)?;
        let index = CONTROLS[number].tunables.iter().position(|tunable| tunable.name == name)?;
        Some(TunableId::Law(number, index))
    }

    /// The value of a tunable. A common one reads four bytes, starting at its own.
    pub fn get(&self, place: TunableId) -> i32 {
        match place {
            TunableId::Law(law, index) => self.laws[law][index],
            TunableId::Common(at) => {
                i32::from_le_bytes([self.common[at], self.common[at + 1], self.common[at + 2], self.common[at + 3]])
            }
        }
    }

    /// Sets a tunable. A common one writes four bytes, starting at its own.
    pub fn set(&mut self, place: TunableId, value: i32) {
        match place {
            TunableId::Law(law, index) => self.laws[law][index] = value,
            TunableId::Common(at) => {
                let end = self.common.len().min(at + 4);
                self.common[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
            }
        }
    }

    /// All tunables of a congestion control.
    fn of(&self, law: usize) -> [i32; MAX_TUNABLES] {
        self.laws[law]
    }

    /// Debug level; up to 1, congestion controls report remarks.
    fn debug_level(&self) -> u8 {
        self.common[0]
    }

    /// Maximum burst after recovery, packets.
    fn max_burst(&self) -> u8 {
        self.common[1]
    }

    /// Appropriate byte counting: windows grow by bytes acknowledged, not by ACKs.
    fn counts_bytes(&self) -> u8 {
        self.common[2]
    }
}

/// A sender's own value of a tunable.
#[derive(Clone, Copy, Debug)]
pub struct Override {
    /// Which tunable.
    pub place: TunableId,
    /// The sender's value.
    pub value: i32,
    usual: i32,
}

impl Override {
    /// Creates an override.
    pub fn new(place: TunableId, value: i32) -> Override {
        Override { place, value, usual: 0 }
    }
}

/// The state shared by all Linux senders of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    /// Time of the last ACK at any of them, ms.
    pub jiffies: u64,
    /// The same time, ns.
    pub nanoseconds: i64,
    /// Parameters that a script sets for all of them.
    pub tunables: Tunables,
}

impl Kernel {
    /// Applies a sender's overrides.
    pub fn put_on(&mut self, overrides: &mut [Override]) {
        for one in overrides {
            one.usual = self.tunables.get(one.place);
            self.tunables.set(one.place, one.value);
        }
    }

    /// Restores the shared values, in the order in which the overrides were applied. Overlapping overrides leave
    /// changes behind.
    pub fn take_off(&mut self, overrides: &mut [Override]) {
        for one in overrides {
            one.value = self.tunables.get(one.place);
            self.tunables.set(one.place, one.usual);
        }
    }

    /// Sets the clock when an ACK arrives.
    pub fn tick(&mut self, now_s: f64) {
        self.jiffies = (now_s * 1e3).trunc() as u64;
        self.nanoseconds = (now_s * 1e9).trunc() as i64;
    }
}

impl Socket {
    /// Copies the clock and the tunables of congestion control number `law`.
    pub fn look_at(&mut self, kernel: &Kernel, law: Option<usize>) {
        self.jiffies = kernel.jiffies;
        self.nanoseconds = kernel.nanoseconds;
        self.max_burst = kernel.tunables.max_burst();
        self.counts_bytes = kernel.tunables.counts_bytes();
        self.remarks_wanted = kernel.tunables.debug_level() <= 1;
        if let Some(law) = law {
            self.tunables = kernel.tunables.of(law);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // ns-2.35 answers get_ca_default_param like this before and after `set_ca_default_param linux debug_level 2`.
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
