"""The arguments of calls, on one line each."""

from workbench.model.run_arguments import arguments_line


def test_arguments_that_differ_from_the_previous_call_are_first() -> None:
    assert arguments_line({"name": "Ada", "times": 2}, {}, 80) == 'name="Ada" times=2'
    assert arguments_line({"name": "Ada", "times": 3}, {"name": "Ada", "times": 2}, 80) == 'times=3 name="Ada"'
    assert arguments_line({"name": "Ada"}, {"name": "Ada", "times": 2}, 80) == 'name="Ada"'


def test_a_line_is_short_and_safe() -> None:
    line = arguments_line({f"a{n}": "x" * 10_000 for n in range(10_000)}, {}, 50)
    assert len(line) == 50
    assert arguments_line({"a\x1b": "\x1b"}, {}, 50) == 'a\\x1b="\\u001b"'
