//! The extension module `ackclock._native`: conversions and error mapping, no rule of its own. What a script's objects are, as long
//! as they do what most do, is in [`promises`].

mod addresses;
mod allocator;
mod arrays;
mod buckets;
mod captures;
mod clock;
mod confinement;
mod convert;
mod delay_boxes;
mod describe;
mod dynamics;
mod emulation;
mod exchanges;
mod files;
mod flows;
mod lans;
mod lookout;
mod loss;
mod own;
mod own_control;
mod own_queue;
mod promises;
mod quick_start;
mod random;
mod recordings;
mod runs;
mod simulation;
mod stack;
mod tables;
mod timeline;
mod traces;
mod tracing;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("MANY_VARIABLES", arrays::MANY_VARIABLES)?;
    module.add("SimulationError", module.py().get_type::<convert::SimulationError>())?;
    module.add("InvariantError", module.py().get_type::<convert::InvariantError>())?;
    module.add("LimitError", module.py().get_type::<convert::LimitError>())?;
    module.add("TraceError", module.py().get_type::<traces::TraceError>())?;
    module.add("PartialTrace", module.py().get_type::<traces::PartialTrace>())?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<arrays::Arrays>()?;
    module.add_class::<clock::Clock>()?;
    module.add_class::<convert::Params>()?;
    module.add_class::<lookout::Lookout>()?;
    module.add_class::<own_control::Ack>()?;
    module.add_class::<own_control::SenderState>()?;
    module.add_class::<own_queue::Packet>()?;
    module.add_class::<promises::Command>()?;
    module.add_class::<promises::Count>()?;
    module.add_class::<promises::Promises>()?;
    module.add_class::<random::RandomStream>()?;
    module.add_class::<recordings::Recording>()?;
    module.add_class::<runs::MergedRuns>()?;
    module.add_class::<tables::Table>()?;
    module.add_function(wrap_pyfunction!(allocator::abort_silently_without_memory, module)?)?;
    module.add_function(wrap_pyfunction!(confinement::adopt_orphans, module)?)?;
    module.add_function(wrap_pyfunction!(confinement::confine, module)?)?;
    module.add_function(wrap_pyfunction!(confinement::die_with_parent, module)?)?;
    module.add_function(wrap_pyfunction!(confinement::namespace_is_allowed, module)?)?;
    module.add_function(wrap_pyfunction!(describe::queue_disciplines, module)?)?;
    module.add_function(wrap_pyfunction!(describe::applications, module)?)?;
    module.add_function(wrap_pyfunction!(describe::agents, module)?)?;
    module.add_function(wrap_pyfunction!(describe::tcp_senders, module)?)?;
    module.add_function(wrap_pyfunction!(describe::tcp_receivers, module)?)?;
    module.add_function(wrap_pyfunction!(describe::tcp_two_way, module)?)?;
    module.add_function(wrap_pyfunction!(describe::error_models, module)?)?;
    module.add_function(wrap_pyfunction!(describe::congestion_controls, module)?)?;
    module.add_function(wrap_pyfunction!(describe::format_g, module)?)?;
    module.add_function(wrap_pyfunction!(random::hash_seed, module)?)?;
    module.add_function(wrap_pyfunction!(runs::join_runs, module)?)?;
    module.add_function(wrap_pyfunction!(stack::grow_stack, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_schema, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_series, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_stats, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_packets, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_stream, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_throughput, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_to_pcapng, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_write, module)?)?;
    Ok(())
}
