import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from chatd.catalog.options import CallOptions, GoogleOptions, SafetySetting, ThinkingConfig
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.errors import ProviderError
from chatd.providers.capabilities.target import Abilities, Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.model import ToolChoice, ToolSpec
from chatd.providers.request.wire_turn import (
    Attachment,
    Called,
    Returned,
    SaidText,
    Thought,
    TurnPart,
    WireTurn,
)
from tests.providers.dialects.gemini.streams import ANSWERS, TARGET, decoded, sse
from tests.providers.dialects.gemini.validator import problems
from tests.providers.replayed import answers, as_turn, body_of
from tests.traceability import proves

PLACEHOLDER = "skip_thought_signature_validator"
ASK = [WireTurn("user", (SaidText("How is the weather?"),))]
WEATHER = ToolSpec(
    name="weather",
    description="Tells the weather.",
    input_schema={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
PNG = Attachment("image/png", b"\x89PNG", "a.png")
WAV = Attachment("audio/wav", b"RIFF", "a.wav")
BUDGET = replace(TARGET, model="gemini-2.5-flash", abilities=Abilities(reasoning=Reasoning.BUDGET))
VERTEX = replace(TARGET, route="vertex")


def said(*parts: TurnPart) -> WireTurn:
    return WireTurn("assistant", parts)


def asked(words: str) -> WireTurn:
    return WireTurn("user", (SaidText(words),))


def returned(output: Json, **more: Any) -> WireTurn:
    return WireTurn("tool", (Returned("c1", "weather", output, **more),))


def body(
    segments: list[list[WireTurn]], target: Target = TARGET, head: Head | None = None, **checks: bool
) -> dict[str, Any]:
    """The request, which has to be one that Gemini takes."""
    read: dict[str, Any] = json.loads(body_of(GEMINI, segments, target, head))
    assert problems(read, signed=target.abilities.reasoning is Reasoning.LEVEL, **checks) == []
    return read


def contents(*turns: WireTurn, target: Target = TARGET, **checks: bool) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = body([ASK, list(turns)], target, None, **checks)["contents"]
    return read[1:]


def head_of(target: Target, head: Head | None = None) -> dict[str, Any]:
    read = body([ASK], target, head)
    del read["contents"]
    return read


def warnings_of(target: Target, head: Head | None = None) -> tuple[str, ...]:
    return GEMINI.write_body(b'{"role":"user","parts":[{"text":"x"}]}', head or Head(), target).warnings


def with_options(target: Target = TARGET, google: GoogleOptions | None = None, **options: Any) -> Target:
    return replace(target, options=CallOptions(google=google, **options))


def replayed(name: str, target: Target = TARGET) -> list[dict[str, Any]]:
    turn = as_turn(decoded(sse(*ANSWERS[name])))
    return contents(turn, *answers(turn), target=target, vertex=target.route == "vertex")


@proves("model-layer", 8)
@pytest.mark.parametrize("name", [name for name in ANSWERS if name != "a blocked prompt"])
@pytest.mark.parametrize("target", [TARGET, VERTEX, BUDGET], ids=["direct", "vertex", "budget"])
def test_every_answer_goes_back_in_a_form_that_is_accepted(name: str, target: Target) -> None:
    assert replayed(name, target)[0]["role"] == "model"


@proves("model-layer", 9)
@pytest.mark.parametrize("name", [name for name in ANSWERS if name != "a blocked prompt"])
def test_an_answer_that_was_stored_goes_back_byte_for_byte(name: str) -> None:
    events = decoded(sse(*ANSWERS[name]))
    fresh, stored = as_turn(events), as_turn(events, stored=True)
    assert body_of(GEMINI, [ASK, [fresh]], TARGET) == body_of(GEMINI, [ASK, [stored]], TARGET)


@proves("model-layer", 10, 11)
def test_a_longer_history_begins_with_the_shorter_one() -> None:
    turn = as_turn(decoded(sse(*ANSWERS["parallel calls"])))
    segments = [ASK, [turn, *answers(turn)], [said(SaidText("Sunny.")), asked("Thanks!")]]
    longer = body_of(GEMINI, segments, TARGET)
    assert body_of(GEMINI, segments, TARGET) == longer
    assert longer.startswith(body_of(GEMINI, segments[:2], TARGET).removesuffix(b"]}"))


@proves("model-layer", 124)
def test_a_signature_returns_on_its_call_and_thoughts_stay_here() -> None:
    assert replayed("thoughts, text and a signed call")[0]["parts"] == [
        {"text": "Looking it up."},
        {
            "functionCall": {"name": "weather", "args": {"city": "Ōsaka"}, "id": "fc-1"},
            "thoughtSignature": "c2ln",
        },
    ]


@proves("model-layer", 125)
@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (
            "a signature on an empty last part",
            [{"text": "It is cold."}, {"text": "", "thoughtSignature": "ZW1wdHk="}],
        ),
        ("nothing but a signature", [{"text": "", "thoughtSignature": "b25seQ=="}]),
        (
            "signatures in the midst of text",
            [{"text": "One"}, {"text": " two", "thoughtSignature": "dHdv"}, {"text": " three"}],
        ),
        (
            "a signed thought",
            [{"text": "", "thought": True, "thoughtSignature": "ZGVlcA=="}, {"text": "Done."}],
        ),
    ],
)
def test_a_signature_returns_on_the_part_that_carried_it(name: str, parts: list[Json]) -> None:
    assert replayed(name)[0]["parts"] == parts


@proves("model-layer", 126)
def test_of_parallel_calls_only_the_first_is_signed_and_responses_follow_together() -> None:
    model, user = replayed("parallel calls")
    assert [part.get("thoughtSignature") for part in model["parts"]] == ["Zmlyc3Q=", None, None]
    assert [part["functionResponse"] for part in user["parts"]] == [
        {"name": "weather", "response": {"result": "result of fc-1"}, "id": "fc-1"},
        {"name": "weather", "response": {"result": "result of fc-2"}, "id": "fc-2"},
        {"name": "clock", "response": {"result": "result of fc-3"}, "id": "fc-3"},
    ]


@proves("model-layer", 127)
@pytest.mark.parametrize(("name", "target"), [("calls without ids", TARGET), ("parallel calls", VERTEX)])
def test_an_id_of_ours_is_not_sent_and_none_at_all_on_vertex(name: str, target: Target) -> None:
    model, user = replayed(name, target)
    assert all("id" not in part["functionCall"] for part in model["parts"])
    assert all("id" not in part["functionResponse"] for part in user["parts"])


def test_a_foreign_call_carries_the_placeholder_once_per_step() -> None:
    first = said(Called("c1", "weather", {}), Called("c2", "weather", {}))
    turns = [
        first,
        *answers(first),
        said(Called("c3", "weather", {})),
        *answers(said(Called("c3", "weather", {}))),
    ]
    models = [turn for turn in contents(*turns) if turn["role"] == "model"]
    assert [[part.get("thoughtSignature") for part in turn["parts"]] for turn in models] == [
        [PLACEHOLDER, None],
        [PLACEHOLDER],
    ]


def test_an_older_model_wants_no_placeholder() -> None:
    model = contents(said(Called("c1", "weather", {})), returned("ok"), target=BUDGET)[0]
    assert model["parts"] == [{"functionCall": {"name": "weather", "args": {}}}]


def test_what_google_ran_goes_back_as_it_came() -> None:
    parts = replayed("a search of Google's own")[0]["parts"]
    came = [
        part
        for each in ANSWERS["a search of Google's own"][1:]
        for part in each["candidates"][0]["content"]["parts"]
    ]
    assert parts == came


@proves("model-layer", 129)
@pytest.mark.parametrize(
    ("result", "response"),
    [
        (returned("No such city", is_error=True), {"error": "No such city"}),
        (returned({"degrees": 7}), {"degrees": 7}),
        (returned("Sunny"), {"result": "Sunny"}),
        (returned([1, 2]), {"result": [1, 2]}),
        (returned(None), {"result": None}),
        # Taken for the name of a file beside the result, a reference would be refused.
        (returned({"items": [{"$ref": "#/x"}]}), {"result": '{"items":[{"$ref":"#/x"}]}'}),
        (returned({"$ref": "#/x"}, is_error=True), {"error": '{"$ref":"#/x"}'}),
    ],
)
def test_each_kind_of_result_has_its_form(result: WireTurn, response: Json) -> None:
    user = contents(said(Called("c1", "weather", {})), result)[1]
    assert user["parts"] == [{"functionResponse": {"name": "weather", "response": response}}]


@proves("model-layer", 129)
def test_a_picture_is_inside_its_result_where_the_model_takes_it_and_behind_all_results_elsewhere() -> None:
    calls = said(Called("c1", "weather", {}), Called("c2", "weather", {}))
    results = [
        returned("See", attachments=(PNG, WAV)),
        WireTurn("tool", (Returned("c2", "weather", "ok"),)),
        asked("And?"),
    ]
    png = {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}
    wav = {"inlineData": {"mimeType": "audio/wav", "data": "UklGRg=="}}
    label = {"text": "From the result of weather:"}
    second = {"functionResponse": {"name": "weather", "response": {"result": "ok"}}}
    first = {"name": "weather", "response": {"result": "See"}}
    assert contents(calls, *results)[1]["parts"] == [
        {"functionResponse": {**first, "parts": [png]}},
        second,
        label,
        wav,
        {"text": "And?"},
    ]
    assert contents(calls, *results, target=BUDGET)[1]["parts"] == [
        {"functionResponse": first},
        second,
        label,
        png,
        wav,
        {"text": "And?"},
    ]


@proves("model-layer", 135)
def test_neighbours_of_one_role_become_one_turn() -> None:
    together = contents(said(SaidText("a")), said(SaidText("b")), asked("c"), asked("d"))
    assert together == [
        {"role": "model", "parts": [{"text": "a"}, {"text": "b"}]},
        {"role": "user", "parts": [{"text": "c"}, {"text": "d"}]},
    ]


@proves("model-layer", 135)
def test_neighbours_of_one_role_become_one_turn_also_across_segments() -> None:
    assert body([ASK, [asked("b")], [said(SaidText("c"))], [said(SaidText("d"))]])["contents"] == [
        {"role": "user", "parts": [{"text": "How is the weather?"}, {"text": "b"}]},
        {"role": "model", "parts": [{"text": "c"}, {"text": "d"}]},
    ]


def test_a_conversation_that_the_model_begins_gets_a_beginning() -> None:
    roles = [turn["role"] for turn in body([[said(SaidText("Hello!")), asked("Hi")]])["contents"]]
    assert roles == ["user", "model", "user"]


def test_arguments_that_look_like_turns_are_left_alone() -> None:
    nested = {"parts": [{"role": "user", "parts": []}, {"role": "user", "parts": []}]}
    turns = contents(said(Called("c1", "weather", nested)), returned("ok"))
    assert turns[0]["parts"][0]["functionCall"]["args"] == nested


def test_a_reply_of_nothing_but_thoughts_keeps_its_place() -> None:
    written = GEMINI.write_turns([said(Thought("Hm.")), asked("Well?")], TARGET, newest=False)
    assert [turn["role"] for turn in written.items] == ["model", "user"]
    assert len(written.warnings) == 1
    assert "Hm." not in str(written.items)


def test_what_the_system_says_later_is_told_apart() -> None:
    turns = contents(said(SaidText("a")), WireTurn("system", (SaidText("Be brief."),)), asked("b"))
    assert turns[1] == {
        "role": "user",
        "parts": [{"text": "<system>\nBe brief.\n</system>"}, {"text": "b"}],
    }


def test_a_file_goes_in_line() -> None:
    read = body([[WireTurn("user", (SaidText("See"), replace(PNG, media_type="image/PNG; q=1")))]])
    assert read["contents"][0]["parts"][1] == {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}


def test_every_text_is_a_plain_one() -> None:
    read = body([[WireTurn("user", (Attachment("text/csv", b"a,b", "a.csv"),))]])
    assert read["contents"][0]["parts"] == [{"inlineData": {"mimeType": "text/plain", "data": "YSxi"}}]


def test_a_request_that_is_too_large_is_not_sent() -> None:
    huge = WireTurn("user", (Attachment("video/mp4", bytes(16 * 1024 * 1024)),))
    with pytest.raises(ProviderError) as raised:
        body_of(GEMINI, [[huge]], TARGET)
    assert "bytes" in str(raised.value.detail)


def test_the_head_has_its_fields() -> None:
    options = CallOptions(
        temperature=0.5,
        top_p=0.9,
        top_k=40,
        presence_penalty=0.1,
        frequency_penalty=0.2,
        max_output_tokens=99,
        stop=("END",),
        seed=7,
        google=GoogleOptions(safety_settings=(SafetySetting(category="C", threshold="BLOCK_NONE"),)),
    )
    head = Head(system=("Be kind.", "Be brief."), tools=(WEATHER,), max_output_tokens=50)
    assert head_of(replace(TARGET, options=options), head) == {
        "systemInstruction": {"parts": [{"text": "Be kind.\nBe brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "weather",
                        "description": "Tells the weather.",
                        "parametersJsonSchema": WEATHER.input_schema,
                    }
                ]
            }
        ],
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "topK": 40,
            "presencePenalty": 0.1,
            "frequencyPenalty": 0.2,
            "maxOutputTokens": 50,
            "stopSequences": ["END"],
            "seed": 7,
        },
        "safetySettings": [{"category": "C", "threshold": "BLOCK_NONE"}],
    }


def test_what_is_not_set_is_not_sent() -> None:
    assert head_of(TARGET) == {}
    assert warnings_of(TARGET) == ()


def test_the_output_limit_of_the_model_counts_when_the_call_has_none() -> None:
    assert head_of(with_options(max_output_tokens=99)) == {"generationConfig": {"maxOutputTokens": 99}}


def test_one_threshold_counts_for_every_harm_unless_told_otherwise() -> None:
    own = SafetySetting(category="HARM_CATEGORY_HARASSMENT", threshold="OFF")
    google = GoogleOptions(threshold="BLOCK_NONE", safety_settings=(own,))
    settings = head_of(with_options(google=google))["safetySettings"]
    assert {each["category"]: each["threshold"] for each in settings} == {
        "HARM_CATEGORY_HARASSMENT": "OFF",
        "HARM_CATEGORY_HATE_SPEECH": "BLOCK_NONE",
        "HARM_CATEGORY_SEXUALLY_EXPLICIT": "BLOCK_NONE",
        "HARM_CATEGORY_DANGEROUS_CONTENT": "BLOCK_NONE",
    }


@proves("model-layer", 12)
def test_each_setting_that_a_model_does_not_take_is_named() -> None:
    target = replace(
        with_options(temperature=0.5, top_k=4), abilities=Abilities(sampling=False, reasoning=Reasoning.LEVEL)
    )
    assert head_of(target) == {}
    assert [warning.split()[0] for warning in warnings_of(target)] == ["temperature", "top_k"]


@proves("model-layer", 134)
def test_gemma_reads_the_system_text_in_the_first_turn() -> None:
    gemma = replace(TARGET, model="gemma-3-27b-it", abilities=Abilities(system="merged"))
    read = body([ASK], gemma, Head(system=("Be kind.",)))
    assert read == {
        "contents": [{"role": "user", "parts": [{"text": "Be kind."}, {"text": "How is the weather?"}]}]
    }


def test_a_model_without_any_place_for_it_gets_no_system_text() -> None:
    target = replace(TARGET, abilities=Abilities(system="none"))
    head = Head(system=("Be kind.",))
    assert head_of(target, head) == {}
    assert len(warnings_of(target, head)) == 1


def test_cached_content_brings_its_own_system_text_and_tools() -> None:
    target = with_options(google=GoogleOptions(cached_content="cachedContents/1"))
    head = Head(system=("Be kind.",), tools=(WEATHER,))
    assert head_of(target, head) == {"cachedContent": "cachedContents/1"}
    assert len(warnings_of(target, head)) == 1


SEARCH = GoogleOptions(web_search_enabled=True)


def test_web_search_is_googles_own() -> None:
    assert head_of(with_options(BUDGET, SEARCH)) == {"tools": [{"googleSearch": {}}]}


def test_web_search_beside_functions_only_where_a_model_combines_them() -> None:
    head = Head(tools=(WEATHER,))
    combined = head_of(with_options(TARGET, SEARCH), head)
    assert [list(tool) for tool in combined["tools"]] == [["functionDeclarations"], ["googleSearch"]]
    assert combined["toolConfig"]["includeServerSideToolInvocations"] is True
    for target in (with_options(BUDGET, SEARCH), with_options(VERTEX, SEARCH)):
        assert [list(tool) for tool in head_of(target, head)["tools"]] == [["functionDeclarations"]]
        assert len(warnings_of(target, head)) == 1


@pytest.mark.parametrize(
    ("choice", "mode"), [(None, "VALIDATED"), ("auto", "VALIDATED"), ("required", "ANY"), ("none", "NONE")]
)
def test_beside_web_search_nothing_is_left_to_the_model_unchecked(choice: ToolChoice, mode: str) -> None:
    """There the mode that is automatic elsewhere is refused."""
    head = head_of(with_options(TARGET, SEARCH), Head(tools=(WEATHER,), tool_choice=choice))
    assert head["toolConfig"]["functionCallingConfig"] == {"mode": mode}


def test_a_tool_is_told_without_references() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"city": {"$ref": "#/$defs/City"}},
        "$defs": {"City": {"type": "string"}},
    }
    tool = ToolSpec(name="weather", description="", input_schema=schema)
    [declaration] = head_of(TARGET, Head(tools=(tool,)))["tools"][0]["functionDeclarations"]
    assert declaration["parametersJsonSchema"] == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
    }


def thinking_of(target: Target, effort: Effort | None) -> Json:
    return head_of(target, Head(effort=effort)).get("generationConfig", {}).get("thinkingConfig")


@pytest.mark.parametrize(
    ("effort", "level"),
    [
        (Effort.NONE, "minimal"),
        (Effort.MINIMAL, "minimal"),
        (Effort.LOW, "low"),
        (Effort.MEDIUM, "medium"),
        (Effort.HIGH, "high"),
        (Effort.XHIGH, "high"),
        (Effort.MAX, "high"),
    ],
)
def test_an_effort_is_a_level(effort: Effort, level: str) -> None:
    assert thinking_of(TARGET, effort) == {"thinkingLevel": level, "includeThoughts": True}


@pytest.mark.parametrize(
    ("effort", "flash", "pro"),
    [
        (Effort.NONE, 0, 1024),
        (Effort.MINIMAL, 1024, 1024),
        (Effort.LOW, 1024, 1024),
        (Effort.MEDIUM, 8192, 8192),
        (Effort.HIGH, 24576, 24576),
        (Effort.XHIGH, 24576, 24576),
        (Effort.MAX, 24576, 24576),
    ],
)
def test_before_the_third_generation_an_effort_is_a_budget(effort: Effort, flash: int, pro: int) -> None:
    always = replace(BUDGET, abilities=Abilities(reasoning=Reasoning.BUDGET, can_stop_thinking=False))
    shown = {"includeThoughts": True} if flash else {}
    assert thinking_of(BUDGET, effort) == {"thinkingBudget": flash, **shown}
    assert thinking_of(always, effort) == {"thinkingBudget": pro, "includeThoughts": True}


@proves("model-layer", 133)
def test_a_level_that_the_model_lacks_is_raised_to_the_next_one() -> None:
    few = replace(TARGET, abilities=Abilities(reasoning=Reasoning.LEVEL, efforts=(Effort.LOW, Effort.MEDIUM)))
    levels = {effort: thinking_of(few, effort)["thinkingLevel"] for effort in Effort}
    assert levels == {
        Effort.NONE: "low",
        Effort.MINIMAL: "low",
        Effort.LOW: "low",
        Effort.MEDIUM: "medium",
        Effort.HIGH: "medium",
        Effort.XHIGH: "medium",
        Effort.MAX: "medium",
    }


def pinned(target: Target = TARGET, **config: Any) -> Target:
    return with_options(target, GoogleOptions(thinking_config=ThinkingConfig(**config)))


@proves("model-layer", 133)
def test_a_level_and_a_budget_together_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"thinking_budget": 1, "thinking_level": "low"}, ThinkingConfig)


@proves("model-layer", 133)
def test_a_pinned_budget_beats_the_effort_and_the_effort_beats_a_pinned_level() -> None:
    shown = {"includeThoughts": True}
    assert thinking_of(pinned(thinking_budget=77), Effort.HIGH) == {"thinkingBudget": 77, **shown}
    assert thinking_of(pinned(BUDGET, thinking_budget=77), Effort.HIGH) == {"thinkingBudget": 77, **shown}
    assert thinking_of(pinned(thinking_level="low"), Effort.HIGH) == {"thinkingLevel": "high", **shown}
    assert thinking_of(pinned(thinking_level="low"), None) == {"thinkingLevel": "low"}
    assert thinking_of(pinned(include_thoughts=False), Effort.LOW) == {
        "thinkingLevel": "low",
        "includeThoughts": False,
    }


@proves("model-layer", 133)
def test_an_older_model_gets_no_level() -> None:
    target = pinned(BUDGET, thinking_level="low")
    assert thinking_of(target, None) is None
    assert len(warnings_of(target)) == 1
    assert thinking_of(target, Effort.MEDIUM) == {"thinkingBudget": 8192, "includeThoughts": True}


@proves("model-layer", 133)
def test_a_model_for_pictures_or_speech_gets_nothing_about_thinking() -> None:
    image = replace(pinned(thinking_budget=5), model="gemini-3-pro-image", abilities=Abilities())
    assert thinking_of(image, Effort.HIGH) is None
    assert len(warnings_of(image)) == 1


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (TARGET, "/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse"),
        (VERTEX, "/publishers/google/models/gemini-3-pro-preview:streamGenerateContent?alt=sse"),
        (replace(TARGET, model="models/a?b/c"), "/v1beta/models/a%3Fb%2Fc:streamGenerateContent?alt=sse"),
    ],
)
def test_each_route_has_its_path(target: Target, path: str) -> None:
    assert GEMINI.path(target) == path
