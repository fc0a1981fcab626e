//! The foreign function interface: a loaded library and the control of it that is used.
#![allow(unsafe_code)]

use std::path::Path as FilePath;
use std::ptr::null_mut;
use std::slice;
use std::sync::Arc;

use ackclock_control::Path;
use ackclock_control::interface::{
    self, AckData, Connection, FAILURE_BYTES, Failure, ParameterData, SYMBOL, Table, Text, VERSION, WindowData,
};

use crate::shared_object::load_copy;

/// A parameter of a control.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// One line of description.
    pub about: String,
    /// Its value if it is not set.
    pub default: f64,
}

/// A library, and the control of it that is used.
pub struct Library {
    /// The name of the control.
    pub control: String,
    /// One line of description.
    pub about: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// It sets the window by itself.
    pub has_cong_control: bool,
    /// The ECN feedback that it needs, by its place in [`ackclock_control::Feedback`].
    pub feedback: u32,
    table: &'static Table,
}

impl Library {
    /// Loads a copy of the file, and finds a control of it by its name.
    ///
    /// # Errors
    /// One line: the file cannot be read or loaded, exports no controls, is of another version of the interface, or has no
    /// such control.
    pub fn open(path: &FilePath, control: &str) -> Result<Library, String> {
        let wrong = |what: String| format!("{}: {what}", path.display());
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        // SAFETY: the user has decided to run the code.
        let loaded = unsafe { load_copy(path, &bytes) }.map_err(wrong)?;
        // SAFETY: a symbol of this name is a struct that begins with the version in every version of the interface.
        let symbol = unsafe { loaded.get::<*const interface::Library>(SYMBOL).map(|place| *place) };
        let symbol = symbol.map_err(|_| {
            let expected = "expected one that `ackclock_control::export!` has written";
            wrong(format!("not a library of congestion controls: it has no ackclock_controls; {expected}"))
        })?;
        // SAFETY: as above.
        let version = unsafe { (*symbol).version };
        if version != VERSION {
            return Err(wrong(format!(
                "built for version {version} of ackclock-control's interface, and this ackclock has version {VERSION}; \
                 build it again with the ackclock-control of this version"
            )));
        }
        // SAFETY: the versions agree.
        if unsafe { (*symbol).count == 0 || (*symbol).tables.is_null() } {
            return Err(wrong("exports no congestion control".into()));
        }
        // Nothing unloads it: threads that it was called in may have something of its standard library's to clean up.
        std::mem::forget(loaded);
        // SAFETY: the versions agree. The tables live as long as the library.
        let tables: &'static [Table] = unsafe {
            let library = &*symbol;
            slice::from_raw_parts(library.tables, library.count as usize)
        };
        let Some(table) = tables.iter().find(|table| text(table.name) == control) else {
            let known: Vec<String> = tables.iter().map(|table| text(table.name)).collect();
            return Err(wrong(format!("has no control {control}; it has {}", known.join(", "))));
        };
        let parameters = (0..table.parameters).map(|index| parameter(table, index)).collect();
        Ok(Library {
            control: control.to_owned(),
            about: text(table.about),
            parameters,
            has_cong_control: table.has_cong_control != 0,
            feedback: table.feedback,
            table,
        })
    }
}

/// A text of a library with the right version.
fn text(text: Text) -> String {
    // SAFETY: the versions agree: so many bytes stand there, as long as the library is loaded.
    let bytes = unsafe { slice::from_raw_parts(text.bytes, text.count) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn parameter(table: &Table, index: u32) -> Parameter {
    let nothing = || Text { bytes: "".as_ptr(), count: 0 };
    let mut data = ParameterData { name: nothing(), about: nothing(), default: 0.0 };
    // SAFETY: the versions agree, and the place can be written.
    unsafe { (table.parameter)(index, &mut data) };
    Parameter { name: text(data.name), about: text(data.about), default: data.default }
}

/// A control of one connection.
pub(crate) struct Instance {
    connection: Connection,
    library: Arc<Library>,
}

// SAFETY: what the connection points to is `Send` by the trait that it implements, and all calls take `&mut self`.
unsafe impl Send for Instance {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for Instance {}

/// The result of a call that may have panicked.
fn checked(call: impl FnOnce(*mut Failure) -> u32) -> Result<(), String> {
    let mut failure = Failure { text: [0; FAILURE_BYTES], count: 0 };
    if call(&mut failure) == 0 {
        return Ok(());
    }
    let said = &failure.text[..(failure.count as usize).min(FAILURE_BYTES)];
    Err(String::from_utf8_lossy(said).into_owned())
}

// Each call: the versions agree, `new` made the connection, it is not freed yet, and all places live until the call returns.
impl Instance {
    pub fn new(library: &Arc<Library>) -> Result<Instance, String> {
        let mut connection = null_mut();
        // SAFETY: as above.
        checked(|failure| unsafe { (library.table.new)(&mut connection, failure) })?;
        Ok(Instance { connection, library: Arc::clone(library) })
    }

    pub fn set_param(&mut self, index: usize, value: f64) -> Result<(), String> {
        // SAFETY: as above.
        checked(|failure| unsafe { (self.library.table.set_param)(self.connection, index as u32, value, failure) })
    }

    pub fn start(&mut self, path: &Path, window: &mut WindowData) -> Result<(), String> {
        // SAFETY: as above.
        checked(|failure| unsafe { (self.library.table.start)(self.connection, path, window, failure) })
    }

    pub fn on_ack(&mut self, ack: &AckData, path: &Path, window: &mut WindowData) -> Result<(), String> {
        // SAFETY: as above.
        checked(|failure| unsafe { (self.library.table.on_ack)(self.connection, ack, path, window, failure) })
    }

    /// Returns the place of the response in [`ackclock_control::Response`].
    pub fn on_congestion_event(&mut self, event: u32, path: &Path, window: &mut WindowData) -> Result<u32, String> {
        let (on_event, mut response) = (self.library.table.on_congestion_event, 0);
        // SAFETY: as above.
        checked(|failure| unsafe { on_event(self.connection, event, path, window, &mut response, failure) })?;
        Ok(response)
    }

    pub fn on_state(&mut self, state: u32, path: &Path, window: &mut WindowData) -> Result<(), String> {
        // SAFETY: as above.
        checked(|failure| unsafe { (self.library.table.on_state)(self.connection, state, path, window, failure) })
    }

    pub fn on_recovery_exit(&mut self, path: &Path, window: &mut WindowData) -> Result<(), String> {
        // SAFETY: as above.
        checked(|failure| unsafe { (self.library.table.on_recovery_exit)(self.connection, path, window, failure) })
    }

    pub fn on_spurious_loss(&mut self, path: &Path, window: &mut WindowData) -> Result<(), String> {
        // SAFETY: as above.
        checked(|failure| unsafe { (self.library.table.on_spurious_loss)(self.connection, path, window, failure) })
    }

    pub fn on_idle_restart(
        &mut self,
        (idle_s, timeouts, initial): (f64, u32, f64),
        path: &Path,
        window: &mut WindowData,
    ) -> Result<(), String> {
        let on_idle = self.library.table.on_idle_restart;
        // SAFETY: as above.
        checked(|failure| unsafe { on_idle(self.connection, idle_s, timeouts, initial, path, window, failure) })
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // The connection is over, so a panic in a destructor is ignored.
        // SAFETY: as above; it is not used again.
        let _ = checked(|failure| unsafe { (self.library.table.free)(self.connection, failure) });
    }
}
