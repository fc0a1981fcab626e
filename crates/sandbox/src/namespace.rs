//! Mount namespace: a new root that contains one folder, some readable files, and `/dev/null`.
//!
//! Landlock refuses to open a file, but a process can still query its existence and size. In this namespace other files
//! do not exist.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::process::{chdir, getgid, getuid, pivot_root};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// A folder that every system has. The new root is mounted on it, visible only to this process.
const BASE: &str = "/tmp";

/// Moves this process into a root that contains only `folder`, the files `readable` and `/dev/null`, under their old
/// paths, and then into `folder`. After an error the process may be between two roots: it must end.
pub fn hide_all_but(folder: &Path, readable: &[&Path]) -> Result<(), String> {
    enter()?;
    build(folder, readable)
}

/// Whether this user may create such a namespace. The calling process is unusable afterwards.
pub fn is_allowed() -> bool {
    // Some systems allow the namespace but no mount in it (AppArmor on Ubuntu 24.04).
    enter().is_ok()
        && mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).is_ok()
        && mount("tmpfs", BASE, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(c"mode=0755")).is_ok()
}

/// Enters a new mount namespace. Only root can do so directly; other users need a user namespace, too.
fn enter() -> Result<(), String> {
    let (user, group) = (getuid(), getgid());
    // SAFETY: neither flag shares or copies memory or file descriptors; the process has one thread.
    #[allow(unsafe_code)]
    let unshare = |flags| unsafe { unshare_unsafe(flags) };
    if unshare(UnshareFlags::NEWNS).is_ok() {
        return Ok(());
    }
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS).map_err(|error| error.to_string())?;
    // Files keep their owners: the user is mapped to itself in the namespace (user_namespaces(7)).
    let map = |file: &str, text: String| fs::write(Path::new("/proc/self").join(file), text);
    map("setgroups", "deny".into())
        .and_then(|()| map("uid_map", format!("{0} {0} 1", user.as_raw())))
        .and_then(|()| map("gid_map", format!("{0} {0} 1", group.as_raw())))
        .map_err(|error| error.to_string())
}

fn build(folder: &Path, readable: &[&Path]) -> Result<(), String> {
    let said = |what: &'static str| move |error: rustix::io::Errno| format!("{what}: {error}");
    let io = |error: std::io::Error| error.to_string();
    // The following mounts are not visible outside.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).map_err(said("private mounts"))?;
    mount("tmpfs", BASE, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(c"mode=0755")).map_err(said("tmpfs"))?;
    let base = Path::new(BASE);
    for name in ["new", "old"] {
        fs::create_dir(base.join(name)).map_err(io)?;
    }
    pivot_root(base, base.join("old")).map_err(said("pivot_root"))?;
    chdir("/").map_err(said("chdir"))?;
    mount_bind("/new", "/new").map_err(said("bind"))?;

    let (from, to) = (moved(Path::new("/old")), moved(Path::new("/new")));
    fs::create_dir_all(to(folder)).map_err(io)?;
    mount_bind_recursive(from(folder), to(folder)).map_err(said("bind the folder"))?;
    for file in readable.iter().copied().chain([Path::new("/dev/null")]) {
        if file.starts_with(folder) {
            continue;
        }
        let place = to(file);
        fs::create_dir_all(place.parent().unwrap_or(Path::new("/new"))).map_err(io)?;
        fs::write(&place, "").map_err(io)?;
        mount_bind(from(file), &place).map_err(said("bind a file"))?;
    }

    unmount("/old", UnmountFlags::DETACH).map_err(said("leave the old root"))?;
    chdir("/new").map_err(said("chdir"))?;
    // The old root is mounted over the new one and then detached: pivot_root(2), "pivot_root(".", ".")".
    pivot_root(".", ".").map_err(said("pivot_root"))?;
    unmount(".", UnmountFlags::DETACH).map_err(said("leave the base"))?;
    mount_remount("/", MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV, "")
        .map_err(said("read-only root"))?;
    chdir(folder).map_err(said("chdir to the folder"))?;
    rustix::fs::open(".", OFlags::RDONLY | OFlags::DIRECTORY, rustix::fs::Mode::empty())
        .map_err(said("open the folder"))?;
    Ok(())
}

/// Maps an absolute path to a path below another root.
fn moved(root: &Path) -> impl Fn(&Path) -> PathBuf + '_ {
    move |path| root.join(path.strip_prefix("/").unwrap_or(path))
}
