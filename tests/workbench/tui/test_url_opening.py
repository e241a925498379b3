"""URLs to visit: shown in full with warnings, and opened only by a key."""

import pytest

from workbench.tui import url_opening
from workbench.tui.url_opening import open_url, url_text, url_warnings


def test_an_ordinary_url_needs_no_warning() -> None:
    assert url_warnings("https://example.com/a?b=c") == []


@pytest.mark.parametrize("host", ["127.0.0.1:8975", "localhost", "[::1]:1"])
def test_a_url_of_this_machine_needs_no_https(host: str) -> None:
    assert url_warnings(f"http://{host}/authorize") == []
    assert url_warnings(f"http://{host.replace('1', '2').replace('localhost', 'localhost.example')}/authorize") != []


@pytest.mark.parametrize(
    ("url", "caution"),
    [
        ("http://example.com", "not https"),
        ("https://xn--pple-43d.com", "look like others"),
        ("https://аpple.com", "look like others"),
        ("https://bank.example@evil.example/", "before the @"),
        ("https://[::1", "not a URL"),
        ("javascript:alert(1)", "not https"),
    ],
)
def test_deceptive_urls_have_warnings(url: str, caution: str) -> None:
    assert any(caution in warning for warning in url_warnings(url))


@pytest.mark.parametrize("url", ["http://[", "https://[::1/sign-in", "file:///etc/passwd", "javascript:alert(1)", ""])
def test_a_url_that_is_not_http_is_not_opened_and_ends_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    visited: list[str] = []
    monkeypatch.setattr(url_opening.webbrowser, "open", visited.append)
    assert "Only http and https URLs are opened" in open_url(url)
    assert visited == []


def test_an_invalid_url_is_still_shown() -> None:
    assert "http://[" in url_text("http://[").plain
    assert "This is not a URL" in url_text("http://[").plain
