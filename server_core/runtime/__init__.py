"""What everything else stands on: tasks, threads, paths, private files, and texts for people."""
