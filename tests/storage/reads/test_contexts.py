"""What is pinned to a chat of its workspace, on both databases."""

import pytest
from structlog.testing import capture_logs

from chatd.domain.decision.fence import HeldBy
from chatd.domain.ids import ChatId
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.workspace.context import Context, Resource, ResourceKind, ResourceStatus
from chatd.errors import Stale
from chatd.storage.database import Connection, Database
from chatd.storage.reads.contexts import read_for_prompt, read_resources, read_skill_body
from chatd.storage.reads.read import read_chat, read_everything
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.traceability import proves
from tests.words import a_skill, create, lease, told

CHAT = ChatId("chat")

ODD = Resource(
    kind=ResourceKind.SKILL,
    source="skills/x/SKILL.md",
    status=ResourceStatus.INVALID,
    size_bytes=2**40,
    error="It is 'odd'. 日本",
    skill_name="x",
)


async def a_chat(store: Store, context: Context | None = None) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, PinContext(context=context, over=0))


async def test_a_pin_is_read_as_it_was_written(store: Store, database: Database) -> None:
    context = Context(workspace="/w", resources=(*told().resources, a_skill("deploy"), ODD), truncated=True)

    await a_chat(store, context)

    chat = await read_chat(database, CHAT)
    assert chat is not None
    assert chat.context is not None
    assert (chat.context.workspace, chat.context.hash, chat.context.truncated) == ("/w", context.hash, True)
    resources = await read_resources(database, CHAT)
    assert [each.source for each in resources] == [
        "AGENTS.md",
        "skills/deploy/SKILL.md",
        "skills/x/SKILL.md",
    ]
    assert resources[2] == ODD
    assert {each.text for each in resources} == {""}


async def test_a_prompt_is_made_of_what_is_ok_and_reads_no_text_of_a_skill(
    store: Store, database: Database
) -> None:
    context = Context(workspace="/w", resources=(*told("Use make.").resources, a_skill("deploy"), ODD))

    await a_chat(store, context)

    instructions, skill = await read_for_prompt(database, CHAT)
    assert (instructions.text, skill.skill_description, skill.text) == ("Use make.", "About deploy.", "")


async def test_the_text_of_a_skill_is_read_by_itself(store: Store, database: Database) -> None:
    await a_chat(store, told(skills=("deploy",)))

    assert await read_skill_body(database, CHAT, "skills/deploy/SKILL.md") == "Do deploy."
    assert await read_skill_body(database, CHAT, "skills/other/SKILL.md") is None
    assert await read_skill_body(database, CHAT, "AGENTS.md") is None


@proves("workspaces", 36)
async def test_a_row_that_cannot_be_read_is_skipped(store: Store, database: Database) -> None:
    await a_chat(store, told(skills=("deploy",)))

    async def damage(tx: Connection) -> None:
        await tx.script("UPDATE context_resources SET kind = 'of_a_newer_program' WHERE ordinal = 0;")

    await database.write(damage)

    with capture_logs() as logged:
        assert [each.skill_name for each in await read_resources(database, CHAT)] == ["deploy"]
        assert [each.skill_name for each in await read_for_prompt(database, CHAT)] == ["deploy"]
    assert [(each["event"], each["chat_id"]) for each in logged] == [("context.unreadable", CHAT)]


async def test_a_new_pin_replaces_the_old_one_whole(store: Store, database: Database) -> None:
    await a_chat(store, told(skills=("a", "b")))

    await transact(store, CHAT, PinContext(context=told("Use npm.")))
    assert [each.text for each in await read_for_prompt(database, CHAT)] == ["Use npm."]

    await transact(store, CHAT, PinContext(context=None))
    assert await read_resources(database, CHAT) == ()


async def test_since_when_the_workspace_differs_is_kept(store: Store, database: Database) -> None:
    await a_chat(store, told())
    chat = await read_chat(database, CHAT)
    assert chat is not None

    done = await transact(store, CHAT, NoteContext(hash=told("Use npm.").hash, over=chat.pin_version))

    chat = await read_chat(database, CHAT)
    assert chat is not None
    assert chat.context == done.chat.context
    assert chat.context is not None
    assert chat.context.dirty_since is not None


async def test_a_worker_that_lost_its_chat_cannot_pin(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, Acquire(lease=lease("new")))

    with pytest.raises(Stale):
        await transact(store, CHAT, PinContext(context=told(), over=0), fence=HeldBy(lease=lease("old")))

    assert await read_resources(database, CHAT) == ()


async def test_it_goes_with_its_chat(store: Store, database: Database) -> None:
    await a_chat(store, told())

    await delete_chat(store, CHAT)

    assert await read_resources(database, CHAT) == ()
    assert await read_everything(database, CHAT) is None
