"""How a history is written: roles, blocks, files, marks."""

import base64

import msgspec
import pytest

from chatd.catalog.models.options import AnthropicOptions, CallOptions
from chatd.errors import ProviderError
from chatd.providers.capabilities.target import Abilities, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.anthropic import ANTHROPIC
from chatd.providers.dialects.anthropic.blocks import title
from chatd.providers.model import ToolSpec
from chatd.providers.request.wire_turn import (
    Attachment,
    Called,
    Returned,
    SaidText,
    Thought,
    TurnPart,
    WireTurn,
)
from tests.providers.dialects.anthropic.replies import body, messages, reply, user, warnings
from tests.providers.dialects.anthropic.streams import CITATION, SEARCH_RESULT, STREAMS, TARGET, read
from tests.providers.dialects.anthropic.validator import problems
from tests.traceability import proves

SIGNED = Thought("Hm.", {"signature": "c2ln"})
PNG = Attachment("image/png", b"\x89PNG", "a.png")
MARK = {"type": "ephemeral"}


def model(*parts: str | TurnPart) -> WireTurn:
    return WireTurn("assistant", tuple(SaidText(part) if isinstance(part, str) else part for part in parts))


def tool(*results: Returned) -> WireTurn:
    return WireTurn("tool", results)


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def with_options(options: AnthropicOptions) -> Target:
    return msgspec.structs.replace(TARGET, options=CallOptions(anthropic=options))


@proves("model-layer", 37)
def test_what_the_system_says_first_stands_apart_and_everything_said_to_the_model_is_one_message() -> None:
    history = [
        user("Hello."),
        model(Called("call_1", "read_file", {})),
        tool(Returned("call_1", "read_file", "content")),
        user("And now?"),
    ]

    written = body(history, Head(system=("Be brief.", "Be kind.")))

    assert [block["text"] for block in written["system"]] == ["Be brief.", "Be kind."]
    assert [message["role"] for message in written["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in written["messages"][2]["content"]] == ["tool_result", "text"]
    assert problems(written) == []


@proves("model-layer", 38)
def test_results_of_parallel_calls_are_one_message_in_the_order_of_the_calls() -> None:
    history = [
        model(Called("call_1", "a", {"n": 1}), Called("call_2", "b", {})),
        tool(Returned("call_1", "a", "one")),
        tool(Returned("call_2", "b", "two")),
    ]

    assert messages(history) == [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "call_1", "name": "a", "input": {"n": 1}},
                {"type": "tool_use", "id": "call_2", "name": "b", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": [text("one")]},
                {"type": "tool_result", "tool_use_id": "call_2", "content": [text("two")]},
            ],
        },
    ]


def test_results_come_before_what_was_said_in_between() -> None:
    history = [
        model(Called("call_1", "a", {}), Called("call_2", "b", {})),
        tool(Returned("call_1", "a", "one")),
        user("Hurry."),
        tool(Returned("call_2", "b", "two")),
    ]

    assert [block["type"] for block in messages(history)[1]["content"]] == [
        "tool_result",
        "tool_result",
        "text",
    ]


def test_what_the_system_says_later_is_marked_as_such_and_never_lost() -> None:
    later = WireTurn("system", (SaidText("The user is back."),))

    assert messages([user("Hello."), later, user("Hi.")]) == [
        {
            "role": "user",
            "content": [
                text("Hello."),
                text("<system-message>\nThe user is back.\n</system-message>"),
                text("Hi."),
            ],
        }
    ]


@proves("model-layer", 39)
def test_a_reply_of_nothing_but_thoughts_is_left_out() -> None:
    history = [user("Hello."), model(SIGNED), user("Well?")]

    assert messages(history) == [{"role": "user", "content": [text("Hello."), text("Well?")]}]
    assert any("without anything to send" in warning for warning in warnings(history))


def test_a_reply_does_not_end_with_thoughts() -> None:
    history = [user("Hello."), model("Let me", SIGNED), user("Well?")]

    assert messages(history)[1]["content"] == [text("Let me")]


@proves("model-layer", 40)
@pytest.mark.parametrize(
    ("thought", "options", "blocks", "warned"),
    [
        (SIGNED, AnthropicOptions(), [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}], False),
        (
            Thought("", {"signature": "c2ln"}),
            AnthropicOptions(),
            [{"type": "thinking", "thinking": "", "signature": "c2ln"}],
            False,
        ),
        (
            Thought("", {"redacted_data": "cmVk"}),
            AnthropicOptions(),
            [{"type": "redacted_thinking", "data": "cmVk"}],
            False,
        ),
        (Thought("Hm."), AnthropicOptions(), [], True),
        (SIGNED, AnthropicOptions(send_reasoning=False), [], True),
    ],
    ids=["signed", "signed and hidden", "redacted", "neither", "switched off"],
)
def test_thoughts_go_back_only_with_what_proves_them(
    thought: Thought, options: AnthropicOptions, blocks: list[object], *, warned: bool
) -> None:
    history = [user("Hello."), model(thought, "So."), user("Well?")]
    target = with_options(options)

    assert messages(history, target)[1]["content"] == [*blocks, text("So.")]
    assert bool(warnings(history, target)) is warned


@proves("model-layer", 41)
def test_a_call_without_usable_arguments_keeps_its_id() -> None:
    # Preparation has replaced what was no object.
    assert messages([model(Called("call_1", "read_file", {}))])[0]["content"] == [
        {"type": "tool_use", "id": "call_1", "name": "read_file", "input": {}}
    ]


@proves("model-layer", 42)
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("report_v1.2 (final).pdf", "report v1 2 (final) pdf"),
        ("§$%&!", "Document"),
        ("[]", "Document"),
        ("  ", "Document"),
        (None, "Document"),
        ("Übersicht [alt] - neu", "Übersicht [alt] - neu"),
        ("a\t\n  b", "a b"),
    ],
)
def test_the_title_of_a_document_has_only_what_is_allowed(name: str | None, shown: str) -> None:
    pdf = Attachment("application/pdf", b"%PDF", name)

    assert title(name) == shown
    assert messages([user(pdf)])[0]["content"] == [
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="},
            "title": shown,
        }
    ]


@proves("model-layer", 43)
def test_a_text_file_is_a_document_and_an_unknown_file_is_left_out() -> None:
    readme = Attachment("text/markdown; charset=utf-8", b"# Hi \xff", "readme.md")
    archive = Attachment("application/zip", b"PK", "a.zip")
    history = [user("Look:", readme, archive)]

    assert messages(history)[0]["content"] == [
        text("Look:"),
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "# Hi \N{REPLACEMENT CHARACTER}"},
            "title": "readme md",
        },
    ]
    assert any("application/zip" in warning for warning in warnings(history))


def test_a_message_of_nothing_that_could_be_sent_is_left_out_with_a_warning() -> None:
    history = [user(Attachment("image/svg+xml", b"<svg/>"))]

    assert messages(history) == []
    assert len(warnings(history)) == 2


@pytest.mark.parametrize("media_type", ["image/png", "image/jpeg", "image/gif", "image/webp", "IMAGE/PNG"])
def test_an_image_is_sent_as_it_is(media_type: str) -> None:
    data = bytes(range(256))

    assert messages([user(Attachment(media_type, data))])[0]["content"] == [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": media_type.lower(),
                "data": base64.b64encode(data).decode(),
            },
        }
    ]


@proves("model-layer", 44)
@pytest.mark.parametrize(
    ("result", "content", "is_error"),
    [
        (Returned("call_1", "a", "words"), ["words"], None),
        (Returned("call_1", "a", {"n": [1, 2]}), ['{"n":[1,2]}'], None),
        (Returned("call_1", "a", 0), ["0"], None),
        (Returned("call_1", "a", "broken", is_error=True), ["broken"], True),
        (Returned("call_1", "a", ""), ["(The tool returned nothing.)"], None),
        (Returned("call_1", "a", None), ["(The tool returned nothing.)"], None),
        (Returned("call_1", "a", " \n", is_error=True), ["(The tool returned nothing.)"], True),
    ],
)
def test_a_result_is_told_in_words(result: Returned, content: list[str], is_error: bool | None) -> None:  # noqa: FBT001 - a column
    block = messages([tool(result)])[0]["content"][0]

    assert [inner["text"] for inner in block["content"]] == content
    assert block.get("is_error") is is_error


@proves("model-layer", 44)
def test_pictures_are_part_of_a_result_and_follow_an_error() -> None:
    seen = Returned("call_1", "a", "A picture:", attachments=(PNG,))
    only = Returned("call_2", "a", "", attachments=(PNG,))
    failed = Returned("call_3", "a", "It failed.", is_error=True, attachments=(PNG,))

    content = messages([tool(seen, failed, only)])[0]["content"]

    assert [block["type"] for block in content] == ["tool_result", "tool_result", "tool_result", "image"]
    assert [[inner["type"] for inner in block["content"]] for block in content[:3]] == [
        ["text", "image"],
        ["text"],
        ["image"],
    ]


def test_blank_text_is_never_written() -> None:
    history = [user("Hello."), model(SaidText("", {"citations": [CITATION]}), "Hi."), user(" ", "So?")]

    assert [message["content"] for message in messages(history)] == [
        [text("Hello.")],
        [text("Hi.")],
        [text("So?")],
    ]


@proves("model-layer", 60)
def test_a_search_goes_back_exactly_as_it_came() -> None:
    content = messages([user("Hello."), reply(read(STREAMS["search"])), user("Well?")])[1]["content"]

    assert [msgspec.json.encode(block) for block in content] == [
        msgspec.json.encode(block)
        for block in (
            {
                "type": "server_tool_use",
                "id": "srvtoolu_01",
                "name": "web_search",
                "input": {"query": "moons of Jupiter"},
            },
            SEARCH_RESULT,
            text("I found this: "),
            text("Io is the innermost moon.") | {"citations": [CITATION]},
        )
    ]


@proves("model-layer", 61)
@pytest.mark.parametrize(
    "content", [[], {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}]
)
def test_an_empty_or_failed_search_goes_back_as_it_came(content: object) -> None:
    result = Returned(
        "srvtoolu_1",
        "web_search",
        "max_uses_exceeded",
        provider_executed=True,
        internal={"type": "web_search_tool_result", "content": content},
    )
    searched = model(
        Called("srvtoolu_1", "web_search", {"query": "x"}, provider_executed=True), result, "Hm."
    )

    assert messages([searched])[0]["content"][1] == {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": content,
    }


@proves("model-layer", 62)
def test_thoughts_between_searches_keep_their_place_and_signatures() -> None:
    said = reply(read(STREAMS["search between thoughts"]))
    content = messages([user("Hello."), said, tool(Returned("toolu_03", "read_file", "Io"))])[1]["content"]

    assert [(block["type"], block.get("signature")) for block in content] == [
        ("thinking", "Zmlyc3Q="),
        ("server_tool_use", None),
        ("web_search_tool_result", None),
        ("thinking", "c2Vjb25k"),
        ("text", None),
        ("tool_use", None),
    ]


def test_who_called_the_providers_tool_goes_back() -> None:
    caller = {"type": "direct"}
    internal = {"type": "web_search_tool_result", "content": [], "caller": caller}
    searched = model(
        Called("srvtoolu_1", "web_search", {}, provider_executed=True, internal={"caller": caller}),
        Returned("srvtoolu_1", "web_search", [], provider_executed=True, internal=internal),
        "Hm.",
    )

    assert [block.get("caller") for block in messages([searched])[0]["content"]] == [caller, caller, None]


def six_messages() -> list[WireTurn]:
    return [turn for n in range(3) for turn in (user(f"Question {n}."), model(SIGNED, f"Answer {n}."))]


def marks(written: dict[str, object]) -> list[str]:
    return [path for path, block in _blocks(written) if "cache_control" in block]


def _blocks(written: dict[str, object]) -> list[tuple[str, dict[str, object]]]:
    found: list[tuple[str, dict[str, object]]] = []
    for field in ("tools", "system"):
        blocks = written.get(field, [])
        assert isinstance(blocks, list)
        found += [(f"{field}.{at}", block) for at, block in enumerate(blocks)]
    conversation = written["messages"]
    assert isinstance(conversation, list)
    for at, message in enumerate(conversation):
        found += [(f"{at}.{place}", block) for place, block in enumerate(message["content"])]
    return found


HEAD = Head(
    system=("Be brief.", "Be kind."),
    tools=(
        ToolSpec(name="a", description="A.", input_schema={"type": "object"}),
        ToolSpec(name="b", description="B.", input_schema={"type": "object"}),
    ),
)


@proves("model-layer", 51)
def test_the_cache_is_marked_where_the_next_request_will_begin_the_same() -> None:
    written = body([*six_messages(), user("One more.")], HEAD)

    assert marks(written) == ["tools.1", "system.1", "5.1", "6.0"]
    assert written["messages"][6]["content"][0]["cache_control"] == MARK
    assert problems(written) == []


@proves("model-layer", 51)
def test_older_turns_are_written_without_marks() -> None:
    older = ANTHROPIC.write_turns(six_messages(), TARGET, newest=False).items

    assert "cache_control" not in repr(older)


@proves("model-layer", 51)
def test_marks_last_for_an_hour_if_wanted_or_are_not_set_at_all() -> None:
    hour = body([*six_messages(), user("One more.")], HEAD, with_options(AnthropicOptions(cache="1h")))
    off = body([*six_messages(), user("One more.")], HEAD, with_options(AnthropicOptions(cache="off")))

    lifetimes = [block.get("cache_control") for _, block in _blocks(hour) if "cache_control" in block]
    assert lifetimes == [{"type": "ephemeral", "ttl": "1h"}] * 4
    assert marks(off) == []


def test_a_model_goes_on_with_its_own_words_only_if_it_can() -> None:
    history = [user("Hello."), model("Well,")]
    cannot = msgspec.structs.replace(TARGET, abilities=Abilities(prefill=False))

    assert messages(history, newest=True)[-1]["role"] == "assistant"
    with pytest.raises(ProviderError) as refused:
        messages(history, cannot, newest=True)
    assert refused.value.fault == "nothing_to_answer"
    # Older turns may well end so; it is the newest that counts.
    assert len(messages(history, cannot)) == 2


def test_a_paused_reply_is_sent_again_with_nothing_added() -> None:
    cannot = msgspec.structs.replace(TARGET, abilities=Abilities(prefill=False))
    history = [user("Hello."), reply(read(STREAMS["paused"]))]

    written = messages(history, cannot, newest=True)

    assert [message["role"] for message in written] == ["user", "assistant"]
    assert [block["type"] for block in written[1]["content"]] == [
        "server_tool_use",
        "web_search_tool_result",
        "text",
    ]


@proves("model-layer", 65)
def test_replies_are_joined_but_never_with_signed_thoughts() -> None:
    assert [message["content"] for message in messages([model("One."), model("Two.")])] == [
        [text("One."), text("Two.")]
    ]
    assert len(messages([model(SIGNED, "One."), model("Two.")])) == 2
    assert len(messages([model("One."), model(SIGNED, "Two.")])) == 2


def test_a_file_that_a_model_made_is_not_sent_back() -> None:
    history = [model("Here:", PNG)]

    assert messages(history)[0]["content"] == [text("Here:")]
    assert warnings(history) == ("Files that a model made are not sent back.",)


def test_only_a_model_thinks_and_calls() -> None:
    history = [user("Hello.", SIGNED, Called("call_1", "a", {}))]

    assert messages(history) == [{"role": "user", "content": [text("Hello.")]}]
    assert len(warnings(history)) == 1
