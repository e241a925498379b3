"""Which line feeds are text, which are the key that sends and which are refused; and when a press is a consent."""

from workbench.model.bursts import (
    PASTE_KEYS,
    PAUSE_S,
    READING_S,
    Arrival,
    BurstKey,
    LineFeeds,
    SendConsent,
    Step,
    arrivals,
)

T, J, X = BurstKey.TEXT, BurstKey.LINE_FEED, BurstKey.OTHER
NEW, REFUSE, PASS = Step.NEW_LINE, Step.REFUSE, Step.PASS
LONG = [T] * PASTE_KEYS


def steps(*runs: list[BurstKey], pause: float = PAUSE_S / 2) -> list[Step]:
    """Return what is done for keys other than text, if each run is read some seconds after the one before."""
    feeds, done = LineFeeds(), list[Step]()
    for at, run in enumerate(runs):
        for key, arrival in zip(run, arrivals(run), strict=True):
            taken = feeds.handle(key, arrival, at * pause)
            done += taken[:-1] if key is T else taken
    return done


def test_a_line_feed_in_a_long_run_is_a_new_line() -> None:
    assert steps([T, J, *LONG]) == [NEW]
    assert steps([J, T, J, J, J, *LONG]) == [NEW] * 4


def test_a_line_feed_in_a_short_run_is_refused_since_it_may_be_typed_or_pasted() -> None:
    assert steps([T, J, T]) == [REFUSE]
    assert steps([T, J, J, T, J]) == [REFUSE] * 3
    assert steps([J, T, J, T]) == [REFUSE] * 2


def test_a_line_feed_in_a_long_run_of_very_short_lines_is_refused_as_well() -> None:
    assert steps([T, J] * PASTE_KEYS) == [REFUSE] * PASTE_KEYS
    assert steps([T, T, T, J] * PASTE_KEYS) == [NEW] * (PASTE_KEYS - 1) + [REFUSE]


def test_a_line_feed_at_the_end_of_one_line_is_the_key() -> None:
    assert steps([T, T, J]) == [PASS]
    assert steps([*LONG, J]) == [PASS]


def test_several_line_feeds_at_the_end_of_one_line_are_the_key_once() -> None:
    assert steps([T, J, J, J]) == [PASS, REFUSE, REFUSE]


def test_refused_line_feeds_are_counted_until_a_pause_or_one_that_is_the_key() -> None:
    feeds = LineFeeds()

    def refused_after(run: list[BurstKey], at: float) -> int:
        for key, arrival in zip(run, arrivals(run), strict=True):
            feeds.handle(key, arrival, at)
        return feeds.refused

    assert refused_after([T, J, J, J, J, J], at=0) == 4
    assert refused_after([T, J, T], at=2 * PAUSE_S) == 1
    assert refused_after([T, J, T], at=2.5 * PAUSE_S) == 2
    assert refused_after([J], at=2.6 * PAUSE_S) == 0


def test_a_line_feed_before_text_is_the_key() -> None:
    assert steps([J, T]) == [PASS]
    assert steps([J, *LONG]) == [PASS]


def test_line_feeds_that_are_read_one_by_one_are_the_key_however_fast() -> None:
    assert steps([T], [J], [T], [J], [T, J], [J], pause=0) == [PASS] * 4


def test_the_line_feed_at_the_end_of_a_paste_is_refused() -> None:
    assert steps([T, J, *LONG, J]) == [NEW, REFUSE]


def test_a_line_feed_between_two_parts_of_a_paste_is_a_new_line() -> None:
    assert steps([T, J, *LONG, J], [T, J, T]) == [NEW, REFUSE, NEW, REFUSE, NEW]
    assert steps([T, J, *LONG], [J, T]) == [NEW, REFUSE, NEW]


def test_a_line_feed_soon_after_a_paste_is_refused_and_later_it_is_the_key() -> None:
    assert steps([T, J, *LONG], [J]) == [NEW, REFUSE]
    assert steps([T, J, *LONG], [J], pause=2 * PAUSE_S) == [NEW, PASS]


def test_text_a_while_after_a_paste_does_not_add_its_last_line_feed() -> None:
    assert steps([T, J, *LONG, J], [T], pause=2 * PAUSE_S) == [NEW, REFUSE]


def test_another_key_ends_a_run_and_a_paste() -> None:
    assert steps([T, J, X, T]) == [PASS, PASS]
    assert steps([T, J, *LONG, J, X, T]) == [NEW, REFUSE, PASS]


def test_keys_other_than_line_feeds_are_delivered_however_they_arrive() -> None:
    for arrival in Arrival:
        assert LineFeeds().handle(T, arrival, 0) == [PASS]
        assert LineFeeds().handle(X, arrival, 0) == [PASS]


def test_consent_is_given_by_the_same_value_once_its_problems_were_shown_long_enough() -> None:
    consent = SendConsent()
    assert not consent.is_given("{}", 0)
    consent.ask("{}")
    assert not consent.is_given("{}", 1000)
    consent.show(0)
    assert not consent.is_given("{}", READING_S / 2)
    assert not consent.is_given("[]", READING_S)
    assert consent.is_given("{}", READING_S)


def test_consent_is_requested_again_for_another_value_and_after_it_was_given() -> None:
    consent = SendConsent()
    consent.ask("{}")
    consent.show(0)
    consent.ask("[]")
    assert not consent.is_given("[]", READING_S)
    consent.show(10)
    consent.forget()
    assert not consent.is_given("[]", 20)
