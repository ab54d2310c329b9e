"""Wire turns become contents of Gemini."""

import pytest
from msgspec.structs import replace

from chatd.domain.part import Json
from chatd.providers.capabilities.target import Target
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.request.wire_turn import (
    Attachment,
    Called,
    Returned,
    SaidText,
    Thought,
    WireTurn,
)
from tests.providers.dialects.gemini.streams import ANSWERS, TARGET, decoded, sse
from tests.providers.dialects.gemini.words import (
    ASK,
    BUDGET,
    PLACEHOLDER,
    PNG,
    VERTEX,
    WAV,
    asked,
    body,
    contents,
    replayed,
    returned,
    said,
)
from tests.providers.replayed import answers, as_turn, body_of
from tests.traceability import proves


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
