"""What a span tells of a reply, in the words of OpenTelemetry's conventions for generative AI."""

import pytest

from chatd.agent.spans import of_reply
from chatd.domain.message import Usage
from chatd.providers.events import Finished, Stop


def test_the_tokens_of_a_prompt_are_told_with_those_from_the_cache() -> None:
    usage = Usage(input_tokens=10, cache_read_tokens=700, cache_creation_tokens=80, output_tokens=5)

    assert of_reply(Finished(stop=Stop.DONE, usage=usage)) == {
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 790,
        "gen_ai.usage.cache_read.input_tokens": 700,
        "gen_ai.usage.cache_creation.input_tokens": 80,
        "gen_ai.usage.output_tokens": 5,
    }


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        (Stop.DONE, "stop"),
        (Stop.TOOLS, "tool_call"),
        (Stop.LENGTH, "length"),
        (Stop.REFUSED, "content_filter"),
        (Stop.PAUSED, "paused"),
        (Stop.OTHER, "other"),
    ],
)
def test_a_reason_to_finish_has_the_name_of_the_conventions(stop: Stop, reason: str) -> None:
    assert of_reply(Finished(stop=stop)) == {"gen_ai.response.finish_reasons": [reason]}


def test_of_a_reply_that_was_cut_off_nothing_is_told() -> None:
    assert of_reply(None) == {}
