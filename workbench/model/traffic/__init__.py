"""Records as a user reads them: entries, their relations, filters and views."""
