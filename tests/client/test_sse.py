from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.client import sse
from chatd.client.sse import Parser, SentEvent, TooLong

STREAM = (
    "retry: 1000\n\n"
    ': still here\n\nid: 1.a\nevent: message\ndata: {"text":"Grüße 🪐"}\n\n'
    "id: 2.a\r\nevent: status\r\ndata: one\r\ndata: two\r\n\r\n"
    "data: no event\rdata:  blanks\r\r"
    "id\ndata\n\n"
    "unfinished: yes\ndata: never told"
).encode()

TOLD = [
    SentEvent("1.a", "message", '{"text":"Grüße 🪐"}'),
    SentEvent("2.a", "status", "one\ntwo"),
    SentEvent("2.a", "message", "no event\n blanks"),
    SentEvent("", "message", ""),
]


def test_events_are_told_as_they_were_sent() -> None:
    assert list(Parser().feed(STREAM)) == TOLD


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_it_does_not_matter_where_the_bytes_are_cut(cuts: list[int]) -> None:
    parser = Parser()
    edges = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[a:b] for a, b in pairwise(edges)]

    assert [told for chunk in chunks for told in parser.feed(chunk)] == TOLD


@given(st.lists(st.binary(max_size=20), max_size=10))
def test_any_bytes_can_be_read(chunks: list[bytes]) -> None:
    parser = Parser()

    for chunk in chunks:
        list(parser.feed(chunk))


def test_an_event_without_end_is_given_up() -> None:
    parser = Parser()
    chunk = b"x" * (sse.EVENT_BYTES_MAX // 2 + 1)
    list(parser.feed(chunk))

    with pytest.raises(TooLong):
        list(parser.feed(chunk))
