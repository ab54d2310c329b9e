import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chatd.providers.transport.sse import Frame, FrameTooLargeError, SseFrames


def frames_of(*portions: bytes) -> list[Frame]:
    frames = SseFrames()
    told = [frame for portion in portions for frame in frames.feed(portion)]
    return told + frames.close()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(min(place, len(data)) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def test_a_frame_has_a_name_and_data() -> None:
    assert frames_of(b"event: ping\ndata: {}\n\n") == [(b"ping", b"{}")]


def test_a_name_counts_for_its_own_frame_only() -> None:
    assert frames_of(b"event: a\ndata: 1\n\ndata: 2\n\nevent: b\n\ndata: 3\n\n") == [
        (b"a", b"1"),
        (b"", b"2"),
        (b"", b"3"),
    ]


def test_one_space_after_the_colon_is_not_data() -> None:
    assert frames_of(b"data:x\n\ndata: x\n\ndata:  x\n\n") == [(b"", b"x"), (b"", b"x"), (b"", b" x")]


def test_lines_of_data_are_joined() -> None:
    assert frames_of(b"data: a\ndata\ndata: b\n\n") == [(b"", b"a\n\nb")]


def test_comments_unknown_fields_and_blank_frames_say_nothing() -> None:
    assert frames_of(b"\n\n: hi\n\nid: 7\nretry: 3\nfoo\n\ndata: x\n: in between\n\n\n\n") == [(b"", b"x")]


def test_a_byte_order_mark_is_not_part_of_the_first_line() -> None:
    assert frames_of(b"\xef\xbb\xbfdata: x\n\n") == [(b"", b"x")]
    assert frames_of(b"\xef", b"\xbb", b"\xbf", b"data: x\n\n") == [(b"", b"x")]
    assert frames_of(b"data: x\n\n\xef\xbb\xbfdata: y\n\n") == [(b"", b"x")]


def test_the_last_frame_needs_no_end() -> None:
    assert frames_of(b"data: x") == [(b"", b"x")]
    assert frames_of(b"data: x\n") == [(b"", b"x")]
    assert frames_of(b"data: x\r") == [(b"", b"x")]
    assert frames_of(b"") == []


def test_a_frame_that_ends_in_returns_is_not_kept_waiting() -> None:
    frames = SseFrames()

    assert frames.feed(b"data: x\r\r") == [(b"", b"x")]
    # Of a line end in two halves, the second one is not another line end.
    assert frames.feed(b"data: y\r") == []
    assert frames.feed(b"\ndata: z\r") == []
    assert frames.feed(b"\n\r\n") == [(b"", b"y\nz")]


FIELDS = st.sampled_from([b"data: ", b"data:", b"event: ", b":", b"id: ", b"other"])
TEXTS = st.text(st.characters(exclude_characters="\r\n\ufeff", exclude_categories=["Cs"]), max_size=5)
LINES = st.lists(
    st.one_of(st.just(b""), st.builds(lambda field, text: field + text.encode(), FIELDS, TEXTS)), max_size=12
)
ENDS = st.lists(st.sampled_from([b"\n", b"\r\n", b"\r"]), min_size=12, max_size=12)


@given(LINES, ENDS, st.sampled_from([b"", b"\xef\xbb\xbf"]), st.lists(st.integers(0, 120), max_size=20))
@example([b"data: \xe2\x82\xac", b""], [b"\r\n"] * 12, b"\xef\xbb\xbf", list(range(40)))
def test_neither_cuts_nor_line_ends_change_what_is_said(
    lines: list[bytes], ends: list[bytes], mark: bytes, places: list[int]
) -> None:
    plain = b"".join(line + b"\n" for line in lines)
    # LF behind CR would be the other half of that line end, and not another one.
    ended = [b"\r\n" if pair == (b"\r", b"\n") else pair[1] for pair in pairwise([b"", *ends])]
    sent = mark + b"".join(line + end for line, end in zip(lines, ended, strict=False))

    assert frames_of(*cut(sent, places)) == frames_of(plain)
    assert frames_of(*(bytes([byte]) for byte in sent)) == frames_of(plain)


PORTIONS = st.sampled_from(
    [
        b"data: x\n\n",
        b"data:y\r\n\r\n",
        b"event: a\ndata: 1\n\n",
        b"event:b\r\ndata: 2\r\n\r\n",
        b"event: c d \ndata: 3\n\n",
        b"event:  e\ndata: 4\n\n",
        b"data: 5\n\ndata: 6\n\n",
        b"event: f\n",
        b"data: 7\n",
        b"data: 8\r",
        b"\n",
        b": hi\n\n",
        b"da",
    ]
)


@given(st.lists(PORTIONS, max_size=8))
def test_a_frame_that_comes_alone_says_the_same_as_among_others(portions: list[bytes]) -> None:
    assert frames_of(b"\xef\xbb\xbf", *portions) == frames_of(b"\xef\xbb\xbf" + b"".join(portions))


@pytest.mark.parametrize(
    "portions",
    [
        [b"data: " + b"x" * 100],
        [b"data: "] + [b"x" * 10] * 20,
        [b"data: " + b"x" * 30 + b"\n"] * 4,
        [b"data\n"] * 101,
        [b": " + b"x" * 100],
    ],
    ids=["at once", "in portions", "in lines", "in blank lines", "in a comment"],
)
def test_a_frame_has_a_limit(portions: list[bytes]) -> None:
    frames = SseFrames(frame_bytes_max=100)

    def feed() -> None:
        for portion in portions:
            frames.feed(portion)

    with pytest.raises(FrameTooLargeError):
        feed()


def test_many_frames_together_may_be_larger_than_one() -> None:
    frames = SseFrames(frame_bytes_max=100)

    assert len(frames.feed(b"data: 123456789\n\n" * 1000)) == 1000
    assert sum(len(frames.feed(b"data: 123456789\n\n")) for _ in range(1000)) == 1000


def test_a_long_frame_in_small_portions_costs_no_more_than_its_length() -> None:
    def seconds(portions: int) -> float:
        frames = SseFrames()
        began = time.process_time()
        for _ in range(portions):
            frames.feed(b"x" * 64)
        frames.feed(b"\n\n")
        return time.process_time() - began

    seconds(1000)
    # Four times as long. Copying what has come before with each portion would take sixteen times as long.
    assert seconds(80_000) < 8 * min(seconds(20_000) for _ in range(3))
