"""Answers the requests of clients, and notifies them of changes.

backend.py            what a core serves: a project, an app object, or a relay
tool_backend.py       loads the tools of a project or an app, and loads them again when they change
server.py             one catalog, served to every client
access_rules.py       which tokens the clients of a server need
relay.py              another server behind the same tap
relay_session.py      a client of a relay, and its connection to the other server; relayed_request.py has its requests
session_info.py       the data and the registry of sessions, common to servers and relays

sessions.py           a client on one connection; up to 2025-11-25 it begins with a handshake (handshake.py)
stateless.py          the requests of a client without a session, from 2026-07-28 on
stateless_call.py     the call that one or more of these requests belong to
call_inputs.py        the requests of such a call to its client
suspended_calls.py    calls that wait for input from their client; request_state.py is what the client gets meanwhile
nested_caller.py      a running tool that sends requests to its own server
request_scheduler.py  the requests of a session that run or wait for room
server_requests.py    the requests of a session to its client
batch_responses.py    the responses to a batch

method_table.py       one handler per method; method_handlers.py has those that run the author's code
pages.py              the pages of lists
middleware_chain.py   the middleware that messages pass through; middleware_checks.py checks what it returns
lifespan.py           the lifespans of apps; app_changes.py detects that an app has changed

list_changed.py       notifications of changes; subscriptions.py is a request for them
resource_watcher.py   the files of resources
"""
