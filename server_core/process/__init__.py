"""Running one core as a process: command line, standard streams, main loop and shutdown."""
