"""What the workbench knows and decides, without a screen: calls, traffic, filters, forms, and the words for them.

Nothing here does I/O, waits, or imports a terminal library: the terminal, the command line and the tests share it.
"""
