"""The passwords in URLs, such as the value of `DATABASE_URL`: which texts of it are masked.

The user and the password together are masked wherever they are, since nothing else looks like them. The password alone
may be a common word, which also occurs elsewhere: it is masked only if it is no such word.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from server_core.records.masking.masked_secret import LONG

# To the last `@` before the path, because a password may contain others.
_CREDENTIALS = re.compile(r"://(?P<user>[^:/?#@\s]*):(?P<password>[^/?#\s]+)@")


def passwords_in(value: str) -> Iterator[str]:
    """Yield the texts to mask in a value that contains URLs with passwords."""
    for match in _CREDENTIALS.finditer(value):
        password = unquote(match["password"])
        yield f"{match['user']}:{match['password']}"
        if len(password) >= LONG and not password.isalpha():
            yield password
