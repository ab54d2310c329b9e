"""What fuzzing found: chunks that no provider should send, and that one day some gateway does."""

import pytest

from chatd.providers.events import Finished
from tests.providers.dialects.chat.words import chunk, decoded, failure


@pytest.mark.parametrize("levels", [300, 970, 9000])
def test_a_chunk_that_is_nested_beyond_measure_is_malformed(levels: int) -> None:
    deep = b'{"a":' * levels + b"1" + b"}" * levels
    details = b'data: {"choices":[{"delta":{"reasoning_details":[' + deep + b"]}}]}\n\n"

    assert failure(decoded(details)).fault == "invalid_response"


def test_verdicts_that_cannot_be_read_are_no_verdicts() -> None:
    filtered = chunk("content_filter", choice={"content_filter_results": {"hate": {"filtered": True}}})

    last = decoded(chunk(content="Hi") + filtered.replace(b'"hate"', b'"ha\xffte"'))[-1]

    assert isinstance(last, Finished)
    assert last.refusal is not None


@pytest.mark.parametrize("damage", [b"\\ud83d", b"\xff"])
def test_a_count_beyond_all_measure_is_malformed_also_beside_half_a_character(damage: bytes) -> None:
    counted = b'data: {"id":"%b","choices":[],"usage":{"prompt_tokens":1e400}}\n\n' % damage

    assert failure(decoded(chunk("stop", content="Hi") + counted)).fault == "invalid_response"
