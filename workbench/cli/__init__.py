"""The command line: one file per command, each with deferred imports.

stdout is data, stderr is messages for users (:mod:`~workbench.cli.console`), and exit codes are API
(:mod:`~workbench.cli.command_run`). :mod:`~workbench.cli.command_parser` registers the commands, and
:mod:`workbench.__main__` uses :mod:`~workbench.cli.quick` where a command must not wait for the parser.
"""
