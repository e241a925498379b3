"""The servers of the matrix: the same tools, resources and prompts, written as each library wants them written.

Each is a program: over stdio, or over HTTP with `--http PORT`.
"""
