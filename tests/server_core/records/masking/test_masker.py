"""Secrets are replaced in every form in which they travel."""

import base64
import json
import threading
from urllib.parse import quote, quote_plus

import pytest

from server_core.records.masking import Masker
from server_core.records.masking import masker as masker_module
from server_core.records.masking.masked_secret import MaskedSecret
from tests.clock import Clock
from tests.tables import each_row

SECRET = 'pä"ss/word+1'


def test_each_form_of_a_secret_is_masked() -> None:
    for form in (
        SECRET.encode(),
        json.dumps(SECRET)[1:-1].encode(),
        json.dumps(SECRET, ensure_ascii=False)[1:-1].encode(),
        quote(SECRET, safe="").encode(),
        base64.b64encode(SECRET.encode()),
        base64.urlsafe_b64encode(SECRET.encode()),
    ):
        assert Masker({"KEY": SECRET}).mask(b"a " + form + b" b") == b"a <secret KEY> b"


def test_json_within_json_is_masked_too() -> None:
    for ascii in (
        False,
        True,
    ):
        for depth in (
            1,
            2,
            3,
        ):
            for secret in (
                'a"b\\c',
                "two\nlines",
                "pä ss",
                "'quoted'",
            ):
                text = secret
                for _ in range(depth):
                    text = json.dumps({"k": text}, ensure_ascii=ascii)
                masked = Masker({"KEY": secret}).mask_text(text)
                assert masked == text.replace(text[text.index(secret[0]) : text.rindex(secret[-1]) + 1], "<secret KEY>")


@each_row(
    "form", [repr(SECRET), quote(SECRET), quote_plus("pa ss"), base64.b64encode(SECRET.encode()).decode().rstrip("=")]
)
def test_encoded_forms_of_a_secret_are_masked(form: str) -> None:
    masked = Masker({"KEY": SECRET, "OTHER": "pa ss"}).mask_text(form)
    assert masked.strip("'") in ("<secret KEY>", "<secret OTHER>")


def test_each_line_of_a_long_secret_is_masked_since_it_may_be_printed_line_by_line() -> None:
    masker = Masker({"PEM": "-----BEGIN KEY-----\n  MIIEvQIBADANBg\n==\n-----END KEY-----\n"})
    lines = ["-----BEGIN KEY-----", "  MIIEvQIBADANBg", "==", "-----END KEY-----"]
    assert [masker.mask_text(line) for line in lines] == ["<secret PEM>", "  <secret PEM>", "==", "<secret PEM>"]


def test_json_stays_json() -> None:
    masked = Masker({"KEY": SECRET, "PIN": "12345"}).mask(json.dumps({"key": SECRET, "pin": 12345}).encode())
    assert json.loads(masked) == {"key": "<secret KEY>", "pin": 0}


def test_digits_inside_a_longer_number_are_not_masked() -> None:
    assert Masker({"PIN": "12345"}).mask(b"9123456") == b"9123456"


def test_a_value_too_short_to_be_a_secret_is_left_alone() -> None:
    assert Masker({"KEY": "abc"}).mask(b"abcabc") == b"abcabc"


def test_a_replaced_value_stays_masked_because_it_may_be_in_flight() -> None:
    masker = Masker({"KEY": "old-value"})
    masker.set({"KEY": "new-value"})
    assert masker.mask(b"old-value new-value") == b"<secret KEY> <secret KEY>"


def test_of_two_secrets_where_one_begins_the_other_the_longer_is_masked_whole() -> None:
    assert Masker({"A": "token", "B": "token-and-more"}).mask(b"token-and-more") == b"<secret B>"


def test_text_that_is_no_utf8_passes_through() -> None:
    assert Masker({"KEY": "hunter2"}).mask(b"\xff hunter2 \xfe") == b"\xff <secret KEY> \xfe"


def test_a_text_with_half_a_character_is_masked_as_well() -> None:
    assert Masker({"KEY": "hunter2"}).mask_text("\ud800 hunter2") == "? <secret KEY>"


def test_of_many_secrets_each_is_masked_and_the_longest_counts() -> None:
    secrets = {f"S{number}": f"token-{number:x}-{'x' * (number % 7)}" for number in range(300)}
    secrets |= {"SHORT": "tokens-begin", "LONG": "tokens-begin-alike", "NUMBER": "12345678", "DIGITS": "12345678-a"}
    masker = Masker(secrets)
    for name, value in secrets.items():
        assert masker.mask(f"a {value} b".encode()) == f"a <secret {name}> b".encode()
        assert masker.mask(b"a " + base64.b64encode(value.encode()) + b" b") == f"a <secret {name}> b".encode()
    assert masker.mask(b"9123456789 token- tokens-begi") == b"9123456789 token- tokens-begi"


def test_masked_text_is_not_masked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    masker = Masker({"KEY": "hunter2", "OTHER": "swordfish"})
    monkeypatch.setattr(
        "server_core.records.masking.secret_search.SecretSearch", lambda secrets: pytest.fail("made again")
    )
    masker.set({"KEY": "hunter2"})
    masker.set({})
    assert masker.mask(b"hunter2 swordfish") == b"<secret KEY> <secret OTHER>"


def test_a_value_that_was_replaced_stays_masked() -> None:
    masker = Masker({"KEY": "hunter2"})
    masker.set({"KEY": "hunter3"})
    masker.set({"KEY": "hunter2"})
    assert masker.mask(b"hunter2 hunter3") == b"<secret KEY> <secret KEY>"


def test_secrets_that_several_threads_add_at_once_are_all_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    masker = Masker()
    entered, go_on = threading.Event(), threading.Event()

    def slowly(name: str, value: str) -> MaskedSecret:
        if name == "SLOW":
            entered.set()
            go_on.wait(5)
        return MaskedSecret(name, value)

    monkeypatch.setattr("server_core.records.masking.masked_secret.MaskedSecret", slowly)
    slow = threading.Thread(target=masker.set, args=({"SLOW": "hunter2"},))
    slow.start()
    assert entered.wait(5)
    quick = threading.Thread(target=masker.set, args=({"QUICK": "swordfish"},))
    quick.start()
    go_on.set()
    for thread in (slow, quick):
        thread.join(5)
    assert masker.mask(b"hunter2 swordfish") == b"<secret SLOW> <secret QUICK>"


def test_a_renewed_token_stays_masked_for_a_day_and_no_longer() -> None:
    clock = Clock()
    masker = Masker(clock=clock)
    masker.renew("account", {"token": "first-token"})
    clock.now += 10 * masker_module.RENEWED_SECONDS
    masker.renew("account", {"token": "second-token"})
    clock.now += masker_module.RENEWED_SECONDS - 1
    masker.renew("account", {"token": "third-token"})
    assert masker.mask(b"first-token second-token third-token") == b" ".join([b"<secret token>"] * 3)
    clock.now += 1
    masker.renew("account", {"token": "fourth-token"})
    assert masker.mask(b"first-token second-token fourth-token") == b"first-token <secret token> <secret token>"


def test_the_latest_of_many_renewed_tokens_stay_masked() -> None:
    masker = Masker(clock=Clock())
    tokens = [f"token-{number:04}" for number in range(masker_module.MAX_RENEWED + 2)]
    for token in tokens:
        masker.renew("account", {"token": token})
    assert masker.mask_text(tokens[0]) == tokens[0]
    assert {masker.mask_text(token) for token in tokens[1:]} == {"<secret token>"}


def test_a_value_of_several_owners_is_masked_until_the_last_removes_it() -> None:
    clock = Clock()
    masker = Masker({"KEY": "known-value"}, clock)
    masker.renew("one", {"token": "same-token", "refresh": "kept-token"})
    masker.renew("two", {"token": "same-token"})
    masker.renew("three", {"token": "known-value"})
    for number in (1, 2):
        clock.now += 2 * masker_module.RENEWED_SECONDS
        masker.renew("one", {"token": f"new-token-{number}", "refresh": "kept-token"})
        masker.renew("three", {"token": f"other-token-{number}"})
    shown = masker.mask(b"same-token kept-token known-value")
    assert shown == b"<secret token> <secret refresh> <secret KEY>"


def test_a_value_that_is_given_again_is_the_latest_again() -> None:
    clock = Clock()
    masker = Masker(clock=clock)
    for token in ("first-token", "second-token", "first-token"):
        masker.renew("account", {"token": token})
    clock.now += 2 * masker_module.RENEWED_SECONDS
    masker.renew("account", {"token": "third-token"})
    assert masker.mask(b"first-token second-token") == b"<secret token> second-token"


def test_an_empty_token_does_not_replace_a_masked_token() -> None:
    masker = Masker()
    masker.renew("account", {"token": "first-token"})
    masker.renew("account", {"token": ""})
    assert masker.mask(b"first-token") == b"<secret token>"
    assert masker.has_secrets


def test_a_removed_secret_is_masked_in_running_calls() -> None:
    clock = Clock()
    masker = Masker(clock=clock)
    failures: list[BaseException] = []
    stop = threading.Event()

    def read() -> None:
        try:
            while not stop.is_set():
                masker.mask(b"token-1 token-2 token-3 token-4")
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(300):
        clock.now += 2 * masker_module.RENEWED_SECONDS
        masker.renew("account", {"token": f"token-{number % 4 + 1}"})
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []


VALUE = 'hun"ter é2-hunter2'


def test_the_settled_part_of_an_unfinished_text_contains_no_part_of_a_value() -> None:
    for written in (
        VALUE.encode(),
        json.dumps(json.dumps(VALUE)).encode()[3:-3],
        "".join(f"\\u{ord(c):04x}" for c in VALUE).encode(),
        b"hu\\u006e" + VALUE[3:].encode(),
        quote(json.dumps(VALUE)[1:-1]).encode(),
        quote("".join(f"\\u{ord(c):04x}" for c in VALUE)).encode(),
        quote(VALUE).encode(),
        quote(quote(VALUE)).encode(),
        *(base64.b64encode(b"x" * before + VALUE.encode()) for before in range(3)),
        VALUE.encode().hex().encode(),
    ):
        masker = Masker({"KEY": VALUE})
        whole = b"it is " + written
        shown = masker.mask(whole).removesuffix(b"<secret KEY>")
        assert shown != masker.mask(whole)
        for length in range(len(whole)):
            settled = masker.settled_length(whole[:length])
            assert shown.startswith(whole[:settled])


def test_all_of_an_unfinished_text_is_settled_where_nothing_can_have_begun() -> None:
    assert Masker().settled_length(b"Password: ") == 10
    assert Masker({"KEY": VALUE}).settled_length(b"Password: ") == 10
    assert Masker({"KEY": "true"}).settled_length(b"go on? tr") == 7
    assert Masker({"KEY": "true"}).settled_length(b'{"a": "t') == 0


def test_the_beginning_of_an_escape_is_presentable_unless_a_value_begins_so_itself() -> None:
    for begun in (b"%", b"\\", b"\\\\"):
        line = b"it is " + begun
        assert Masker({"KEY": VALUE}).presentable_length(line) == len(line)
        assert Masker({"KEY": begun.decode() + "hunter2"}).presentable_length(line) == len(b"it is ")
        assert Masker({"KEY": f"first-line\n{begun.decode()}hunter2"}).presentable_length(line) == len(b"it is ")
    assert Masker({"KEY": VALUE}).presentable_length(b"it is hun%") == len(b"it is ")
    assert Masker({"KEY": VALUE}).presentable_length(b"it is %6") == len(b"it is ")
    assert Masker().presentable_length(b"50%") == 3


def test_the_password_in_a_url_is_masked_whatever_the_name_of_its_variable() -> None:
    masker = Masker()
    masker.set_passwords(
        {"DATABASE_URL": "postgres://ada:s3same%40now@db.local/tea", "HOME_URI": "https://tea.local/@x"}
    )
    for text, masked in (
        ("to postgres://ada:s3same%40now@db.local/tea", "to postgres://<secret DATABASE_URL>@db.local/tea"),
        ("password 's3same@now' refused", "password '<secret DATABASE_URL>' refused"),
        ("db.local/tea https://tea.local/@x ada", "db.local/tea https://tea.local/@x ada"),
    ):
        assert masker.mask_text(text) == masked


def test_a_common_word_as_the_password_in_a_url_is_masked_only_beside_its_user() -> None:
    masker = Masker({"DATABASE_DSN": "mysql://root:password@db/tea,redis://:tea-12345@cache"})
    assert masker.mask_text("root:password@db, password") == "<secret DATABASE_DSN>@db, password"
    assert masker.mask_text("tea-12345") == "<secret DATABASE_DSN>"
