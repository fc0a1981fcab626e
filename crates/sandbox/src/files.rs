//! Landlock: restricts which files can be opened and changed.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};

/// The newest Landlock ABI to request; an older kernel enforces the part that it supports.
const NEWEST: ABI = ABI::V6;

/// Allows this thread, and the threads that it starts, to use files in `folder` and to read `readable`, and no other
/// files.
pub fn restrict(folder: &Path, readable: &[&Path]) -> Result<(), String> {
    enforce(folder, readable).map_err(|error| error.to_string()).and_then(|status| match status {
        RulesetStatus::NotEnforced => Err("the kernel does not enforce it".into()),
        _ => Ok(()),
    })
}

fn enforce(folder: &Path, readable: &[&Path]) -> Result<RulesetStatus, Box<dyn std::error::Error>> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let change = AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new(folder)?, read | change))?
        .add_rule(PathBeneath::new(PathFd::new("/dev/null")?, AccessFs::ReadFile | AccessFs::WriteFile))?;
    for path in readable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, AccessFs::ReadFile))?;
    }
    Ok(rules.restrict_self()?.ruleset)
}
