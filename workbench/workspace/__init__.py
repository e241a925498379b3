"""The state of one terminal: a link to a core, a session, the records and the calls."""
