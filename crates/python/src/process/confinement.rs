//! What confines a script's process, and ties it to the process that started it.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// Confine this process to `folder`, an absolute path without symbolic links, and to reading the files of `readable`; start no
/// program and open no socket from here on. The names of the mechanisms in force: "namespace", "landlock", "seccomp".
///
/// `namespace` says that `namespace_is_allowed`. Raises `OSError` where the system cannot do it; the process should end then.
#[pyfunction]
pub fn confine(folder: PathBuf, readable: Vec<PathBuf>, namespace: bool) -> PyResult<Vec<&'static str>> {
    let readable: Vec<&Path> = readable.iter().map(PathBuf::as_path).collect();
    let made = ackclock_sandbox::confine(&folder, &readable, namespace)
        .map_err(|error| PyOSError::new_err(error.to_string()))?;
    let all = [("namespace", made.namespace), ("landlock", made.landlock), ("seccomp", made.seccomp)];
    Ok(all.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect())
}

/// Whether this user may have a mount namespace. The process that asks is unusable afterwards: ask after `os.fork`.
#[pyfunction]
pub fn namespace_is_allowed() -> bool {
    ackclock_sandbox::namespace_is_allowed()
}

/// The system kills this process when its parent ends, however it ends. Without effect where the system is not Linux.
#[pyfunction]
pub fn die_with_parent() -> PyResult<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(std::io::Error::from)?;
    Ok(())
}

/// Processes below this one whose parents end become its own children. Without effect where the system is not Linux.
#[pyfunction]
pub fn adopt_orphans() -> PyResult<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(std::io::Error::from)?;
    Ok(())
}
