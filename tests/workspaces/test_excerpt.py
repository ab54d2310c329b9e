from hypothesis import given
from hypothesis import strategies as st

from chatd.workspaces.excerpt import ends, last_lines, lines_with, piece, whole
from chatd.workspaces.processes import LINE_BYTES_MAX


def test_a_long_line_is_clipped_and_says_by_how_much() -> None:
    shown = whole(b"short\n" + b"x" * 10_000 + b"\nlast\n")

    lines = shown.text.split("\n")
    assert lines[0] == "short"
    half = "x" * (LINE_BYTES_MAX // 2)
    assert lines[1] == f"{half} [... {10_000 - LINE_BYTES_MAX} bytes of this line ...] {half}"
    assert lines[2] == "last"
    assert shown.shown_bytes == len("short\n") + LINE_BYTES_MAX + len("\nlast\n")


def test_between_two_ends_stands_how_much_is_left_out() -> None:
    shown = ends(b"first\n", b"last\n", 1234)

    assert shown.text == "first\n\n[... 1234 bytes are left out here ...]\nlast\n"
    assert shown.shown_bytes == 11


def test_no_end_has_half_a_character() -> None:
    euro = "€".encode()

    shown = ends(b"a" + euro[:2], euro[1:] + b"b", 10)

    assert shown.text == "a\n[... 10 bytes are left out here ...]\nb"


def test_half_a_character_waits_for_the_next_piece_unless_there_is_none() -> None:
    euro = "€".encode()

    assert piece(b"a" + euro[:2], is_last=False).shown_bytes == 1
    assert piece(b"a" + euro[:2], is_last=True).text == "a\N{REPLACEMENT CHARACTER}"


def test_lines_are_chosen_by_words_in_any_case_of_letters() -> None:
    output = b"ok 1\nERROR: two\nok 3\nfailed four\n"

    assert lines_with(output, ["error", "fail"]) == b"ERROR: two\nfailed four\n"
    assert last_lines(output, 2) == b"ok 3\nfailed four\n"


@given(st.binary(max_size=6000))
def test_any_bytes_become_valid_text_and_no_more_is_shown_than_there_was(data: bytes) -> None:
    shown = whole(data)

    shown.text.encode("utf-8")
    assert 0 <= shown.shown_bytes <= len(data)


@given(st.text(max_size=300), st.integers(1, 50))
def test_pieces_join_to_the_whole_text(text: str, size: int) -> None:
    data, at, joined = text.encode(), 0, ""
    while at < len(data):
        end = at + max(size, 4)
        shown = piece(data[at:end], is_last=end >= len(data))
        joined, at = joined + shown.text, at + shown.shown_bytes

    assert joined == text
