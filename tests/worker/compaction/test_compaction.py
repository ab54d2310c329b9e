"""Compaction, one promise after the other: what is kept, shown, asked for and remembered."""

import pytest
from msgspec.structs import replace

from chatd.agent.compaction.keep_words import BEFORE_WORDS
from chatd.agent.compaction.summarize import CUT_OFF, INSTRUCTIONS, PREFIX
from chatd.agent.compaction.without_model import ABOUT
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, FileId
from chatd.domain.message import Message, Role, Visibility, text
from chatd.domain.part import File, Text, ToolCall, ToolResult
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.live.episodes.episode import LivePart, ToolResultPiece
from chatd.providers.model import Transcript
from chatd.storage.tables.files import add_file
from chatd.storage.transactions.transact import create_chat
from tests.support.narrow import LIMIT_TOKENS, NarrowModel, NarrowWorld, Step, Summarizing, tell_of
from tests.words import OWNER, create, send, user
from tests.worker.worlds.world import CHAT

BEGINNING = "FACT: the harbour is Oslo. " + "Do it step by step, and tell me. " * 20


def small_steps(count: int, size: int = 900) -> list[Step]:
    return [Step(says="On it.", calls=(("speak", {"bytes": size}),)) for _ in range(count)]


async def rest(world: NarrowWorld, chat_id: ChatId = CHAT) -> Chat:
    return await world.until(lambda chat: chat.status in (Status.WAITING, Status.ERROR), chat_id)


async def summaries(world: NarrowWorld, chat_id: ChatId = CHAT) -> list[Message]:
    messages = (await world.stored(chat_id)).messages
    return [m for m in messages if m.compressed and m.visibility is Visibility.MODEL]


def watched(world: NarrowWorld) -> list[LivePart]:
    """What viewers are shown from now on."""
    shown: list[LivePart] = []
    open_ = world.board.open

    def opened(key):  # type: ignore[no-untyped-def]
        episode = open_(key)
        add = episode.add

        def adding(role: Role, part: LivePart) -> None:
            shown.append(part)
            add(role, part)

        episode.add = adding  # type: ignore[method-assign]
        return episode

    world.board.open = opened  # type: ignore[method-assign]
    return shown


# One of which is more than what is kept of the newest messages together.
@pytest.mark.parametrize("beginning", [BEGINNING, BEGINNING * 7])
def test_the_message_that_began_the_turn_stays_word_for_word_over_many_summaries(beginning: str) -> None:
    async def story(world: NarrowWorld) -> None:
        world.model = NarrowModel(bytes_per_token=4.0)
        world.model.steps = small_steps(60)
        await world.start(beginning)
        await rest(world)

        made = await summaries(world)
        assert len(made) >= 3
        for summary in made:
            assert summary.content[-2:] == (
                Text(text=BEFORE_WORDS.format(message_id=1)),
                Text(text=beginning),
            )
        assert beginning in world.model.shown[-1]

    tell_of(story)


def test_the_newest_messages_of_the_user_stay_within_a_fifth_of_the_context() -> None:
    async def story(world: NarrowWorld) -> None:
        said = [f"Question {n}. " + "x" * 600 for n in range(20)]
        await world.start(said[0])
        for words in said[1:]:
            await rest(world)
            await world.send(words)
        await rest(world)

        newest = (await summaries(world))[-1]
        kept = [part.text for part in newest.content[1:] if isinstance(part, Text)][1::2]
        place = said.index(kept[-1])
        assert kept == said[place - len(kept) + 1 : place + 1]
        assert 2 <= len(kept) <= LIMIT_TOKENS // 5 * 4 // 600

    tell_of(story)


def test_the_summarizer_is_told_that_constraints_stand_as_they_were_said() -> None:
    for words in ("Each stands until the user revokes it", "Do not generalize or widen any"):
        assert words in INSTRUCTIONS


@pytest.mark.parametrize("threshold", [0, 1, 30])
def test_a_threshold_below_what_every_prompt_begins_with_kills_no_chat(threshold: int) -> None:
    async def story(world: NarrowWorld) -> None:
        world.model = NarrowModel(threshold=threshold)
        world.model.steps = small_steps(20)
        await world.start(BEGINNING)
        chat = await rest(world)

        assert chat.status is Status.WAITING
        # Not at every step: a summary of hardly anything is not worth its price.
        assert 1 <= len(await summaries(world)) <= 10

    tell_of(story)


@pytest.mark.parametrize("size", [1, 3])
def test_one_long_message_after_a_summary_ends_no_turn(size: int) -> None:
    async def story(world: NarrowWorld) -> None:
        world.model.steps = small_steps(12)
        await world.start(BEGINNING)
        await rest(world)
        world.model.steps = small_steps(6)
        await world.send("x" * size * LIMIT_TOKENS)
        chat = await rest(world)

        assert chat.status is Status.WAITING
        assert world.model.refused == 0

    tell_of(story)


def test_a_summary_that_was_cut_off_is_asked_for_shorter_and_never_kept_as_whole() -> None:
    async def story(world: NarrowWorld) -> None:
        world.model = NarrowModel(summarizing=Summarizing.IS_CUT_OFF)
        world.model.steps = small_steps(12)
        await world.start(BEGINNING)
        chat = await rest(world)

        asked = [text(request.then[0]) for request in world.model.requests if request.then]
        assert asked[0] == INSTRUCTIONS
        assert "at most 100 words" in asked[1]
        (first, *_) = await summaries(world)
        words = first.content[0]
        assert isinstance(words, Text)
        assert f"It began with\n{CUT_OFF}" in words.text
        assert "What the agent did, step by step" in words.text
        assert chat.totals.usage.output_tokens > 0

    tell_of(story)


@pytest.mark.parametrize(
    "summarizing", [Summarizing.FAILS, Summarizing.IS_DOWN, Summarizing.REFUSES, Summarizing.SAYS_NOTHING]
)
def test_what_no_model_could_summarize_is_summed_up_without_one(summarizing: Summarizing) -> None:
    async def story(world: NarrowWorld) -> None:
        world.model = NarrowModel(summarizing=summarizing)
        world.model.steps = small_steps(12)
        shown = watched(world)
        await world.start(BEGINNING)
        await rest(world)

        failed = [part for part in shown if isinstance(part, ToolResult) and part.is_error]
        assert failed
        assert all(part.tool_name == "chat_summarized" for part in failed)
        (summary, *_) = await summaries(world)
        assert summary.model is None
        assert text(summary).startswith(PREFIX + ABOUT)
        assert 'On it.; speak {"bytes":900}' in text(summary)
        result = next(m for m in (await world.stored()).messages if m.id == summary.id + 2).content[0]
        assert isinstance(result, ToolResult)
        assert result.result["without_model"]

    tell_of(story)


def test_viewers_see_a_summary_as_it_is_made() -> None:
    async def story(world: NarrowWorld) -> None:
        await world.start(BEGINNING)
        await rest(world)
        shown = watched(world)
        await world.tell(RequestCompaction())
        await rest(world)

        call, *pieces, result = shown
        assert isinstance(call, ToolCall)
        assert call.tool_name == "chat_summarized"
        assert all(isinstance(piece, ToolResultPiece) for piece in pieces)
        words = "".join(piece.result_delta for piece in pieces if isinstance(piece, ToolResultPiece))
        assert words.startswith("FACT: the harbour is Oslo.")
        assert words.endswith("The work goes on.")
        assert isinstance(result, ToolResult)
        assert result.result["summary"] == words.strip()
        assert {part.tool_call_id for part in (call, result)} == {
            piece.tool_call_id for piece in pieces if isinstance(piece, ToolResultPiece)
        }

    tell_of(story)


def test_a_summary_that_is_begun_anew_is_shown_anew() -> None:
    async def story(world: NarrowWorld) -> None:
        world.model = NarrowModel(summarizing=Summarizing.IS_CUT_OFF)
        await world.start(BEGINNING)
        await rest(world)
        shown = watched(world)
        await world.tell(RequestCompaction())
        await rest(world)

        pieces = [part for part in shown if isinstance(part, ToolResultPiece)]
        assert [piece.result_reset for piece in pieces] == [False, True]

    tell_of(story)


def test_a_compaction_of_a_failed_chat_does_not_go_on_with_what_failed() -> None:
    async def story(world: NarrowWorld) -> None:
        await world.start(BEGINNING)
        await rest(world)
        world.model.steps = [Step(fails="auth")]
        await world.send("Say nothing.")
        assert (await rest(world)).status is Status.ERROR
        asked = len(world.model.asked)

        await world.tell(RequestCompaction())
        chat = await rest(world)

        assert chat.status is Status.WAITING
        assert chat.projection.boundary > 0
        # The summary, and nothing else.
        assert [bool(request.then) for request in world.model.requests[asked:]] == [True]
        assert "Say nothing." in text((await summaries(world))[-1])

    tell_of(story)


def test_a_summary_is_asked_for_with_what_the_provider_has_read_before() -> None:
    async def story(world: NarrowWorld) -> None:
        world.model.steps = small_steps(12)
        await world.start(BEGINNING)
        await rest(world)

        place = next(n for n, request in enumerate(world.model.requests) if request.then)
        before, summary = world.model.requests[place - 1 : place + 1]
        assert isinstance(summary.messages, Transcript)
        assert summary.messages[: len(before.messages)] == before.messages[:]
        assert (summary.system, summary.tools) == (before.system, before.tools)
        assert summary.tool_choice == "unwanted"
        assert not summary.is_reply
        assert before.is_reply

    tell_of(story)


def test_a_summarizer_that_calls_a_tool_is_asked_again_without_any() -> None:
    """Not every provider can forbid it. What it said before the call is no summary."""

    async def story(world: NarrowWorld) -> None:
        world.model = NarrowModel(summarizing=Summarizing.CALLS_A_TOOL)
        world.model.steps = small_steps(12)
        await world.start(BEGINNING)
        await rest(world)

        first, second = [request for request in world.model.requests if request.then][:2]
        assert first.tools
        assert second.tools == ()
        assert not any("Let me look first." in shown for shown in world.model.shown)
        summaries = [m for m in (await world.stored()).messages if m.compressed]
        assert {message.model for message in summaries} == {world.model.name}
        assert "without_model" not in str(summaries)

    tell_of(story)


def test_a_limit_that_was_told_counts_for_other_chats_too() -> None:
    async def story(world: NarrowWorld) -> None:
        world.model = NarrowModel(configured=100 * LIMIT_TOKENS)
        for chat_id in (ChatId("one"), ChatId("two"), ChatId("three")):
            world.model.steps = small_steps(12)
            await world.start(BEGINNING, chat_id)
            await rest(world, chat_id)

        assert world.model.refused == 1

    tell_of(story)


def test_what_the_provider_counted_corrects_the_next_estimate() -> None:
    async def story(world: NarrowWorld) -> None:
        # Twice as many tokens as we think.
        world.model = NarrowModel(bytes_per_token=2.0, limit=20_000)
        await world.start("x" * 8_000)
        chat = await rest(world)
        assert 180 < chat.projection.calibration_percent < 220

        world.model.steps = [Step(calls=(("speak", {"bytes": 16_000}),) * 2)]
        await world.send("Go on.")
        await rest(world)

        # By an estimate of our own, the results would have fitted.
        assert world.model.refused == 0
        assert len(await summaries(world)) == 1

    tell_of(story)


@pytest.mark.parametrize("media_type", ["text/plain", "application/json"])
def test_a_file_counts_as_what_is_in_it(media_type: str) -> None:
    async def story(world: NarrowWorld) -> None:
        file_id = FileId("f")
        data = b"lorem ipsum " * 8_000
        await add_file(
            world.db, file_id=file_id, owner_id=OWNER, name="long.txt", media_type=media_type, data=data
        )
        file = File(file_id=file_id, media_type=media_type, name="long.txt")
        message = replace(user("Read this."), content=(Text(text="Read this."), file))
        done = await create_chat(world.store, create(message))
        assert done.chat.projection.estimated_tokens > len(data) // 5
        await rest(world)

        assert world.model.refused == 0
        assert "[The file long.txt of message 1 was left out" in world.model.shown[-1]

    tell_of(story)


def test_a_small_summarizer_gets_a_history_that_fits_it() -> None:
    async def story(world: NarrowWorld) -> None:
        # Neither can read all of it; the smaller one not even the tools.
        world.chosen = NarrowModel("scribe/one", limit=1_500)
        world.model.steps = [Step(calls=(("speak", {"bytes": 60_000}),))]
        await world.start(BEGINNING)
        chat = await rest(world)

        assert chat.status is Status.WAITING
        assert world.chosen.refused == 0
        (first, *_) = await summaries(world)
        assert first.model == "scribe/one"
        assert "FACT: the harbour is Oslo" in text(first)

    tell_of(story)


def test_a_message_that_was_queued_meanwhile_is_answered_after_a_requested_summary() -> None:
    async def story(world: NarrowWorld) -> None:
        await world.start(BEGINNING)
        await rest(world)
        await world.tell(RequestCompaction(), send("And now?"))
        await world.until(lambda chat: chat.projection.boundary > 0)
        await rest(world)

        assert (await world.transcript())[-1].startswith("assistant: KNOWN FACT: the harbour is Oslo.")

    tell_of(story)
