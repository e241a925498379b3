"""Shared infrastructure: background tasks, threads, paths, private files, and text output."""
