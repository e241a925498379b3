"""The version of the product, as packages, handshakes and captures name it."""

# The same as in pyproject.toml: asking importlib.metadata costs more than the first answer may take.
VERSION = "0.1.0"
