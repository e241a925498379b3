"""Captures: every record of every run of a core, in one SQLite file per run.

* :mod:`~server_core.records.capture.capture_store` - writes the records of a running core
* :mod:`~server_core.records.capture.reader` - reads a capture, even while it is written or when it is damaged
* :mod:`~server_core.records.capture.queue` - the records that wait for the disk
* :mod:`~server_core.records.capture.capture_listing` - lists the captures
* :mod:`~server_core.records.capture.annotations` - what a user has added to single records
* :mod:`~server_core.records.capture.labels` - the name, pin and note of a capture
* :mod:`~server_core.records.capture.counts` - counts the calls, errors and clients of a capture
* :mod:`~server_core.records.capture.search` - searches for a text in the messages
* :mod:`~server_core.records.capture.pruning` - deletes old captures
"""
