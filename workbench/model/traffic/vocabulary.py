"""The descriptions of methods, notifications and events for users.

A method that is in no table here is shown by its name only.
"""

from server_core.protocol.codes import HTTP_STATUSES

# Our client's mark in the `_meta` of a `server/discover` that only probes the revisions of a server.
PROBE = "io.github.mcp-tool-workbench/probe"

REQUESTS = {
    "initialize": "Begins a session and agrees on a revision",
    "ping": "Checks that the other side responds",
    "server/discover": "Requests the server's identity, capabilities and revisions",
    "tools/list": "Lists the tools",
    "tools/call": "Calls a tool",
    "resources/list": "Lists the resources",
    "resources/templates/list": "Lists the resource templates",
    "resources/read": "Reads a resource",
    "resources/subscribe": "Subscribes to updates of a resource",
    "resources/unsubscribe": "Unsubscribes from updates of a resource",
    "prompts/list": "Lists the prompts",
    "prompts/get": "Gets a prompt",
    "completion/complete": "Requests completions of an argument",
    "logging/setLevel": "Sets the minimum level of log messages",
    "subscriptions/listen": "Subscribes to notifications until either side ends it",
    "tasks/get": "Requests the status of a task",
    "tasks/result": "Waits for the result of a task",
    "tasks/list": "Lists the tasks",
    "tasks/update": "Answers a task's input requests",
    "tasks/cancel": "Cancels a task",
    "sampling/createMessage": "Requests sampling from the client's language model",
    "elicitation/create": "Requests input from the user",
    "roots/list": "Requests the roots: folders to work in",
}

NOTIFICATIONS = {
    "notifications/initialized": "The client is ready: the handshake is done",
    "notifications/cancelled": "A request is cancelled",
    "notifications/progress": "The progress of a request",
    "notifications/message": "A log message",
    "notifications/tools/list_changed": "The list of tools has changed",
    "notifications/prompts/list_changed": "The list of prompts has changed",
    "notifications/resources/list_changed": "The list of resources has changed",
    "notifications/resources/updated": "A resource has changed",
    "notifications/roots/list_changed": "The roots have changed",
    "notifications/elicitation/complete": "A URL elicitation is completed",
    "notifications/tasks/status": "The status of a task has changed",
    "notifications/subscriptions/acknowledged": "The notifications that a subscription includes",
    "notifications/tasks": "A task has changed",
}

# Events of the core whose name is not enough.
EVENTS = {
    "authorized": "A user authorized the tools to use an account",
    "authorization_failed": "A user was asked to authorize an account, and it failed",
    "authorization_forgotten": "An account was logged out",
    "authorization_refused": "A service rejected an account's token; the next call renews it, or asks the user",
    "authorization_renewed": "An expired token of an account was renewed",
    "batch_received": "A batch was received; its messages follow one by one",
    "core_replaced": "The core was restarted: the records above are those of the previous core",
    "call_abandoned": "The client closed the connection of a request; without a session, that cancels it",
    "session_opened": "A client has connected",
    "session_initialized": "The handshake is done",
    "session_recalled": "A session that another process opened continues",
    "session_closed": "A client has disconnected",
    "capture_failed": "The capture cannot be written; it is tried again",
    "capture_resumed": "The capture is written again",
    "capture_full": "The capture has reached its maximum size; later records are not written",
    "capture_lagging": "The disk is too slow: some records are dropped",
    "captures_pruned": "The captures exceeded their limit: the oldest were deleted",
    "captures_not_pruned": "The captures exceed their limit, and one of them cannot be deleted",
    "records_dropped": "Records that were dropped, since the disk was too slow",
    "changes_dropped": "Some notifications to a client were dropped: too many changes",
    "http_request_ended": "The tool has made an HTTP request",
    "inner_call_began": "The tool calls another tool of the server",
    "inner_call_ended": "The tool that another tool called has ended",
    "input_request_answered": "Another terminal has answered a tool's request for input",
    "input_response_prepared": "A client has an answer to a tool's request for input, and sends it with others",
    "input_request_expired": "A tool no longer waits for input that it has requested",
    "question_answered_by_rule": "A rule of a terminal has answered a tool's request",
    "rule_failed": "A rule of a terminal matches a tool's request, and could not answer it",
    "logs_dropped": "A log message was dropped: no open request of the client to carry it",
    "stop_ordered": "`workbench stop` or a terminal has stopped the core",
    "task_created": "A call has become a task",
    "task_changed": "A task has changed",
    "tool_failed": "Details of a failed tool that the client does not receive",
    "tool_retried": "A tool has failed and is retried after a pause (`retries`)",
    "refusal_lost": "A service's refusal of an account could not be stored: the next call uses the same token",
    "request_failed": "Details of a failed request that the client does not receive",
    "hold_set": "Messages that match a filter are held from now on",
    "hold_cleared": "No more messages are held",
    "hold_limit_reached": "Too many messages are held: others pass",
    "held_message_cancelled": "The client has cancelled a request that is held, or whose response is",
    "message_held": "A message waits for an operator",
    "message_released": "A held message was delivered as it is",
    "message_edited": "A held message was changed: another was delivered instead",
    "message_dropped": "A held message was not delivered",
    "message_duplicated": "A held message was delivered with copies",
    "message_delayed": "A held message is delivered later",
    "message_answered": "A held request was answered by an operator; its receiver did not get it",
    "message_expired": "A held message was not delivered: its client has gone",
    "middleware_failed": "A middleware failed outside of a request",
    "lifespan_failed": "The end of an app's lifespan failed",
    "message_failed": "A message could not be sent to the server behind the relay",
    "upstream_lost": "The relayed server has disconnected",
}

TASK_STATUSES = {
    "working": "is running",
    "input_required": "requires input",
    "completed": "is done",
    "failed": "has failed",
    "cancelled": "was cancelled",
}

# The meaning in MCP of each HTTP status.
STATUSES = {
    200: "answered",
    202: "accepted, without a response",
    400: "bad request",
    401: "unauthorized: a token is required",
    403: "forbidden",
    404: "not found",
    405: "method not allowed",
    406: "the client does not accept the response's format",
    409: "conflict: it exists already",
    413: "body too large",
    415: "not JSON",
    421: "this host is not served",
    429: "too many requests",
    500: "internal server error",
    503: "the server is shutting down or overloaded",
}


def http_of_error(code: object) -> str:
    """Return the HTTP status for an error code in the stateless era; empty if there is none."""
    status = HTTP_STATUSES.get(code) if type(code) is int else None
    return "" if status is None else f"HTTP {status}, {STATUSES.get(status, '')}".rstrip(", ")
