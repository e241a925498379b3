"""The history keeps what was called and how it went."""

from collections.abc import Callable

from workbench.model.history import MAX_PROGRESS, History, RunStatus


def clock() -> Callable[[], float]:
    times = iter(range(1000))
    return lambda: float(next(times))


def test_a_run_keeps_the_arguments_as_they_were_sent() -> None:
    arguments = {"guests": ["Ada"]}
    run = History(clock()).start("book", arguments)
    arguments["guests"].append("Grace")
    assert run.arguments == {"guests": ["Ada"]}


def test_a_result_ends_a_run() -> None:
    run = History(clock()).start("greet", {})
    assert (run.is_running, run.duration) == (True, None)
    run.finish({"content": []}, 2.5)
    assert (run.status, run.duration, run.result) == (RunStatus.OK, 2.5, {"content": []})


def test_a_result_that_is_an_error_ends_a_run_as_a_tool_error() -> None:
    run = History(clock()).start("greet", {})
    run.finish({"content": [], "isError": True}, 1)
    assert run.status is RunStatus.TOOL_ERROR


def test_the_first_end_counts() -> None:
    run = History(clock()).start("slow", {})
    run.cancel(1)
    run.finish({"content": []}, 2)
    run.fail("gone", 3)
    run.advance(1, None, "", 4)
    assert (run.status, run.duration, run.result, run.error, run.progress) == (RunStatus.CANCELLED, 1, None, "", [])


def test_progress_has_a_fraction_where_the_tool_reports_a_total() -> None:
    run = History(clock()).start("slow", {})
    for progress, total in ((1, 4), (9, 4), (-1, 4), (1, None), (1, 0)):
        run.advance(progress, total, "working", 1)
    assert [step.fraction for step in run.progress] == [0.25, 1.0, 0.0, None, None]


def test_the_latest_progress_is_stored() -> None:
    run = History(clock()).start("slow", {})
    for progress in range(MAX_PROGRESS + 5):
        run.advance(progress, None, "", 1)
    assert [run.progress[0].progress, len(run.progress)] == [5, MAX_PROGRESS]


def test_runs_are_looked_up_by_tool_number_and_request() -> None:
    history = History(clock())
    first, second, other = history.start("a", {}), history.start("a", {}), history.start("b", {})
    first.request_id, second.request_id = 1, "1"
    assert [run.number for run in history] == [1, 2, 3]
    assert history.of("a") == [second, first]
    assert (history.last("b"), history.last("c"), history.find(1), history.find(9)) == (other, None, first, None)
    assert (history.find_request(1), history.find_request("1"), history.find_request(2)) == (first, second, None)


def test_the_oldest_ended_run_goes_when_there_are_too_many() -> None:
    history = History(clock(), most_runs=2)
    running, ended = history.start("a", {}), history.start("b", {})
    ended.finish({}, 5)
    newest = history.start("c", {})
    assert list(history) == [running, newest]
    assert newest.number == 3


def test_runs_of_earlier_sessions_are_before_those_of_this_one_and_have_a_date() -> None:
    before, after = History(clock()), History(clock(), most_runs=3)
    earlier = [before.start("a", {}), before.start("b", {}), before.start("a", {})]
    run = after.start("a", {})
    after.add_earlier(earlier)
    assert [(run.tool, run.number) for run in after] == [("b", -2), ("a", -1), ("a", 1)]
    assert (run.title, earlier[2].is_earlier, earlier[2].title[-6:-3]) == ("#1", True, earlier[2].title[6:9])
    assert after.previous(run) is None
    earlier[2].finish({}, 9)
    assert after.previous(run) is earlier[2]
    assert after.start("a", {}).number == 2
