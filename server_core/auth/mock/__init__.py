"""An authorization server on this machine that replaces all services: consent, tokens and expiry.

With `WORKBENCH_AUTH=mock` the broker asks it instead of the real services, so that tools with accounts can be written
and tried offline. Its tokens are valid only with the mock service itself.
"""
