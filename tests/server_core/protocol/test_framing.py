"""The bytes of a stream become whole lines, however they were cut."""

from hypothesis import given
from hypothesis import strategies as st

from server_core.protocol.framing import LineFramer, OversizedLine


def read_lines(pieces: list[bytes], limit: int = 1000) -> list[bytes | OversizedLine]:
    framer = LineFramer(limit)
    lines = [line for piece in pieces for line in framer.receive_data(piece)]
    return lines + framer.receive_eof()


@given(st.lists(st.binary(max_size=20).map(lambda line: line.translate(None, b"\r\n") + b".")))
def test_a_stream_cut_at_every_byte_gives_the_same_lines(lines: list[bytes]) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    assert read_lines([stream[i : i + 1] for i in range(len(stream))]) == read_lines([stream]) == lines


def test_a_carriage_return_before_the_newline_is_no_part_of_the_line() -> None:
    assert read_lines([b"one\r\ntwo\n"]) == [b"one", b"two"]


def test_empty_lines_are_left_out() -> None:
    assert read_lines([b"\n\r\n\nx\n"]) == [b"x"]


def test_blank_lines_are_left_out_and_blanks_around_a_message_are_not() -> None:
    assert read_lines([b"  \n\t\r\n \t \n x \n", b" "]) == [b" x "]


def test_a_last_line_without_a_newline_is_returned_at_the_end_of_the_stream() -> None:
    assert read_lines([b"one\ntw", b"o"]) == [b"one", b"two"]


def test_a_line_of_exactly_the_limit_is_whole() -> None:
    assert read_lines([b"x" * 10 + b"\n"], limit=10) == [b"x" * 10]


def test_a_line_over_the_limit_is_marked_and_the_next_line_is_whole() -> None:
    over, after = read_lines([b"x" * 8, b"x" * 8, b"x" * 8 + b"\nnext\n"], limit=10)
    assert isinstance(over, OversizedLine)
    assert over.limit == 10
    assert over.start.startswith(b"xxxxxxxx")
    assert after == b"next"


def test_an_endless_line_costs_no_more_memory_than_the_limit() -> None:
    framer = LineFramer(limit=100_000)
    for _ in range(1000):
        framer.receive_data(b"x" * 10_000)
    assert sum(map(len, framer._pieces)) <= 100_000
