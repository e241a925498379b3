"""Replay: send the client messages of a capture again, and report which answers differ.

* :mod:`~workbench.replay.recording` - a conversation that can be replayed
* :mod:`~workbench.replay.recording_reader` - read it from a capture
* :mod:`~workbench.replay.player` - replay it with a server
* :mod:`~workbench.replay.script` - answer the server's requests as they were answered in the capture
* :mod:`~workbench.replay.differences` - compare two JSON values
* :mod:`~workbench.replay.report` - the results
"""
