"""The options of a chat in its model calls."""

import pytest

from chatd.agent.generation.options import with_options
from chatd.domain.setup import NO_OPTIONS, Options, ResponseFormat
from chatd.providers.model import Named, Request, ToolChoice, ToolSpec

LOOK = ToolSpec(name="look", description="Looks.", input_schema={})
PLAIN = Request(messages=[])
EQUIPPED = Request(messages=[], tools=(LOOK,))


def test_a_chat_without_options_leaves_the_call_as_it_is() -> None:
    assert with_options(PLAIN, NO_OPTIONS, is_first_step=True) is PLAIN


def test_each_option_is_part_of_the_call() -> None:
    wanted = ResponseFormat(type="json_object")
    options = Options(max_output_tokens=100, temperature=0.1, top_p=0.5, response_format=wanted)

    call = with_options(PLAIN, options, is_first_step=False)

    assert (call.max_output_tokens, call.temperature, call.top_p) == (100, 0.1, 0.5)
    assert call.response_format == wanted


@pytest.mark.parametrize(
    ("wanted", "first", "later"),
    [
        ("auto", "auto", "auto"),
        ("none", "none", "none"),
        ("required", "required", None),
        ("look", Named("look"), None),
        ("no_such_tool", None, None),
        (None, None, None),
    ],
)
def test_a_tool_is_insisted_on_in_the_first_step_only(
    wanted: str | None, first: ToolChoice, later: ToolChoice
) -> None:
    options = Options(temperature=0.1, tool_choice=wanted)

    assert with_options(EQUIPPED, options, is_first_step=True).tool_choice == first
    assert with_options(EQUIPPED, options, is_first_step=False).tool_choice == later


def test_no_tool_is_insisted_on_where_there_is_none() -> None:
    assert with_options(PLAIN, Options(tool_choice="required"), is_first_step=True).tool_choice is None
