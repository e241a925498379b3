"""Addresses: how servers are named, where metadata lies, and which are not asked."""

import pytest

from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.urls import (
    canonical_url,
    check_url,
    covers,
    is_loopback,
    resource_metadata_urls,
    server_metadata_urls,
)
from tests.tables import each_row

HERE, THERE = "http://localhost:8000/mcp", "https://mcp.test/mcp"


def test_a_server_has_a_single_identifier() -> None:
    for url, name in (
        ("https://mcp.test/mcp", "https://mcp.test/mcp"),
        ("HTTPS://MCP.Test/Mcp", "https://mcp.test/Mcp"),
        ("https://mcp.test", "https://mcp.test"),
        ("https://mcp.test/", "https://mcp.test"),
        ("https://mcp.test/mcp/", "https://mcp.test/mcp/"),
        ("https://mcp.test:443/mcp", "https://mcp.test/mcp"),
        ("https://mcp.test:8443", "https://mcp.test:8443"),
        ("http://localhost:80/mcp", "http://localhost/mcp"),
        ("https://mcp.test/mcp?tenant=a#part", "https://mcp.test/mcp?tenant=a"),
        ("https://name:word@mcp.test/mcp", "https://mcp.test/mcp"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000/mcp"),
    ):
        assert canonical_url(url) == name


def test_an_invalid_url_is_refused() -> None:
    for url in (
        "mcp.test",
        "ftp://mcp.test",
        "https://",
        "https://mcp.test:x/",
        "https://mcp.test:99999/",
        "https://[::1/",
        "",
        "https://mcp.test\\@evil.test/",
        "https://mcp.test/\n",
        "https://mcp.tést/",
        "https://mcp.test/ x",
        "https://mcp.test/" + "x" * 10_000,
    ):
        with pytest.raises(AuthorizationFailed, match="is no"):
            canonical_url(url)


def test_a_resource_covers_a_server_or_a_part_of_its_path() -> None:
    for resource, server, does in (
        ("https://mcp.test/mcp", "https://mcp.test/mcp", True),
        ("https://mcp.test/mcp/", "https://mcp.test/mcp", True),
        ("https://MCP.test:443/mcp", "https://mcp.test/mcp", True),
        ("https://mcp.test", "https://mcp.test/mcp", True),
        ("https://mcp.test/a", "https://mcp.test/a/b", True),
        ("https://mcp.test/a", "https://mcp.test/ab", False),
        ("https://mcp.test/a/b", "https://mcp.test/a", False),
        ("https://mcp.test/mcp?x=1", "https://mcp.test/mcp", False),
        ("https://mcp.test/mcp?x=1", "https://mcp.test/mcp?x=1", True),
        ("http://mcp.test/mcp", "https://mcp.test/mcp", False),
        ("https://mcp.test:8443/mcp", "https://mcp.test/mcp", False),
        ("https://mcp.test.evil.test/mcp", "https://mcp.test/mcp", False),
    ):
        assert covers(resource, server) is does


@each_row(
    ("server", "places"),
    [
        ("https://mcp.test/a/mcp", ["/a/mcp", ""]),
        ("https://mcp.test/mcp/", ["/mcp", ""]),
        ("https://mcp.test", [""]),
    ],
)  # fmt: skip
def test_the_metadata_of_a_server_is_at_its_path_then_at_the_root(server: str, places: list[str]) -> None:
    assert resource_metadata_urls(server) == [
        f"https://mcp.test/.well-known/oauth-protected-resource{place}" for place in places
    ]


@each_row(
    ("issuer", "places"),
    [
        ("https://as.test", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]),
        ("https://as.test/", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]),
        (
            "https://as.test/t",
            [
                "/.well-known/oauth-authorization-server/t",
                "/.well-known/openid-configuration/t",
                "/t/.well-known/openid-configuration",
            ],
        ),
    ],
)
def test_the_metadata_of_an_issuer_is_fetched_in_the_documented_order(issuer: str, places: list[str]) -> None:
    assert server_metadata_urls(issuer) == [f"https://as.test{place}" for place in places]


def test_this_machine_is_known_by_name() -> None:
    for url, is_here in (
        ("http://localhost/", True),
        ("http://a.localhost:1/", True),
        ("http://LOCALHOST./", True),
        ("http://127.9.9.9/", True),
        ("http://[::1]/", True),
        ("http://[::ffff:127.0.0.1]/", False),
        ("http://localhost.evil.test/", False),
        ("http://127.0.0.1.evil.test/", False),
        ("http://10.0.0.1/", False),
        ("http://127.1/", True),
        ("http://2130706433/", True),
        ("http://0x7f.1/", True),
        ("http://0177.1/", True),
        ("http://10.1/", False),
        ("http://127.1.evil.test/", False),
    ):
        assert is_loopback(url) is is_here


@each_row(
    ("url", "server"),
    [
        ("https://as.test/x", THERE),
        ("https://10.0.0.1/", THERE),
        ("https://as.test", HERE),
        ("http://127.0.0.1:9/x", HERE),
    ],
)
def test_safe_urls_are_requested(url: str, server: str) -> None:
    assert check_url(url, "It", server) == url


def test_unsafe_urls_are_refused() -> None:
    for url, server in (
        ("http://as.test/x", HERE),
        ("http://127.0.0.1:9/x", THERE),
        ("https://localhost/x", THERE),
        ("https://169.254.169.254/latest", HERE),
        ("https://[fe80::1%25eth0]/", THERE),
        ("https://0.0.0.0/", HERE),
        ("https://127.1/", THERE),
        ("https://2130706433/", THERE),
        ("http://127.1:9/x", THERE),
        ("https://0/", HERE),
        ("https://0xa9fea9fe/latest", THERE),
        ("https://[::]/", HERE),
        ("https://[::ffff:127.0.0.1]/", THERE),
        ("https://[::ffff:169.254.169.254]/", THERE),
        ("https://u@as.test/", THERE),
        (None, THERE),
        (7, THERE),
        (["https://as.test"], THERE),
        ("data:text/plain,x", THERE),
        ("//as.test/x", THERE),
        ("/x", THERE),
    ):
        with pytest.raises(AuthorizationFailed, match=r"^It "):
            check_url(url, "It", server)
