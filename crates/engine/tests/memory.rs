//! How much memory a flow takes, with its two hosts, four links and their queues.

#[path = "../examples/networks/mod.rs"]
mod networks;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicI64, Ordering};

use networks::{Dumbbell, Shape};

struct Counting;

static LIVE: AtomicI64 = AtomicI64::new(0);

// SAFETY: every call is the system allocator's own; counting touches nothing but a number.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as i64, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// 1.5 kB is what was asked for; benches/flows.py has the whole process, with what the system's allocator adds.
#[test]
fn a_flow_takes_less_than_one_and_a_half_kilobytes() {
    const FLOWS: usize = 1_000;
    let shape = Shape {
        flows: FLOWS,
        rate_bps: 1e9,
        delay_s: 0.02,
        limit: 2_500,
        more_links: 0,
        sender: "sack",
        queue: "drop_tail",
    };
    let before = LIVE.load(Ordering::Relaxed);
    let dumbbell = Dumbbell::new(&shape, 1);
    let each = (LIVE.load(Ordering::Relaxed) - before) / FLOWS as i64;
    assert_eq!(dumbbell.senders.len(), FLOWS);
    assert!((500..1_500).contains(&each), "{each} bytes a flow");
    println!("{each} bytes a flow");
}
