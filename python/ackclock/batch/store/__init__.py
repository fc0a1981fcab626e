"""Runs that were done are not done again: a store of folders on disk, found by what made them.

    from ackclock.batch.store import Store

    store = Store("out/store")
    results = store.run(scenario, seed=7)                    # simulated, or read back
    script = store.run_ns2("lab3.tcl", "SACK", 1).result     # an ns-2 script, its files kept

A run's key is the sha256 of everything that its outcome follows from: the description or the script's bytes, the
arguments, and the engine's own bytes. Change any of these and it is another run.

A single run has a folder (`folder`, `runs`), for it may have any files. Of a sweep's runs, which are many and small,
the tables are kept together (`segments`).
"""

from ackclock.batch.store.folder import Store as Folders
from ackclock.batch.store.folder import StoreError, digest_of
from ackclock.batch.store.runs import Kept, Store, engine_digest
from ackclock.batch.store.segments import INDEX, Segments

__all__ = ["INDEX", "Folders", "Kept", "Segments", "Store", "StoreError", "digest_of", "engine_digest"]
