//! A congestion control of your own for [ackclock](https://github.com/ackclock/ackclock), in a shared library.
//!
//! A crate with `crate-type = ["cdylib"]` has a struct, an `impl Control` and one line:
//!
//! ```
//! use ackclock_control::{Ack, Control, Event, Path, Response, Window};
//!
//! #[derive(Default)]
//! pub struct Fixed;
//!
//! impl Control for Fixed {
//!     fn on_ack(&mut self, _: &Ack, _: &Path, window: &mut Window) {
//!         window.cwnd = 20.0;
//!     }
//!
//!     fn on_congestion_event(&mut self, _: Event, _: &Path, _: &mut Window) -> Response {
//!         Response::Own
//!     }
//! }
//!
//! ackclock_control::export!(Fixed);
//! ```
//!
//! A scenario runs it with `tcp = "./target/release/libfixed.so:Fixed"`. `ackclock new control fixed` writes such a crate.
//!
//! Each connection has a value of its own. Keep no state in statics: connections and runs would share it. The library is
//! native code with all rights of the process: load only what you trust.

mod control;
pub mod interface;
mod types;

pub use control::{Control, Parameter};
pub use types::{Ack, Event, Feedback, Path, Rate, Response, State, Window};

/// Exports types that implement [`Control`] under their names. Once for each library.
#[macro_export]
macro_rules! export {
    ($($control:ident),+ $(,)?) => {
        const _: () = {
            static TABLES: &[$crate::interface::Table] =
                &[$($crate::interface::table::<$control>(::core::stringify!($control))),+];

            /// The controls of this library, as ackclock looks for them.
            #[allow(non_upper_case_globals, unsafe_code)]
            #[unsafe(no_mangle)]
            pub static ackclock_controls: $crate::interface::Library = $crate::interface::Library::of(TABLES);
        };
    };
}
