import json
from typing import Any

import pytest

from chatd.domain.part import Json
from chatd.providers.capabilities.target import Abilities
from chatd.providers.request.wire_turn import Attachment, Called, Returned, SaidText, Thought, WireTurn
from tests.providers.dialects.chat.streams import STREAMS, openrouter_detail
from tests.providers.dialects.chat.validator import problems
from tests.providers.dialects.chat.words import (
    able,
    body,
    chunk,
    decoded,
    messages,
    piece,
    quirky,
    reply,
    results,
    said,
    target,
    thoughts,
    warnings,
)
from tests.traceability import proves

PICTURE = Attachment("image/png", b"PNG")
PAGES = Attachment("application/pdf", b"PDF")
PAGES_URL = "data:application/pdf;base64,UERG"


@proves("model-layer", 97)
def test_each_system_message_stays_one_and_blank_ones_go() -> None:
    turns = [said("system", "One.", "Two."), said("system", "Three."), WireTurn("system", (SaidText("  "),))]

    assert messages(turns) == [
        {"role": "system", "content": "One.\nTwo."},
        {"role": "system", "content": "Three."},
    ]
    assert warnings(turns) == ("A system message without words was left out.",)


@pytest.mark.parametrize(
    ("at", "role"),
    [
        (target("openai", abilities=Abilities(system="developer")), "developer"),
        (target("azure", abilities=Abilities(system="developer")), "developer"),
        (target("openrouter", abilities=Abilities(system="developer")), "system"),
        (quirky(system_role="developer"), "developer"),
        (target(), "system"),
    ],
)
def test_the_system_has_the_role_that_the_server_knows(at: Any, role: str) -> None:
    assert messages([said("system", "Be kind.")], at) == [{"role": role, "content": "Be kind."}]


def test_a_model_without_system_hears_nothing_of_it() -> None:
    turns = [said("system", "Be kind.")]

    assert messages(turns, able(system="none")) == []
    assert len(warnings(turns, able(system="none"))) == 1


def test_where_roles_take_turns_the_system_speaks_through_the_user() -> None:
    turns = [said("user", "Hi."), said("system", "Be kind."), said("user", PICTURE)]

    assert messages(turns, quirky(system_role="merged")) == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Hi.\n\n<system>\nBe kind.\n</system>"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}},
            ],
        }
    ]


@proves("model-layer", 98)
def test_words_alone_are_a_string_and_with_files_a_list() -> None:
    sound = Attachment("audio/x-wav", b"WAV", "a.wav")
    song = Attachment("audio/mpeg", b"MP3")
    named = Attachment("application/pdf", b"PDF", "report.pdf")
    note = Attachment("text/markdown", "# Café".encode(), "a.md")

    assert messages([said("user", "Hi.")]) == [{"role": "user", "content": "Hi."}]
    assert messages([said("user", "Look.", PICTURE, PAGES, named, sound, song, note)]) == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look."},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}},
                {"type": "file", "file": {"filename": "part-3.pdf", "file_data": PAGES_URL}},
                {"type": "file", "file": {"filename": "report.pdf", "file_data": PAGES_URL}},
                {"type": "input_audio", "input_audio": {"data": "V0FW", "format": "wav"}},
                {"type": "input_audio", "input_audio": {"data": "TVAz", "format": "mp3"}},
                {"type": "text", "text": "The file a.md:\n# Café"},
            ],
        }
    ]


def test_a_file_that_has_no_form_is_left_out_with_a_warning() -> None:
    turns = [said("user", "Look.", Attachment("application/zip", b"ZIP", "a.zip"))]

    assert messages(turns) == [{"role": "user", "content": "Look."}]
    assert warnings(turns) == ("a.zip was left out: it cannot be sent as application/zip.",)


def test_a_server_that_only_takes_strings_gets_strings() -> None:
    turns = [said("user", "One.", PICTURE, "Two.")]

    assert messages(turns, quirky(string_content_only=True)) == [{"role": "user", "content": "One.\nTwo."}]
    assert len(warnings(turns, quirky(string_content_only=True))) == 1


@proves("model-layer", 99)
def test_all_that_an_assistant_said_and_called_is_one_message() -> None:
    first, second = Called("c1", "look", {"n": 1}), Called("c2", "hear", {})
    turn = said("assistant", "One, ", "two.", first, "Three.", second)

    assert messages([turn, results(turn)]) == [
        {
            "role": "assistant",
            "content": "One, two.\n\nThree.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"n":1}'}},
                {"id": "c2", "type": "function", "function": {"name": "hear", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {"role": "tool", "tool_call_id": "c2", "content": "done"},
    ]


def test_calls_alone_come_with_no_words() -> None:
    assert messages([said("assistant", Called("c1", "look", {}))])[0]["content"] is None


def test_an_assistant_without_words_and_calls_is_left_out() -> None:
    ran_elsewhere = Called("s1", "web_search", {}, provider_executed=True)
    turns = [said("assistant", Thought("Hm.", {"field": "reasoning"}), ran_elsewhere)]

    assert messages(turns, quirky(reasoning_field="same")) == []
    assert warnings(turns) == ("A reply without words and calls was left out.",)


@pytest.mark.parametrize(
    ("result", "content"),
    [
        (Returned("c", "look", "Sun."), "Sun."),
        (Returned("c", "look", {"sky": "blü"}), '{"sky":"blü"}'),
        (Returned("c", "look", "No sky.", is_error=True), "No sky."),
        (Returned("c", "look", ""), "(The tool returned nothing.)"),
        (Returned("c", "look", None), "(The tool returned nothing.)"),
        (Returned("c", "look", 0), "0"),
    ],
)
def test_a_result_is_sent_as_text(result: Returned, content: str) -> None:
    assert messages([WireTurn("tool", (result,))]) == [
        {"role": "tool", "tool_call_id": "c", "content": content}
    ]


@proves("model-layer", 100)
def test_what_tools_show_follows_when_all_have_answered() -> None:
    asked = said("assistant", Called("c1", "look", {}), Called("c2", "look", {}), Called("c3", "read", {}))
    first = WireTurn("tool", (Returned("c1", "look", "", attachments=(PICTURE,)),))
    others = WireTurn(
        "tool",
        (
            Returned("c2", "look", "A cat.", attachments=(PICTURE,)),
            Returned("c3", "read", "", attachments=(Attachment("application/zip", b"ZIP"),)),
        ),
    )
    turns = [said("user", "Look."), asked, first, others, said("user", "So?")]
    shown = {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}}

    assert messages(turns)[2:] == [
        {"role": "tool", "tool_call_id": "c1", "content": "(The result is shown in the next message.)"},
        {"role": "tool", "tool_call_id": "c2", "content": "A cat."},
        {"role": "tool", "tool_call_id": "c3", "content": "(The result cannot be shown to this model.)"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "From the result of look (c1):"},
                shown,
                {"type": "text", "text": "From the result of look (c2):"},
                shown,
            ],
        },
        {"role": "user", "content": "So?"},
    ]
    assert warnings(turns) == ("A result of the type application/zip cannot be shown to this model.",)
    assert problems(body(turns)) == []


THOUGHT = {"field": "reasoning"}


@proves("model-layer", 112)
@pytest.mark.parametrize(
    ("quirks", "field"),
    [
        ({"reasoning_field": "reasoning_content"}, "reasoning_content"),
        ({"reasoning_field": "reasoning"}, "reasoning"),
        ({"reasoning_field": "same"}, "reasoning"),
        ({"reasoning_field": "none"}, None),
        ({"reasoning_field": "reasoning_details"}, None),
    ],
)
def test_thoughts_go_back_to_where_the_server_looks_for_them(
    quirks: dict[str, Any], field: str | None
) -> None:
    thoughtful = said("assistant", Thought("Hm, ", THOUGHT), Thought("yes.", THOUGHT), "Yes.")

    plain, other = messages([said("assistant", "No."), thoughtful], quirky(**quirks))

    assert plain == {"role": "assistant", "content": "No."}
    assert other == {"role": "assistant", "content": "Yes.", **({field: "Hm, yes."} if field else {})}


@proves("model-layer", 112)
def test_an_empty_thought_goes_back_only_to_who_wants_it() -> None:
    turn = said("assistant", Thought("", {"field": "reasoning_content"}), "Yes.")
    kimi = quirky(reasoning_field="reasoning_content", replay_empty_reasoning=True)

    assert messages([turn], kimi) == [{"role": "assistant", "content": "Yes.", "reasoning_content": ""}]
    assert messages([said("assistant", "Yes.")], kimi) == [{"role": "assistant", "content": "Yes."}]
    assert messages([turn], quirky(reasoning_field="reasoning_content")) == [
        {"role": "assistant", "content": "Yes."}
    ]


def test_a_server_that_requires_thoughts_gets_them_with_every_reply() -> None:
    deepseek = quirky(reasoning_field="reasoning_content", reasoning_required=True)
    own = said("assistant", Thought("Hm.", {"field": "reasoning_content"}), "Yes.")
    of_others = said("assistant", Called("c1", "look", {}))

    sent = messages([own, of_others, results(of_others)], deepseek)

    assert [message.get("reasoning_content") for message in sent] == ["Hm.", " ", None]


def test_where_thoughts_go_back_to_where_they_came_from_there_is_no_place_for_none() -> None:
    assert messages([said("assistant", "Yes.")], quirky(reasoning_field="same", reasoning_required=True)) == [
        {"role": "assistant", "content": "Yes."}
    ]


def _detailed(*pieces: list[dict[str, Json]]) -> bytes:
    called = chunk(tool_calls=[piece(0, "{}", id="c1", name="look")])
    return b"".join(chunk(reasoning_details=each) for each in pieces) + called + chunk("tool_calls")


@proves("model-layer", 113)
def test_a_signature_that_comes_after_the_calls_goes_back_with_them() -> None:
    turn = reply(decoded(STREAMS["OpenRouter"]))

    (message, _) = messages([turn, results(turn)], quirky(reasoning_field="reasoning_details"))

    assert message["reasoning_details"] == [openrouter_detail(text="I see", signature="c2ln")]
    assert [call["id"] for call in message["tool_calls"]] == ["toolu_1"]


@proves("model-layer", 113)
@pytest.mark.parametrize(
    "details",
    [
        [
            {"type": "reasoning.summary", "summary": "Hm.", "format": "openai", "index": 0},
            {"type": "reasoning.encrypted", "data": "gAAA", "id": "rs_1", "format": "openai", "index": 0},
        ],
        [
            {"type": "reasoning.encrypted", "data": "AbC", "id": "c1", "format": "gemini", "index": 0},
            {"type": "reasoning.encrypted", "data": "DeF", "id": "c2", "format": "gemini", "index": 0},
        ],
        [
            {"type": "reasoning.encrypted", "data": "AbC", "id": None},
            {"type": "reasoning.encrypted", "data": "DeF", "id": None},
        ],
        [{"type": "reasoning.text", "text": "Hm.", "signature": None, "new": {"field": 1}, "index": 3}],
    ],
)
def test_details_go_back_as_they_came(details: list[dict[str, Json]]) -> None:
    at = quirky(reasoning_field="reasoning_details")
    at_once = reply(decoded(_detailed(details)))
    one_by_one = reply(decoded(_detailed(*([each] for each in details))))

    assert messages([at_once], at)[0]["reasoning_details"] == details
    assert messages([one_by_one], at)[0]["reasoning_details"] == details


def test_details_that_grow_in_turns_are_kept_apart() -> None:
    def text(words: str, index: int) -> dict[str, Json]:
        return {"type": "reasoning.text", "text": words, "index": index}

    events = decoded(_detailed([text("a", 0)], [text("x", 1)], [text("b", 0), text("y", 1)]))

    (message,) = messages([reply(events)], quirky(reasoning_field="reasoning_details"))
    assert message["reasoning_details"] == [text("ab", 0), text("xy", 1)]
    assert thoughts(events) == {"r0": "axby"}


def test_details_of_others_are_not_sent() -> None:
    turn = WireTurn("assistant", (SaidText("Hi."),), {"provider": "Anthropic"})

    assert messages([turn], quirky(reasoning_field="reasoning_details")) == [
        {"role": "assistant", "content": "Hi."}
    ]


@proves("model-layer", 120)
def test_google_gets_its_signatures_back_and_a_word_for_those_that_are_missing() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    signed = Called("c1", "look", {}, internal={"extra_content": extra})
    turn = said("assistant", signed, Called("c2", "look", {}))

    (google,) = messages([turn], quirky(gemini_compat=True))
    (other,) = messages([turn])

    assert [call["extra_content"] for call in google["tool_calls"]] == [
        extra,
        {"google": {"thought_signature": "skip_thought_signature_validator"}},
    ]
    assert all("extra_content" not in call for call in other["tool_calls"])


def test_mistral_gets_ids_of_nine_letters_and_digits_in_pairs() -> None:
    turn = said("assistant", Called("call_with_a_name", "look", {}), Called("Ab3dEf7hI", "look", {}))

    asked, *answers = messages([turn, results(turn)], quirky(tool_id_style="alnum9"))

    first, second = (call["id"] for call in asked["tool_calls"])
    assert (len(first), first.isalnum(), second) == (9, True, "Ab3dEf7hI")
    assert [answer["tool_call_id"] for answer in answers] == [first, second]
    assert messages([turn], quirky(tool_id_style="alnum9")) == [asked]


def test_mistral_hears_the_assistant_between_a_result_and_the_user() -> None:
    asked = said("assistant", Called("c1", "look", {}))
    shown = WireTurn("tool", (Returned("c1", "look", "", attachments=(PICTURE,)),))
    at = quirky(no_user_after_tool=True)

    interrupted = messages([said("user", "Go."), asked, results(asked), said("user", "Stop.")], at)
    seen = messages([asked, shown, said("user", "So?")], at)

    assert [message["role"] for message in interrupted] == ["user", "assistant", "tool", "assistant", "user"]
    assert [message["role"] for message in seen] == ["assistant", "tool", "assistant", "user", "user"]
    assert interrupted[3]["content"] == "Noted."
    assert messages([asked, results(asked)], at)[-1]["role"] == "tool"


def test_an_id_that_is_too_long_is_shortened_in_pairs() -> None:
    turn = said("assistant", *(Called(call_id, "look", {}) for call_id in ("x" * 65, "x" * 66, "y" * 64)))

    turns = [said("user", "Go."), turn, results(turn)]

    assert problems(body(turns)) == []
    assert messages(turns)[1]["tool_calls"][2]["id"] == "y" * 64


def test_marks_for_caching_are_on_the_last_two_that_were_not_the_models() -> None:
    asked = said("assistant", Called("c1", "look", {}))
    turns = [said("user", "One."), asked, results(asked), said("user", "Two.", PICTURE)]
    at = quirky(cache_marks=True)
    mark = {"cache_control": {"type": "ephemeral"}}

    marked = messages(turns, at, newest=True)

    assert marked[0] == {"role": "user", "content": "One."}
    assert marked[2]["content"] == [{"type": "text", "text": "done", **mark}]
    assert [part.get("cache_control") for part in marked[3]["content"]] == [None, mark["cache_control"]]
    assert "cache_control" not in json.dumps(messages(turns, at))
    assert "cache_control" not in json.dumps(messages(turns, target(), newest=True))


def test_what_one_segment_becomes_does_not_depend_on_the_next() -> None:
    asked = said("assistant", Called("c1", "look", {}))
    shown = WireTurn("tool", (Returned("c1", "look", "", attachments=(PICTURE,)),))
    first, second = [said("user", "One.")], [asked, shown]

    assert messages([*first, *second]) == messages(first) + messages(second)
    assert [message["role"] for message in messages(second)] == ["assistant", "tool", "user"]
