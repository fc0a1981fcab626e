//! Registration of the kinds of objects that can be deferred.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::kinds::{Amounts, Answers, Kind, Making, Shown, Variable};
use super::{LazyObjects, Name};
use crate::convert::Params;

impl LazyObjects {
    /// What the library answers for objects of a kind.
    pub(super) fn answers(this: &Bound<LazyObjects>, kind: usize) -> PyResult<Answers> {
        if let Some(known) = this.borrow().kinds[kind].answers {
            return Ok(known);
        }
        let py = this.py();
        let python = this.borrow().kinds[kind].python.clone_ref(py);
        let names: Vec<String> = python.call_method0(py, pyo3::intern!(py, "answers"))?.extract(py)?;
        let mut answers = Answers::default();
        for name in names {
            answers = answers.and(Answers::named(&name)?);
        }
        this.borrow_mut().kinds[kind].answers = Some(answers);
        Ok(answers)
    }

    pub(super) fn learn(
        &mut self,
        py: Python,
        python: Py<PyAny>,
        making: Making,
        variables: Vec<(String, String, String)>,
    ) -> PyResult<usize> {
        let plans = python.getattr(py, pyo3::intern!(py, "plans"))?.extract(py)?;
        let variables = variables.into_iter().filter_map(|(variable, name, kind)| {
            let shown = match kind.as_str() {
                "int" | "traced_int" => Shown::Whole,
                "double" => Shown::Digits(17),
                "traced_double" => Shown::Digits(6),
                _ => return None,
            };
            Some((variable, Variable { name, shown }))
        });
        let variables = variables.collect();
        self.kinds.push(Kind { python, plans, making, variables, answers: None });
        Ok(self.kinds.len() - 1)
    }

    fn make_at(&mut self, word: &str, class: &Name, kind: usize) {
        if !class.0.is_empty() {
            self.makes.insert(format!("{word} {}", class.0), kind);
        }
    }
}

#[pymethods]
impl LazyObjects {
    /// New nodes are of this kind from now on; `ports` is the plan of their tables of ports.
    fn learn_nodes(&mut self, py: Python, kind: Py<PyAny>, ports: Py<PyTuple>) -> PyResult<()> {
        let kind = self.learn(py, kind, Making::Node { ports }, Vec::new())?;
        self.makes.insert("node".into(), kind);
        Ok(())
    }

    /// Links with queues of a class are of this kind from now on. Variables are the queue's: what the script calls them, what the
    /// engine does, their types. The last two find out what is meant by a bandwidth and by a delay.
    fn learn_links(
        &mut self,
        py: Python,
        queue_class: Name,
        kind: Py<PyAny>,
        discipline: String,
        params: Py<Params>,
        keeps_order: bool,
        variables: Vec<(String, String, String)>,
        bandwidth: Py<PyAny>,
        delay: Py<PyAny>,
    ) -> PyResult<()> {
        let making = Making::Link {
            discipline,
            params,
            keeps_order,
            rate_bps: Amounts::new(bandwidth),
            delay_s: Amounts::new(delay),
        };
        let kind = self.learn(py, kind, making, variables)?;
        self.make_at("link", &queue_class, kind);
        Ok(())
    }

    /// New agents of a class are of this kind from now on: the engine's kind, first values, variables as above.
    #[pyo3(signature = (class_name, kind, engine_kind, params, is_sender, variables))]
    fn learn_agents(
        &mut self,
        py: Python,
        class_name: Name,
        kind: Py<PyAny>,
        engine_kind: String,
        params: Option<Py<Params>>,
        is_sender: bool,
        variables: Vec<(String, String, String)>,
    ) -> PyResult<()> {
        let params = params.map(|params| params.borrow(py).new_to(&engine_kind));
        let kind = self.learn(py, kind, Making::Agent { kind: engine_kind, params, is_sender }, variables)?;
        self.make_at("new", &class_name, kind);
        Ok(())
    }

    /// New applications of a class are of this kind from now on.
    fn learn_apps(&mut self, py: Python, class_name: Name, kind: Py<PyAny>, engine_kind: String) -> PyResult<()> {
        let kind = self.learn(py, kind, Making::App { kind: engine_kind }, Vec::new())?;
        self.make_at("new", &class_name, kind);
        Ok(())
    }

    /// Objects made from now on may be of other kinds: a class has other values.
    pub fn values_changed(&mut self) {
        self.makes.clear();
    }

    /// Classes have other methods, too, or what the library answers has changed.
    fn methods_changed(&mut self) {
        self.makes.clear();
        self.kinds.iter_mut().for_each(|kind| kind.answers = None);
    }
}
