"""The terminal side: the application, the command line, the mock client, replay."""
