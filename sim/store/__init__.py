"""The run directory: what is written, by whom, and how it is trusted again.

Parts are published by write, fsync, hash, rename, ledger line, by the one process that holds the
lock. Readers take the parts that the ledger lists and check each before use; nothing is found by
looking at what lies in the directory.
"""

from sim.store.identity import directory_name, source_hash
from sim.store.run import Run, open_run
from sim.store.writing import Publisher, prepare

__all__ = ["Publisher", "Run", "directory_name", "open_run", "prepare", "source_hash"]
