//! The tables of a run of a scenario.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};

use ackclock::{Column, Table};

use crate::boundary::{Breaks, change, free, guard, place, read, text};
use crate::simulation::{AckclockSimulation, with};
use crate::status::{AckclockStatus, Failure};

/// The tables of a run of a scenario, those of ackclock run: flows, links, and what the scenario records.
pub struct AckclockTables {
    tables: Vec<Named>,
    /// The words that C was given.
    words: BTreeMap<String, CString>,
    broken: Option<String>,
}

/// A table, and names as C reads them.
struct Named {
    name: CString,
    columns: Vec<CString>,
    table: Table,
}

impl Breaks for AckclockTables {
    fn broken(&mut self) -> &mut Option<String> {
        &mut self.broken
    }
}

impl AckclockTables {
    fn of(tables: Vec<(&'static str, Table)>) -> AckclockTables {
        let named = tables.into_iter().map(|(name, table)| Named {
            name: c_name(name),
            columns: table.columns.iter().map(|(name, _)| c_name(name)).collect(),
            table,
        });
        AckclockTables { tables: named.collect(), words: BTreeMap::new(), broken: None }
    }

    fn table(&self, number: usize) -> Result<&Named, Failure> {
        let count = self.tables.len();
        let text = || Failure::argument(format!("unknown table {number}; the run has {count} of them, counted from 0"));
        self.tables.get(number).ok_or_else(text)
    }

    /// The column of a value, whose row is there.
    fn column(&self, table: usize, column: usize, row: usize) -> Result<&Column, Failure> {
        let Named { columns, table, .. } = self.table(table)?;
        let Some((_, found)) = table.columns.get(column) else {
            let count = columns.len();
            return Err(Failure::argument(format!(
                "unknown column {column}; the table has {count} of them, counted from 0"
            )));
        };
        if row >= table.len() {
            let count = table.len();
            return Err(Failure::argument(format!("unknown row {row}; the table has {count} of them, counted from 0")));
        }
        Ok(found)
    }
}

fn c_name(name: &str) -> CString {
    CString::new(name).unwrap_or_default()
}

/// The number of a name; the error lists those that there are.
fn find(names: &[CString], name: &str, what: &str) -> Result<usize, Failure> {
    names.iter().position(|known| known.to_bytes() == name.as_bytes()).ok_or_else(|| {
        let known: Vec<_> = names.iter().map(|known| known.to_string_lossy()).collect();
        Failure::argument(format!("unknown {what} \"{name}\"; expected one of: {}", known.join(", ")))
    })
}

/// Takes the tables of a run of a scenario up to now. Afterwards, and without a scenario, there are none. Free them with
/// ackclock_tables_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_simulation_take_tables(
    simulation: *mut AckclockSimulation,
    tables: *mut *mut AckclockTables,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        with(simulation, |made| {
            place(tables, "the place for the tables")?;
            tables.write(Box::into_raw(Box::new(AckclockTables::of(made.simulation.take_tables()))));
            Ok(())
        })
    }
}

/// Frees the tables and the texts that they gave. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_tables_free(tables: *mut AckclockTables) {
    // SAFETY: the caller's pointer.
    unsafe { free(tables) }
}

/// The name of a table, counted from 0; NULL behind the last one. The text is valid until the tables are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_tables_name(tables: *const AckclockTables, table: usize) -> *const c_char {
    // SAFETY: the caller's pointer.
    unsafe { name_at(tables, |made| made.tables.get(table).map(|named| &named.name)) }
}

/// The name of a column of a table, both counted from 0; NULL behind the last one. The text is valid until the tables are
/// freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_tables_column_name(
    tables: *const AckclockTables,
    table: usize,
    column: usize,
) -> *const c_char {
    // SAFETY: the caller's pointer.
    unsafe { name_at(tables, |made| made.tables.get(table).and_then(|named| named.columns.get(column))) }
}

/// # Safety
/// As for [`read`].
unsafe fn name_at(
    tables: *const AckclockTables,
    find: impl FnOnce(&AckclockTables) -> Option<&CString>,
) -> *const c_char {
    let mut found = std::ptr::null();
    guard(|| {
        // SAFETY: by the caller.
        let made = unsafe { read(tables, "the handle of the tables") }?;
        found = find(made).map_or(std::ptr::null(), |name| name.as_ptr());
        Ok(())
    });
    found
}

/// The number of the table of this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_tables_find(
    tables: *const AckclockTables,
    name: *const c_char,
    table: *mut usize,
) -> AckclockStatus {
    guard(|| {
        place(table, "the place for the table")?;
        // SAFETY: the caller's pointers.
        unsafe {
            let names: Vec<_> =
                read(tables, "the handle of the tables")?.tables.iter().map(|named| named.name.clone()).collect();
            table.write(find(&names, text(name, "the table's name")?, "table")?);
        }
        Ok(())
    })
}

/// The number of the column of this name in a table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_tables_find_column(
    tables: *const AckclockTables,
    table: usize,
    name: *const c_char,
    column: *mut usize,
) -> AckclockStatus {
    guard(|| {
        place(column, "the place for the column")?;
        // SAFETY: the caller's pointers.
        unsafe {
            let named = read(tables, "the handle of the tables")?.table(table)?;
            column.write(find(&named.columns, text(name, "the column's name")?, "column")?);
        }
        Ok(())
    })
}

/// The number of rows of a table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_tables_rows(
    tables: *const AckclockTables,
    table: usize,
    rows: *mut usize,
) -> AckclockStatus {
    guard(|| {
        place(rows, "the place for the number of rows")?;
        // SAFETY: the caller's pointers.
        unsafe { rows.write(read(tables, "the handle of the tables")?.table(table)?.table.len()) };
        Ok(())
    })
}

/// A value as a real number. NaN where it is missing, and in a column of words. Integers above 2^53 are rounded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_tables_number(
    tables: *const AckclockTables,
    table: usize,
    column: usize,
    row: usize,
    number: *mut f64,
) -> AckclockStatus {
    guard(|| {
        place(number, "the place for the number")?;
        // SAFETY: the caller's pointers.
        unsafe {
            let found = read(tables, "the handle of the tables")?.column(table, column, row)?;
            number.write(found.real(row).unwrap_or(f64::NAN));
        }
        Ok(())
    })
}

/// A value of a column of words; NULL in a column of numbers. The text is valid until the tables are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_tables_word(
    tables: *mut AckclockTables,
    table: usize,
    column: usize,
    row: usize,
    word: *mut *const c_char,
) -> AckclockStatus {
    // SAFETY: the caller's pointers.
    unsafe {
        change(tables, "the handle of the tables", |made: &mut AckclockTables| {
            place(word, "the place for the word")?;
            let Column::Words(found) = made.column(table, column, row)? else {
                word.write(std::ptr::null());
                return Ok(());
            };
            let found = found.get(row).to_owned();
            // A text does not move when others join it.
            word.write(made.words.entry(found).or_insert_with_key(|found| c_name(found)).as_ptr());
            Ok(())
        })
    }
}
