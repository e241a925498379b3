"""The values of secrets: where they come from, who may read them, and where they are stored."""

from server_core.secrets.secret_store import SecretStatus, SecretStore

__all__ = ["SecretStatus", "SecretStore"]
