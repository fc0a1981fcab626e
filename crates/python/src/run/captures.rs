//! Captures of a run, for Wireshark.

use ackclock_engine::net::link::{Hook, HookPoint};
use ackclock_trace::recorder::ChannelId;
use pyo3::prelude::*;

use crate::convert::no_such;
use crate::simulation::Simulation;

#[pymethods]
impl Simulation {
    /// Begins a capture (pcapng) in a channel that nothing else is written to; its number.
    fn add_capture(&mut self, channel: u32) -> PyResult<usize> {
        if self.recorder().channel(ChannelId(channel)).is_none() {
            return Err(no_such("channel", channel));
        }
        Ok(self.recorder().add_capture(ChannelId(channel)))
    }

    /// A new interface of a capture, at the near end of some links and at the far end of others: packets that come to the
    /// queues of `leaving` and those that `entering` deliver.
    fn capture_links(&mut self, capture: usize, name: &str, leaving: Vec<u32>, entering: Vec<u32>) -> PyResult<()> {
        let links = |ends: &[u32], place| -> PyResult<Vec<_>> {
            ends.iter().map(|&link| Ok((self.check_link(link)?, place))).collect()
        };
        let spots = [links(&leaving, HookPoint::Head)?, links(&entering, HookPoint::Received)?].concat();
        let interface = self.recorder().add_capture_interface(capture, name);
        let interface = interface.ok_or_else(|| no_such("capture", capture as u32))?;
        for (link, place) in spots {
            let tap = Hook::Trace(self.recorder().add_capture_place(capture, interface));
            self.engine.net.links[link.0 as usize].add_hook(place, None, tap);
        }
        Ok(())
    }
}
