"""The questions of servers: a file per kind of question."""
