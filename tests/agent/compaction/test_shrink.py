"""A history that no longer fits becomes one that can be summed up."""

from msgspec.structs import replace

from chatd.agent.compaction.shrink import OLDEST_LEFT_OUT, RESULT_BYTES_MAX, SHARE_PERCENT, shrunk
from chatd.domain.message import Message, text
from chatd.domain.part import ToolResult
from tests.providers.histories import call, reply, result, system, user


def of(tokens: int, message: Message) -> Message:
    return replace(message, tokens=tokens)


def test_a_history_that_fits_is_left_as_it_is() -> None:
    history = [system("Be kind."), user("Hi."), reply(call("a")), result("a", "short"), reply("Done.")]

    assert shrunk(history, 1000) == history


def test_long_results_lose_their_middle_before_anything_else_goes() -> None:
    long = of(50_000, result("a", {"output": "x" * 100_000 + "end"}))
    history = [user("Hi."), reply(call("a")), long, reply("Done.")]

    shorter = shrunk(history, 10_000)

    assert [message.id for message in shorter] == [message.id for message in history]
    (part,) = shorter[2].content
    assert isinstance(part, ToolResult)
    assert len(part.result) <= RESULT_BYTES_MAX
    assert part.result.endswith('end"}')
    assert shorter[2].tokens < RESULT_BYTES_MAX


def test_a_picture_in_a_result_becomes_the_words_about_it() -> None:
    picture = result("a", {"data": "A" * 10_000, "mime_type": "image/png", "text": "A cat."}, is_media=True)

    (part,) = shrunk([user("Hi."), reply(call("a")), picture], 1000)[2].content

    assert isinstance(part, ToolResult)
    assert (part.result, part.is_media) == ("A cat.", False)


def test_the_oldest_messages_go_and_a_notice_says_so() -> None:
    history = [system("Be kind."), *(of(100, user(f"message {n}")) for n in range(20))]

    shorter = shrunk(history, 1000)

    assert [text(message) for message in shorter[:3]] == ["Be kind.", OLDEST_LEFT_OUT, "message 13"]
    assert sum(message.tokens for message in shorter[2:]) <= 1000 * SHARE_PERCENT // 100
    assert text(shorter[-1]) == "message 19"


def test_the_newest_message_stays_however_long_it_is() -> None:
    shorter = shrunk([of(10, user("old")), of(10_000, user("new"))], 1000)

    assert [text(message) for message in shorter] == [OLDEST_LEFT_OUT, "new"]


def test_where_it_is_not_known_how_much_fits_nothing_is_left_out() -> None:
    history = [of(10**6, user("old")), of(10**6, user("new"))]

    assert shrunk(history, 0) == history
