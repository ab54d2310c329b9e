import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.tools.calls.truncate import MARKER_BYTES, result_bytes_max, truncated
from tests.traceability import proves

KIB = 1024


@proves("loop", 23)
@pytest.mark.parametrize(
    ("context_limit", "bytes_max"),
    [(0, 64 * KIB), (-1, 64 * KIB), (1000, 16 * KIB), (16_384, 16 * KIB), (200_000, 199_998)],
)
@proves("tools", 13)
def test_a_result_may_take_a_third_of_the_context(context_limit: int, bytes_max: int) -> None:
    assert result_bytes_max(context_limit) == bytes_max


@pytest.mark.parametrize("text", ["", "a" * 1000, "é" * 500, "𝄞" * 250])
def test_text_that_just_fits_is_left_alone(text: str) -> None:
    assert truncated(text, 1000) == text


@proves("loop", 24)
def test_without_a_budget_everything_is_kept() -> None:
    assert truncated("a" * 100_000, 0) == "a" * 100_000


@proves("loop", 24)
@proves("tools", 12)
def test_of_a_long_text_the_beginning_and_the_end_are_kept() -> None:
    shown = truncated("b" * 4000 + "m" * 4000 + "e" * 4000, 1000)

    assert re.fullmatch(
        r"b{496}\n\n\[\.\.\. 11256 of 12000 bytes are left out here \.\.\.\]\n\ne{248}", shown
    )


@proves("loop", 24)
def test_a_budget_too_small_for_two_ends_keeps_the_beginning() -> None:
    assert truncated("ab" * 1000, 512) == "ab" * 256
    assert truncated("é" * 1000, 511) == "é" * 255
    assert truncated("é", 1) == ""


@proves("loop", 24)
@given(text=st.text(max_size=3000), bytes_max=st.integers(1, 4000))
def test_no_character_is_split_and_no_budget_exceeded(text: str, bytes_max: int) -> None:
    shown = truncated(text, bytes_max)

    size = len(shown.encode("utf-8"))
    assert size <= bytes_max
    if shown != text:
        assert len(text.encode("utf-8")) > bytes_max
        # At most a character is lost at each cut, and the marker leaves some of its room.
        assert size >= bytes_max - MARKER_BYTES - 6
        assert text.startswith(shown.split("\n\n[... ")[0][:10])
