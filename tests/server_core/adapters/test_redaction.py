"""URLs and credentials in texts are redacted."""

import pytest

from server_core.adapters.redaction import redact
from tests.tables import each_row

pytestmark = pytest.mark.promises("error adapters")


def test_a_url_is_reduced_to_scheme_host_port_and_path() -> None:
    for text, expected in (
        ("nothing to see", "nothing to see"),
        ("https://example.com/a", "https://example.com/a"),
        ("GET https://u:p@example.com:8/a/b?token=x&y=1#f failed", "GET https://example.com:8/a/b failed"),
        ("(see 'https://example.com/a?k=x').", "(see 'https://example.com/a')."),
        ("postgres://user:pw@db/name", "postgres://db/name"),
        ("https://example.com?k=x", "https://example.com"),
        (
            "Max retries exceeded with url: /v1/x?token=x (Caused by y)",
            "Max retries exceeded with url: /v1/x (Caused by y)",
        ),
        ("two: https://a/b?x=1 https://c@d/e", "two: https://a/b https://d/e"),
        ("is this right? yes", "is this right? yes"),
        ("https://a@b@c/d", "https://c/d"),
        ("https://a/b,https://u:p@c/d?k=x", "https://a/b,https://c/d"),
        ("https://a/b?next=https://u:p@c/d", "https://a/b"),
    ):
        assert redact(text) == expected


def test_credentials_are_hidden() -> None:
    for text, expected in (
        ("Authorization: Bearer abc.def-123", "Authorization: <hidden>"),
        ("{'authorization': 'Basic dXNlcjpwdw==', 'accept': 'x'}", "{'authorization': '<hidden>', 'accept': 'x'}"),
        ('{"X-Api-Key": "abc"}', '{"X-Api-Key": "<hidden>"}'),
        ("sent Bearer abcdefghijkl", "sent Bearer <hidden>"),
        ("token xoxb-1234567890-abc is old", "token <hidden> is old"),
        ("ghp_0123456789abcdef", "<hidden>"),
        ("Illegal header value b'abc123\\n'", "Illegal header value <hidden>"),
        ('Illegal header value "it\'s abc"', "Illegal header value <hidden>"),
        (
            "Invalid return character(s) in header value: ' Bearer abc'",
            "Invalid return character(s) in header value: <hidden>",
        ),
        (
            "Header part (b'abc\\n') from ('X-Auth', b'abc\\n') must be text",
            "Header part (<hidden>) from ('X-Auth', <hidden>) must be text",
        ),
        ("Invalid port: 'pw@example.com'", "Invalid port: 'example.com'"),
        ("Invalid URL 'user:pw@example.com/x?t=1': no scheme", "Invalid URL 'example.com/x': no scheme"),
        ("redis :pw@host", "redis host"),
        ("ada@example.com wrote at 12:30", "ada@example.com wrote at 12:30"),
        ("the bearer of news", "the bearer of news"),
        ("Authorization: ApiKey abc.def", "Authorization: <hidden>"),
        ("Authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=c\nand more", "Authorization: <hidden>\nand more"),
        ("Cookie: theme=dark; session=abc", "Cookie: <hidden>"),
        ("{'x-goog-api-key': 'abc', 'accept': 'x'}", "{'x-goog-api-key': '<hidden>', 'accept': 'x'}"),
    ):
        assert redact(text) == expected


LONG = (
    *["x", "/", "/a", "x-", "x-a", "a.", "://", "https://a?)", "?", ")", "?)", "sk-", "Bearer ", "cookie ", " "],
    *["a:", "a:b@", "'a:", "port: '", "header value '", "header part ('x') from ('"],
)


@each_row("word", LONG)
def test_a_long_text_requires_time_in_proportion_to_its_length(word: str) -> None:
    # In quadratic time, each of these texts would take an hour.
    assert len(redact(word * 200_000)) <= 200_000 * (len(word) + len("<hidden>"))
