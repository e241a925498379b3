"""Finds the secrets that a project's code declares by parsing its source, before it is imported.

Output of the code during its import is recorded, and must not show a secret. So this prefers too many secrets to too
few: every name in a `requires_secrets` counts, and in `.env` also every name that is typical of a secret. The server's
own credentials are not secrets of tools, but are masked as well.
"""

import ast
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from server_core.secrets.secret_store import SecretStore

_HINT = b"requires_secrets"
_LIKELY_SECRET = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|SECRET|TOKEN|PASS|PASSWORD|PASSWD|PASSPHRASE|PIN|PWD|CREDENTIALS?)S?(?:_|$)"
)


def readable_variables(secrets: SecretStore) -> Mapping[str, str]:
    """Return the variables that code may read while it is imported, secret or not; passwords in URLs are masked."""
    return {**secrets.values(filter(secrets.is_readable_now, secrets.readable_keys())), **os.environ}


def values_before_import(files: Iterable[Path], secrets: SecretStore) -> Mapping[str, str]:
    """Return the values that code may read while these files are imported; ConfigurationError if one cannot be read."""
    likely = (key for key in secrets.readable_keys() if _LIKELY_SECRET.search(key.upper()) or secrets.is_stored(key))
    declared = (key for file in files for key in declared_in(file))
    return secrets.values(dict.fromkeys((*likely, *declared))) | secrets.credentials()


def declared_in(file: Path) -> Iterator[str]:
    """Yield the names in the `requires_secrets` of a file; none when it cannot be read."""
    try:
        source = file.read_bytes()
        if _HINT not in source:
            return  # Parsing takes much longer than searching.
        tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return  # The error is reported when the file is imported.
    constants = dict(_constants(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "requires_secrets":
            for child in ast.walk(node.value):
                if isinstance(child, ast.Name):  # `requires_secrets=[KEY]`, with `KEY = "API_KEY"` in the same file.
                    yield from constants.get(child.id, ())
                elif isinstance(child, ast.Constant) and isinstance(child.value, str):
                    yield child.value


def _constants(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """Yield the module-level names of a file, with the strings in their values."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            texts = [
                child.value
                for child in ast.walk(node.value)
                if isinstance(child, ast.Constant) and isinstance(child.value, str)
            ]
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield target.id, texts
