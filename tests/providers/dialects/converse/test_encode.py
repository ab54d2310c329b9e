import json
from typing import Any

import pytest
from msgspec.structs import replace

from chatd.catalog.options import BedrockOptions, CallOptions
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Abilities, Quirks, Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.model import Named, ToolChoice, ToolSpec
from chatd.providers.request.wire_turn import (
    Attachment,
    Called,
    Returned,
    SaidText,
    Thought,
    TurnPart,
    WireTurn,
)
from tests.providers.dialects.converse.streams import ANSWERS, TARGET, decoded, wire
from tests.providers.dialects.converse.validator import problems
from tests.providers.replayed import answers, as_turn, body_of
from tests.traceability import proves

ASK = [WireTurn("user", (SaidText("How is the weather?"),))]
WEATHER = ToolSpec(
    name="weather",
    description="Tells the weather.",
    input_schema={"type": "object", "properties": {"city": {"type": "string"}}},
)
TOOLS = Head(tools=(WEATHER,))
PNG = Attachment("image/png", b"\x89PNG", "a.png")
PDF = Attachment("application/pdf", b"%PDF", "report_v1.2 (final).pdf")


def said(*parts: TurnPart) -> WireTurn:
    return WireTurn("assistant", parts)


def asked(words: str) -> WireTurn:
    return WireTurn("user", (SaidText(words),))


def returned(output: Json, **more: Any) -> WireTurn:
    return WireTurn("tool", (Returned("c1", "weather", output, **more),))


def body(segments: list[list[WireTurn]], target: Target = TARGET, head: Head | None = None) -> dict[str, Any]:
    """The request, which has to be one that Converse takes."""
    read: dict[str, Any] = json.loads(body_of(CONVERSE, segments, target, head))
    assert problems(read) == []
    return read


def messages(*turns: WireTurn, target: Target = TARGET) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = body([ASK, list(turns)], target, TOOLS)["messages"]
    return read[1:]


def head_of(target: Target, head: Head | None = None) -> dict[str, Any]:
    read = body([ASK], target, head)
    del read["messages"]
    return read


def warnings_of(target: Target, head: Head | None = None) -> tuple[str, ...]:
    return CONVERSE.write_body(b'{"role":"user","content":[{"text":"x"}]}', head or Head(), target).warnings


def thinking(reasoning: Reasoning, **more: Any) -> Target:
    return replace(TARGET, abilities=Abilities(reasoning=reasoning, **more))


@proves("model-layer", 8)
@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_goes_back_in_a_form_that_is_accepted(name: str) -> None:
    turn = as_turn(decoded(wire(*ANSWERS[name])))
    assert messages(turn, *answers(turn))[0]["role"] == "assistant"


@proves("model-layer", 9)
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_was_stored_goes_back_byte_for_byte(name: str) -> None:
    events = decoded(wire(*ANSWERS[name]))
    fresh, stored = as_turn(events), as_turn(events, stored=True)
    assert body_of(CONVERSE, [ASK, [fresh]], TARGET) == body_of(CONVERSE, [ASK, [stored]], TARGET)


@proves("model-layer", 10, 11)
def test_a_longer_history_begins_with_the_shorter_one() -> None:
    turn = as_turn(decoded(wire(*ANSWERS["reasoning, text and a call"])))
    files = WireTurn("user", (SaidText("See"), PDF, PDF))
    segments = [[*ASK, files], [turn, *answers(turn), files], [said(SaidText("Sunny.")), files]]
    longer = body_of(CONVERSE, segments, TARGET, TOOLS)
    shorter = body_of(CONVERSE, segments[:2], TARGET, TOOLS)
    assert body_of(CONVERSE, segments, TARGET, TOOLS) == longer
    assert longer.startswith(shorter[: shorter.index(b'],"toolConfig"')])


def test_signed_reasoning_goes_back_whole_and_unsigned_reasoning_does_not() -> None:
    turn = as_turn(decoded(wire(*ANSWERS["reasoning, text and a call"])))
    assert messages(turn, *answers(turn))[0]["content"] == [
        {"reasoningContent": {"reasoningText": {"text": "Let me see.", "signature": "c2lnbmVk"}}},
        {"text": "Looking."},
        {"toolUse": {"toolUseId": "tooluse_1", "name": "weather", "input": {"city": "Ōsaka"}}},
    ]
    assert messages(said(Thought("Hm."), SaidText("a")))[0]["content"] == [{"text": "a"}]


def test_redacted_reasoning_goes_back_as_it_was() -> None:
    turn = as_turn(decoded(wire(*ANSWERS["redacted reasoning"])))
    assert messages(turn)[0]["content"][0] == {
        "reasoningContent": {"redactedContent": "c2VjcmV0IHRob3VnaHRz"}
    }


def test_what_the_provider_ran_goes_back_in_the_same_message() -> None:
    turn = as_turn(decoded(wire(*ANSWERS["a search of the provider's own"])))
    assert messages(turn)[0]["content"] == [
        {
            "toolUse": {
                "toolUseId": "srv_1",
                "name": "nova_grounding",
                "input": {"query": "x"},
                "type": "server_tool_use",
            }
        },
        {
            "toolResult": {
                "toolUseId": "srv_1",
                "content": [{"text": "One"}, {"json": {"two": 2}}],
                "type": "nova_grounding_result",
                "status": "success",
            }
        },
        {"text": "Found."},
    ]


@pytest.mark.parametrize(
    ("result", "written"),
    [
        (returned("Sunny"), {"content": [{"text": "Sunny"}]}),
        (returned({"degrees": 7}), {"content": [{"json": {"degrees": 7}}]}),
        (returned([1, 2]), {"content": [{"text": "[1,2]"}]}),
        (returned(""), {"content": [{"text": "(no output)"}]}),
        (returned("No", is_error=True), {"content": [{"text": "No"}], "status": "error"}),
        (
            returned("See", attachments=(PNG,)),
            {"content": [{"text": "See"}, {"image": {"format": "png", "source": {"bytes": "iVBORw=="}}}]},
        ),
    ],
)
def test_each_kind_of_result_has_its_form(result: WireTurn, written: dict[str, Json]) -> None:
    user = messages(said(Called("c1", "weather", {})), result)[1]
    assert user["content"] == [{"toolResult": {"toolUseId": "c1", **written}}]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("report_v1.2 (final).pdf", "report v1 2 (final) pdf"),
        ("a  -  [b]", "a - [b]"),
        ("§§§", "Document"),
        (None, "Document"),
        ("x" * 300, "x" * 180),
    ],
)
def test_a_document_has_a_name_of_plain_characters(name: str | None, written: str) -> None:
    read = body([[WireTurn("user", (SaidText("See"), replace(PDF, name=name)))]])
    document = read["messages"][0]["content"][1]["document"]
    assert document == {"name": written, "format": "pdf", "source": {"bytes": "JVBERg=="}}


def test_no_two_documents_have_one_name_wherever_they_are() -> None:
    document = replace(PDF, name="a")
    taken = replace(PDF, name="a 2")
    call = said(Called("c1", "weather", {"document": {"name": "a", "format": "pdf"}}))
    read = body(
        [
            [WireTurn("user", (SaidText("See"), document, taken, document))],
            [call, returned("x", attachments=(document,))],
        ],
        head=TOOLS,
    )
    first, second, third = read["messages"]
    assert [block["document"]["name"] for block in first["content"][1:]] == ["a", "a 2", "a 3"]
    assert second["content"][0]["toolUse"]["input"] == {"document": {"name": "a", "format": "pdf"}}
    assert third["content"][0]["toolResult"]["content"][1]["document"]["name"] == "a 4"


def test_a_document_does_not_come_without_a_word() -> None:
    read = body([[WireTurn("user", (PDF,))]])
    assert [next(iter(block)) for block in read["messages"][0]["content"]] == ["document", "text"]


@pytest.mark.parametrize(
    ("media_type", "kind", "form"),
    [
        ("image/jpeg", "image", "jpeg"),
        ("image/webp; q=1", "image", "webp"),
        ("text/csv", "document", "csv"),
        ("text/markdown", "document", "md"),
        ("text/x-python", "document", "txt"),
        ("application/msword", "document", "doc"),
    ],
)
def test_each_type_of_file_has_its_format(media_type: str, kind: str, form: str) -> None:
    read = body([[WireTurn("user", (SaidText("See"), replace(PNG, media_type=media_type)))]])
    assert read["messages"][0]["content"][1][kind]["format"] == form


def test_a_file_that_is_not_taken_leaves_a_note() -> None:
    turns = [WireTurn("user", (Attachment("audio/wav", b"RIFF"),))]
    written = CONVERSE.write_turns(turns, TARGET, newest=False)
    assert written.items == [
        {"role": "user", "content": [{"text": "(A file of type audio/wav could not be shown.)"}]}
    ]
    assert len(written.warnings) == 1


def test_neighbours_of_one_role_become_one_message_also_across_segments() -> None:
    segments = [ASK, [asked("b")], [said(SaidText("c")), said(SaidText("d"))], [said(SaidText("e"))]]
    assert body(segments)["messages"] == [
        {"role": "user", "content": [{"text": "How is the weather?"}, {"text": "b"}]},
        {"role": "assistant", "content": [{"text": "c"}, {"text": "d"}, {"text": "e"}]},
    ]


def test_a_conversation_that_the_model_begins_gets_a_beginning() -> None:
    roles = [message["role"] for message in body([[said(SaidText("Hello!")), asked("Hi")]])["messages"]]
    assert roles == ["user", "assistant", "user"]


def test_a_reply_of_nothing_but_thoughts_keeps_its_place() -> None:
    written = CONVERSE.write_turns([said(Thought("Hm.")), asked("Well?")], TARGET, newest=False)
    assert [message["role"] for message in written.items] == ["assistant", "user"]
    assert len(written.warnings) == 1
    assert "Hm." not in str(written.items)


def test_what_the_system_says_later_is_told_apart() -> None:
    turns = messages(said(SaidText("a")), WireTurn("system", (SaidText("Be brief."),)), asked("b"))
    assert turns[1]["content"] == [{"text": "<system>\nBe brief.\n</system>"}, {"text": "b"}]


def test_a_long_id_is_shortened_alike_in_call_and_result() -> None:
    long = "x" * 65
    turns = messages(said(Called(long, "weather", {})), WireTurn("tool", (Returned(long, "weather", "ok"),)))
    ids = turns[0]["content"][0]["toolUse"]["toolUseId"], turns[1]["content"][0]["toolResult"]["toolUseId"]
    assert ids[0] == ids[1] != long


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


def test_a_reply_does_not_end_with_thoughts() -> None:
    signed = Thought("Hm.", {"signature": "s"})

    assert messages(said(SaidText("Well."), signed), asked("Yes?"))[0]["content"] == [{"text": "Well."}]


def test_a_tool_that_returned_nothing_says_so() -> None:
    answer = messages(said(Called("c1", "weather", {})), returned(None))[1]

    assert answer["content"][0]["toolResult"]["content"] == [{"text": "(no output)"}]


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
