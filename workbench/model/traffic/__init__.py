"""Records as a user reads them: entries, their links, filters and views."""
