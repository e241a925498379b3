"""Holding messages: those that match a filter wait until an operator decides what happens to them.

From the lowest layer up:

* :mod:`~server_core.holding.held_message` - one message that waits, and the states that it can reach
* :mod:`~server_core.holding.pending_requests` - the requests that responses and progress belong to
* :mod:`~server_core.holding.matcher` - which messages match; the filter language is loaded when a hold is set
* :mod:`~server_core.holding.edits` - what an operator passes on in place of a message
* :mod:`~server_core.holding.holds` - the decisions, without I/O
"""
