//! Descriptions of links.

use std::ffi::c_char;
use std::time::Duration;

use ackclock::{Link, Loss};

use crate::boundary::{Breaks, array, change, free, make, text, value};
use crate::status::{AckclockStatus, Failure};

/// What a link is to be: rate, delay, queue discipline, losses.
pub struct AckclockLink {
    link: Link,
    losses: Vec<Loss>,
    broken: Option<String>,
}

impl Breaks for AckclockLink {
    fn broken(&mut self) -> &mut Option<String> {
        &mut self.broken
    }
}

impl AckclockLink {
    /// The link with its losses.
    pub(crate) fn whole(&self) -> Link {
        self.losses.iter().cloned().fold(self.link.clone(), Link::loss)
    }
}

/// A link of this rate, bit/s, and propagation delay, with a drop-tail queue. Free it with ackclock_link_free.
#[unsafe(no_mangle)]
pub extern "C" fn ackclock_link_new(rate_bps: f64, delay_ns: u64) -> *mut AckclockLink {
    make(|| {
        let link = Link::new(rate_bps, Duration::from_nanos(delay_ns));
        Ok(AckclockLink { link, losses: Vec::new(), broken: None })
    })
}

/// Frees the description. Links that were made of it stay. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_link_free(link: *mut AckclockLink) {
    // SAFETY: the caller's pointers.
    unsafe { free(link) }
}

/// # Safety
/// As for [`change`].
unsafe fn with(link: *mut AckclockLink, work: impl FnOnce(&mut AckclockLink) -> Result<(), Failure>) -> AckclockStatus {
    // SAFETY: by the caller.
    unsafe { change(link, "the link", work) }
}

/// The queue discipline by its id (ackclock_queue).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_link_queue(link: *mut AckclockLink, id: *const c_char) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(link, |link| {
            link.link = link.link.clone().queue(text(id, "the queue discipline")?);
            Ok(())
        })
    }
}

/// A parameter of the queue discipline. Whole numbers are truncated; 0 and 1 are off and on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_link_param(
    link: *mut AckclockLink,
    name: *const c_char,
    number: f64,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(link, |link| {
            let name = text(name, "the parameter")?;
            link.link = link.link.clone().param(name, value(name, number)?);
            Ok(())
        })
    }
}

/// The maximum of bytes of an IP packet; 1500 unless set. It limits datagrams.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_link_mtu(link: *mut AckclockLink, bytes: u32) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(link, |link| {
            link.link = link.link.clone().mtu(bytes);
            Ok(())
        })
    }
}

/// The cost for the choice of routes; 1 unless set. Packets take the path with the smallest sum.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_link_cost(link: *mut AckclockLink, cost: f64) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(link, |link| {
            link.link = link.link.clone().cost(cost);
            Ok(())
        })
    }
}

/// Each packet is lost with this probability. Several losses of a link add up, in the order of the calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_link_loss_random(link: *mut AckclockLink, probability: f64) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(link, |link| {
            link.losses.push(Loss::random(value("rate", probability)?));
            Ok(())
        })
    }
}

/// These packets of the link are lost, counted from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_link_loss_packets(
    link: *mut AckclockLink,
    listed: *const u32,
    count: usize,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(link, |link| {
            link.losses.push(Loss::packets(array(listed, count, "the list of packets")?));
            Ok(())
        })
    }
}

/// The losses of an error model by its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_link_loss_model(link: *mut AckclockLink, id: *const c_char) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(link, |link| {
            link.losses.push(Loss::model(text(id, "the error model")?));
            Ok(())
        })
    }
}

/// A parameter of the loss that was added last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_link_loss_param(
    link: *mut AckclockLink,
    name: *const c_char,
    number: f64,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(link, |link| {
            let name = text(name, "the parameter")?;
            let number = value(name, number)?;
            let last = link.losses.last_mut();
            let last = last.ok_or_else(|| Failure::argument(format!("the link has no loss to set {name} of")))?;
            *last = last.clone().param(name, number);
            Ok(())
        })
    }
}
