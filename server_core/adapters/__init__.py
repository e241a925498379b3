"""Exceptions of other libraries -> the errors of this package, which tell agents whether to try again.

No library is imported here: an exception that was raised comes from one that is imported already.
"""
