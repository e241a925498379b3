"""Notices: which is shown, when it ends, and the log."""

from workbench.model.notices import LINE_S, MAX_LOGGED, SECONDS, Notices, whole_sentences


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(notices: Notices) -> str | None:
    return None if notices.current is None else notices.current.text


def test_the_newest_notice_is_shown_and_a_confirmation_ends_with_its_time() -> None:
    clock = Clock()
    notices = Notices(clock)
    notices.add("Saved.")
    notices.add("Copied.")
    assert shown(notices) == "Copied."
    clock.now += SECONDS["information"] or 0
    assert shown(notices) is None


def test_an_error_stays_until_it_is_dismissed_and_returns_after_a_confirmation() -> None:
    clock = Clock()
    notices = Notices(clock)
    notices.add("It is broken.", "error")
    notices.add("Copied.")
    assert shown(notices) == "Copied."
    clock.now += 3600
    assert shown(notices) == "It is broken."
    assert notices.dismiss()
    assert shown(notices) is None
    assert not notices.dismiss()


def test_a_notice_ends_with_its_cause_and_is_replaced_by_the_next_on_its_topic() -> None:
    notices = Notices(Clock())
    notices.add("The reload failed.", "error", topic="reload")
    notices.add("Reloaded.", topic="reload")
    assert notices.texts == ["Reloaded."]
    assert notices.withdraw("reload")
    assert not notices.withdraw("reload")
    assert shown(notices) is None


def test_a_repeated_notice_is_shown_and_logged_once() -> None:
    notices = Notices(Clock())
    for _ in range(3):
        notices.add("No call is running.", "warning")
    assert notices.texts == ["No call is running."]
    assert len(notices.log) == 1


def test_the_log_keeps_what_is_no_longer_shown_within_a_limit() -> None:
    notices = Notices(Clock())
    for number in range(MAX_LOGGED + 5):
        notices.add(f"Notice {number}", topic="same")
    assert len(notices.log) == MAX_LOGGED
    assert notices.log[-1].text == f"Notice {MAX_LOGGED + 4}"


def test_a_notice_of_several_lines_has_one_line_to_show() -> None:
    notices = Notices(Clock())
    notices.add("It ended.\n\tlast words\n")
    assert notices.current is not None
    assert notices.current.line == "It ended. last words"


def test_a_notice_that_stays_becomes_brief() -> None:
    clock = Clock()
    notices = Notices(clock)
    notices.add("It is broken.", "error")
    notice = notices.current
    assert notice is not None
    assert not notice.is_brief(clock.now)
    assert notice.next_change(clock.now) == clock.now + LINE_S
    assert notice.is_brief(clock.now + LINE_S)
    assert notice.next_change(clock.now + LINE_S) is None


def test_a_line_that_is_too_long_is_cut_between_its_sentences() -> None:
    line = "Joined the core k7. Since 12:00! Why? e.g. nothing"
    assert whole_sentences(line, lambda text: len(text) <= 35) == "Joined the core k7. Since 12:00! …"
    assert whole_sentences(line, lambda text: len(text) <= 30) == "Joined the core k7. …"
    assert whole_sentences(line, lambda text: len(text) <= 10) == ""


def test_a_notice_behind_others_is_shown_when_they_have_ended() -> None:
    clock = Clock()
    notices = Notices(clock)
    notices.add("It is broken.", "error")
    notices.add("Joined.", behind=True)
    assert shown(notices) == "It is broken."
    assert [notice.text for notice in notices.log] == ["It is broken.", "Joined."]
