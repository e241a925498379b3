"""When a lost server is started again."""

from workbench.model.restart_schedule import LONGEST_PAUSE_S, MAX_IN_VAIN, SHORT_LIFE_S, RestartSchedule


def pauses(schedule: RestartSchedule, count: int) -> list[float | None]:
    return [schedule.next_pause(0) for _ in range(count)]


def test_the_pauses_double_up_to_half_a_minute_and_end_after_some_starts_in_vain() -> None:
    schedule = RestartSchedule(random=lambda: 0.0)
    assert pauses(schedule, MAX_IN_VAIN + 1) == [1, 2, 4, 8, 16, 30, None]


def test_a_pause_is_shortened_at_random_and_never_longer() -> None:
    schedule = RestartSchedule(random=lambda: 1.0)
    assert pauses(schedule, 2) == [0.8, 1.6]


def test_a_server_that_has_run_for_a_while_is_started_again_after_the_shortest_pause() -> None:
    schedule = RestartSchedule(random=lambda: 0.0)
    pauses(schedule, MAX_IN_VAIN)
    assert schedule.next_pause(SHORT_LIFE_S) == 1
    assert schedule.next_pause(SHORT_LIFE_S / 2) == 2


def test_an_endless_schedule_goes_on_with_the_longest_pause() -> None:
    schedule = RestartSchedule(is_endless=True, random=lambda: 0.0)
    assert pauses(schedule, 1000)[-1] == LONGEST_PAUSE_S


def test_after_a_reset_the_pauses_begin_again() -> None:
    schedule = RestartSchedule(random=lambda: 0.0)
    pauses(schedule, MAX_IN_VAIN)
    schedule.reset()
    assert schedule.next_pause(0) == 1
