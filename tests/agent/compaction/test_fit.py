"""A history that no longer fits becomes one that does, with as little lost as possible."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chatd.agent.compaction.fit import OLDEST_LEFT_OUT, RESULTS, fit
from chatd.domain.ids import CallId, FileId
from chatd.domain.message import Message, text
from chatd.domain.part import File, Part, Text, ToolCall, ToolResult
from chatd.domain.usage.size import tokens_of
from tests.providers.histories import call, reply, result, system, user

# What a notice and the frame of a part take, when nothing else is left of a message.
SMALLEST_TOKENS = 150


def measured(message: Message, *, file_tokens: int = 0) -> Message:
    return replace(message, tokens=tokens_of(message.content) + file_tokens)


def history(*messages: Message) -> list[Message]:
    return [measured(message) for message in messages]


def tokens(messages: Sequence[Message]) -> int:
    return sum(message.tokens for message in messages)


def calling(call_id: str, args: object) -> ToolCall:
    return ToolCall(tool_call_id=CallId(call_id), tool_name="read_file", args=args)


def test_a_history_that_fits_is_left_as_it_is() -> None:
    said = history(system("Be kind."), user("Hi."), reply(call("a")), result("a", "short"), reply("Done."))

    assert fit(said, 1000) == said


def test_long_results_lose_their_middle_before_anything_else_does() -> None:
    long = {"output": "x" * 100_000 + "end"}
    said = history(user("Hi. " * 400), reply(calling("a", {"path": "p" * 2000})), result("a", long))

    shorter = fit(said, 2_000)

    assert tokens(shorter) <= 2_000
    assert shorter[:2] == said[:2]
    (part,) = shorter[2].content
    assert isinstance(part, ToolResult)
    assert part.result.startswith('{"output":"xxx')
    assert part.result.endswith('end"}')
    assert f"bytes of message {said[2].id} left out" in part.result


def test_only_the_longest_results_are_shortened() -> None:
    said = history(
        user("Hi."), reply(call("a"), call("b")), result("a", "x" * 100_000), result("b", "y" * 4_000)
    )

    shorter = fit(said, 3_000)

    assert tokens(shorter) <= 3_000
    assert shorter[3] == said[3]


def test_arguments_come_after_results_and_before_text() -> None:
    said = history(
        user("Hi. " * 1000), reply(calling("a", {"text": "x" * 50_000})), result("a", "y" * 50_000)
    )

    shorter = fit(said, 2_000)

    assert tokens(shorter) <= 2_000
    assert shorter[0] == said[0]
    (called,), (returned,) = shorter[1].content, shorter[2].content
    assert isinstance(called, ToolCall)
    assert "left out" in called.args["shortened"]
    assert isinstance(returned, ToolResult)
    assert len(returned.result) <= RESULTS.floor_bytes


def test_files_go_before_text_and_a_notice_says_so() -> None:
    attached: tuple[Part, ...] = (
        Text(text="Look."),
        File(file_id=FileId("f"), media_type="text/plain", name="a.txt"),
    )
    said = [measured(replace(user("Hi."), content=attached), file_tokens=50_000)]

    (shorter,) = fit(said, 1_000)

    assert text(shorter).startswith(f"Look.[The file a.txt of message {said[0].id} was left out;")


def test_a_picture_in_a_result_becomes_the_words_about_it() -> None:
    picture = result("a", {"data": "A" * 10_000, "mime_type": "image/png", "text": "A cat."}, is_media=True)

    (part,) = fit(history(user("Hi."), reply(call("a")), picture), 200)[2].content

    assert isinstance(part, ToolResult)
    assert (part.result, part.is_media) == ("A cat.", False)


def test_the_oldest_messages_go_last_and_a_notice_says_so() -> None:
    words = "word " * 70
    said = history(system("Be kind."), *(user(f"message {n}: {words}") for n in range(20)))

    shorter = fit(said, 1000)

    assert tokens(shorter) <= 1000
    assert [text(message)[:12] for message in shorter[:2]] == ["Be kind.", OLDEST_LEFT_OUT[:12]]
    kept = len(shorter) - 2
    assert 5 < kept < 10
    assert shorter[2:] == said[-kept:]


def test_what_the_user_said_in_the_part_that_is_left_out_stays_with_its_beginnings() -> None:
    """However often it is shortened."""
    words = "word " * 70
    said = history(
        *(user(f"wish {n}: {words}") if n % 2 else reply(f"reply {n}: {words}") for n in range(60))
    )

    once = fit(said, 4000)
    twice = fit(once, 3000)

    for shorter, budget in ((once, 4000), (twice, 3000)):
        assert tokens(shorter) <= budget
        told = "".join(map(text, shorter))
        assert all(f"wish {n}:" in told for n in range(1, 60, 2))
        assert "reply 2:" not in told


def test_a_summary_and_the_newest_message_of_the_user_are_never_left_out() -> None:
    summary = replace(user("Summary. " + "s" * 2000), compressed=True)
    said = history(summary, reply("r" * 8000), user("Newest. " + "n" * 8000), *[reply("m" * 8000)] * 20)

    shorter = fit(said, 1000)

    assert tokens(shorter) <= 1000
    words = [text(message) for message in shorter]
    assert any(each.startswith("Summary.") for each in words)
    assert any(each.startswith("Newest.") for each in words)


def test_results_do_not_stay_without_their_calls() -> None:
    said = history(
        *(
            message
            for n in range(40)
            for message in (reply(call(f"c{n}")), result(f"c{n}", "y" * 900), user("More. " * 100))
        )
    )

    shorter = fit(said, 2_000)

    called = {p.tool_call_id for m in shorter for p in m.content if isinstance(p, ToolCall)}
    returned = {p.tool_call_id for m in shorter for p in m.content if isinstance(p, ToolResult)}
    assert returned <= called


_WORDS = st.integers(0, 4000).map(lambda n: "wörd\n" * n)
_MESSAGES = st.one_of(
    _WORDS.map(user),
    _WORDS.map(reply),
    _WORDS.map(lambda words: reply(calling("c", {"text": words}))),
    _WORDS.map(lambda words: result("c", {"output": words})),
    _WORDS.map(lambda words: result("c", words)),
    _WORDS.map(lambda words: replace(user(words), compressed=True)),
)


@given(st.lists(_MESSAGES, min_size=1, max_size=30), st.integers(2, 50))
def test_whatever_was_said_fits(said: list[Message], thousands: int) -> None:
    # As compaction leaves them: one summary at most.
    first = [m for m in said if m.compressed][:1]
    said = history(*first, *(m for m in said if not m.compressed))

    assert tokens(fit(said, thousands * 1000)) <= thousands * 1000


def test_what_only_looks_like_a_notice_is_shortened_as_everything_is() -> None:
    (shorter,) = fit(history(user(OLDEST_LEFT_OUT + "x" * 1_000_000)), 1_000)

    assert shorter.tokens <= 1_000


@pytest.mark.parametrize("budget", [SMALLEST_TOKENS, 300, 1_000])
def test_a_message_of_many_windows_is_cut_to_what_there_is_room_for(budget: int) -> None:
    (shorter,) = fit(history(user("begin " + "x" * 1_000_000 + " end")), budget)

    assert budget // 2 < shorter.tokens <= budget
    assert text(shorter).startswith("begin")


def test_of_very_many_messages_of_the_user_the_first_and_the_last_are_told() -> None:
    said = history(*(user(f"wish {n}: " + "word " * 70) for n in range(500)))

    (notice, *_) = (text(message) for message in fit(said, 3000))

    assert all(f"wish {n}: word" in notice for n in (0, 1, 2, 3))
    assert "bytes are left out here" in notice
