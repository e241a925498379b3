"""The descriptions of methods, notifications and events for users.

A method that is in no table here is shown by its name only.
"""

from server_core.protocol.codes import HTTP_STATUSES

REQUESTS = {
    "initialize": "Begins a session and agrees on a revision",
    "ping": "Asks whether the other side is still there",
    "server/discover": "Asks what the server is, what it can, and which revisions it speaks",
    "tools/list": "Lists the tools",
    "tools/call": "Calls a tool",
    "resources/list": "Lists the resources",
    "resources/templates/list": "Lists the templates of resources",
    "resources/read": "Reads a resource",
    "resources/subscribe": "Wants to be told when a resource changes",
    "resources/unsubscribe": "No longer wants to be told when a resource changes",
    "prompts/list": "Lists the prompts",
    "prompts/get": "Gets a prompt",
    "completion/complete": "Asks for values that would complete an argument",
    "logging/setLevel": "Says which log messages are wanted",
    "subscriptions/listen": "Listens to changes, until either side ends it",
    "tasks/get": "Asks how a task stands",
    "tasks/result": "Waits for the result of a task",
    "tasks/list": "Lists the tasks",
    "tasks/update": "Answers what a task asks",
    "tasks/cancel": "Asks to stop a task",
    "sampling/createMessage": "Asks the client's language model",
    "elicitation/create": "Asks the person",
    "roots/list": "Asks for the folders to work in",
}
"""The description of each request method."""

NOTIFICATIONS = {
    "notifications/initialized": "The client is ready: the handshake is done",
    "notifications/cancelled": "The answer to a request is no longer wanted",
    "notifications/progress": "Tells how far a request has come",
    "notifications/message": "A log message",
    "notifications/tools/list_changed": "The list of tools has changed",
    "notifications/prompts/list_changed": "The list of prompts has changed",
    "notifications/resources/list_changed": "The list of resources has changed",
    "notifications/resources/updated": "A resource has changed",
    "notifications/roots/list_changed": "The folders to work in have changed",
    "notifications/elicitation/complete": "What a person had to do at an address is done",
    "notifications/tasks/status": "The status of a task has changed",
    "notifications/subscriptions/acknowledged": "The server says what it will tell a listener",
    "notifications/tasks": "A task has changed",
}
"""The description of each notification."""

EVENTS = {
    "authorized": "A person lets the tools use their account with a service",
    "authorization_failed": "A person was asked for their account with a service, and it came to nothing",
    "authorization_forgotten": "The tools can no longer use an account",
    "authorization_refused": "A service took what it gave for an account no longer; the next call renews it, or asks",
    "authorization_renewed": "What a service gave for an account had ended, and was renewed",
    "batch_received": "An array of messages came; each of them follows as a message of its own",
    "call_abandoned": "The client closed the connection on which it waited: without a session, that cancels",
    "session_opened": "A client has connected",
    "session_initialized": "The handshake is done",
    "session_recalled": "A session goes on that another process began",
    "session_closed": "A client has gone",
    "capture_full": "The capture is as large as it may become; what follows is not recorded",
    "capture_lagging": "The disk is slower than what happens: not everything is recorded",
    "captures_pruned": "There were more captures than are kept: the oldest were deleted",
    "captures_not_pruned": "There are more captures than are kept, and one of them cannot be deleted",
    "records_dropped": "Records that were not kept, because the disk was slower",
    "changes_dropped": "So much has changed that a client is not told of all of it",
    "inner_call_began": "The tool calls another tool of its server",
    "inner_call_ended": "The tool that was called by another is done",
    "logs_dropped": "The tool logged while no request of its client was open to hear it",
    "stop_ordered": "`workbench stop` or a terminal has asked the core to end",
    "task_created": "A call has become a task",
    "task_changed": "A task has changed",
    "tool_failed": "What the client is not told of a tool that failed",
    "tool_retried": "A tool has failed, and is called again after a pause, as its `retries` say",
    "refusal_lost": "That a service refuses an account could not be kept: the next call uses it as this one did",
    "request_failed": "What the client is not told of a request that failed",
    "middleware_failed": "A middleware failed where no request could be answered with that",
    "lifespan_failed": "What an app opened could not be closed",
    "message_failed": "The server behind the relay did not take a message",
    "upstream_lost": "The server behind the relay is gone",
}
"""The description of each event of the core, where its name is not enough."""

TASK_STATUSES = {
    "working": "works",
    "input_required": "waits for answers",
    "completed": "is done",
    "failed": "has failed",
    "cancelled": "was cancelled",
}
"""The description of each task status."""

STATUSES = {
    200: "answered",
    202: "taken, with nothing to answer",
    400: "bad request",
    401: "a token is needed",
    403: "not allowed",
    404: "not there",
    405: "not with this method",
    406: "the client takes no answer in this form",
    409: "there is one already",
    413: "too long",
    415: "not JSON",
    421: "this host is not served here",
    429: "too many at once",
    500: "the server failed",
    503: "the server ends, or has too much to do",
}
"""The meaning in MCP of each HTTP status."""


def http_of_error(code: object) -> str:
    """Return the HTTP status for an error code in the stateless era; empty if there is none."""
    status = HTTP_STATUSES.get(code) if type(code) is int else None
    return "" if status is None else f"HTTP {status}, {STATUSES.get(status, '')}".rstrip(", ")
