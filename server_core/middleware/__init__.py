"""Middleware: built-in and authors' code that every message of a server passes through."""

from server_core.middleware.error_handling import ErrorHandlingMiddleware
from server_core.middleware.logging import LoggingMiddleware
from server_core.middleware.middleware import CallNext, Middleware, MiddlewareContext, compose_middleware
from server_core.middleware.timing import Timing, TimingMiddleware

__all__ = [
    "CallNext",
    "ErrorHandlingMiddleware",
    "LoggingMiddleware",
    "Middleware",
    "MiddlewareContext",
    "Timing",
    "TimingMiddleware",
    "compose_middleware",
]
