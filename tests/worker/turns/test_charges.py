"""Model calls that were paid for and did not become a message are noted with the chat."""

from chatd.domain.chat import Status
from chatd.domain.ids import MessageId
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.storage.transactions.transact import transact
from tests.words import said
from tests.worker.worlds.absence import AwayWorld, tell_away
from tests.worker.worlds.world import CHAT, World, tell


async def fates(world: World) -> list[str]:
    return [str(charge.fate) for charge in (await world.stored()).charges]


def test_what_empty_answers_took_is_noted_with_the_chat() -> None:
    async def story(world: World) -> None:
        await world.start("usage 70 of 1000\nend done")
        await world.until(lambda chat: chat.status is Status.ERROR)

        assert await fates(world) == ["empty", "empty", "empty"]
        first = (await world.stored()).charges[0]
        assert first.usage is not None
        assert first.usage.prompt_tokens == 70
        assert (first.model, first.operation, first.attempt) == ("scripted/scripted", "reply", 1)

    tell(story)


def test_a_refusal_and_an_answer_that_ran_out_are_noted() -> None:
    async def story(world: World) -> None:
        await world.start("usage 70 of 1000\nend refused")
        await world.until(lambda chat: chat.status is Status.ERROR)
        await world.send("think Hm.\nusage 90 of 1000\nend length")
        await world.until(lambda chat: chat.status is Status.ERROR and chat.versions.history > 2)

        assert await fates(world) == ["refused", "cut_off"]

    tell(story)


def test_an_answer_that_broke_off_is_noted_and_one_that_never_began_is_not() -> None:
    async def story(world: World) -> None:
        await world.start("fail overloaded once\nsay Hi.")
        await world.until_idle()
        assert await fates(world) == []

        await world.send("stop once after 3 words\nsay One two three four five.")
        await world.until_idle()
        assert await fates(world) == ["failed"]

    tell(story)


def test_a_stop_in_the_middle_of_an_answer_is_noted_with_what_it_saves() -> None:
    async def story(world: World) -> None:
        await world.start("stream 1000 words at 10 per second")
        await world.until_said(" ")
        before = (await world.stored()).chat.versions.snapshot
        await world.tell(Interrupt())
        chat = await world.until_idle()

        assert await fates(world) == ["interrupted"]
        # The stop, and what was said before it together with the charge.
        assert chat.versions.snapshot - before == 2

    tell(story)


def test_a_whole_answer_that_came_too_late_is_noted() -> None:
    async def story(world: World) -> None:
        await world.start("wait 5\nsay Late.")
        await world.until(lambda chat: chat.versions.attempt == 1)
        # Nobody is told, so the model is heard to its end.
        edit = EditMessage(message_id=MessageId(1), content=said("say Instead."))
        await transact(world.silent_store, CHAT, edit)
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Instead."
        assert await fates(world) == ["discarded"]

    tell(story)


def test_an_answer_that_was_saved_is_no_charge() -> None:
    async def story(world: World) -> None:
        await world.start('call echo {"text": "x"}\nnext\nsay Done.')
        await world.until_idle()

        assert await fates(world) == []

    tell(story)


def test_an_answer_whose_commit_was_never_answered_is_no_charge_either() -> None:
    """The commit is tried again, and finds that the chat has moved on: by itself."""

    async def story(world: AwayWorld) -> None:
        world.leaving.unanswered, world.leaving.unanswered_kind = 1, CommitStep
        await world.start('call echo {"text": "a"}\nnext\nsay Done.')
        await world.until_idle()

        assert world.model.calls == 2
        assert (await world.stored()).charges == ()

    tell_away(story)


def test_an_answer_that_a_stop_overtook_while_the_database_was_away_is_noted() -> None:
    async def story(world: AwayWorld) -> None:
        await world.start("stream 3 words at 10 per second")
        await world.until_said(" ")
        await world.be_away(30)
        # Before the commit is tried again, and no hint tells of it.
        await transact(world.silent_store, CHAT, Interrupt())
        await world.until_idle()

        assert [charge.fate for charge in (await world.stored()).charges] == ["discarded"]

    tell_away(story)
