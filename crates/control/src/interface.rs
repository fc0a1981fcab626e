//! What ackclock and a library exchange: C structs and functions, so that both may be compiled by different compilers.
//!
//! A library has a symbol `ackclock_controls`, a [`Library`]. Its first field is the version in every version. No panic
//! crosses the boundary: a call returns 1 and writes what the panic said.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Once;

use crate::control::{Control, Parameter};
use crate::types::{Ack, Event, Path, Rate, Response, State, Window};

/// The version of this interface. Whatever changes a struct or a meaning here changes it.
pub const VERSION: u32 = 1;

/// The symbol of a library.
pub const SYMBOL: &[u8] = b"ackclock_controls\0";

/// Bytes of a panic's message that are kept.
pub const FAILURE_BYTES: usize = 512;

/// A text in UTF-8 that lives as long as the library.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Text {
    /// Its first byte.
    pub bytes: *const u8,
    /// Their number.
    pub count: usize,
}

impl Text {
    const fn of(text: &'static str) -> Text {
        Text { bytes: text.as_ptr(), count: text.len() }
    }
}

/// A parameter, by its place.
#[repr(C)]
pub struct ParameterData {
    /// [`Parameter::name`].
    pub name: Text,
    /// [`Parameter::about`].
    pub about: Text,
    /// [`Parameter::default`].
    pub default: f64,
}

/// [`Window`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WindowData {
    /// [`Window::cwnd`].
    pub cwnd: f64,
    /// [`Window::ssthresh`].
    pub ssthresh: f64,
    /// [`Window::pacing_per_s`], if `is_paced`.
    pub pacing_per_s: f64,
    /// 1 if the control sets a pacing rate, otherwise 0.
    pub is_paced: u32,
}

/// [`Ack`]. NaN stands for `None`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs)]
pub struct AckData {
    pub rtt_s: f64,
    pub one_way_s: f64,
    pub rate_per_s: f64,
    pub rate_delivered: u64,
    pub rate_prior_delivered: u64,
    pub rate_lost: u64,
    pub rate_marked: u64,
    pub rate_in_flight: u32,
    pub rate_is_app_limited: u32,
    pub has_rate: u32,
    pub delivered: u32,
    pub acked: u32,
    pub sacked: u32,
    pub lost: u32,
    pub marked: u32,
    pub prior_in_flight: u32,
    pub echoes_mark: u32,
    pub ends_round: u32,
}

/// What a panic said.
#[repr(C)]
pub struct Failure {
    /// UTF-8.
    pub text: [u8; FAILURE_BYTES],
    /// Bytes of it.
    pub count: u32,
}

/// A control of one connection.
pub type Connection = *mut c_void;

type On = unsafe extern "C" fn(Connection, *const Path, *mut WindowData, *mut Failure) -> u32;

/// A control of a library. Functions return 0, or 1 after a panic. Events, states, responses and kinds of feedback are
/// their places in [`Event`], [`State`], [`Response`] and [`crate::Feedback`].
#[repr(C)]
#[allow(missing_docs)]
pub struct Table {
    pub name: Text,
    pub about: Text,
    pub has_cong_control: u32,
    pub feedback: u32,
    pub parameters: u32,
    pub parameter: unsafe extern "C" fn(u32, *mut ParameterData),
    pub new: unsafe extern "C" fn(*mut Connection, *mut Failure) -> u32,
    pub free: unsafe extern "C" fn(Connection, *mut Failure) -> u32,
    pub set_param: unsafe extern "C" fn(Connection, u32, f64, *mut Failure) -> u32,
    pub start: On,
    pub on_ack: unsafe extern "C" fn(Connection, *const AckData, *const Path, *mut WindowData, *mut Failure) -> u32,
    pub on_congestion_event:
        unsafe extern "C" fn(Connection, u32, *const Path, *mut WindowData, *mut u32, *mut Failure) -> u32,
    pub on_state: unsafe extern "C" fn(Connection, u32, *const Path, *mut WindowData, *mut Failure) -> u32,
    pub on_recovery_exit: On,
    pub on_spurious_loss: On,
    pub on_idle_restart:
        unsafe extern "C" fn(Connection, f64, u32, f64, *const Path, *mut WindowData, *mut Failure) -> u32,
}

// SAFETY: constants; the texts live as long as the library.
unsafe impl Sync for Table {}

/// What the symbol of a library is.
#[repr(C)]
pub struct Library {
    /// [`VERSION`].
    pub version: u32,
    /// Number of tables.
    pub count: u32,
    /// The tables.
    pub tables: *const Table,
}

// SAFETY: constants.
unsafe impl Sync for Library {}

impl Library {
    /// A library of these controls.
    pub const fn of(tables: &'static [Table]) -> Library {
        Library { version: VERSION, count: tables.len() as u32, tables: tables.as_ptr() }
    }
}

/// The table of a control, under this name.
pub const fn table<C: Control>(name: &'static str) -> Table {
    Table {
        name: Text::of(name),
        about: Text::of(C::ABOUT),
        has_cong_control: C::HAS_CONG_CONTROL as u32,
        feedback: C::FEEDBACK as u32,
        parameters: C::PARAMETERS.len() as u32,
        parameter: Calls::<C>::parameter,
        new: Calls::<C>::make,
        free: Calls::<C>::free,
        set_param: Calls::<C>::set_param,
        start: Calls::<C>::start,
        on_ack: Calls::<C>::on_ack,
        on_congestion_event: Calls::<C>::on_congestion_event,
        on_state: Calls::<C>::on_state,
        on_recovery_exit: Calls::<C>::on_recovery_exit,
        on_spurious_loss: Calls::<C>::on_spurious_loss,
        on_idle_restart: Calls::<C>::on_idle_restart,
    }
}

thread_local! {
    /// Where the last panic of this thread was, and what it said.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps where a panic was, in place of printing it. A shared library has a standard library, and so a hook, of its own.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        set_hook(Box::new(|panic| {
            let place = panic.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
            let payload = panic.payload();
            let text = payload.downcast_ref::<&str>().copied();
            let message = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
            let said = format!("panicked{place}: {message}").replace('\n', " ");
            let _ = SAID.try_with(|last| *last.borrow_mut() = said);
        }));
    });
}

/// # Safety
/// `failure` can be written.
unsafe fn guard(failure: *mut Failure, work: impl FnOnce()) -> u32 {
    listen();
    if catch_unwind(AssertUnwindSafe(work)).is_ok() {
        return 0;
    }
    let said = SAID.try_with(|last| last.borrow().clone()).unwrap_or_default();
    let mut count = said.len().min(FAILURE_BYTES);
    while !said.is_char_boundary(count) {
        count -= 1;
    }
    // SAFETY: by the caller.
    unsafe {
        (&mut (*failure).text)[..count].copy_from_slice(&said.as_bytes()[..count]);
        (*failure).count = count as u32;
    }
    1
}

fn optional(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

impl From<&AckData> for Ack {
    fn from(data: &AckData) -> Ack {
        let rate = Rate {
            per_s: optional(data.rate_per_s),
            delivered: data.rate_delivered,
            prior_delivered: data.rate_prior_delivered,
            lost: data.rate_lost,
            marked: data.rate_marked,
            in_flight: data.rate_in_flight,
            is_app_limited: data.rate_is_app_limited != 0,
        };
        Ack {
            delivered: data.delivered,
            acked: data.acked,
            sacked: data.sacked,
            lost: data.lost,
            marked: data.marked,
            prior_in_flight: data.prior_in_flight,
            echoes_mark: data.echoes_mark != 0,
            ends_round: data.ends_round != 0,
            rtt_s: optional(data.rtt_s),
            one_way_s: optional(data.one_way_s),
            rate: (data.has_rate != 0).then_some(rate),
        }
    }
}

struct Calls<C>(PhantomData<C>);

impl<C: Control> Calls<C> {
    unsafe extern "C" fn parameter(index: u32, out: *mut ParameterData) {
        if let Some(Parameter { name, about, default }) = C::PARAMETERS.get(index as usize) {
            // SAFETY: ackclock gives a place that can be written.
            unsafe { out.write(ParameterData { name: Text::of(name), about: Text::of(about), default: *default }) };
        }
    }

    unsafe extern "C" fn make(out: *mut Connection, failure: *mut Failure) -> u32 {
        // SAFETY: as above.
        unsafe { guard(failure, || out.write(Box::into_raw(Box::new(C::default())).cast())) }
    }

    unsafe extern "C" fn free(connection: Connection, failure: *mut Failure) -> u32 {
        // SAFETY: `make` made it, and it is used no more.
        unsafe { guard(failure, || drop(Box::from_raw(connection.cast::<C>()))) }
    }

    unsafe extern "C" fn set_param(connection: Connection, index: u32, value: f64, failure: *mut Failure) -> u32 {
        // SAFETY: `make` made it, and this is the only call in it.
        let control = unsafe { &mut *connection.cast::<C>() };
        // SAFETY: as above.
        unsafe {
            guard(failure, || {
                if let Some(known) = C::PARAMETERS.get(index as usize) {
                    control.set_param(known.name, value);
                }
            })
        }
    }

    /// # Safety
    /// `make` made the connection, this is the only call in it, and the pointers lead to what their types say.
    unsafe fn call(
        connection: Connection,
        path: *const Path,
        data: *mut WindowData,
        failure: *mut Failure,
        work: impl FnOnce(&mut C, &Path, &mut Window),
    ) -> u32 {
        // SAFETY: by the caller.
        unsafe {
            let (control, path, data) = (&mut *connection.cast::<C>(), &*path, &mut *data);
            guard(failure, || {
                let pacing_per_s = (data.is_paced != 0).then_some(data.pacing_per_s);
                let mut window = Window { cwnd: data.cwnd, ssthresh: data.ssthresh, pacing_per_s };
                work(control, path, &mut window);
                *data = WindowData {
                    cwnd: window.cwnd,
                    ssthresh: window.ssthresh,
                    pacing_per_s: window.pacing_per_s.unwrap_or(0.0),
                    is_paced: window.pacing_per_s.is_some().into(),
                };
            })
        }
    }

    unsafe extern "C" fn start(
        connection: Connection,
        path: *const Path,
        window: *mut WindowData,
        failure: *mut Failure,
    ) -> u32 {
        // SAFETY: by ackclock.
        unsafe { Self::call(connection, path, window, failure, |control, path, window| control.start(path, window)) }
    }

    unsafe extern "C" fn on_ack(
        connection: Connection,
        ack: *const AckData,
        path: *const Path,
        window: *mut WindowData,
        failure: *mut Failure,
    ) -> u32 {
        // SAFETY: by ackclock.
        unsafe {
            let ack = Ack::from(&*ack);
            Self::call(connection, path, window, failure, |control, path, window| control.on_ack(&ack, path, window))
        }
    }

    unsafe extern "C" fn on_congestion_event(
        connection: Connection,
        event: u32,
        path: *const Path,
        window: *mut WindowData,
        response: *mut u32,
        failure: *mut Failure,
    ) -> u32 {
        let event = [Event::Loss, Event::Mark, Event::Timeout][event.min(2) as usize];
        // SAFETY: by ackclock.
        unsafe {
            Self::call(connection, path, window, failure, |control, path, window| {
                let chosen: Response = control.on_congestion_event(event, path, window);
                response.write(chosen as u32);
            })
        }
    }

    unsafe extern "C" fn on_state(
        connection: Connection,
        state: u32,
        path: *const Path,
        window: *mut WindowData,
        failure: *mut Failure,
    ) -> u32 {
        let states = [State::Open, State::Disorder, State::Cwr, State::Recovery, State::Loss];
        let state = states[state.min(4) as usize];
        // SAFETY: by ackclock.
        unsafe {
            Self::call(connection, path, window, failure, |control, path, window| control.on_state(state, path, window))
        }
    }

    unsafe extern "C" fn on_recovery_exit(
        connection: Connection,
        path: *const Path,
        window: *mut WindowData,
        failure: *mut Failure,
    ) -> u32 {
        // SAFETY: by ackclock.
        unsafe {
            Self::call(connection, path, window, failure, |control, path, window| {
                control.on_recovery_exit(path, window)
            })
        }
    }

    unsafe extern "C" fn on_spurious_loss(
        connection: Connection,
        path: *const Path,
        window: *mut WindowData,
        failure: *mut Failure,
    ) -> u32 {
        // SAFETY: by ackclock.
        unsafe {
            Self::call(connection, path, window, failure, |control, path, window| {
                control.on_spurious_loss(path, window)
            })
        }
    }

    unsafe extern "C" fn on_idle_restart(
        connection: Connection,
        idle_s: f64,
        timeouts: u32,
        initial: f64,
        path: *const Path,
        window: *mut WindowData,
        failure: *mut Failure,
    ) -> u32 {
        // SAFETY: by ackclock.
        unsafe {
            Self::call(connection, path, window, failure, |control, path, window| {
                control.on_idle_restart(idle_s, timeouts, initial, path, window);
            })
        }
    }
}
