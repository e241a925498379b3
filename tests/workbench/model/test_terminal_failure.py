"""The description of an exception in a report: kinds and places, limited, and no values."""

from pathlib import Path

from workbench.model.terminal_failure import TerminalFailure, failure_of

SECRET = "s3cret-value"


def raised(how: str) -> Exception:
    """Return an exception that was raised here, with a secret in its text."""
    try:
        match how:
            case "cause":
                raise ValueError(SECRET) from KeyError(SECRET)
            case "context":
                try:
                    raise KeyError(SECRET)
                except KeyError:
                    raise ValueError(SECRET)  # noqa: B904
            case "group":
                raise ExceptionGroup(SECRET, [ValueError(SECRET), TypeError(SECRET)])
            case _:
                recurse()
    except Exception as error:
        return error


def recurse() -> None:
    recurse()


def kinds(failure: TerminalFailure) -> list[str]:
    return [failure.kind, *(kind for cause in failure.causes for kind in kinds(cause))]


def test_a_failure_has_the_kinds_of_its_causes_and_its_place() -> None:
    assert kinds(failure_of(raised("cause"))) == ["ValueError", "KeyError"]
    assert kinds(failure_of(raised("context"))) == ["ValueError", "KeyError"]
    assert kinds(failure_of(raised("group"))) == ["ExceptionGroup", "ValueError", "TypeError"]
    assert failure_of(raised("cause")).place.startswith(f"{Path(__file__)}:")


def test_the_text_of_an_exception_is_left_out() -> None:
    for how in ("cause", "context", "group"):
        assert SECRET not in "\n".join(failure_of(raised(how)).lines())


def test_an_endless_recursion_is_shown_by_its_two_ends() -> None:
    failure = failure_of(raised("recursion"))
    assert failure.kind == "RecursionError"
    assert len(failure.places) == 101
    assert "more" in failure.places[50]


def test_causes_that_go_in_a_circle_come_to_an_end() -> None:
    error, cause = ValueError(SECRET), TypeError(SECRET)
    error.__cause__, cause.__cause__ = cause, error
    assert 2 < len(kinds(failure_of(error))) < 20


def test_an_exception_that_was_never_raised_has_no_place() -> None:
    assert failure_of(ValueError(SECRET)).place == ""
