"""Responder rules: which rule answers a request of a tool, and with what; values in, values out."""
