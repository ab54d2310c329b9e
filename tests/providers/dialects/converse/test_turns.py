"""Wire turns become messages of Converse."""

import pytest
from msgspec.structs import replace

from chatd.domain.part import Json
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.request.wire_turn import (
    Attachment,
    Called,
    Returned,
    SaidText,
    Thought,
    WireTurn,
)
from tests.providers.dialects.converse.streams import ANSWERS, TARGET, decoded, wire
from tests.providers.dialects.converse.words import (
    ASK,
    PDF,
    PNG,
    TOOLS,
    asked,
    body,
    messages,
    returned,
    said,
)
from tests.providers.replayed import answers, as_turn, body_of
from tests.traceability import proves


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


def test_a_reply_does_not_end_with_thoughts() -> None:
    signed = Thought("Hm.", {"signature": "s"})

    assert messages(said(SaidText("Well."), signed), asked("Yes?"))[0]["content"] == [{"text": "Well."}]


def test_a_tool_that_returned_nothing_says_so() -> None:
    answer = messages(said(Called("c1", "weather", {})), returned(None))[1]

    assert answer["content"][0]["toolResult"]["content"] == [{"text": "(no output)"}]
