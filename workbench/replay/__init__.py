"""Replay: send what the clients of a capture sent once more, and see which answers differ.

* :mod:`~workbench.replay.recording` - a capture, as a conversation to hold again
* :mod:`~workbench.replay.player` - hold it with a server
* :mod:`~workbench.replay.script` - answer the server's questions as they were answered
* :mod:`~workbench.replay.differences` - compare two JSON values
* :mod:`~workbench.replay.report` - what came of it
"""
