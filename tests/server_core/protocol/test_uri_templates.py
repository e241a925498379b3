"""URI templates: which URIs fit, what their parts are, what a hostile one costs; how a form becomes a URI."""

import re
import sys
from collections.abc import Callable
from itertools import product

import pytest

from server_core import MCPApp
from server_core.protocol.uri_templates import MAX_URI_LENGTH, UriTemplate
from tests.tables import each_row

pytestmark = pytest.mark.promises("resources and prompts")


def test_the_first_part_matches_as_much_as_it_can() -> None:
    for template, uri, parts in (
        ("a://{x}", "a://1", {"x": "1"}),
        ("a://{x}", "a://1/2", None),
        ("a://{x}", "a://", None),
        ("a://{x}", "b://1", None),
        ("a://{x}", "aa://1", None),
        ("a://{x}/z", "a://1/z", {"x": "1"}),
        ("a://{x}/z", "a://1/zz", None),
        ("a://{x}.{y}", "a://1.2.3", {"x": "1.2", "y": "3"}),
        ("a://{x}{y}", "a://123", {"x": "12", "y": "3"}),
        ("a://{x}/{y}", "a://1/2", {"x": "1", "y": "2"}),
        ("a://{x*}", "a://1/2", {"x": "1/2"}),
        ("a://{x*}", "a:///", {"x": "/"}),
        ("a://{x*}/z/{y}", "a://1/z/2/z/3", {"x": "1/z/2", "y": "3"}),
        ("a://{x*}/{y*}", "a://1/2/3", {"x": "1/2", "y": "3"}),
        ("a://{x}/{y*}", "a://1/2/3", {"x": "1", "y": "2/3"}),
        ("a://{x}-{y}/e", "a://1-2-3/e", {"x": "1-2", "y": "3"}),
        ("a://{ä}", "a://%C3%BC%20b", {"ä": "ü b"}),
    ):
        assert UriTemplate(template).match(uri) == parts


TEMPLATES = [
    "a:{x}",
    "a:{x}/{y}",
    "a:{x}b{y}",
    "a:{x*}b{y}",
    "a:{x}/{y*}",
    "a:{x*}/{y*}b",
    "a:{x*}b{y}/{z}",
    "a:{x}{y*}",
]


def test_it_fits_as_the_regular_expression_would() -> None:
    for template in TEMPLATES:
        pattern = re.escape(template).replace(r"\{", "{").replace(r"\}", "}").replace(r"\*", "*")
        pattern = re.sub(r"\{(\w)\*\}", r"(?P<\1>.+)", re.sub(r"\{(\w)\}", r"(?P<\1>[^/]+)", pattern))
        matcher = UriTemplate(template)
        for length in range(7):
            for letters in product("/bc", repeat=length):
                uri = "a:" + "".join(letters)
                match = re.fullmatch(pattern, uri)
                assert matcher.match(uri) == (None if match is None else match.groupdict()), uri


def test_a_part_never_leads_out_of_the_folder_that_it_may_name() -> None:
    for template in (
        "a://{x}",
        "a://{x}/{y}/{z}",
        "a://{x*}",
    ):
        for uri in (
            "a://..",
            "a://.",
            "a://b%2Fc",
            "a://%2E%2E",
            "a://%2e%2e%2fetc",
            "a://%00",
            "a://b/../c",
            "a://../b",
        ):
            if (template, uri) == ("a://{x*}", "a://b%2Fc"):
                assert UriTemplate(template).match(uri) == {"x": "b/c"}
            else:
                assert UriTemplate(template).match(uri) is None


def test_dots_within_a_name_are_fine() -> None:
    assert UriTemplate("a://{x*}").match("a://b/..c/.d/e..") == {"x": "b/..c/.d/e.."}


@each_row("template", ["a:{x*}/{y*}/{z*}/!", "a:{x}b{y}b{z}b!", "a:{x*}{y*}{z*}!"])
def test_a_hostile_uri_costs_no_more_than_its_length(template: str) -> None:
    steps = 0

    def count(frame: object, event: str, argument: object) -> object:
        nonlocal steps
        steps += 1
        return count

    uri = "a:" + "/b" * (MAX_URI_LENGTH // 2 - 2)
    matcher = UriTemplate(template)
    before = sys.gettrace()
    sys.settrace(count)  # type: ignore[arg-type]
    try:
        assert matcher.match(uri) is None
    finally:
        sys.settrace(before)
    assert steps < 12 * 3 * MAX_URI_LENGTH
    assert UriTemplate("a:{x*}").match("a:" + "b" * MAX_URI_LENGTH) is None


def test_a_duplicate_part_is_a_problem() -> None:
    app = MCPApp("x")
    app.resource("a://{x}/{x}")(lambda x: "")
    _, (problem,) = app.build()
    assert "has an expression twice" in problem.message


@each_row(
    ("earlier", "later", "covers"),
    [
        ("kb://docs/{path*}", "kb://docs/{category}/articles/{slug}", True),
        ("kb://docs/{category}/articles/{slug}", "kb://docs/{path*}", False),
        ("kb://{a}/{b}", "kb://{c}/{d}", True),
        ("kb://{a}/{b}/{c}/{d}", "kb://{path*}", False),
        ("kb://x/{id}", "kb://{space}/{id}", False),
        ("weather://{city}/current", "news://{topic}/latest", False),
        ("kb://{path*}", "kb://{other*}/end", True),
    ],
)
def test_a_template_that_is_hidden_by_an_earlier_template_is_reported(earlier: str, later: str, covers: bool) -> None:
    assert UriTemplate(earlier).covers(UriTemplate(later)) is covers
    app = MCPApp("x")
    app.resource(earlier)(function_of(earlier))
    app.resource(later)(function_of(later))
    catalog, problems = app.build()
    assert len(catalog.templates) == 2
    assert [problem.severity for problem in problems] == ["warning"] * covers
    if covers:
        assert problems[0].message.startswith(f"Resource template {later!r} is never used:")
        assert f"also match {earlier!r}" in problems[0].message


def function_of(template: str) -> Callable[..., str]:
    """A function whose parameters are the parts of a template."""
    function: Callable[..., str] = eval(f"lambda {', '.join(UriTemplate(template).variables)}: ''")
    return function


@each_row(
    ("template", "names"),
    [
        ("demo://menu", []),
        ("demo://dishes/{dish}", ["dish"]),
        ("file:///{+path}{?a,b}{&a}", ["path", "a", "b"]),
        ("x://{name:3}/{list*}", ["name", "list"]),
        ("x://{}", []),
        ("x://{unclosed", []),
    ],
)
def test_the_variables_of_a_template_come_once_each_in_order(template: str, names: list[str]) -> None:
    assert list(dict.fromkeys(UriTemplate(template).variables)) == names


# The examples of RFC 6570, sections 1.2 and 3.2.
VALUES = {"var": "value", "hello": "Hello World!", "path": "/foo/bar", "x": "1024", "y": "768", "empty": ""}


@each_row(
    ("template", "address"),
    [
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{+hello}", "Hello%20World!"),
        ("{+path}/here", "/foo/bar/here"),
        ("X{#hello}", "X#Hello%20World!"),
        ("map?{x,y}", "map?1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("X{.x,y}", "X.1024.768"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{?x,undef}", "?x=1024"),
        ("a{?undef}", "a"),
    ],
)
def test_a_template_is_expanded_by_the_rules_of_the_rfc(template: str, address: str) -> None:
    assert UriTemplate(template).expand(VALUES) == address


def test_a_value_that_is_no_text_is_written_as_json() -> None:
    assert UriTemplate("notes://{day}/{open}").expand({"day": 3, "open": [True]}) == "notes://3/%5Btrue%5D"


@each_row(
    ("template", "values"),
    [
        ("notes://{user}/{path*}", {"user": "Jörg & Co", "path": "a/b c.txt"}),
        ("a://{x}-{y}", {"x": "50%", "y": "{z}"}),
        ("a://{x}", {"x": "%2F"}),
        ("a://fixed", {}),
    ],
)
def test_the_filled_in_uri_is_the_one_that_the_server_matches(template: str, values: dict[str, str]) -> None:
    assert UriTemplate(template).match(UriTemplate(template).expand(values)) == values


@each_row("template", ["x://{}", "x://{a", "x://a}", "x://{+a}", "x://{a,b}", "x://{a:3}", "x://{a{b}}"])
def test_a_template_that_no_uri_can_be_matched_with_is_known(template: str) -> None:
    assert not UriTemplate(template).is_matchable
