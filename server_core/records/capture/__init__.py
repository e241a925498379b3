"""Captures: every record of every run of a core, in one SQLite file per run.

* :mod:`~server_core.records.capture.store` - writes the records of a running core
* :mod:`~server_core.records.capture.reader` - reads a capture, also while it is written, also when it is damaged
* :mod:`~server_core.records.capture.queue` - what waits for the disk
* :mod:`~server_core.records.capture.listing` - which captures there are
* :mod:`~server_core.records.capture.pruning` - deletes those that are too many
"""
