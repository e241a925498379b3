"""Which line feeds are text and which are the key that sends, and when a second press is a consent."""

import pytest

from workbench.model.bursts import BURST_S, READING_S, BurstKey, LineFeeds, SendConsent, Step

T, J, X = BurstKey.TEXT, BurstKey.LINE_FEED, BurstKey.OTHER
NEW, SEND, PASS = Step.NEW_LINE, Step.SEND, Step.PASS
LATER = 2 * BURST_S


def steps(*keys: tuple[BurstKey, float]) -> list[Step]:
    """What is done for keys, each so many seconds after the one before, and for the silence after them."""
    feeds, now, done = LineFeeds(), 100.0, list[Step]()
    for key, pause in keys:
        now += pause
        done += feeds.handle(key, now)
    return done + feeds.end()


def test_a_line_feed_within_a_burst_of_text_is_a_new_line() -> None:
    assert steps((T, 0), (J, 0), (T, 0)) == [PASS, NEW, PASS]


def test_empty_lines_within_a_burst_are_kept() -> None:
    assert steps((T, 0), (J, 0), (J, 0), (J, 0), (T, 0)) == [PASS, NEW, NEW, NEW, PASS]


def test_a_line_feed_at_the_end_of_a_burst_sends() -> None:
    assert steps((T, 0), (T, 0), (J, 0)) == [PASS, PASS, SEND]


def test_several_line_feeds_at_the_end_of_a_burst_send_once() -> None:
    assert steps((T, 0), (J, 0), (T, 0), (J, 0), (J, 0)) == [PASS, NEW, PASS, SEND]


def test_a_line_feed_a_while_after_text_is_the_key_at_once() -> None:
    assert steps((T, 0), (J, LATER), (T, 0)) == [PASS, PASS, PASS]


def test_a_line_feed_without_text_before_it_is_the_key_at_once() -> None:
    assert steps((J, 0), (T, 0)) == [PASS, PASS]


def test_text_that_arrives_a_while_after_a_line_feed_does_not_change_its_meaning() -> None:
    assert steps((T, 0), (J, 0), (T, LATER)) == [PASS, SEND, PASS]


def test_a_second_press_a_while_after_a_held_line_feed_is_a_press_of_its_own() -> None:
    assert steps((T, 0), (J, 0), (J, LATER)) == [PASS, SEND, PASS]


@pytest.mark.parametrize("pause", [0, LATER])
def test_a_line_feed_before_another_key_sends_first(pause: float) -> None:
    assert steps((T, 0), (J, 0), (X, pause)) == [PASS, SEND, PASS]


def test_a_line_feed_after_another_key_is_the_key_at_once() -> None:
    assert steps((T, 0), (X, 0), (J, 0), (T, 0)) == [PASS, PASS, PASS, PASS]


def test_nothing_is_held_once_it_was_decided() -> None:
    feeds = LineFeeds()
    feeds.handle(T, 0)
    feeds.handle(J, 0)
    assert feeds.is_holding
    assert feeds.end() == [SEND]
    assert not feeds.is_holding
    assert feeds.end() == []


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
