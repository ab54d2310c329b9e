"""Whatever ends a reply early, or makes it too large: what was said is kept, within a message's bounds."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from chatd.domain.chat import Reason, Status
from chatd.domain.ids import CallId, ChatId
from chatd.domain.limits import CALLS_PER_MESSAGE_MAX, FILES_MAX, PARTS_PER_MESSAGE_MAX
from chatd.domain.message import Message, Role, text
from chatd.domain.part import File, HookNotice, Text, ToolCall, files_in
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.kit.clock import Clock
from chatd.live.episodes.reply_bytes import ReplyBytes
from chatd.providers import failures
from chatd.providers.events import FileMade, Finished, SourceFound, Stop, StreamEvent, TextDelta, ToolCalled
from chatd.providers.model import Request
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.tables.files import read_file
from chatd.storage.transactions.transact import create_chat
from tests.words import CLIENT_TOOL, create, user
from tests.worker.worlds.world import World, tell

OTHER = ChatId("other")


class Saying(ScriptedModel):
    """Says these events, waits for an hour or fails if it is told to; and whoever asks again hears `Done.`"""

    def __init__(self, clock: Clock, *events: StreamEvent, waits: bool = False, fault: str = "") -> None:
        super().__init__(clock)
        self._waiting_on = clock
        self._events = events
        self._waits = waits
        self._fault = fault

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        said, self._events = self._events, (TextDelta("Done."),)
        yield said
        if self._waits:
            await self._waiting_on.sleep(3600)
        if self._fault:
            raise failures.failed(self._fault)
        yield (Finished(stop=Stop.DONE),)


def saying(world: World, *events: StreamEvent, waits: bool = False, fault: str = "") -> None:
    world.models.use(Saying(world.clock, *events, waits=waits, fault=fault))


async def replies(world: World) -> list[Message]:
    return [m for m in (await world.stored()).messages if m.role is Role.ASSISTANT]


def notices(message: Message) -> list[str]:
    return [part.text for part in message.content if isinstance(part, HookNotice)]


def picture(name: str = "") -> FileMade:
    return FileMade(media_type="image/png", data=b"png", name=name)


def test_an_interrupt_keeps_thirty_thousand_words() -> None:
    async def story(world: World) -> None:
        saying(world, *[TextDelta(f"word{n} ") for n in range(30_000)], TextDelta("end"), waits=True)
        await world.start("go")
        await world.until_said("end")
        await world.tell(Interrupt())
        await world.until_idle()

        (reply,) = await replies(world)
        assert len(text(reply).split()) == 30_001

    tell(story)


def test_an_interrupt_keeps_what_no_longer_fitted_the_preview() -> None:
    async def story(world: World) -> None:
        saying(world, *[TextDelta("a" * 500_000)] * 3, TextDelta("z"), waits=True)
        await world.start("go")
        await world.until_said("a")
        await world.tell(Interrupt())
        await world.until_idle()

        (reply,) = await replies(world)
        assert text(reply) == "a" * 1_500_000 + "z"
        assert world.board.reply_bytes.bytes == 0

    tell(story)


def test_an_interrupt_keeps_the_files_that_the_model_had_made() -> None:
    async def story(world: World) -> None:
        saying(world, TextDelta("Look:"), picture("a.png"), waits=True)
        await world.start("go")
        await world.until_said("Look")
        await world.tell(Interrupt())
        await world.until_idle()

        (reply,) = await replies(world)
        (file_id,) = files_in([reply.content])
        stored = await read_file(world.db, file_id)
        assert stored is not None
        assert (stored.name, stored.data) == ("a.png", b"png")

    tell(story)


def test_a_reply_that_runs_into_the_size_limit_is_kept_as_cut_off() -> None:
    async def story(world: World) -> None:
        saying(world, TextDelta("so much"), fault="answer_too_large")
        await world.start("go")
        chat = await world.until_idle()

        (reply,) = await replies(world)
        assert reply.cut_off
        assert reply.content[0] == Text(text="so much")
        assert "cut off" in notices(reply)[0]
        assert chat.finish_reason is Reason.MAX_TOKENS

    tell(story)


def test_an_answer_that_is_too_large_before_it_says_anything_ends_the_turn() -> None:
    async def story(world: World) -> None:
        saying(world, fault="answer_too_large")
        await world.start("go")
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert "longer than the server takes" in chat.last_error.message

    tell(story)


def test_the_reply_that_exceeds_what_all_may_hold_is_cut_off_and_others_go_on() -> None:
    async def story(world: World) -> None:
        world.board.reply_bytes = ReplyBytes(1_000_000)
        saying(world, *[TextDelta("a" * 100_000)] * 20)
        await world.start("go")
        await world.until_idle()

        (reply,) = await replies(world)
        assert reply.cut_off
        assert 500_000 < len(text(reply)) <= 1_000_000
        assert "as much of answers as it can" in notices(reply)[0]
        assert world.board.reply_bytes.bytes == 0

        saying(world, TextDelta("short"))
        await world.start("go", OTHER)
        await world.until_idle(OTHER)
        assert (await world.transcript(OTHER))[-1] == "assistant: short"

    tell(story)


def test_the_picture_beyond_what_a_message_may_have_is_left_out_with_a_notice() -> None:
    async def story(world: World) -> None:
        saying(world, *[picture()] * (FILES_MAX + 1), TextDelta("Done."))
        await world.start("go")
        await world.until_idle()

        (reply,) = await replies(world)
        assert sum(isinstance(part, File) for part in reply.content) == FILES_MAX
        assert notices(reply) == ["1 files of this reply were left out: a message can have 50."]

    tell(story)


def test_the_picture_beyond_what_a_chat_may_have_is_left_out_with_a_notice() -> None:
    async def story(world: World) -> None:
        saying(world, *[picture()] * (FILES_MAX - 1))
        await world.start("go")
        await world.until_idle()
        saying(world, picture("a"), picture("b"))
        await world.send("more")
        await world.until_idle()

        *_, reply = await replies(world)
        assert sum(isinstance(part, File) for part in reply.content) == 1
        assert notices(reply) == ["The file b was left out: a chat can refer to 50 files."]

    tell(story)


def test_two_calls_of_one_id_are_both_run() -> None:
    async def story(world: World) -> None:
        await world.start('call @a echo {"text": "1"}\ncall @a echo {"text": "2"}\nnext\nsay Both.')
        await world.until_idle()

        first, *_, last = await replies(world)
        calls = [part for part in first.content if isinstance(part, ToolCall)]
        assert calls[0].tool_call_id == "a"
        assert calls[1].tool_call_id != "a"
        answers = [m for m in (await world.stored()).messages if m.role is Role.TOOL]
        assert len(answers) == 2
        assert text(last) == "Both."

    tell(story)


def test_nine_thousand_calls_are_cut_to_what_a_message_may_have() -> None:
    async def story(world: World) -> None:
        saying(world, *[ToolCalled(CallId(f"c{n}"), "echo", {"text": "x"}) for n in range(9000)])
        await world.start("go")
        await world.until_idle()

        first, *_ = await replies(world)
        assert sum(isinstance(part, ToolCall) for part in first.content) == CALLS_PER_MESSAGE_MAX
        assert notices(first) == ["8,872 tool calls of this reply were left out: a message can have 128."]

    tell(story)


def test_parts_beyond_what_a_message_may_have_are_left_out_with_a_notice() -> None:
    async def story(world: World) -> None:
        sources = [SourceFound(source_id=str(n), url="https://example.org") for n in range(3000)]
        saying(world, *sources)
        await world.start("go")
        await world.until_idle()

        (reply,) = await replies(world)
        assert len(reply.content) == PARTS_PER_MESSAGE_MAX + 1
        assert notices(reply) == ["1,000 parts of this reply were left out: a message can have 2,000."]

    tell(story)


def test_a_call_whose_arguments_are_too_large_is_answered_with_the_reason() -> None:
    async def story(world: World) -> None:
        saying(world, ToolCalled(CallId("a"), "echo", {"text": "x" * 1024 * 1024}))
        await world.start("go")
        await world.until_idle()

        (answer,) = [m for m in (await world.stored()).messages if m.role is Role.TOOL]
        assert "a call can have 1,048,576" in str(answer.content[0])
        assert text((await replies(world))[-1]) == "Done."

    tell(story)


@pytest.mark.parametrize("written", ["nonsense", '{"a": 1, "a": 2}'])
def test_arguments_that_no_one_can_read_are_answered_and_never_reach_the_client(written: str) -> None:
    async def story(world: World) -> None:
        script = f"call @a {CLIENT_TOOL} raw {written}\nnext\nsay I see."
        await create_chat(world.store, create(user(script)))
        await world.until_idle()

        (answer,) = [m for m in (await world.stored()).messages if m.role is Role.TOOL]
        assert "not a JSON object" in str(answer.content[0])
        assert text((await replies(world))[-1]) == "I see."

    tell(story)
