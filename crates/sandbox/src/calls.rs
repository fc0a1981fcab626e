//! Seccomp filter: the allowed system calls. Any other call fails with `EPERM`.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Is, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Error = Box<dyn std::error::Error>;

/// Set-user-id, set-group-id and sticky bits: others could run such a file with this user's rights.
const SPECIAL_MODES: u64 = 0o7000;

/// Calls that are allowed with any arguments. Landlock and the mount namespace restrict the calls that take a path.
#[rustfmt::skip]
const ALLOWED: &[c_long] = &[
    // open files
    libc::SYS_read, libc::SYS_readv, libc::SYS_pread64, libc::SYS_preadv, libc::SYS_write, libc::SYS_writev, libc::SYS_pwrite64,
    libc::SYS_pwritev, libc::SYS_lseek, libc::SYS_close, libc::SYS_close_range, libc::SYS_dup, libc::SYS_dup3, libc::SYS_fcntl,
    libc::SYS_fstat, libc::SYS_ftruncate, libc::SYS_fallocate, libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_flock,
    libc::SYS_getdents64, libc::SYS_pipe2, libc::SYS_sendfile, libc::SYS_copy_file_range,
    // files by path
    libc::SYS_newfstatat, libc::SYS_statx, libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_readlinkat, libc::SYS_getcwd,
    libc::SYS_chdir, libc::SYS_fchdir, libc::SYS_unlinkat, libc::SYS_renameat, libc::SYS_renameat2, libc::SYS_umask,
    // memory
    libc::SYS_brk, libc::SYS_mmap, libc::SYS_munmap, libc::SYS_mprotect, libc::SYS_mremap, libc::SYS_madvise, libc::SYS_membarrier,
    // waiting
    libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_create1, libc::SYS_epoll_ctl, libc::SYS_epoll_pwait, libc::SYS_eventfd2,
    libc::SYS_futex, libc::SYS_nanosleep, libc::SYS_clock_nanosleep, libc::SYS_sched_yield, libc::SYS_restart_syscall,
    // time and process information
    libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_gettimeofday, libc::SYS_times, libc::SYS_getrusage, libc::SYS_getpid,
    libc::SYS_gettid, libc::SYS_getppid, libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid, libc::SYS_getegid,
    libc::SYS_sched_getaffinity, libc::SYS_getcpu, libc::SYS_uname, libc::SYS_sysinfo, libc::SYS_getrandom,
    // signals and threads of this process; `without_clone3` rejects clone3
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_sigaltstack, libc::SYS_set_robust_list,
    libc::SYS_rseq, libc::SYS_clone3, libc::SYS_exit, libc::SYS_exit_group,
];

/// Older names of such calls, which only this architecture has.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const OLDER: &[c_long] = &[
    libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_readlink, libc::SYS_rmdir, libc::SYS_unlink, libc::SYS_rename,
    libc::SYS_dup2, libc::SYS_pipe, libc::SYS_poll, libc::SYS_select, libc::SYS_epoll_wait, libc::SYS_time, libc::SYS_getdents,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[c_long] = &[];

/// Calls that set a file's mode, with the index of the mode argument.
#[cfg(target_arch = "x86_64")]
const WITH_MODE: &[(c_long, u8)] = &[
    (libc::SYS_openat, 3),
    (libc::SYS_open, 2),
    (libc::SYS_creat, 1),
    (libc::SYS_mkdirat, 2),
    (libc::SYS_mkdir, 1),
    (libc::SYS_fchmod, 1),
];
#[cfg(not(target_arch = "x86_64"))]
const WITH_MODE: &[(c_long, u8)] = &[(libc::SYS_openat, 3), (libc::SYS_mkdirat, 2), (libc::SYS_fchmod, 1)];

/// Allowed requests on a terminal or a pipe. TIOCSTI, which would type into the user's shell, is not allowed.
/// The kernel reads 32 bits; the type of the constants differs between C libraries.
const IOCTLS: &[libc::Ioctl] =
    &[libc::TCGETS, libc::TIOCGWINSZ, libc::FIONREAD, libc::FIONBIO, libc::FIOCLEX, libc::FIONCLEX];

/// Restricts this thread, and the threads that it starts, to the calls above.
pub fn restrict() -> Result<(), Error> {
    // glibc starts threads with clone3. With ENOSYS it falls back to clone, whose flags a filter can inspect.
    let without_clone3 = filter(
        BTreeMap::from([(libc::SYS_clone3, vec![])]),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::ENOSYS as u32),
    )?;
    let allowed = filter(rules()?, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)?;
    // The stricter of two filters applies. The second forbids the call that installs filters, so it comes last.
    apply_filter(&without_clone3)?;
    Ok(apply_filter(&allowed)?)
}

fn filter(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> Result<BpfProgram, Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    Ok(SeccompFilter::new(rules, otherwise, matched, arch)?.try_into()?)
}

fn rules() -> Result<Rules, Error> {
    let mut rules: Rules = ALLOWED.iter().chain(OLDER).map(|&call| (call, vec![])).collect();
    for &(call, argument) in WITH_MODE {
        rules.insert(call, vec![masked(argument, SPECIAL_MODES, 0)?]);
    }
    let ioctls = IOCTLS.iter().map(|&request| equal(1, u64::from(request as u32))).collect::<Result<_, Error>>()?;
    rules.insert(libc::SYS_ioctl, ioctls);
    // Threads are allowed, processes are not.
    rules.insert(libc::SYS_clone, vec![masked(0, libc::CLONE_THREAD as u64, libc::CLONE_THREAD as u64)?]);
    // Limits can be read, not changed.
    rules.insert(libc::SYS_prlimit64, vec![quad_equal(2, 0)?]);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_getrlimit, vec![]);
    rules.insert(libc::SYS_prctl, vec![equal(0, libc::PR_SET_NAME as u64)?, equal(0, libc::PR_SET_VMA as u64)?]);
    // Signals only to this process.
    let own = u64::from(std::process::id());
    for call in [libc::SYS_kill, libc::SYS_tgkill] {
        rules.insert(call, vec![equal(0, own)?]);
    }
    Ok(rules)
}

fn equal(argument: u8, value: u64) -> Result<SeccompRule, Error> {
    condition(argument, Len::Dword, Is::Eq, value)
}

fn quad_equal(argument: u8, value: u64) -> Result<SeccompRule, Error> {
    condition(argument, Len::Qword, Is::Eq, value)
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompRule, Error> {
    condition(argument, Len::Dword, Is::MaskedEq(mask), value)
}

fn condition(argument: u8, len: Len, is: Is, value: u64) -> Result<SeccompRule, Error> {
    Ok(SeccompRule::new(vec![SeccompCondition::new(argument, len, is, value)?])?)
}
