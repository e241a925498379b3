"""One core as a process: its command line, its standard streams, its run and its end."""
