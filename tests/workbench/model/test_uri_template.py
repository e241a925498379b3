"""URI templates become forms, and forms become URIs."""

import pytest

from workbench.model.uri_template import expand, variables


@pytest.mark.parametrize(
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
    assert variables(template) == names


# The examples of RFC 6570, sections 1.2 and 3.2.
VALUES = {"var": "value", "hello": "Hello World!", "path": "/foo/bar", "x": "1024", "y": "768", "empty": ""}


@pytest.mark.parametrize(
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
def test_an_address_is_made_as_the_rfc_says(template: str, address: str) -> None:
    assert expand(template, VALUES) == address
