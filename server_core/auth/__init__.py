"""Accounts of people with services, for tools that act in their name."""

from server_core.auth.requirement import AuthRequirement

__all__ = ["AuthRequirement"]
