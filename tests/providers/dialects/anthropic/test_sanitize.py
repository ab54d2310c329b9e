"""What the provider ran itself goes back whole, or not at all."""

from typing import Any

import pytest

from chatd.errors import ProviderError
from chatd.providers.dialects.anthropic.sanitize import sanitize
from chatd.providers.request.wire_turn import Called, Returned, SaidText, Thought, TurnPart, WireTurn
from tests.providers.dialects.anthropic.replies import body, messages, user
from tests.providers.dialects.anthropic.validator import problems
from tests.traceability import proves

FOUND = [{"title": "Io", "url": "https://example.org/io"}]
READABLE = SaidText("Io https://example.org/io")
KEPT = {"type": "web_search_tool_result", "content": []}
SIGNED = Thought("Hm.", {"signature": "c2ln"})
REDACTED = Thought("", {"redacted_data": "cmVk"})


def call(id: str = "s1", tool: str = "web_search", internal: Any = None) -> Called:
    return Called(id, tool, {"query": "x"}, provider_executed=True, internal=internal)


def result(id: str = "s1", internal: Any = KEPT, output: Any = FOUND) -> Returned:
    return Returned(id, "web_search", output, provider_executed=True, internal=internal)


def model(*parts: TurnPart) -> WireTurn:
    return WireTurn("assistant", parts)


GOOD = (call(), result(), SaidText("Io."))

# Name of the defect, the parts, and what is left of them.
TORN: dict[str, tuple[tuple[TurnPart, ...], tuple[TurnPart, ...]]] = {
    "a call without a result": ((call(),), ()),
    "a result without a call": ((result(),), (READABLE,)),
    "a result before its call": ((result(), call()), (READABLE,)),
    "two calls of one id": ((call(), call(), result()), (READABLE,)),
    "two results of one id": ((call(), result(), result()), (READABLE, READABLE)),
    "two pairs of one id": ((call(), result(), call(), result()), (READABLE, READABLE)),
    "an unknown tool": ((call(tool="telepathy"), result()), (READABLE,)),
    "arguments that were no object": ((call(internal={"broken": True}), result()), (READABLE,)),
    "nothing to send back": ((call(), result(internal=None)), (READABLE,)),
    "the result of another tool": (
        (call(), result(internal={"type": "web_fetch_tool_result", "content": []})),
        (READABLE,),
    ),
    "no id": ((call(""), result("")), (READABLE,)),
    "an unreadable result": ((result(output={"status": 3}),), ()),
    "a result in words": ((result(output=" max_uses_exceeded "),), (SaidText("max_uses_exceeded"),)),
}

defects = pytest.mark.parametrize("name", TORN)


@proves("loop", 37)
@proves("model-layer", 63)
@defects
def test_what_has_come_apart_is_taken_out_and_its_text_stays(name: str) -> None:
    parts, left = TORN[name]
    clean = sanitize([model(SaidText("Before."), *parts, SaidText("After."))], newest=True)

    assert clean.turns == (model(SaidText("Before."), *left, SaidText("After.")),)
    assert len(clean.warnings) == 1


@proves("model-layer", 63)
@defects
def test_what_is_whole_beside_it_stays_and_a_second_time_changes_nothing(name: str) -> None:
    parts, left = TORN[name]
    pair = (call("other"), result("other"))
    once = sanitize([model(*pair, *parts)], newest=True)

    assert once.turns == (model(*pair, *left),)
    assert sanitize(once.turns, newest=True).turns == once.turns
    assert sanitize(once.turns, newest=True).warnings == ()


@defects
def test_what_is_left_may_be_sent(name: str) -> None:
    parts, _ = TORN[name]

    assert problems(body([user("Hello."), model(SaidText("Hi."), *parts), user("Well?")])) == []


@proves("loop", 37)
def test_a_whole_pair_is_not_touched() -> None:
    turns = (user("Hello."), model(*GOOD))

    assert sanitize(turns, newest=True).turns == turns
    assert sanitize(turns, newest=True).warnings == ()


@proves("loop", 37)
def test_pairs_are_looked_for_within_one_reply_only() -> None:
    clean = sanitize(
        [model(call(), SaidText("One.")), user("So?"), model(result(), SaidText("Two."))], newest=True
    )

    assert clean.turns == (model(SaidText("One.")), user("So?"), model(READABLE, SaidText("Two.")))


@proves("loop", 37)
def test_only_a_model_uses_the_providers_tools() -> None:
    clean = sanitize([user("Hello.", result()), WireTurn("tool", (result(),))], newest=True)

    assert clean.turns == (user("Hello."),)


@proves("loop", 37)
def test_our_own_calls_are_none_of_its_business() -> None:
    turns = (model(Called("s1", "web_search", {}), *GOOD),)

    assert sanitize(turns, newest=True).turns == turns


@proves("loop", 38)
@proves("model-layer", 64)
@pytest.mark.parametrize("thought", [SIGNED, REDACTED])
def test_from_the_newest_signed_reply_only_calls_without_results_are_taken(thought: Thought) -> None:
    clean = sanitize([model(thought, call("lost"), *GOOD)], newest=True)

    assert clean.turns == (model(thought, *GOOD),)


@proves("loop", 38, 39)
@proves("model-layer", 64)
@pytest.mark.parametrize("name", [name for name in TORN if name != "a call without a result"])
def test_a_newest_signed_reply_that_has_come_apart_is_not_sent_at_all(name: str) -> None:
    parts, left = TORN[name]
    torn = model(SIGNED, *parts, SaidText("Io."))

    with pytest.raises(ProviderError) as refused:
        sanitize([user("Hello."), torn], newest=True)
    assert (refused.value.fault, refused.value.retryable) == ("replay_mismatch", False)

    # Once it is older, it may be mended.
    mended = model(SIGNED, *left, SaidText("Io."))
    assert sanitize([torn, user("So?")], newest=False).turns == (mended, user("So?"))
    assert sanitize([torn, user("So?"), model(SaidText("Yes."))], newest=True).turns[0] == mended


@proves("model-layer", 65)
def test_what_was_said_around_a_reply_that_is_gone_becomes_one_message() -> None:
    written = messages([user("Hello."), model(call()), user("Well?")], newest=True)

    assert written == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Hello."},
                {"type": "text", "text": "Well?", "cache_control": {"type": "ephemeral"}},
            ],
        }
    ]
