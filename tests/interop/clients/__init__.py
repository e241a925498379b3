"""The clients of the matrix: each is a program that tries every behaviour on one server, and prints how each went.

Those of others run in environments of their own, so nothing in here imports more of the tests than `checking` and
`client`, which need Python alone.
"""
