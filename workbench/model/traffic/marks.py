"""What our client writes into messages so that whoever reads the traffic knows them again."""

PROBE = "io.github.mcp-tool-workbench/probe"
"""True in the `_meta` of a `server/discover` that only finds out what a server speaks."""
