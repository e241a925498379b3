"""The servers that are compared: the same tool, `echo`, in each, written as an author writes it.

Logs are off everywhere. What a tool written like this answers is each library's own choice: of the text alone, or of
structured content beside it.
Each is a program of its own; those of others run in an environment of their own (`tests/peers`).
"""
