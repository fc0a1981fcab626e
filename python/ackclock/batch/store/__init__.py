"""A store of runs on disk, found by a digest of their inputs, so that no run is repeated.

    from ackclock.batch.store import Store

    store = Store("out/store")
    results = store.run(scenario, seed=7)                    # simulated, or read back
    script = store.run_ns2("lab3.tcl", "SACK", 1).result     # an ns-2 script, its files kept

A run's key is the sha256 of all its inputs: the description or the script's bytes, the arguments, and the engine's own
bytes. If any of these changes, it is another run.

A single run has a folder (`folder`, `runs`), because it may have any files. A sweep's runs are many and small, so their
tables are stored together (`segments`).
"""

from ackclock.batch.store.folder import Store as Folders
from ackclock.batch.store.folder import StoreError, digest_of
from ackclock.batch.store.runs import Kept, Store, engine_digest
from ackclock.batch.store.segments import INDEX, Segments

__all__ = ["INDEX", "Folders", "Kept", "Segments", "Store", "StoreError", "digest_of", "engine_digest"]
