"""Records as a person reads them: entries, their links, filters and views."""
