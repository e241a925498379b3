"""The servers that are compared: the same tool, `echo`, in each, written as an author writes it.

Logs are off everywhere. The form of the result is each library's own choice: text alone, or text and
structured content.
Each is a program; those of other libraries run in a separate environment (`tests/peers`).
"""
