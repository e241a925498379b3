"""The servers that are compared: the same tool, `echo`, in each, with nothing that is not needed switched on.

Each is a program of its own; those of others run in an environment of their own (`tests/peers`).
"""
