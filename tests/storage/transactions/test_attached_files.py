"""Files that a tool attached are linked by the transaction that keeps the result."""

import pytest
from msgspec.structs import replace

from chatd.domain.call import CallResult, CallState
from chatd.domain.ids import CallId, ChatId, FileId, MessageId, UserId
from chatd.domain.limits import FILES_MAX, MEDIA_MAX
from chatd.domain.message import Role
from chatd.domain.part import File
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.storage.database import Database
from chatd.storage.reads.read import Everything, read_everything
from chatd.storage.tables.files import add_file, linked_files, read_file
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.words import answers, call, create, failure, says, send, step, user, words_of

CHAT = ChatId("chat")
CALLING = MessageId(2)


async def keep(database: Database, owner: UserId, *names: str) -> None:
    for name in names:
        await add_file(
            database, file_id=FileId(name), owner_id=owner, name=name, media_type="text/plain", data=b"a"
        )


def attaching(call_id: str, *names: str) -> FinishCall:
    files = tuple(File(file_id=FileId(name), media_type="text/plain", name=name) for name in names)
    result = CallResult(result="done", files=files)
    return FinishCall(message_id=CALLING, call_id=CallId(call_id), result=result)


async def everything(store: Store) -> Everything:
    found = await read_everything(store.db, CHAT)
    assert found is not None
    return found


async def test_a_kept_result_links_its_files_and_the_message_links_none_again(
    store: Store, database: Database, owner: UserId
) -> None:
    await keep(database, owner, "a", "b")
    await create_chat(store, create(user("see", file="a")))
    await transact(store, CHAT, step(says("Let me see.", call("c"))))
    await transact(store, CHAT, attaching("c", "a", "b"))
    assert set((await everything(store)).files) == {"a", "b"}

    (kept,) = (await everything(store)).calls
    assert kept.result is not None
    said = answers("c", "done")
    await transact(store, CHAT, step(replace(said, content=(*said.content, *kept.result.files))))

    found = await everything(store)
    assert set(found.files) == {"a", "b"}
    assert found.messages[-1].content[1:] == kept.result.files


async def test_a_file_that_is_gone_is_left_out(store: Store, database: Database, owner: UserId) -> None:
    await keep(database, owner, "there")
    await create_chat(store, create())
    await transact(store, CHAT, step(says("Let me see.", call("c"))), attaching("c", "gone", "there"))
    await transact(store, CHAT, FinishTurn())

    found = await everything(store)
    assert found.files == ("there",)
    assert [part.file_id for part in found.messages[-1].content if isinstance(part, File)] == ["there"]


@pytest.mark.parametrize("ending", [FinishTurn(), FailTurn(failure=failure()), Interrupt()])
async def test_however_the_turn_ends_the_file_of_a_kept_result_enters_the_history(
    store: Store, database: Database, owner: UserId, ending: Command
) -> None:
    await keep(database, owner, "a")
    await create_chat(store, create())
    await transact(store, CHAT, step(says("Let me see.", call("c"), call("d"))), attaching("c", "a"))
    await transact(store, CHAT, ending)
    if isinstance(ending, Interrupt):
        await transact(store, CHAT, FinishInterruption())
    if isinstance(ending, FailTurn):
        await transact(store, CHAT, send("go on"))

    answered = [
        words_of(message) for message in (await everything(store)).messages if message.role is Role.TOOL
    ]
    assert answered == ["tool: c answered, File", "tool: d failed"]


def showing(call_id: str, name: str, words: str = "") -> FinishCall:
    media = File(file_id=FileId(name), media_type="image/png", name=name, size_bytes=1)
    result = CallResult(result={"mime_type": "image/png", "text": words}, is_media=True, media=media)
    return FinishCall(message_id=CALLING, call_id=CallId(call_id), result=result)


async def media_count(database: Database) -> int:
    return (await database.read(lambda tx: linked_files(tx, CHAT))).media_count


async def test_what_a_tool_shows_is_linked_with_its_result_and_takes_no_room_of_attached_files(
    store: Store, database: Database, owner: UserId
) -> None:
    names = [f"f{n}" for n in range(FILES_MAX)]
    await keep(database, owner, "picture", *names)
    await create_chat(store, create())
    await transact(store, CHAT, step(says("Let me see.", call("c"), call("d"))))
    await transact(store, CHAT, showing("c", "picture"))
    await transact(store, CHAT, attaching("d", *names))

    assert (await media_count(database), await link_count(database)) == (1, FILES_MAX)
    await transact(store, CHAT, FinishTurn())
    shown, attached = [m for m in (await everything(store)).messages if m.role is Role.TOOL]
    assert shown.content[0] == replace(shown.content[0], media=showing("c", "picture").result.media)
    assert len(attached.content) == 1 + FILES_MAX
    assert (await media_count(database), await link_count(database)) == (1, FILES_MAX)


async def test_what_is_shown_beyond_the_bound_is_an_error_and_is_not_linked(
    store: Store, database: Database, owner: UserId
) -> None:
    names = [f"p{n}" for n in range(MEDIA_MAX)]
    await keep(database, owner, "one more", *names)
    await create_chat(store, create())
    await transact(store, CHAT, step(says("Let me see.", call("c"), call("d"))))
    await database.write(lambda tx: tx.run_many("link_file", [(CHAT, name, True) for name in names]))

    await transact(store, CHAT, showing("c", "one more"))
    await transact(store, CHAT, showing("d", "one more", words="A dot."))

    failed, without_picture = (await everything(store)).calls
    assert without_picture.result is not None
    assert not without_picture.result.is_error
    assert without_picture.result.result["output"].startswith("A dot.\n\nNothing can be shown: ")
    assert failed.result is not None
    assert (failed.result.is_error, failed.result.is_media, failed.result.media) == (True, False, None)
    assert f"can show {MEDIA_MAX} pictures" in failed.result.result["error"]
    assert await media_count(database) == MEDIA_MAX


async def test_a_result_whose_picture_is_gone_is_kept_without_it(store: Store) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, step(says("Let me see.", call("c"))), showing("c", "gone", words="A dot."))

    (kept,) = (await everything(store)).calls
    assert kept.result is not None
    assert (kept.result.is_media, kept.result.media) == (True, None)
    assert kept.result.result == {"mime_type": "image/png", "text": "A dot."}


async def test_with_its_chat_goes_what_its_tools_have_shown(
    store: Store, database: Database, owner: UserId
) -> None:
    await keep(database, owner, "picture")
    await create_chat(store, create())
    await transact(store, CHAT, step(says("Let me see.", call("c"))), showing("c", "picture"))

    await delete_chat(store, CHAT)

    assert await read_file(database, FileId("picture")) is None


async def link_count(database: Database) -> int:
    return (await database.read(lambda tx: linked_files(tx, CHAT))).link_count


async def test_the_file_beyond_the_bound_makes_its_call_fail_and_is_not_linked(
    store: Store, database: Database, owner: UserId
) -> None:
    names = [f"f{n}" for n in range(FILES_MAX + 1)]
    await keep(database, owner, *names)
    await create_chat(store, create())
    await transact(store, CHAT, step(says("Let me see.", call("c"), call("d"))))
    await transact(store, CHAT, attaching("c", *names[:-1]))
    assert await link_count(database) == FILES_MAX
    await transact(store, CHAT, attaching("d", names[-1]))

    full, failed = (await everything(store)).calls
    assert full.result == attaching("c", *names[:-1]).result
    assert failed.state is CallState.FINISHED
    assert failed.result is not None
    assert (failed.result.is_error, failed.result.files) == (True, ())
    assert f"a chat can refer to {FILES_MAX} files" in failed.result.result["error"]
    assert await link_count(database) == FILES_MAX
