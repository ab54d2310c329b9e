"""How many transactions a turn takes. Each of them waits for the disk, wakes viewers and costs CPU."""

from chatd.domain.chat import Status
from chatd.storage.transact import transact
from tests.words import send
from tests.worker.world import CHAT, World, tell


def test_a_reply_that_ends_its_turn_does_so_in_one_transaction_and_gives_the_chat_back() -> None:
    async def story(world: World) -> None:
        await world.start("say Hello.")
        await world.until_idle()
        before = (await world.stored()).chat.versions.snapshot

        await world.send("say Again.")
        chat = await world.until_idle()

        # The message, the worker that takes the chat, and the reply.
        assert chat.versions.snapshot - before == 3
        assert chat.lease is None

    tell(story)


def test_a_round_of_model_and_tool_takes_two_transactions() -> None:
    async def story(world: World) -> None:
        await world.start('call echo {"text": "a"}\nnext\ncall echo {"text": "b"}\nnext\nsay Done.')
        chat = await world.until_idle()

        # Created, taken, two rounds of a reply and its results, the last reply.
        assert chat.versions.snapshot == 2 + 2 * 2 + 1

    tell(story)


def test_a_queued_message_begins_its_turn_in_the_commit_that_ends_the_one_before() -> None:
    async def story(world: World) -> None:
        await world.start("stream 10 words at 10 per second")
        await world.until_said(" ")
        await world.send("say Next.")
        queued = (await world.stored()).chat.versions.snapshot

        chat = await world.until_idle()

        assert chat.versions.snapshot - queued == 2
        assert (await world.transcript())[-2:] == ["user: say Next.", "assistant: Next."]

    tell(story)


def test_a_message_that_arrives_with_the_last_reply_is_not_overlooked() -> None:
    """What follows a reply is decided under the lock of its commit, not from what was known before."""

    async def story(world: World) -> None:
        await world.start("stream 3 words at 10 per second")
        await world.until_said(" ")
        # Not told to the worker: it finds the message only in its own transaction.
        await transact(world.silent_store, CHAT, send("say Here I am."))
        chat = await world.until_idle()

        assert chat.status is Status.WAITING
        assert (await world.transcript())[-1] == "assistant: Here I am."

    tell(story)
