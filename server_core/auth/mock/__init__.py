"""A service that exists on this machine alone, and stands in for all others: consent, tokens, expiry, the lot.

`WORKBENCH_AUTH=mock` has the broker ask it in place of the real ones, so that tools with accounts can be written and
tried offline. Its tokens are worth something to nobody but itself.
"""
