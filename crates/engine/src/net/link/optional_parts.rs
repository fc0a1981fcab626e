//! Parts that few links have: a LAN's port, a delayer, a delivery trace, a Wi-Fi medium, a wire that delivers in its order.

use crate::net::lan::Port;
use crate::net::link::delayer::Delayer;
use crate::net::link::fast_path::FastPath;
use crate::net::link::trace_driven::DeliveryTrace;
use crate::net::link::wifi::OnMedium;
use crate::net::link::wire::InTransit;
use crate::net::link::{FIRST_COMES_FIRST, Link};
use crate::packet::PacketId;

impl Link {
    /// Makes the link a port of a LAN.
    pub(crate) fn become_port(&mut self, port: Port) {
        self.fast_path = FastPath::Unknown;
        self.more.get_or_insert_default().port = Some(port);
    }

    /// Puts a delayer between the queue and the transmitter.
    pub(crate) fn put_delayer(&mut self, delayer: Delayer) {
        self.fast_path = FastPath::Unknown;
        self.more.get_or_insert_default().delayer = Some(delayer);
    }

    /// Lets the link send only at the delivery opportunities of a trace.
    pub(crate) fn put_delivery_trace(&mut self, delivery_trace: DeliveryTrace) {
        self.fast_path = FastPath::Unknown;
        self.more.get_or_insert_default().delivery_trace = Some(delivery_trace);
    }

    /// The LAN port, if the link is one.
    #[inline]
    pub fn port(&self) -> Option<&Port> {
        self.more.as_ref()?.port.as_ref()
    }

    /// The LAN port, mutable.
    pub fn port_mut(&mut self) -> Option<&mut Port> {
        self.more.as_mut()?.port.as_mut()
    }

    /// The delayer between the queue and the transmitter, if any.
    #[inline]
    pub fn delayer(&self) -> Option<&Delayer> {
        self.more.as_ref()?.delayer.as_ref()
    }

    /// The delayer, mutable.
    pub fn delayer_mut(&mut self) -> Option<&mut Delayer> {
        self.more.as_mut()?.delayer.as_mut()
    }

    /// The delivery trace, if the link has one.
    pub(crate) fn delivery_trace(&self) -> Option<&DeliveryTrace> {
        self.more.as_ref()?.delivery_trace.as_ref()
    }

    /// The delivery trace, mutable.
    pub(crate) fn delivery_trace_mut(&mut self) -> Option<&mut DeliveryTrace> {
        self.more.as_mut()?.delivery_trace.as_mut()
    }

    /// Makes the link a station of a Wi-Fi medium.
    pub(crate) fn put_on_medium(&mut self, joined: OnMedium) {
        self.fast_path = FastPath::Unknown;
        self.more.get_or_insert_default().on_medium = Some(joined);
    }

    /// Its part of a Wi-Fi medium, if it sends over one.
    pub(crate) fn on_medium(&self) -> Option<&OnMedium> {
        self.more.as_ref()?.on_medium.as_ref()
    }

    /// The same, mutable.
    pub(crate) fn on_medium_mut(&mut self) -> Option<&mut OnMedium> {
        self.more.as_mut()?.on_medium.as_mut()
    }

    /// Whether each arrival delivers the packet that is first on the wire.
    pub(in crate::net) fn delivers_first(&self) -> bool {
        self.bits & FIRST_COMES_FIRST != 0
    }

    /// From now on each arrival delivers the packet that is first on the wire; these are on it.
    pub(in crate::net) fn deliver_first(&mut self, on_wire: impl IntoIterator<Item = PacketId>) {
        self.set_bit(FIRST_COMES_FIRST, true);
        self.in_transit().extend(on_wire);
    }

    /// The packets on a wire that delivers the first of them.
    pub(in crate::net) fn in_transit(&mut self) -> &mut InTransit {
        &mut self.more.get_or_insert_default().in_transit
    }
}
