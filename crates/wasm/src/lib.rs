//! The engine for the browser: one run, and what a player asks of it.
//!
//! The page writes a request, as JSON, to where [`input`] points, calls [`request`], and reads the answer where
//! [`output`] points. [`session`] says what can be asked. A page has an instance, in a worker, for each run.

pub mod digest;
pub mod head;
pub mod json;
pub mod layout;
pub mod player;
pub mod refusal;
pub mod session;

use std::cell::RefCell;

use session::Session;

#[derive(Default)]
struct Instance {
    input: Vec<u8>,
    output: Vec<u8>,
    session: Session,
}

thread_local! {
    static INSTANCE: RefCell<Instance> = RefCell::default();
}

/// Allocates a request of `bytes` bytes; its address.
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    INSTANCE.with_borrow_mut(|instance| {
        instance.input = vec![0; bytes];
        instance.input.as_mut_ptr()
    })
}

/// Answers the request that stands in the input; 1 if the answer is JSON, 2 if it is binary, 0 for a refusal.
#[unsafe(no_mangle)]
pub extern "C" fn request() -> u32 {
    INSTANCE.with_borrow_mut(|instance| {
        let (kind, output) = instance.session.answer(&instance.input);
        instance.input = Vec::new();
        instance.output = output;
        kind
    })
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    INSTANCE.with_borrow(|instance| instance.output.as_ptr())
}

/// How many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn output_bytes() -> usize {
    INSTANCE.with_borrow(|instance| instance.output.len())
}
