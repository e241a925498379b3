"""The workbench's state and logic without a screen: calls, traffic, filters, forms, and their texts for users.

Nothing here does I/O, waits, or imports a terminal library: the terminal, the command line and the tests share it.
"""
