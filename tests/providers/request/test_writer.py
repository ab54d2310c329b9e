"""A request grows with its chat, and what was written once is not written again."""

from collections.abc import Callable, Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions, EffortRange, OpenAIOptions
from chatd.domain.ids import FileId
from chatd.domain.message import Effort, Message
from chatd.domain.part import File, Json, Reasoning, Text
from chatd.errors import ProviderError
from chatd.providers.capabilities.target import Abilities, DialectName, Target
from chatd.providers.dialect import Body, Decoder, Head, Written
from chatd.providers.dialects.responses import RESPONSES
from chatd.providers.model import Request, ToolSpec, Transcript
from chatd.providers.request.wire_turn import Attachment, Called, Returned, SaidText, WireTurn
from chatd.providers.request.writer import OUTPUT_TOKENS, RequestWriter, effective_effort
from tests.providers.histories import TARGET, call, reply, result, system, user
from tests.traceability import proves


class Plain:
    """A dialect that writes one item for each turn, and counts how often it is asked."""

    def __init__(self) -> None:
        self.written = 0

    def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
        self.written += len(turns)
        items: list[dict[str, Json]] = [
            {"role": turn.role, "parts": [self._words(part) for part in turn.parts], "by": target.model}
            for turn in turns
        ]
        if newest:
            items[-1]["mark"] = True
        return Written(items)

    def _words(self, part: object) -> str:
        return _word(part)

    def write_body(self, items: bytes, head: Head, target: Target) -> Body:
        around = {
            "model": target.model,
            "system": head.system,
            "effort": head.effort,
            "tokens": head.max_output_tokens,
            "previous": head.previous_response,
        }
        return Body(b'{"head":%b,"messages":[%b]}' % (msgspec.json.encode(around), items))

    def path(self, target: Target) -> str:
        return f"/{target.model}"

    def decoder(self, target: Target, new_id: Callable[[], str]) -> Decoder:
        raise NotImplementedError


def _word(part: object) -> str:
    match part:
        case SaidText(text=text):
            return text
        case Called(id=id_):
            return f"calls {id_}"
        case Returned(id=id_):
            return f"answers {id_}"
        case Attachment(data=data):
            return data.decode()
        case _:
            raise AssertionError(part)


def sent(request: Request, target: Target = TARGET, dialect: Plain | None = None) -> Json:
    prompt = RequestWriter(request, target, dialect or Plain())
    files = {file_id: b"bytes of " + file_id.encode() for file_id in prompt.files()}
    return msgspec.json.decode(prompt.write(files).json)


def rounds(number: int) -> list[Message]:
    """So many rounds of asking, calling and answering."""
    history = []
    for n in range(number):
        history += [user(f"question {n}"), reply(call("c")), result("c"), reply(f"answer {n}")]
    return history


def test_a_request_holds_the_history_in_order() -> None:
    body = sent(Request(messages=[user("Hi."), reply("Hello."), user("Bye.")]))

    assert [item["parts"] for item in body["messages"]] == [["Hi."], ["Hello."], ["Bye."]]


@given(st.integers(1, 12), st.lists(st.integers(1, 4), max_size=8))
def test_a_history_that_grew_step_by_step_is_sent_like_one_that_was_always_there(
    first: int, steps: list[int]
) -> None:
    history = rounds(12)
    history.append(user("last"))
    transcript, ends = Transcript(), [first]
    for step in steps:
        ends.append(min(ends[-1] + step, len(history)))
    ends.append(len(history))

    for end in ends:
        transcript.extend(history[len(transcript) : end])
        assert sent(Request(messages=transcript)) == sent(Request(messages=history[:end]))


def test_a_step_of_a_long_chat_writes_no_more_than_one_of_a_short_chat() -> None:
    def written_for_a_step(length: int) -> int:
        dialect, transcript = Plain(), Transcript(rounds(length))
        transcript.append(user("next"))
        sent(Request(messages=transcript), dialect=dialect)
        before = dialect.written
        transcript.extend([reply("Yes."), user("and next")])
        sent(Request(messages=transcript), dialect=dialect)
        return dialect.written - before

    assert written_for_a_step(500) == written_for_a_step(5)


@proves("model-layer", 10)
@proves("model-layer", 11)
def test_a_longer_conversation_begins_with_the_bytes_of_the_shorter_one() -> None:
    history = [*rounds(4), user("more"), reply("Yes."), user("and more")]
    shorter = RequestWriter(Request(messages=history[:-2]), TARGET, Plain()).write({}).json
    longer = RequestWriter(Request(messages=history), TARGET, Plain()).write({}).json
    again = RequestWriter(Request(messages=history), TARGET, Plain()).write({}).json

    assert longer == again
    assert longer.startswith(shorter.partition(b',"mark"')[0])


def test_another_model_gets_everything_in_its_own_words() -> None:
    transcript = Transcript([*rounds(5), user("next")])
    sent(Request(messages=transcript))

    body = sent(Request(messages=transcript), replace(TARGET, model="small"))

    assert {item["by"] for item in body["messages"]} == {"small"}
    assert body == sent(Request(messages=list(transcript)), replace(TARGET, model="small"))


def test_calls_have_different_ids_however_far_apart_they_are() -> None:
    transcript = Transcript()
    for n in range(6):
        transcript.extend([user(f"q {n}"), reply(call("c")), result("c")])
        sent(Request(messages=transcript))

    body = sent(Request(messages=transcript))
    calls = [word for item in body["messages"] for word in item["parts"] if word.startswith("calls")]
    assert len(calls) == len(set(calls)) == 6


def test_what_the_system_says_comes_first_and_apart() -> None:
    body = sent(Request(messages=[system("Be kind."), user("Hi.")], system=("Be brief.",)))

    assert body["head"]["system"] == ["Be kind.", "Be brief."]
    assert [item["parts"] for item in body["messages"]] == [["Hi."]]


def test_what_is_said_for_this_call_only_is_not_kept() -> None:
    transcript = Transcript([*rounds(3), user("next")])

    with_summary = sent(Request(messages=transcript, then=(user("Summarize."),)))
    without = sent(Request(messages=transcript))

    assert with_summary["messages"][-1]["parts"] == ["Summarize."]
    assert without["messages"][-1]["parts"] == ["next"]


def test_files_are_read_when_they_are_needed_and_not_again() -> None:
    transcript = Transcript([user(File(file_id=FileId("f"), media_type="image/png"))])
    first = RequestWriter(Request(messages=transcript), TARGET, Plain())
    assert first.files() == ["f"]
    first.write({FileId("f"): b"picture"})

    transcript.extend([reply("A cat."), user("And?"), reply("Yes."), user("So?")])
    body = sent(Request(messages=transcript))

    assert body["messages"][0]["parts"] == ["bytes of f"]
    transcript.extend([reply("So."), user("Well?")])
    assert RequestWriter(Request(messages=transcript), TARGET, Plain()).files() == []
    assert sent(Request(messages=transcript))["messages"][0]["parts"] == ["bytes of f"]


@proves("model-layer", 29)
def test_half_a_character_is_replaced_and_a_null_is_escaped() -> None:
    body = sent(
        Request(messages=[user("a\ud800b\0c"), reply(call("c")), result("c", {"x\udfff": "y\ud800"})])
    )

    assert body["messages"][0]["parts"] == ["a\ufffdb\0c"]


@proves("loop", 39)
@proves("model-layer", 28)
@pytest.mark.parametrize(
    "history",
    [[], [system("Be kind.")], [user(Text(text=" "))], [reply("Hello.")], [reply("Hi."), system("?")]],
)
def test_nothing_to_answer_is_not_sent(history: list[Message]) -> None:
    with pytest.raises(ProviderError, match="nothing in this conversation") as failure:
        sent(Request(messages=history))

    assert (failure.value.fault, failure.value.retryable) == ("nothing_to_answer", False)


def test_an_answer_to_an_answer_can_be_asked_for() -> None:
    """Who summarizes a conversation in which only the model has spoken wants just that."""
    body = sent(Request(messages=[reply("Hello.")], then=(user("Summarize."),)))

    assert [item["parts"] for item in body["messages"]] == [["Hello."], ["Summarize."]]


def test_how_much_may_be_said_is_what_was_asked_or_set_and_what_the_model_can() -> None:
    request = Request(messages=[user("Hi.")])
    small = replace(TARGET, abilities=Abilities(output_limit=1000))
    large = replace(TARGET, abilities=Abilities(output_limit=100_000))
    pinned = replace(TARGET, options=CallOptions(openai=OpenAIOptions(max_completion_tokens=6)))

    assert sent(request, large)["head"]["tokens"] == OUTPUT_TOKENS
    assert sent(request, pinned)["head"]["tokens"] == 6
    assert sent(request, replace(TARGET, options=CallOptions(max_output_tokens=5)))["head"]["tokens"] == 5
    assert sent(Request(messages=[user("Hi.")], max_output_tokens=7))["head"]["tokens"] == 7
    assert sent(request, small)["head"]["tokens"] == 1000


def test_how_much_replies_may_say_does_not_count_for_summaries() -> None:
    request = Request(messages=[user("Hi.")], is_reply=False)
    set_for_replies = CallOptions(max_output_tokens=5)
    large = replace(TARGET, abilities=Abilities(output_limit=100_000), options=set_for_replies)

    assert sent(request, replace(TARGET, options=set_for_replies))["head"]["tokens"] is None
    assert sent(request, large)["head"]["tokens"] == 100_000


def test_how_much_an_unknown_model_may_say_is_left_to_its_server_unless_that_wants_to_be_told() -> None:
    request = Request(messages=[user("Hi.")])
    claude = replace(TARGET, dialect=DialectName.ANTHROPIC)

    assert sent(request)["head"]["tokens"] is None
    assert sent(request, claude)["head"]["tokens"] == OUTPUT_TOKENS


@pytest.mark.parametrize(
    ("asked", "default", "most", "effective"),
    [
        (None, "low", "high", "low"),
        ("medium", "low", "high", "medium"),
        ("max", "low", "high", "high"),
        ("none", "low", "high", "none"),
    ],
)
def test_how_hard_to_think_is_asked_or_usual_and_never_more_than_allowed(
    asked: str | None, default: str, most: str, effective: str
) -> None:
    options = CallOptions(reasoning_effort=EffortRange(default=Effort(default), max=Effort(most)))

    assert effective_effort(Effort(asked) if asked else None, options) == effective
    assert effective_effort(Effort.HIGH, CallOptions()) is None


def test_a_model_that_is_left_to_itself_thinks_as_hard_as_it_is_asked() -> None:
    options = CallOptions(reasoning_effort=EffortRange(max=Effort.HIGH))

    assert effective_effort(None, options) is None
    assert effective_effort(Effort.MAX, options) is Effort.HIGH


STORED = replace(TARGET, dialect=DialectName.RESPONSES, options=CallOptions(openai=OpenAIOptions(store=True)))


def kept(*parts: str) -> Message:
    """A reply that the provider has kept."""
    return reply(*parts, internal={"reply": {"response_id": "resp-1", "stored": True}})


@proves("model-layer", 76)
def test_after_a_reply_that_the_provider_kept_only_what_is_new_is_sent() -> None:
    body = sent(Request(messages=[user("Hi."), kept("Hello."), user("Bye.")]), STORED)

    assert body["head"]["previous"] == "resp-1"
    assert [item["parts"] for item in body["messages"]] == [["Bye."]]


@pytest.mark.parametrize(
    "history",
    [
        [user("Hi."), reply("Hello."), user("Bye.")],
        [user("Hi."), kept("Hello."), reply("More."), user("Bye.")],
        [
            user("Hi."),
            replace(kept("Hello."), internal={"origin": {"provider": "other", "response": "r"}}),
            user("B"),
        ],
        [user("Hi."), kept("Hello.")],
    ],
    ids=["nothing kept", "a later reply is not kept", "kept by somebody else", "nothing new"],
)
def test_everything_is_sent_when_the_provider_has_not_kept_what_led_here(history: list[Message]) -> None:
    body = sent(Request(messages=history), STORED)

    assert body["head"]["previous"] is None
    assert len(body["messages"]) == len(history)


@proves("advisor", 17)
def test_the_provider_is_told_not_to_keep_a_call_that_is_apart_from_the_chat() -> None:
    def stored(request: Request) -> bool:
        body = msgspec.json.decode(RequestWriter(request, STORED, RESPONSES).write({}).json)
        assert "previous_response_id" not in body
        return bool(body["store"])

    assert stored(Request(messages=[user("Hi.")]))
    assert not stored(Request(messages=[user("Hi.")], is_kept=False))
    assert not stored(Request(messages=[user("Hi."), kept("Hello."), user("Bye.")], is_kept=False))


def test_a_broken_chain_is_mended_by_sending_everything() -> None:
    request = Request(messages=Transcript([user("Hi."), kept("Hello."), user("Bye.")]))
    RequestWriter(request, STORED, Plain()).write({})

    body = msgspec.json.decode(RequestWriter(request, STORED, Plain()).write({}, chain=False).json)

    assert len(body["messages"]) == 3


def test_a_broken_chain_is_mended_without_what_the_provider_has_lost() -> None:
    """A reference to something that is gone would only break the conversation again."""
    thought = Reasoning(text="Hm.")
    internal = {
        "reply": {"response_id": "resp-1", "stored": True},
        "parts": {"0": {"id": "rs_1", "summary": []}, "1": {"id": "msg_1", "after": "rs_1"}},
    }
    said = reply(thought, "Hello.", internal=internal)
    long = [message for _ in range(4) for message in (said, user("Bye."))]
    request = Request(messages=Transcript([user("Hi."), *long]))
    # Written before, with references.
    assert (
        b"rs_1"
        in RequestWriter(Request(messages=request.messages, then=(user("!"),)), STORED, RESPONSES)
        .write({})
        .json
    )

    body = RequestWriter(request, STORED, RESPONSES).write({}, chain=False).json

    assert b"rs_1" not in body
    assert body.count(b"Hello.") == 4


def test_what_the_system_says_is_said_every_time_for_no_provider_keeps_it() -> None:
    """With Responses it goes as instructions, which are no part of what the provider keeps."""
    history = [system("Be kind."), user("Hi."), kept("Hello."), user("Bye.")]

    body = sent(Request(messages=history, system=("Be brief.",)), STORED)

    assert body["head"]["system"] == ["Be kind.", "Be brief."]
    assert [item["parts"] for item in body["messages"]] == [["Bye."]]


@pytest.mark.parametrize("history", [[kept(" "), user("Bye.")], [kept(" "), result("gone"), user("Bye.")]])
def test_after_a_reply_of_which_nothing_can_be_sent_there_is_still_something_to_say(
    history: list[Message],
) -> None:
    body = sent(Request(messages=[user("Hi."), *history]), STORED)

    assert body["messages"][-1]["parts"] == ["Bye."]


def test_what_cannot_stand_alone_is_said_with_everything_before_it() -> None:
    body = sent(Request(messages=[user("Hi."), kept("Hello."), result("gone"), user("Bye.")]), STORED)

    assert body["head"]["previous"] is None
    assert [item["parts"] for item in body["messages"]] == [
        ["Hi."], ["Hello."], ["calls gone"], ["answers gone"], ["Bye."],
    ]  # fmt: skip


def test_what_could_not_be_written_takes_no_ids_from_what_is_written_next_time() -> None:
    class Refusing(Plain):
        def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
            if not newest:
                raise ProviderError("generic", "Not this time.")
            return super().write_turns(turns, target, newest=newest)

    transcript = Transcript([*rounds(4), user("next")])
    with pytest.raises(ProviderError):
        sent(Request(messages=transcript), dialect=Refusing())

    assert sent(Request(messages=transcript)) == sent(Request(messages=[*transcript]))


def test_half_a_character_of_the_system_or_of_a_tool_is_replaced() -> None:
    heads: list[Head] = []

    class Listening(Plain):
        def write_body(self, items: bytes, head: Head, target: Target) -> Body:
            heads.append(head)
            return super().write_body(items, head, target)

    tool = ToolSpec(name="t", description="a\ud800b", input_schema={"title": "c\udfff"})
    request = Request(messages=[system("d\ud83d"), user("Hi.")], system=("\ud83de",), tools=(tool,))
    sent(request, dialect=Listening())

    [head] = heads
    assert head.system == ("d\ufffd", "\ufffde")
    assert head.tools == (ToolSpec(name="t", description="a\ufffdb", input_schema={"title": "c\ufffd"}),)
