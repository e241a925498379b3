"""A file of tools that require accounts."""

TOOLS = """
from server_core import tool
from server_core.auth import GitHub, OAuth2

@tool(requires_auth=GitHub(scopes=["repo"]))
def issues() -> str:
    "List the issues."
    return ""

@tool(requires_auth=GitHub(scopes=["gist"]))
def gists() -> str:
    "List the gists."
    return ""
"""
