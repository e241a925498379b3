"""The command line: one file per command, each of which imports what it needs when it runs.

stdout is data, stderr is narration (:mod:`~workbench.cli.console`), and exit codes are API
(:mod:`~workbench.cli.exits`). :mod:`~workbench.cli.app` puts the commands together; :mod:`workbench.__main__`
takes the quick way where a command must not wait for that.
"""
