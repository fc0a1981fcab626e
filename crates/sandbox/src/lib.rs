//! Confines the calling process to one folder.
//!
//! [`confine`] puts the process behind three mechanisms of the Linux kernel, each as far as the system has it:
//!
//! | mechanism | what it takes away | file |
//! |---|---|---|
//! | mount namespace | every file outside the folder, its name and size included | `namespace.rs` |
//! | Landlock | opening or changing any file outside the folder | `files.rs` |
//! | seccomp | programs, sockets, other processes, and all system calls that a script does not need | `calls.rs` |
//!
//! There is no way back: what is taken away stays away until the process ends. Files that are open stay open, and
//! libraries that are loaded stay usable, so the caller loads first whatever it may need later.

#![cfg_attr(not(target_os = "linux"), allow(unused))]

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod namespace;

use std::fmt;
use std::path::Path;

/// Which mechanisms are in force after [`confine`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// The process sees no file outside the folder.
    pub namespace: bool,
    /// The kernel refuses to open files outside the folder.
    pub landlock: bool,
    /// The kernel refuses system calls that are not on the list.
    pub seccomp: bool,
}

/// Why the process could not be confined. Some mechanisms may be in force already: the caller should end the process.
#[derive(Debug)]
pub struct Unconfined(String);

impl fmt::Display for Unconfined {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unconfined {}

/// Whether this user may have a mount namespace, for [`confine`]. The process that asks is unusable afterwards: ask in a copy of it
/// (`fork`) that then ends.
#[cfg(target_os = "linux")]
pub fn namespace_is_allowed() -> bool {
    namespace::is_allowed()
}

/// Other systems have no mount namespaces.
#[cfg(not(target_os = "linux"))]
pub fn namespace_is_allowed() -> bool {
    false
}

/// Confines this process to `folder`, which it may read and change, and to `readable` files, which it may read.
///
/// `/dev/null` stays usable. The folder must be absolute, without symbolic links. The process must have one thread: threads
/// that exist would stay free. The working directory is `folder` afterwards. `namespace` says that [`namespace_is_allowed`].
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
    // A folder that is the whole file system leaves nothing to hide.
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

/// Other systems have none of this: always [`Unconfined`].
#[cfg(not(target_os = "linux"))]
pub fn confine(_folder: &Path, _readable: &[&Path], _namespace: bool) -> Result<Confinement, Unconfined> {
    Err(Unconfined("this system has neither Landlock nor seccomp: they are Linux's".into()))
}
