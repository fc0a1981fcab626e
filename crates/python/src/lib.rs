//! The extension module `ackclock._native`: conversions and error mapping, no rule of its own. What a script's objects are, as long
//! as they do what most do, is in [`ns2::lazy_objects`].

mod convert;
mod ns2;
mod packetdrill;
mod plugins;
mod process;
mod random;
mod registry;
mod run;
mod simulation;
mod trace;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("MANY_VARIABLES", ns2::tcl_hash_order::MANY_VARIABLES)?;
    module.add("SimulationError", module.py().get_type::<convert::SimulationError>())?;
    module.add("InvariantError", module.py().get_type::<convert::InvariantError>())?;
    module.add("LimitError", module.py().get_type::<convert::LimitError>())?;
    module.add("TraceError", module.py().get_type::<trace::files::TraceError>())?;
    module.add("PartialTrace", module.py().get_type::<trace::files::PartialTrace>())?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<simulation::nodes::Node>()?;
    module.add_class::<simulation::links::Link>()?;
    module.add_class::<simulation::queues::Queue>()?;
    module.add_class::<simulation::agents::Agent>()?;
    module.add_class::<simulation::applications::Application>()?;
    module.add_class::<simulation::lans::Lan>()?;
    module.add_class::<simulation::loss::ErrorModel>()?;
    module.add_class::<simulation::loss::ErrorModule>()?;
    module.add_class::<simulation::delay_boxes::DelayBox>()?;
    module.add_class::<simulation::multicast::GroupTable>()?;
    module.add_class::<simulation::multicast::Replicator>()?;
    module.add_class::<simulation::token_buckets::TokenBucket>()?;
    module.add_class::<simulation::quick_start::QuickStartRouter>()?;
    module.add_class::<simulation::random_variables::SimulationStream>()?;
    module.add_class::<simulation::random_variables::RandomVariable>()?;
    module.add_class::<simulation::parts::Part>()?;
    module.add_class::<simulation::monitors::Monitor>()?;
    module.add_class::<simulation::monitors::Integral>()?;
    module.add_class::<simulation::monitors::FlowTable>()?;
    module.add_class::<run::channels::Channel>()?;
    module.add_class::<run::tracing::TracePlace>()?;
    module.add_class::<run::tracing::VariablePlace>()?;
    module.add_class::<run::watched_agents::NamPlace>()?;
    module.add_class::<run::captures::Capture>()?;
    module.add_class::<ns2::tcl_hash_order::TclHashOrder>()?;
    module.add_class::<ns2::clock::Clock>()?;
    module.add_class::<convert::Params>()?;
    #[cfg(unix)]
    module.add_class::<ns2::signal_watcher::SignalWatcher>()?;
    module.add_class::<plugins::control::Ack>()?;
    module.add_class::<plugins::control::SenderState>()?;
    module.add_class::<plugins::kernel::KernelModule>()?;
    module.add_class::<plugins::library::ControlLibrary>()?;
    module.add_class::<plugins::queue::Packet>()?;
    module.add_class::<ns2::lazy_objects::Command>()?;
    module.add_class::<ns2::lazy_objects::Count>()?;
    module.add_class::<ns2::lazy_objects::LazyObjects>()?;
    module.add_class::<random::RandomStream>()?;
    module.add_class::<trace::files::TraceFile>()?;
    module.add_class::<trace::recordings::Recording>()?;
    module.add_class::<run::networks::ResolvedNetwork>()?;
    module.add_class::<run::merged_runs::MergedRuns>()?;
    module.add_class::<run::steered_runs::SteeredRuns>()?;
    module.add_class::<run::tables::Table>()?;
    module.add_function(wrap_pyfunction!(process::allocator::abort_silently_without_memory, module)?)?;
    module.add_function(wrap_pyfunction!(process::confinement::adopt_orphans, module)?)?;
    module.add_function(wrap_pyfunction!(process::confinement::confine, module)?)?;
    module.add_function(wrap_pyfunction!(process::confinement::die_with_parent, module)?)?;
    module.add_function(wrap_pyfunction!(process::confinement::namespace_is_allowed, module)?)?;
    module.add_function(wrap_pyfunction!(packetdrill::run_packetdrill, module)?)?;
    module.add_function(wrap_pyfunction!(registry::queue_disciplines, module)?)?;
    module.add_function(wrap_pyfunction!(registry::applications, module)?)?;
    module.add_function(wrap_pyfunction!(registry::agents, module)?)?;
    module.add_function(wrap_pyfunction!(registry::tcp_senders, module)?)?;
    module.add_function(wrap_pyfunction!(registry::tcp_receivers, module)?)?;
    module.add_function(wrap_pyfunction!(registry::tcp_two_way, module)?)?;
    module.add_function(wrap_pyfunction!(registry::error_models, module)?)?;
    module.add_function(wrap_pyfunction!(registry::congestion_controls, module)?)?;
    module.add_function(wrap_pyfunction!(registry::ecn_controls, module)?)?;
    module.add_function(wrap_pyfunction!(registry::format_g, module)?)?;
    module.add_function(wrap_pyfunction!(random::hash_seed, module)?)?;
    module.add_function(wrap_pyfunction!(run::merged_runs::join_runs, module)?)?;
    module.add_function(wrap_pyfunction!(run::descriptions::scenario_parts, module)?)?;
    module.add_function(wrap_pyfunction!(run::descriptions::scenario_constants, module)?)?;
    module.add_function(wrap_pyfunction!(run::descriptions::check_part, module)?)?;
    module.add_function(wrap_pyfunction!(run::descriptions::rate_bps, module)?)?;
    module.add_function(wrap_pyfunction!(run::descriptions::time_s, module)?)?;
    module.add_function(wrap_pyfunction!(run::descriptions::size_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(run::descriptions::amount, module)?)?;
    module.add_function(wrap_pyfunction!(run::descriptions::nearest_name, module)?)?;
    module.add_function(wrap_pyfunction!(run::networks::read_deliveries, module)?)?;
    module.add_function(wrap_pyfunction!(run::networks::default_sets, module)?)?;
    module.add_function(wrap_pyfunction!(run::networks::flow_kind, module)?)?;
    module.add_function(wrap_pyfunction!(run::networks::scenario_parameters, module)?)?;
    module.add_function(wrap_pyfunction!(run::scenarios::check_scenario_text, module)?)?;
    module.add_function(wrap_pyfunction!(run::scenarios::run_scenario_text, module)?)?;
    module.add_function(wrap_pyfunction!(process::stack::grow_stack, module)?)?;
    module.add_function(wrap_pyfunction!(trace::files::trace_schema, module)?)?;
    module.add_function(wrap_pyfunction!(trace::files::trace_throughput, module)?)?;
    module.add_function(wrap_pyfunction!(trace::recordings::thin_curve, module)?)?;
    Ok(())
}
