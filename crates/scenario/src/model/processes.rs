//! How a link sends that has no rate of its own: random processes, and media that it shares.

use crate::error::ScenarioError;
use crate::model::leo_satellite::LeoSatellite;
use crate::model::nr::Nr;
use crate::model::typed::{Described, Rate, Read, Time, described, of_kind};
use crate::model::wifi::Wifi;
use crate::outside::Outside;
use crate::tree::Tree;

/// Names of the processes.
pub const PROCESSES: [&str; 4] = ["cellular", "leo_satellite", "nr", "wifi"];

described! {
    /// A cellular link by Sprout's model: it can send at the instants of a Poisson process, whose rate wanders.
    ///
    /// The rate is a Brownian motion between 0 and `max_rate`. At 0 there is an outage. The defaults are those of the paper,
    /// 1000 and 200 packets of 1500 bytes per second, and 1 s: K. Winstein, A. Sivaraman, H. Balakrishnan, "Stochastic
    /// Forecasts Achieve High Throughput and Low Delay over Cellular Networks", NSDI 2013, section 3.1.
    Cellular;
    /// The highest rate.
    max_rate: Rate = Rate::of("12 Mb/s"),
    /// The standard deviation of the rate's change after a second.
    volatility: Rate = Rate::of("2.4 Mb/s"),
    /// The mean time of an outage; "0 s" for no outages.
    outage: Time = Time::of("1 s"),
}

impl Cellular {
    fn check_whole(&mut self) -> Result<(), ScenarioError> {
        Ok(())
    }
}

/// How a link sends that has no rate of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Process {
    /// A cellular link.
    Cellular(Box<Cellular>),
    /// A link over satellites.
    LeoSatellite(Box<LeoSatellite>),
    /// A link over 5G NR.
    Nr(Box<Nr>),
    /// A link over the medium of IEEE 802.11.
    Wifi(Box<Wifi>),
}

impl Read for Process {
    fn read(tree: &Tree, outside: &dyn Outside) -> Result<Process, ScenarioError> {
        of_kind(tree, "Cellular", &PROCESSES, |kind, table| {
            Ok(match kind {
                "leo_satellite" => Process::LeoSatellite(Box::new(LeoSatellite::of(table, true, outside)?)),
                "nr" => Process::Nr(Box::new(Nr::of(table, true, outside)?)),
                "wifi" => Process::Wifi(Box::new(Wifi::of(table, true, outside)?)),
                _ => Process::Cellular(Box::new(Cellular::of(table, true, outside)?)),
            })
        })
    }

    fn expected() -> String {
        Cellular::expected()
    }
}
