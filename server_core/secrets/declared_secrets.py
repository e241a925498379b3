"""Which secrets a project's code will declare, told from its source before it is imported.

What the code prints or logs while it is imported is recorded, and must not show a secret. So this errs towards more:
a name counts wherever it stands in a `requires_secrets`, and in `.env` also when it sounds like that of a secret. The
server's own credentials are no secrets of tools, and masked all the same.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from server_core.secrets.store import SecretStore

_HINT = b"requires_secrets"
_SOUNDS_SECRET = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|SECRET|TOKEN|PASS|PASSWORD|PASSWD|PASSPHRASE|PIN|PWD|CREDENTIALS?)S?(?:_|$)"
)


def values_before_import(files: Iterable[Path], secrets: SecretStore) -> Mapping[str, str]:
    """Return the values that the code may come to know while it is imported: name -> value.

    Args:
        files: what is about to be imported.
        secrets: those of the project.

    Raises:
        ConfigurationError: when a place that may hold one cannot be read.
    """
    sounding = (key for key in secrets.own_keys() if _SOUNDS_SECRET.search(key.upper()) or secrets.is_stored(key))
    declared = (key for file in files for key in declared_in(file))
    return secrets.values(dict.fromkeys((*sounding, *declared))) | secrets.credentials()


def declared_in(file: Path) -> Iterator[str]:
    """Yield the names that stand in a `requires_secrets` of a file; none when it cannot be read."""
    try:
        source = file.read_bytes()
        if _HINT not in source:
            return
        tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return  # What is wrong with it is told when it is imported.
    constants = dict(_constants(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "requires_secrets":
            for child in ast.walk(node.value):
                if isinstance(child, ast.Name):
                    yield from constants.get(child.id, ())
                elif isinstance(child, ast.Constant) and isinstance(child.value, str):
                    yield child.value


def _constants(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """The names at the top of a file, and the texts that they are made of."""
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
