//! What Linux says of this process's memory.

/// The number behind a word of `/proc/self/status` (`VmRSS:` in use, `VmHWM:` the most so far), KiB; `None` where no system
/// tells.
pub fn memory_kib(word: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(word))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
