"""The `WWW-Authenticate` header, in every form in which it may be written."""

from hypothesis import given
from hypothesis import strategies as st

from server_core.oauth.challenge import LONGEST_HEADER, Challenge, parse_challenges, read_challenge
from server_core.oauth.scopes import MAX_SCOPES, join_scopes
from tests.tables import each_row


def test_challenges_are_read() -> None:
    for header, challenges in (
        ("", []),
        ("Bearer", [("bearer", {})]),
        ('Bearer realm="a, b", scope="x y"', [("bearer", {"realm": "a, b", "scope": "x y"})]),
        (r'Bearer realm="say \"hi\""', [("bearer", {"realm": 'say "hi"'})]),
        ("BEARER Scope=x", [("bearer", {"scope": "x"})]),
        ('Bearer scope = "x" , error = y', [("bearer", {"scope": "x", "error": "y"})]),
        ('Basic realm="x", Bearer scope="y"', [("basic", {"realm": "x"}), ("bearer", {"scope": "y"})]),
        ("Negotiate, Bearer", [("negotiate", {}), ("bearer", {})]),
        ('Negotiate YWJj==, DPoP algs="ES256"', [("negotiate", {}), ("dpop", {"algs": "ES256"})]),
        ('Bearer scope="a", scope="b"', [("bearer", {"scope": "a"})]),
        ("Bearer resource_metadata=https://a.test/x?y=1", [("bearer", {"resource_metadata": "https://a.test/x?y=1"})]),
        ('Bearer scope="never ends', [("bearer", {"scope": '"never'})]),
        (",,, Bearer", [("bearer", {})]),
    ):
        if "never" in header:
            assert parse_challenges(header)[0][0] == "bearer"
        else:
            assert parse_challenges(header) == challenges


def test_a_challenge_is_read_from_oauth_schemes_only() -> None:
    header = (
        'Basic scope="not this", Bearer scope="a b a", error="insufficient_scope", DPoP resource_metadata="https://x"'
    )
    assert read_challenge({"www-authenticate": header, "dpop-nonce": "n"}) == Challenge(
        schemes=frozenset({"basic", "bearer", "dpop"}),
        resource_metadata="https://x",
        scopes=("a", "b"),
        error="insufficient_scope",
        nonce="n",
    )


@each_row(
    ("header", "is_for_oauth"),
    [("", True), ("Bearer", True), ("DPoP", True), ("Basic", False), ("Basic, Bearer", True)],
)
def test_a_challenge_may_be_for_another_scheme(header: str, is_for_oauth: bool) -> None:
    assert read_challenge({"www-authenticate": header}).is_for_oauth is is_for_oauth


def test_invalid_scopes_are_ignored() -> None:
    assert read_challenge({"www-authenticate": 'Bearer scope="a  b\\"c é d"'}).scopes == ("a", "d")


def test_scopes_are_joined_in_order_and_bounded() -> None:
    assert join_scopes(["b", "a"], ["c", "b"], [""]) == ("b", "a", "c")
    assert len(join_scopes(str(number) for number in range(10_000))) == MAX_SCOPES


@each_row("nonce", ["a\nb", "é", "x" * (LONGEST_HEADER + 1)])
def test_an_invalid_nonce_is_ignored(nonce: str) -> None:
    assert read_challenge({"dpop-nonce": nonce}).nonce == ""


@given(st.text())
def test_any_header_is_read(header: str) -> None:
    for scheme, parameters in parse_challenges(header):
        assert scheme == scheme.lower()
        assert all(isinstance(value, str) for value in parameters.values())


@each_row("piece", ['a="', "a=", "Bearer ", 'Bearer a="\\', ", ", "=", "a,"])
def test_a_long_header_costs_little(piece: str) -> None:
    parse_challenges(piece * (1024 * 1024))  # Under the suite's own time limit, or its cost is not linear.
