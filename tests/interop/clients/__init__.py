"""The clients of the matrix: each is a program that tries every behaviour on a server, and prints the outcomes.

    program.py ERA (--url URL | -- COMMAND...)

Those of other libraries run in separate environments without this project: the modules that they share need Python
alone, and are imported as scripts in a folder import each other.
"""
