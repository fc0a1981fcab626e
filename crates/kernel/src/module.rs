//! A shared object that `ackclock kernel build` has made.

use crate::library::Instance;
use std::path::{Path, PathBuf};

/// A parameter of the kernel's module (`module_param`). All are whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The module's description (`MODULE_PARM_DESC`), or nothing.
    pub about: String,
    /// Its value if it is not set.
    pub default: i64,
}

/// A shared object, read into memory, and the control of it that is used. A file that is built again meanwhile changes
/// nothing.
#[derive(Clone, Debug)]
pub struct Module {
    path: PathBuf,
    bytes: Vec<u8>,
    /// The name of the control.
    pub control: String,
    /// The controls that the module has.
    pub controls: Vec<String>,
    /// Its parameters, in the order of the source.
    pub parameters: Vec<Parameter>,
    /// Ticks per second of its clock (`HZ`).
    pub hz: u32,
    /// The control needs ECN (`TCP_CONG_NEEDS_ECN`).
    pub needs_ecn: bool,
    /// It sets the window by itself (`cong_control`).
    pub has_cong_control: bool,
}

impl Module {
    /// Reads the shared object at `path`, and loads it once to ask what it has. `control` names one of its controls;
    /// without it, the last one that it registers is used.
    ///
    /// # Errors
    /// One line: the file cannot be read or loaded, is of another version of the interface, or has no such control.
    pub fn open(path: &Path, control: Option<&str>) -> Result<Module, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut instance = Instance::load(path, &bytes)?;
        let parameters = instance.parameters();
        let controls = instance
            .register()
            .map_err(|error| format!("{}: its module_init returns the error {error}", path.display()))?;
        let has = controls.join(", ");
        let chosen = control.or(controls.last().map(String::as_str)).unwrap_or_default().to_owned();
        let (needs_ecn, has_cong_control) = instance
            .choose(&chosen)
            .ok_or_else(|| format!("{}: has no control {chosen}; it has {has}", path.display()))?;
        let parameters = parameters
            .into_iter()
            .map(|found| Parameter { name: found.name, about: found.about, default: found.default })
            .rev()
            .collect();
        let hz = instance.hz();
        drop(instance);
        let path = path.to_path_buf();
        Ok(Module { path, bytes, control: chosen, controls, parameters, hz, needs_ecn, has_cong_control })
    }

    /// Loads a copy for a connection, with these values of parameters, each with its place in [`Module::parameters`].
    ///
    /// # Errors
    /// One line: the copy cannot be loaded, or the module refuses a value.
    pub(crate) fn instance(&self, values: &[(usize, i64)]) -> Result<Instance, String> {
        let mut instance = Instance::load(&self.path, &self.bytes)?;
        for &(place, value) in values {
            // The shared object lists them from the last to the first.
            if !instance.set_parameter(self.parameters.len() - 1 - place, value) {
                let name = &self.parameters[place].name;
                return Err(format!("{}: the parameter {name} cannot be {value}", self.path.display()));
            }
        }
        instance.register().map_err(|error| {
            format!("{}: with these parameters its module_init returns the error {error}", self.path.display())
        })?;
        let path = self.path.display();
        instance.choose(&self.control).ok_or_else(|| format!("{path}: has no control {}", self.control))?;
        Ok(instance)
    }
}
