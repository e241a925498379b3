"""What one terminal works on: a link to a core, a session, the records and the calls."""
