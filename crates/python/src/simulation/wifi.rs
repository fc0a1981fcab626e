//! Wi-Fi media.

use ackclock_engine::net::link::wifi::{MediumId, Settings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::simulation::Simulation;
use crate::simulation::handle::Handle;
use crate::simulation::links::Link;

/// The constants of a Wi-Fi medium. `ValueError` for some that cannot be.
#[pyclass(frozen, module = "ackclock._native")]
pub struct WifiSettings(Settings);

#[pymethods]
impl WifiSettings {
    /// Rates in bit/s, times in s; `max_bytes` is that of an aggregate.
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        phy_rate_bps: f64,
        symbol_s: f64,
        preamble_s: f64,
        control_rate_bps: f64,
        slot_s: f64,
        sifs_s: f64,
        aifsn: u32,
        cw_min: u32,
        cw_max: u32,
        retries: u32,
        max_frames: u32,
        max_bytes: i64,
        max_airtime_s: f64,
        contenders: u32,
    ) -> PyResult<WifiSettings> {
        let settings = Settings {
            phy_rate_bps,
            symbol_s,
            preamble_s,
            control_rate_bps,
            slot_s,
            sifs_s,
            aifsn,
            cw_min,
            cw_max,
            retries,
            max_frames,
            max_bytes,
            max_airtime_s,
            contenders,
        };
        settings.check().map_err(PyValueError::new_err)?;
        Ok(WifiSettings(settings))
    }

    /// What a station that is alone delivers of packets of 1500 bytes, bit/s.
    #[getter]
    fn rate_bps(&self) -> f64 {
        self.0.rate_bps()
    }
}

/// A Wi-Fi medium.
#[pyclass(frozen, module = "ackclock._native")]
pub struct WifiMedium(pub Handle<MediumId>);

#[pymethods]
impl WifiMedium {
    /// Makes a link one of its stations, before the link's first packet.
    fn join(&self, py: Python, link: &Link) -> PyResult<()> {
        let link = self.0.other(&link.0)?;
        self.0.simulation(py)?.engine.net.join_medium(link, self.0.id);
        Ok(())
    }
}

#[pymethods]
impl Simulation {
    /// A new Wi-Fi medium. Links become its stations by `join`.
    fn add_wifi_medium(this: &Bound<Simulation>, settings: &WifiSettings) -> PyResult<WifiMedium> {
        let settings = settings.0;
        Handle::made(this, |simulation| simulation.engine.net.add_medium(settings).map_err(PyValueError::new_err))
            .map(WifiMedium)
    }
}
