"""The version of the product, used in packages, handshakes and captures."""

# The same as in pyproject.toml: reading it from importlib.metadata would take longer than the first response may.
VERSION = "0.1.0"
