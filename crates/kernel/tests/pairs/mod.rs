//! The engine's congestion controls that have a counterpart in the kernel.

use ackclock_engine::params::Value;
use ackclock_engine::transport::tcp::cc::Control;
use ackclock_engine::transport::tcp::controls;

/// Streams of each comparison.
pub const STREAMS: u64 = 1000;

/// A control of the engine and the kernel's.
pub struct Pair {
    pub ours: &'static str,
    pub kernel: &'static str,
    /// Parameters with which ours is the kernel's.
    pub parameters: &'static [(&'static str, bool)],
    /// Equal after every step of every stream. If not, the engine's control is another version, Linux 2.6.22's.
    pub is_same: bool,
}

impl Pair {
    pub fn make(&self) -> Option<Box<dyn Control>> {
        let mut control = controls::named(self.ours)?;
        for &(name, value) in self.parameters {
            assert!(control.set_param(name, Value::Flag(value)), "{} has no parameter {name}", self.ours);
        }
        Some(control)
    }
}

pub const PAIRS: &[Pair] = &[
    Pair { ours: "reno", kernel: "reno", parameters: &[], is_same: true },
    Pair { ours: "linux_cubic", kernel: "cubic", parameters: &[], is_same: true },
    Pair { ours: "dctcp", kernel: "dctcp", parameters: &[("growth_in_cwr", false)], is_same: true },
    Pair { ours: "bbr", kernel: "bbr", parameters: &[], is_same: true },
    Pair { ours: "bic", kernel: "bic", parameters: &[], is_same: false },
    Pair { ours: "highspeed", kernel: "highspeed", parameters: &[], is_same: false },
    Pair { ours: "htcp", kernel: "htcp", parameters: &[], is_same: false },
    Pair { ours: "hybla", kernel: "hybla", parameters: &[], is_same: false },
    Pair { ours: "illinois", kernel: "illinois", parameters: &[], is_same: false },
    Pair { ours: "scalable", kernel: "scalable", parameters: &[], is_same: false },
    Pair { ours: "vegas", kernel: "vegas", parameters: &[], is_same: false },
    Pair { ours: "veno", kernel: "veno", parameters: &[], is_same: false },
    Pair { ours: "westwood", kernel: "westwood", parameters: &[], is_same: false },
    Pair { ours: "yeah", kernel: "yeah", parameters: &[], is_same: false },
];
