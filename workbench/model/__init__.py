"""The workbench's state and logic without a screen or I/O, shared by the terminal, the command line and tests."""
