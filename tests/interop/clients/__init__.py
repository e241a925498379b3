"""The clients of the matrix: each is a program that tries every behaviour on one server, and prints how each went.

    program.py ERA (--url URL | -- COMMAND...)

Those of others run in environments of their own, where this project is not installed: what all of them use needs Python
alone, and is imported by the names that scripts in one folder have for each other.
"""
