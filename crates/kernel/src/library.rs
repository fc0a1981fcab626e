//! The foreign function interface: a loaded copy of a shared object. The only file of the crate with `unsafe`.
#![allow(unsafe_code)]

use crate::interface::{Operation, VERSION, View};
use ackclock_plugins::shared_object::load_copy;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_longlong, c_uint};
use std::path::Path;

type Call = unsafe extern "C" fn(c_uint, *mut View) -> c_int;

/// A parameter of the module, as the shared object describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub name: String,
    pub about: String,
    pub default: i64,
}

/// A loaded copy, with variables of its own. Functions of it need `&mut self`: one thread at a time is in it.
pub(crate) struct Instance {
    /// Before the library, so that nothing calls it when it is unloaded.
    call: Call,
    library: Library,
}

impl Instance {
    /// Loads a copy of the shared object at `path`, whose content is `bytes`.
    ///
    /// # Errors
    /// What is wrong with the file: it cannot be loaded, or was made for another version of the interface.
    pub fn load(path: &Path, bytes: &[u8]) -> Result<Instance, String> {
        // SAFETY: the user has decided to run the code.
        let library = unsafe { load_copy(path, bytes) }.map_err(|why| format!("{}: {why}", path.display()))?;
        let refused = |found: &str| {
            format!(
                "{}: built for {found}, and this ackclock has version {VERSION} of the interface; build it again with \
                 `ackclock kernel build`",
                path.display()
            )
        };
        let number = |name: &[u8]| -> Option<u32> {
            // SAFETY: a symbol of this name is a constant of this type in every version of the interface.
            unsafe { library.get::<*const c_uint>(name).ok().map(|place| **place) }
        };
        let version = number(b"ackclock_interface_version\0").ok_or_else(|| {
            format!("{}: not made by `ackclock kernel build`: it has no ackclock_interface_version", path.display())
        })?;
        if version != VERSION {
            return Err(refused(&format!("version {version} of ackclock's interface")));
        }
        if number(b"ackclock_view_size\0") != Some(size_of::<View>() as u32) {
            return Err(refused("another layout of ackclock's interface"));
        }
        // SAFETY: the versions agree, so the symbol is a function of this type.
        let call = unsafe { library.get::<Call>(b"ackclock_call\0").map(|symbol| *symbol) }
            .map_err(|_| format!("{}: has no function ackclock_call", path.display()))?;
        Ok(Instance { call, library })
    }

    /// The parameters of the module, in the order of its source.
    pub fn parameters(&mut self) -> Vec<Parameter> {
        let mut found = Vec::new();
        for index in 0.. {
            // SAFETY: the versions agree; the functions return a text that lives as long as the library, or null.
            let (name, about, default) = unsafe {
                let name = self.function::<unsafe extern "C" fn(c_uint) -> *const c_char>(b"ackclock_param_name\0");
                let about = self.function::<unsafe extern "C" fn(c_uint) -> *const c_char>(b"ackclock_param_about\0");
                let get = self.function::<unsafe extern "C" fn(c_uint) -> c_longlong>(b"ackclock_param_get\0");
                let (Some(name), Some(about), Some(get)) = (name, about, get) else { break };
                let name = name(index);
                if name.is_null() {
                    break;
                }
                (text(name), text(about(index)), get(index))
            };
            found.push(Parameter { name, about, default });
        }
        found
    }

    /// Sets a parameter; returns whether the module accepts the value.
    pub fn set_parameter(&mut self, index: usize, value: i64) -> bool {
        // SAFETY: the versions agree.
        let set =
            unsafe { self.function::<unsafe extern "C" fn(c_uint, c_longlong) -> c_int>(b"ackclock_param_set\0") };
        // SAFETY: as above.
        set.is_some_and(|set| unsafe { set(index as c_uint, value) } == 0)
    }

    /// Registers the module's controls; returns their names.
    ///
    /// # Errors
    /// The module's own error number.
    pub fn register(&mut self) -> Result<Vec<String>, i32> {
        let mut place = [0 as c_char; 512];
        // SAFETY: the versions agree; `ackclock_names` writes at most the size, with a zero at the end.
        unsafe {
            if let Some(load) = self.function::<unsafe extern "C" fn() -> c_int>(b"ackclock_load\0") {
                match load() {
                    0 => {}
                    error => return Err(error),
                }
            }
            if let Some(names) = self.function::<unsafe extern "C" fn(*mut c_char, c_uint)>(b"ackclock_names\0") {
                names(place.as_mut_ptr(), place.len() as c_uint);
            }
            Ok(text(place.as_ptr()).split_whitespace().map(str::to_owned).collect())
        }
    }

    /// Chooses the control with this name for the connection. `None` if there is none, otherwise whether it needs ECN and
    /// whether it sets the window by itself.
    pub fn choose(&mut self, name: &str) -> Option<(bool, bool)> {
        let name = CString::new(name).ok()?;
        // SAFETY: the versions agree; the text lives until the call returns.
        let flags = unsafe {
            let choose = self.function::<unsafe extern "C" fn(*const c_char) -> c_int>(b"ackclock_choose_control\0")?;
            choose(name.as_ptr())
        };
        (flags >= 0).then_some((flags & 1 != 0, flags & 2 != 0))
    }

    /// `ackclock_call`: returns whether the control asks for a reduction of the window.
    pub fn call(&mut self, operation: Operation, view: &mut View) -> bool {
        // SAFETY: version and size of the view agree, and the view lives until the call returns. What the user's code does
        // is the user's decision.
        unsafe { (self.call)(operation as c_uint, view) != 0 }
    }

    /// Ticks per second of the module's clock.
    pub fn hz(&mut self) -> u32 {
        // SAFETY: the versions agree: a constant of this type.
        unsafe { self.library.get::<*const c_uint>(b"ackclock_hz\0").map_or(0, |place| **place) }
    }

    /// # Safety
    /// The symbol must have the type `F`.
    unsafe fn function<F: Copy>(&self, name: &[u8]) -> Option<F> {
        // SAFETY: by the caller.
        unsafe { self.library.get::<F>(name).ok().map(|symbol| *symbol) }
    }
}

/// # Safety
/// `place` is null or a text that ends with a zero.
unsafe fn text(place: *const c_char) -> String {
    // SAFETY: by the caller.
    if place.is_null() { String::new() } else { unsafe { CStr::from_ptr(place) }.to_string_lossy().into_owned() }
}
