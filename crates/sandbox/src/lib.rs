//! Confines the calling process to one folder.
//!
//! [`confine`] applies three mechanisms of the Linux kernel, as far as the system supports them:
//!
//! | mechanism | what it removes | file |
//! |---|---|---|
//! | mount namespace | every file outside the folder, including its name and size | `namespace.rs` |
//! | Landlock | opening or changing a file outside the folder | `files.rs` |
//! | seccomp | programs, sockets, other processes, and all system calls that a script does not need | `calls.rs` |
//!
//! The restriction lasts until the process ends. Open files stay open, and loaded libraries stay usable, so the caller
//! must first load all that it may need later.

#![cfg_attr(not(target_os = "linux"), allow(unused))]

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod namespace;

use std::fmt;
use std::path::Path;

/// The mechanisms in force after [`confine`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// The process sees no file outside the folder.
    pub namespace: bool,
    /// The kernel refuses to open files outside the folder.
    pub landlock: bool,
    /// The kernel refuses system calls that are not on the list.
    pub seccomp: bool,
}

/// Why the process could not be confined. Some mechanisms may already be in force: the caller should end the process.
#[derive(Debug)]
pub struct Unconfined(String);

impl fmt::Display for Unconfined {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unconfined {}

/// Whether this user may create a mount namespace for [`confine`]. The calling process is unusable afterwards: call it
/// in a forked process that then ends.
#[cfg(target_os = "linux")]
pub fn namespace_is_allowed() -> bool {
    namespace::is_allowed()
}

/// Other systems have no mount namespaces.
#[cfg(not(target_os = "linux"))]
pub fn namespace_is_allowed() -> bool {
    false
}

/// Confines this process to `folder`, which it may read and change, and to the files `readable`, which it may read.
///
/// `/dev/null` stays usable. The folder must be an absolute path without symbolic links. The process must have one
/// thread: existing threads would stay unrestricted. The working directory becomes `folder`. `namespace` is the result
/// of [`namespace_is_allowed`].
///
/// # Errors
///
/// [`Unconfined`] if the system has no seccomp, or neither Landlock nor a mount namespace, or if the process has several threads.
#[cfg(target_os = "linux")]
pub fn confine(folder: &Path, readable: &[&Path], namespace: bool) -> Result<Confinement, Unconfined> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, |tasks| tasks.count());
    if threads != 1 {
        return Err(Unconfined(format!("the process has {threads} threads; expected one")));
    }
    // If the folder is the root directory, there is nothing to hide.
    let namespace = namespace && folder != Path::new("/");
    if namespace {
        namespace::hide_all_but(folder, readable)
            .map_err(|why| Unconfined(format!("a mount namespace of its own: {why}")))?;
    }
    let landlock = match files::restrict(folder, readable) {
        Ok(()) => true,
        Err(_) if namespace => false,
        Err(why) => return Err(Unconfined(format!("no mount namespace is allowed, and no Landlock ({why})"))),
    };
    calls::restrict().map_err(|why| Unconfined(format!("seccomp: {why}")))?;
    Ok(Confinement { namespace, landlock, seccomp: true })
}

/// Other systems lack these mechanisms: always [`Unconfined`].
#[cfg(not(target_os = "linux"))]
pub fn confine(_folder: &Path, _readable: &[&Path], _namespace: bool) -> Result<Confinement, Unconfined> {
    Err(Unconfined("this system has neither Landlock nor seccomp: they are Linux's".into()))
}
