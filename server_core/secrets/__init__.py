"""The values of secrets: where they come from, who may have them, and where they are kept."""

from server_core.secrets.store import SecretStatus, SecretStore

__all__ = ["SecretStatus", "SecretStore"]
