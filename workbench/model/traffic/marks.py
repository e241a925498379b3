"""Marks that our client writes into messages, so that readers of the traffic recognise them."""

PROBE = "io.github.mcp-tool-workbench/probe"
"""True in the `_meta` of a `server/discover` that only probes the revisions of a server."""
