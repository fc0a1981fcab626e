//! How a link sends that has no rate of its own: random processes, and media that it shares.

use crate::error::ScenarioError;
use crate::model::described::{described, kinds};
use crate::model::leo_satellite::LeoSatellite;
use crate::model::nr::Nr;
use crate::model::typed::{Rate, Time};
use crate::model::wifi::Wifi;

described! {
    /// A cellular link by Sprout's model: it can send at the instants of a Poisson process, whose rate wanders.
    ///
    /// The rate is a Brownian motion between 0 and `max_rate`. `volatility` is the standard deviation of its change
    /// after a second. At 0 there is an outage, which the rate leaves after an exponentially distributed time of mean
    /// `outage`; "0 s" is for no outages. The first rate is uniformly distributed. The defaults are those of the paper,
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

kinds! {
    /// How a link sends that has no rate of its own.
    Process,
    /// Names of the processes.
    PROCESSES;
    /// A cellular link.
    "cellular" => Cellular(Box<Cellular>),
    /// A link over satellites.
    "leo_satellite" => LeoSatellite(Box<LeoSatellite>),
    /// A link over 5G NR.
    "nr" => Nr(Box<Nr>),
    /// A link over the medium of IEEE 802.11.
    "wifi" => Wifi(Box<Wifi>),
}
