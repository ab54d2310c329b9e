"""Messages become turns: repaired, paired, and without what belongs to somebody else."""

import base64

import pytest
from msgspec.structs import replace

from chatd.domain.ids import FileId
from chatd.domain.message import Message, Role
from chatd.domain.part import File, FileReference, Json, Reasoning, Source, Text
from chatd.providers.capabilities.target import Files, Target
from chatd.providers.request.attachments import PASTE_CUT, PASTED_BYTES_MAX
from chatd.providers.request.pairing import NO_RESULT, UNKNOWN_TOOL, Taken
from chatd.providers.request.prepare import TurnsReady, prepare
from chatd.providers.request.tool_names import portable
from chatd.providers.request.wire_turn import Attachment, Called, Returned, SaidText, Thought, WireTurn
from tests.providers.histories import TARGET, call, found, message, reply, result, user
from tests.traceability import proves

PNG = b"\x89PNG picture"


def prepared(
    *messages: Message, target: Target = TARGET, files: dict[str, bytes] | None = None
) -> TurnsReady:
    known = {FileId(name): data for name, data in (files or {}).items()}
    return prepare(messages, target, known, Taken())


def turns(
    *messages: Message, target: Target = TARGET, files: dict[str, bytes] | None = None
) -> list[WireTurn]:
    return list(prepared(*messages, target=target, files=files).turns)


def outline(found: list[WireTurn]) -> list[str]:
    """Who says what, in a word each."""
    return [f"{turn.role}: {', '.join(_word(part) for part in turn.parts)}" for turn in found]


def _word(part: object) -> str:
    match part:
        case SaidText(text=text) | Thought(text=text):
            return text
        case Called(id=id_):
            return f"calls {id_}"
        case Returned(id=id_, is_error=is_error):
            return f"{'fails' if is_error else 'answers'} {id_}"
        case Attachment(media_type=media_type):
            return media_type
        case _:
            raise AssertionError(part)


@proves("loop", 46)
@proves("model-layer", 18)
def test_a_call_that_was_interrupted_gets_an_error_directly_behind_it() -> None:
    ready = turns(reply("Let me see.", call("a")), user("And?"))

    assert outline(ready) == ["assistant: Let me see., calls a", "tool: fails a", "user: And?"]
    assert ready[1].parts == (Returned("a", "echo", NO_RESULT, is_error=True),)


@proves("model-layer", 19)
def test_results_come_before_a_note_that_was_said_between_them() -> None:
    ready = turns(reply(call("a"), call("b")), result("a"), user("a note"), result("b"))

    assert outline(ready) == [
        "assistant: calls a, calls b",
        "tool: answers a",
        "tool: answers b",
        "user: a note",
    ]


@proves("model-layer", 20)
def test_a_providers_own_call_without_a_result_is_left_out_and_not_made_up() -> None:
    ready = turns(reply("Hm.", call("s", by_provider=True, tool="web_search")), user("So?"))

    assert outline(ready) == ["assistant: Hm.", "user: So?"]


def test_a_providers_own_result_without_a_call_is_left_out() -> None:
    assert outline(turns(reply("Hm.", found("s")))) == ["assistant: Hm."]


@proves("loop", 46)
@proves("model-layer", 21)
def test_a_result_without_a_call_gets_one_with_the_name_it_remembers() -> None:
    ready = turns(reply("Hm."), result("gone", tool="weather"))

    assert ready[1:] == [
        WireTurn("assistant", (Called("gone", "weather", {}),)),
        WireTurn("tool", (Returned("gone", "weather", "done"),)),
    ]


def test_a_result_that_remembers_no_name_gets_a_neutral_one() -> None:
    ready = turns(user("Hi."), result("gone", tool=""))

    assert Called("gone", UNKNOWN_TOOL, {}) in ready[0].parts


@proves("model-layer", 22)
def test_a_providers_own_result_outside_of_a_reply_is_left_out() -> None:
    ready = prepared(user("Hi."), message(Role.TOOL, found("s")))

    assert outline(list(ready.turns)) == ["user: Hi."]
    assert any("nothing that this model" in warning for warning in ready.warnings)


@proves("model-layer", 23)
def test_between_two_replies_the_unanswered_call_of_the_first_is_answered() -> None:
    ready = turns(reply(call("a")), reply("Anyway."))

    assert outline(ready) == ["assistant: calls a", "tool: fails a", "assistant: Anyway."]


@proves("model-layer", 24)
def test_strange_ids_become_plain_ones_and_still_match() -> None:
    ready = turns(reply(call("functions.weather:0 x")), result("functions.weather:0 x"))

    assert outline(ready) == ["assistant: calls functions_weather_0_x", "tool: answers functions_weather_0_x"]


@proves("model-layer", 25)
def test_an_id_that_two_replies_share_pairs_each_with_its_own_result() -> None:
    taken = Taken()
    first = prepare([reply(call("0")), result("0", "sun")], TARGET, {}, taken).turns
    second = prepare([reply(call("0")), result("0", "rain")], TARGET, {}, taken).turns

    ids = [
        part.id for turn in (*first, *second) for part in turn.parts if isinstance(part, Called | Returned)
    ]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert [part.output for turn in second for part in turn.parts if isinstance(part, Returned)] == ["rain"]


def test_two_calls_of_one_reply_with_the_same_id_are_told_apart() -> None:
    ready = turns(reply(call("x"), call("x")), result("x", "one"), result("x", "two"))

    calls = [part.id for part in ready[0].parts if isinstance(part, Called)]
    answers = {
        part.id: part.output for turn in ready[1:] for part in turn.parts if isinstance(part, Returned)
    }
    assert len(set(calls)) == 2
    assert answers == dict(zip(calls, ["one", "two"], strict=True))


def test_a_tool_whose_name_would_be_refused_is_called_by_another_in_calls_and_results() -> None:
    ready = turns(reply(call("a", tool="server:look up")), result("a", tool="server:look up"))

    names = [part.tool for turn in ready for part in turn.parts if isinstance(part, Called | Returned)]
    assert names == [portable("server:look up")] * 2


def test_a_call_without_an_id_is_given_one() -> None:
    ready = turns(reply(call("")), result(""))

    assert outline(ready) == ["assistant: calls call", "tool: answers call"]


@proves("model-layer", 26)
@pytest.mark.parametrize(
    ("args", "sent", "warned"),
    [("", {}, False), ("{not json", {}, True), ([1, 2], {}, True), ({"a": 1}, {"a": 1}, False)],
)
def test_arguments_that_are_no_object_become_an_empty_one(args: Json, sent: Json, *, warned: bool) -> None:
    ready = prepared(reply(call("a", args)), result("a"))

    assert ready.turns[0].parts == (Called("a", "echo", sent),)
    assert bool(ready.warnings) is warned


@proves("loop", 48)
@proves("model-layer", 27)
def test_what_says_nothing_is_left_out_unless_the_provider_wants_it_back() -> None:
    sealed = {"parts": {"2": {"redacted": "x"}}}
    ready = turns(reply(Text(text=" \n"), Reasoning(text=""), Reasoning(text=""), "Yes.", internal=sealed))

    assert ready == [WireTurn("assistant", (Thought("", {"redacted": "x"}), SaidText("Yes.")))]


@proves("model-layer", 28)
def test_a_message_that_is_left_without_parts_is_left_out_with_a_warning() -> None:
    ready = prepared(user("  "), user("Hi."))

    assert outline(list(ready.turns)) == ["user: Hi."]
    assert len(ready.warnings) == 1


@proves("model-layer", 30)
def test_a_picture_that_cannot_be_read_becomes_the_words_about_it() -> None:
    broken = {"data": "!!!", "mime_type": "image/png", "text": "A cat."}
    ready = turns(reply(call("a")), result("a", broken, is_media=True))

    assert ready[1].parts == (Returned("a", "echo", "A cat."),)


def test_a_picture_that_a_tool_returned_goes_along() -> None:
    media = {"data": base64.b64encode(PNG).decode(), "mime_type": "image/png", "text": "A cat."}
    ready = turns(reply(call("a")), result("a", media, is_media=True))

    assert ready[1].parts == (Returned("a", "echo", "A cat.", attachments=(Attachment("image/png", PNG),)),)


def test_a_picture_of_a_tool_that_is_too_large_becomes_a_notice() -> None:
    small = replace(TARGET, files=Files(images=True, image_bytes_max=4))
    media = {"data": base64.b64encode(PNG).decode(), "mime_type": "image/png", "text": "A cat."}
    (returned,) = turns(reply(call("a")), result("a", media, is_media=True), target=small)[1].parts

    assert isinstance(returned, Returned)
    assert returned.attachments == ()
    assert "left out" in returned.text


@pytest.mark.parametrize(
    ("stored", "is_error", "told"),
    [
        ({"output": "text"}, False, "text"),
        ({"error": "it broke"}, True, "it broke"),
        ({"output": "text", "more": 1}, False, {"output": "text", "more": 1}),
        ("plain", True, "plain"),
    ],
)
def test_a_model_reads_results_as_plainly_as_they_were_given(
    stored: Json, told: Json, *, is_error: bool
) -> None:
    ready = turns(reply(call("a")), result("a", stored, is_error=is_error))

    assert ready[1].parts == (Returned("a", "echo", told, is_error=is_error),)


@proves("model-layer", 31)
def test_files_that_are_gone_empty_or_the_models_own_are_not_sent() -> None:
    gone, empty = (
        File(file_id=FileId("gone"), media_type="image/png", name="a.png"),
        File(file_id=FileId("empty"), media_type="image/png"),
    )
    ready = turns(
        user("See.", gone, empty),
        reply("Nice.", File(file_id=FileId("made"), media_type="image/png")),
        files={"empty": b""},
    )

    assert outline(ready) == ["user: See., [The file a.png is no longer available.]", "assistant: Nice."]


@proves("model-layer", 32)
@pytest.mark.parametrize("media_type", ["text/markdown", "application/json", "application/vnd.api+json"])
def test_text_that_the_target_does_not_take_as_a_file_is_said_in_full(media_type: str) -> None:
    words = "# Title\n" * 50_000
    file = File(file_id=FileId("f"), media_type=f"{media_type}; charset=utf-8", name="notes")
    ready = turns(user(file), files={"f": words.encode()})

    assert ready[0].parts == (SaidText(f"The file notes:\n{words}"),)


@proves("model-layer", 32)
def test_text_that_the_target_takes_goes_as_it_is_and_json_is_no_text() -> None:
    takes_text = replace(TARGET, files=Files(text=True))
    markdown, json = (File(file_id=FileId("f"), media_type=t) for t in ("text/markdown", "application/json"))

    assert turns(user(markdown), target=takes_text, files={"f": b"x"})[0].parts == (
        Attachment("text/markdown", b"x"),
    )
    assert turns(user(json), target=takes_text, files={"f": b"x"})[0].parts == (
        SaidText("The file file:\nx"),
    )


@pytest.mark.parametrize(
    ("media_type", "files", "is_sent"),
    [
        ("video/mp4", Files(media=True), True),
        ("image/heic", Files(media=True), True),
        ("video/mp4", Files(images=True, audio=True), False),
        # A type that nobody has promised to read may fail the request, and with it the chat.
        ("application/octet-stream", Files(media=True), False),
        ("image/gif", Files(images=True), True),
        ("image/gif", Files(images=True, gif=False), False),
        ("image/png", Files(images=True, gif=False), True),
    ],
)
def test_of_pictures_sounds_and_films_those_go_that_the_target_reads(
    media_type: str,
    files: Files,
    is_sent: bool,  # noqa: FBT001 - a column
) -> None:
    target = replace(TARGET, files=files)
    (part,) = turns(user(File(file_id=FileId("f"), media_type=media_type)), target=target, files={"f": b"x"})[
        0
    ].parts

    assert isinstance(part, Attachment) is is_sent


@proves("model-layer", 33)
def test_a_picture_for_a_model_that_sees_none_is_left_out_with_a_warning() -> None:
    blind = replace(TARGET, files=Files())
    picture = File(file_id=FileId("f"), media_type="image/png", name="a.png")
    ready = prepared(user("Look.", picture), target=blind, files={"f": PNG})

    # The model is told as well.
    assert outline(list(ready.turns)) == ["user: Look., [a.png was left out: the model takes no image/png.]"]
    assert ready.warnings == ("a.png was left out: the model takes no image/png.",)


def test_a_picture_over_the_limit_becomes_a_notice_that_names_it() -> None:
    capped = replace(TARGET, files=Files(images=True, image_bytes_max=5 * 1024 * 1024))
    picture = File(file_id=FileId("f"), media_type="image/png", name="a.png")
    ready = turns(user(picture), target=capped, files={"f": bytes(5 * 1024 * 1024)})

    assert outline(ready) == [
        "user: [The image a.png was left out: it has 5.0 MiB, and the model takes less than 5 MiB.]"
    ]


def test_pasted_text_is_what_the_user_said_up_to_a_bound() -> None:
    pasted = File(file_id=FileId("f"), media_type="text/plain", name="pasted-text-2026-11-15-10-20-30.txt")

    assert turns(user(pasted), files={"f": b"hello"})[0].parts == (SaidText("hello"),)
    (cut,) = turns(user(pasted), files={"f": "é".encode() * PASTED_BYTES_MAX})[0].parts
    assert cut == SaidText("é" * (PASTED_BYTES_MAX // 2) + PASTE_CUT)


def test_a_quoted_passage_says_where_it_is_from() -> None:
    quoted = FileReference(file_name="main.py", start_line=3, end_line=4, content="pass")

    assert outline(turns(user(quoted, "?"))) == ["user: From main.py, lines 3 to 4:\npass, ?"]


def test_sources_are_for_people_only() -> None:
    assert outline(turns(reply("Yes.", Source(source_id="s", url="https://example.org")))) == [
        "assistant: Yes."
    ]


@proves("loop", 40)
@proves("model-layer", 34)
@proves("model-layer", 35)
@proves("model-layer", 36)
@pytest.mark.parametrize("origin", ["provider-2", None])
def test_of_a_stranger_only_words_and_our_own_calls_remain(origin: str | None) -> None:
    """Another provider, another instance of the same kind, or one that nobody knows."""
    theirs = reply(
        Reasoning(text="hm"),
        call("s", {"query": "x"}, "web_search", by_provider=True),
        found("s"),
        "The answer.",
        call("a"),
        origin=origin,
        internal={"parts": {str(n): {"secret": n} for n in range(5)}, "reply": {"secret": "all"}},
    )

    assert turns(theirs, result("a")) == [
        WireTurn("assistant", (SaidText("The answer."), Called("a", "echo", {}))),
        WireTurn("tool", (Returned("a", "echo", "done"),)),
    ]


@proves("loop", 40)
@proves("model-layer", 34)
def test_who_goes_back_to_a_provider_finds_everything_again() -> None:
    internal = {"parts": {str(n): {"place": n} for n in range(4)}, "reply": {"all": 1}}
    theirs = reply(Reasoning(text="hm"), call("s", by_provider=True), found("s"), "Yes.", internal=internal)

    assert turns(theirs) == [
        WireTurn(
            "assistant",
            (
                Thought("hm", {"place": 0}),
                Called("s", "echo", {}, provider_executed=True, internal={"place": 1}),
                Returned("s", "web_search", "found", provider_executed=True, internal={"place": 2}),
                SaidText("Yes.", {"place": 3}),
            ),
            {"all": 1},
        )
    ]
