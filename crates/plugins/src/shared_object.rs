//! Loads shared objects.
#![allow(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use libloading::Library;

/// Loads a copy of the file at `path`, whose content is `bytes`. The loader would give the same object for the same file; a
/// copy has variables of its own.
///
/// # Safety
/// Loading runs the object's constructors: the user has decided to run its code.
///
/// # Errors
/// Why it cannot be loaded, in one line.
pub unsafe fn load_copy(path: &Path, bytes: &[u8]) -> Result<Library, String> {
    let beside = path.parent().map(Path::to_path_buf).unwrap_or_default();
    // A file system mounted noexec cannot be loaded from; then the folder of the original is tried.
    let mut why = String::new();
    for folder in [std::env::temp_dir(), beside] {
        let copy = copy_name(&folder);
        if let Err(error) = std::fs::write(&copy, bytes) {
            why = format!("cannot write a copy to {}: {error}", folder.display());
            continue;
        }
        // SAFETY: by the caller.
        let loaded = unsafe { Library::new(&copy) };
        let _ = std::fs::remove_file(&copy);
        match loaded {
            Ok(library) => return Ok(library),
            Err(error) => why = format!("cannot be loaded: {}", in_one_line(&error, &copy)),
        }
    }
    Err(why)
}

fn copy_name(folder: &Path) -> PathBuf {
    static COPIES: AtomicU64 = AtomicU64::new(0);
    let number = COPIES.fetch_add(1, Ordering::Relaxed);
    folder.join(format!(".ackclock-{}-{number}.so", std::process::id()))
}

/// The loader's message without the copy's name.
fn in_one_line(error: &libloading::Error, copy: &Path) -> String {
    let message = match error {
        libloading::Error::DlOpen { desc } => format!("{desc:?}"),
        other => other.to_string(),
    };
    let message = message.trim_matches('"').replace(&copy.display().to_string(), "");
    message.trim_start_matches([':', ' ']).replace('\n', " ")
}
