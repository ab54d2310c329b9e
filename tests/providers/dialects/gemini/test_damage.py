"""What fuzzing found: chunks that no provider should send, and that one day some gateway does."""

import pytest

from chatd.providers.events import Failed, Finished, TextDelta, ToolReturned
from tests.providers.dialects.gemini.streams import chunk, decoded, sse, text


@pytest.mark.parametrize("id_", [1.5, [], {"a": 1}, True])
def test_a_result_whose_id_is_no_text_gets_one_of_its_own(id_: object) -> None:
    ran = {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {}, "id": id_}}

    events = decoded(sse(chunk(ran, finish="STOP")))

    (result,) = [event for event in events if isinstance(event, ToolReturned)]
    assert isinstance(result.call_id, str)
    assert result.call_id


@pytest.mark.parametrize("data", ["ü", "a", "===="])
def test_a_file_that_is_no_base64_is_malformed(data: str) -> None:
    events = decoded(sse(chunk({"inlineData": {"mimeType": "image/png", "data": data}}, finish="STOP")))

    assert isinstance(events[-1], Failed)
    assert events[-1].error.fault == "invalid_response"


def test_half_a_byte_sequence_in_a_text_does_not_end_the_answer() -> None:
    events = decoded(sse(chunk(text("Hello"), finish="STOP")).replace(b"Hello", b"Hell\xc3"))

    assert TextDelta("Hell\N{REPLACEMENT CHARACTER}", "t0") in events
    assert isinstance(events[-1], Finished)


@pytest.mark.parametrize("levels", [300, 970, 9000])
def test_a_chunk_that_is_nested_beyond_measure_is_malformed(levels: int) -> None:
    deep = b'{"candidates":[{"groundingMetadata":' + b'{"a":' * levels + b"1" + b"}" * levels + b"}]}"

    events = decoded(sse(deep))

    assert isinstance(events[-1], Failed)
    assert events[-1].error.fault == "invalid_response"


def test_nothing_is_counted_below_zero() -> None:
    counts = {"promptTokenCount": 5, "cachedContentTokenCount": -3, "candidatesTokenCount": -1}

    last = decoded(sse(chunk(text("Hi."), finish="STOP", usage=counts)))[-1]

    assert isinstance(last, Finished)
    assert last.usage is not None
    assert (last.usage.input_tokens, last.usage.cache_read_tokens, last.usage.total_tokens) == (5, 0, 5)
