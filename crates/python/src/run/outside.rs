//! What a description names that does not stand in it, as Python has it: classes of the user's own, compiled controls; and
//! recordings, which are files in a folder.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ackclock_engine::net::link::LinkId;
use ackclock_engine::net::node::AgentId;
use ackclock_engine::sim::Simulation as Engine;
use ackclock_scenario::ScenarioError;
use ackclock_scenario::defaults::Values;
use ackclock_scenario::model::deliveries::MAX_BYTES;
use ackclock_scenario::outside::{Code, Named, Origin, Outside, Role, Wanted};
use ackclock_scenario::tree::Tree;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{value_from_python, value_to_python};
use crate::plugins::control::give_own_control;
use crate::plugins::kernel::KernelModule;
use crate::plugins::ledger::Shared;
use crate::plugins::library::ControlLibrary;
use crate::plugins::queue::give_own_queue;

/// An object of `ackclock.scenario.resolve.named_code.NamedCode`, and the folder of a description's recordings.
pub struct PythonOutside {
    code: Option<Py<PyAny>>,
    folder: PathBuf,
    /// Where the objects of the user's own leave what they raise.
    pub ledger: Shared,
    /// What finding or making code has raised.
    raised: RefCell<Option<PyErr>>,
}

impl PythonOutside {
    /// Without an object, no code is found.
    pub fn new(code: Option<Py<PyAny>>, folder: PathBuf, ledger: Shared) -> PythonOutside {
        PythonOutside { code, folder, ledger, raised: RefCell::default() }
    }

    /// What Python has raised, if it was that which went wrong.
    pub fn take_raised(&self) -> Option<PyErr> {
        self.raised.take()
    }

    /// Asks the object; what it raises is kept, and a message stands for it.
    fn ask<T>(&self, ask: impl FnOnce(Python, &Bound<PyAny>) -> PyResult<T>) -> Result<T, String> {
        Python::attach(|py| {
            let code = self.code.as_ref().ok_or("there is no code here")?;
            ask(py, code.bind(py)).map_err(|error| {
                let message = error.to_string();
                self.raised.replace(Some(error));
                message
            })
        })
    }

    /// What a Python `ScenarioError` says; of another exception nothing, and it is kept.
    fn scenario_error(&self, raised: PyErr) -> ScenarioError {
        let read = |py: Python| -> PyResult<ScenarioError> {
            let error = raised.value(py);
            let mut found = ScenarioError::new(error.getattr("expected")?.extract::<String>()?);
            found.key = error.getattr("key")?.extract()?;
            found.value = error.getattr("value")?.extract::<Option<String>>()?.map(Tree::Text);
            found.nearest = error.getattr("nearest")?.extract()?;
            Ok(found)
        };
        Python::attach(read).unwrap_or_else(|_| {
            let message = raised.to_string();
            self.raised.replace(Some(raised));
            ScenarioError::new(message)
        })
    }

    /// An object of the user's own, and the names of its variables whose changes are recorded.
    fn made<'py>(&self, code: &Bound<'py, PyAny>, wanted: &Wanted) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
        let py = code.py();
        let values = PyDict::new(py);
        for (name, value) in &wanted.code.values.0 {
            values.set_item(name, value_to_python(py, *value)?)?;
        }
        let made = code.call_method1("make", (&wanted.code.key, wanted.name, &wanted.seed, values))?;
        let traced = match wanted.records_changes {
            true => made.get_type().getattr("traced")?.extract()?,
            false => Vec::new(),
        };
        Ok((made, traced))
    }
}

impl Outside for PythonOutside {
    fn recording(&self, name: &str) -> Result<(String, Vec<u8>), ScenarioError> {
        // As Python's pathlib shows a path: without what says nothing.
        let path: PathBuf = self.folder.join(name).components().collect();
        let shown = path.to_string_lossy().into_owned();
        match recording(&path) {
            Ok(bytes) => Ok((shown, bytes)),
            Err(reason) => {
                let expected = format!("the recording cannot be read: {reason}");
                Err(ScenarioError::new(expected).value(shown.as_str()))
            }
        }
    }

    fn code(&self, named: Named) -> Result<Code, ScenarioError> {
        if self.code.is_none() {
            return ackclock_scenario::outside::Nothing.code(named);
        }
        let origin = match named.origin {
            Origin::Python => "python",
            Origin::Kernel => "kernel",
            Origin::Library => "library",
        };
        let role = if named.role == Role::Queue { "queue" } else { "control" };
        let found = self.ask(|_, code| {
            let found = code.call_method1("find", (origin, role, named.name, named.key))?;
            let (name, parameters, is_known): (String, Vec<(String, Bound<PyAny>)>, bool) = found.extract()?;
            let parameters = parameters.into_iter().map(|(name, value)| Ok((name, value_from_python(&value)?)));
            Ok(Code { name, parameters: Values(parameters.collect::<PyResult<_>>()?), is_known })
        });
        found.map_err(|message| match self.raised.take() {
            Some(raised) => self.scenario_error(raised),
            None => ScenarioError::new(message),
        })
    }

    fn give_control(&self, engine: &mut Engine, sender: AgentId, wanted: Wanted) -> Result<(), String> {
        self.ask(|py, code| {
            let values = &wanted.code.values.0;
            if wanted.code.origin == Origin::Python {
                let (made, traced) = self.made(code, &wanted)?;
                let whose = (wanted.name, wanted.number);
                give_own_control(py, engine, sender, made.unbind(), whose, &traced, &self.ledger)?;
                return Ok(Ok(()));
            }
            let compiled = code.call_method1("compiled", (&wanted.code.key,))?;
            if let Ok(module) = compiled.cast::<KernelModule>() {
                return Ok(module.get().give(engine, sender, values));
            }
            Ok(compiled.cast::<ControlLibrary>()?.get().give(engine, sender, values, wanted.name))
        })?
    }

    fn give_queue(
        &self,
        engine: &mut Engine,
        link: LinkId,
        (rate_bps, delay_s): (f64, f64),
        wanted: Wanted,
    ) -> Result<(), String> {
        self.ask(|py, code| {
            let (queue, traced) = self.made(code, &wanted)?;
            queue.setattr("rate_bps", rate_bps)?;
            queue.setattr("delay_s", delay_s)?;
            let limit = queue.getattr("limit")?.call_method0("__int__")?.extract()?;
            let interval_s = queue.getattr("interval_s")?.extract()?;
            let (whose, bounds) = ((wanted.name, wanted.number), (limit, interval_s));
            give_own_queue(py, engine, link, queue.unbind(), whose, bounds, &traced, &self.ledger);
            Ok(())
        })
    }
}

/// The bytes of a recording, or why it cannot be read, in the system's words. One byte more than a recording may have is
/// read, and no more.
pub fn recording(path: &Path) -> Result<Vec<u8>, String> {
    let in_words = |error: io::Error| {
        let text = error.to_string();
        match text.split_once(" (os error") {
            Some((words, _)) => words.into(),
            None if error.kind() == io::ErrorKind::InvalidInput => "embedded null byte".into(),
            None => text,
        }
    };
    let file = open_without_waiting(path).map_err(in_words)?;
    let kind = file.metadata().map_err(in_words)?.file_type();
    if !kind.is_file() {
        return Err(if kind.is_dir() { "Is a directory" } else { "not a regular file" }.into());
    }
    let mut bytes = Vec::new();
    // Read and not asked for: a file may grow, and one in /proc has no size.
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(in_words)?;
    Ok(bytes)
}

/// Opens a file; a FIFO that nobody writes to does not keep us.
fn open_without_waiting(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.read(true).open(path)
}
