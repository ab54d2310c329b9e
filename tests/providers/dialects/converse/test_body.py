"""The request to Converse around its messages."""

import pytest
from msgspec.structs import replace

from chatd.catalog.models.options import BedrockOptions, CallOptions
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Quirks, Reasoning
from chatd.providers.dialect import Head
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.model import Named, ToolChoice, ToolSpec
from chatd.providers.request.wire_turn import (
    Called,
    SaidText,
)
from tests.providers.dialects.converse.streams import TARGET
from tests.providers.dialects.converse.words import (
    ASK,
    TOOLS,
    WEATHER,
    asked,
    body,
    head_of,
    said,
    thinking,
    warnings_of,
)
from tests.providers.replayed import answers
from tests.traceability import proves


@proves("model-layer", 138)
def test_tools_of_the_past_are_explained_when_there_are_none_now() -> None:
    calls = said(
        Called("c1", "weather", {"name": "x"}), Called("c2", "clock", {}), Called("c3", "weather", {})
    )
    config = body([ASK, [calls, *answers(calls)]])["toolConfig"]
    assert [tool["toolSpec"]["name"] for tool in config["tools"]] == ["weather", "clock"]
    assert "toolConfig" not in body([ASK])


def test_tools_of_now_are_enough() -> None:
    calls = said(Called("c1", "clock", {}))
    config = body([ASK, [calls, *answers(calls)]], head=TOOLS)["toolConfig"]
    assert config == {
        "tools": [
            {
                "toolSpec": {
                    "name": "weather",
                    "description": "Tells the weather.",
                    "inputSchema": {"json": WEATHER.input_schema},
                }
            }
        ]
    }


def test_a_tool_without_a_description_is_described_by_its_name() -> None:
    bare = ToolSpec(name="clock", description=" ", input_schema={})
    spec = head_of(TARGET, Head(tools=(bare,)))["toolConfig"]["tools"][0]["toolSpec"]
    assert spec["description"] == "clock"
    assert spec["inputSchema"] == {"json": {"type": "object", "properties": {}}}


def test_the_head_has_its_fields() -> None:
    options = CallOptions(
        temperature=0.5,
        top_p=0.9,
        stop=("END",),
        max_output_tokens=99,
        bedrock=BedrockOptions(additional_fields={"inferenceConfig": {"topK": 20}}),
    )
    head = Head(system=("Be kind.", " ", "Be brief."), max_output_tokens=50)
    assert head_of(replace(TARGET, options=options), head) == {
        "system": [{"text": "Be kind."}, {"text": "Be brief."}],
        "inferenceConfig": {"temperature": 0.5, "topP": 0.9, "maxTokens": 50, "stopSequences": ["END"]},
        "additionalModelRequestFields": {"inferenceConfig": {"topK": 20}},
    }


def test_what_is_not_set_is_not_sent() -> None:
    assert head_of(TARGET) == {}
    assert warnings_of(TARGET) == ()


@proves("model-layer", 12)
def test_each_setting_that_is_not_taken_is_named() -> None:
    options = CallOptions(top_k=4, presence_penalty=0.1, frequency_penalty=0.2, seed=7)
    target = replace(TARGET, options=options)
    assert head_of(target) == {}
    assert [warning.split()[0] for warning in warnings_of(target)] == [
        "top_k",
        "presence_penalty",
        "frequency_penalty",
        "seed",
    ]


def test_a_temperature_beyond_the_scale_is_lowered() -> None:
    target = replace(TARGET, options=CallOptions(temperature=1.5))
    assert head_of(target) == {"inferenceConfig": {"temperature": 1.0}}
    assert len(warnings_of(target)) == 1


def test_an_effort_is_said_in_the_words_of_the_model() -> None:
    head = Head(effort=Effort.MINIMAL)
    few = thinking(Reasoning.EFFORT, efforts=(Effort.LOW, Effort.HIGH))
    assert head_of(few, head) == {"additionalModelRequestFields": {"reasoning_effort": "low"}}
    assert head_of(few, Head(effort=Effort.MAX)) == {
        "additionalModelRequestFields": {"reasoning_effort": "high"}
    }
    assert head_of(thinking(Reasoning.BUDGET), head) == {
        "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    }
    assert head_of(thinking(Reasoning.BUDGET), Head(effort=Effort.NONE)) == {}
    assert head_of(TARGET, head) == {}
    assert head_of(thinking(Reasoning.ADAPTIVE), head) == {}
    assert len(warnings_of(thinking(Reasoning.ADAPTIVE), head)) == 1


def test_thinking_leaves_room_for_an_answer_and_none_for_a_temperature() -> None:
    target = replace(thinking(Reasoning.BUDGET), options=CallOptions(temperature=0.5))
    head = Head(effort=Effort.LOW, max_output_tokens=2000)
    assert head_of(target, head)["inferenceConfig"] == {"maxTokens": 4096 + 1024}
    assert len(warnings_of(target, head)) == 2


def test_an_administrators_fields_win() -> None:
    options = CallOptions(bedrock=BedrockOptions(additional_fields={"reasoning_effort": "high"}))
    target = replace(thinking(Reasoning.EFFORT), options=options)
    assert head_of(target, Head(effort=Effort.LOW)) == {
        "additionalModelRequestFields": {"reasoning_effort": "high"}
    }


def test_cache_points_stand_behind_the_system_text_and_the_last_two_messages_of_the_user() -> None:
    target = replace(TARGET, quirks=Quirks(cache_marks=True))
    newest = [
        said(SaidText("a")),
        asked("b"),
        said(SaidText("c")),
        asked("d"),
        said(SaidText("e")),
        asked("f"),
    ]
    read = body([ASK, newest], target, Head(system=("Be kind.",)))
    point = {"cachePoint": {"type": "default"}}
    assert read["system"][-1] == point
    marked = [
        message["content"][0]["text"] for message in read["messages"] if message["content"][-1] == point
    ]
    assert marked == ["d", "f"]
    assert "cachePoint" not in str(body([ASK, newest], TARGET))


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("amazon.nova-pro-v1:0", "/model/amazon.nova-pro-v1%3A0/converse-stream"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/x",
            "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse-stream",
        ),
    ],
)
def test_the_model_is_in_the_path(model: str, path: str) -> None:
    assert CONVERSE.path(replace(TARGET, model=model)) == path


def test_what_stops_a_model_is_never_empty() -> None:
    assert head_of(replace(TARGET, options=CallOptions(stop=("", "\n")))) == {
        "inferenceConfig": {"stopSequences": ["\n"]}
    }


@pytest.mark.parametrize("choice", ["required", Named("weather")])
def test_a_model_that_thinks_chooses_its_tools_itself(choice: ToolChoice) -> None:
    target = thinking(Reasoning.BUDGET)
    head = replace(TOOLS, tool_choice=choice, effort=Effort.LOW)

    assert head_of(target, head)["toolConfig"]["toolChoice"] == {"auto": {}}
    assert len(warnings_of(target, head)) == 1


def test_a_tool_that_takes_one_thing_or_another_takes_both() -> None:
    either: Json = {"oneOf": [{"properties": {"city": {}}}, {"properties": {"place": {}}}]}
    head = Head(tools=(replace(WEATHER, input_schema=either),))

    assert head_of(TARGET, head)["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"] == {
        "json": {"type": "object", "properties": {"city": {}, "place": {}}}
    }
