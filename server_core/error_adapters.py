"""The adapters of errors under the names that Arcade's framework gives them, for tools that were written for it."""

from server_core.adapters.adapter import ErrorAdapter
from server_core.adapters.google import GoogleAdapter
from server_core.adapters.graphql import GraphQLAdapter
from server_core.adapters.http import HttpAdapter
from server_core.adapters.microsoft import MicrosoftAdapter
from server_core.adapters.slack import SlackAdapter

HTTPErrorAdapter = HttpAdapter
GraphQLErrorAdapter = GraphQLAdapter
GoogleErrorAdapter = GoogleAdapter
MicrosoftGraphErrorAdapter = MicrosoftAdapter
SlackErrorAdapter = SlackAdapter

__all__ = [
    "ErrorAdapter",
    "GoogleErrorAdapter",
    "GraphQLErrorAdapter",
    "HTTPErrorAdapter",
    "MicrosoftGraphErrorAdapter",
    "SlackErrorAdapter",
]
