"""Chats: start, list, look at, change and delete them."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from chatd.accounts.sharing.marks import MarkChange
from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.catalog.efforts import check_effort
from chatd.api.catalog.server_tools import server_tools
from chatd.api.chats.keys import answer_once, check_same, digest_of
from chatd.api.chats.mcp_selection import with_mcp_servers
from chatd.api.chats.messages.carried_files import unpacked
from chatd.api.chats.messages.history import HISTORY_CALLS_MAX, check_keys, check_order, history_of
from chatd.api.chats.permitted import permitted, permitted_around, permitted_chat, still
from chatd.api.chats.sharing.marks import mark_permitted
from chatd.api.chats.showing import show_found, show_locked, show_now, show_own, show_page
from chatd.api.chats.workspace.workspace import workspace_of
from chatd.api.router import Asked, B, Q
from chatd.api.serving.callers.permits import own
from chatd.domain.chat import Chat
from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId, MessageId, UserId
from chatd.domain.message import Draft, Role
from chatd.domain.part import Content
from chatd.domain.people.audit import AuditDeed, chat_note
from chatd.domain.people.deeds import Deed
from chatd.domain.people.permit import Relation
from chatd.domain.profile.fallback_title import fallback_title
from chatd.domain.profile.texts import TitleBy
from chatd.domain.setup import SetupChange
from chatd.domain.transitions.chat.archive import Archive, Unarchive
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.chat.describe_chat import DescribeChat, read_after
from chatd.errors import BadInput
from chatd.kit.ids import new_id
from chatd.storage.reads.read import read_chat_of_key
from chatd.storage.tables.files import is_file_of_family, media_types
from chatd.storage.transactions.families import archive_family, read_children
from chatd.storage.transactions.transact import create_chat, delete_chat, transact


async def create(asked: Asked[Nothing, bodies.CreateChat]) -> bodies.ChatView:
    async def find(key: str) -> bodies.ChatView | None:
        made = await read_chat_of_key(asked.store.db, asked.user.id, key)
        if made is None:
            return None
        digest, chat = made
        check_same(key, digest, asked.body)
        return await show_now(asked, own(chat))

    return await answer_once(checks.key(asked.body.key), find, lambda: _create(asked))


def has_history(body: bodies.CreateChat) -> bool:
    return bool(body.history)


async def _create(asked: Asked[Nothing, bodies.CreateChat]) -> bodies.ChatView:
    body = asked.body
    content = await content_of(asked, body.content)
    model = await _model_of_new(asked)
    first = Draft(
        role=Role.USER,
        content=content,
        created_by=asked.user.id,
        model=model,
        effort=body.reasoning_effort,
        key=checks.key(body.message_key, "message_key"),
    )
    command = CreateChat(
        id=ChatId(new_id()),
        owner_id=asked.user.id,
        messages=(*await _history_before(asked, first), first),
        title=checks.title(body.title) if body.title is not None else fallback_title(content),
        title_by=TitleBy.FALLBACK if body.title is None else TitleBy.PERSON,
        labels=checks.labels(body.labels or {}),
        setup=await _setup(asked, model),
        key=body.key,
        digest=digest_of(body) if body.key is not None else "",
        message_digest=digest_of(_as_sent(body)) if body.message_key is not None else "",
        temporary=body.temporary,
    )
    await check_effort(asked, body.reasoning_effort, model)
    note = chat_note(asked.by, AuditDeed.CHAT_CREATED, command.id)
    done = await create_chat(asked.store, command, note=note)
    return await show_own(asked, done.locked)


async def _model_of_new(asked: Asked[Nothing, bodies.CreateChat]) -> str | None:
    """What the request names, else what its user has chosen, if it can be used, else the default: None."""
    if asked.body.model is None:
        with suppress(BadInput):
            if (chosen := await asked.server.catalog_store.documents.model_of(asked.user.id)) is not None:
                return await admitted(asked, chosen, asked.user.id)
    return await admitted(asked, asked.body.model, asked.user.id)


async def _setup(asked: Asked[Nothing, bodies.CreateChat], model: str | None) -> SetupChange | None:
    workspace = await workspace_of(asked.server, asked.body.workspace)
    has_workspace = workspace is not None
    names = await server_tools(asked, asked.body, model, has_workspace=has_workspace)
    change = await with_mcp_servers(asked, checks.setup(asked.body, names))
    return replace(change or SetupChange(), workspace=workspace) if workspace is not None else change


async def _history_before(asked: Asked[Nothing, bodies.CreateChat], first: Draft) -> list[Draft]:
    if not asked.body.history:
        return []
    luggage = await unpacked(asked.store.db, asked.user.id, asked.body.history, field="history")
    history = await history_of(asked.body.history, "history", calls_max=HISTORY_CALLS_MAX, luggage=luggage)
    await check_order([*history, first], "history")
    check_keys(history, "history", first.key)
    return history


def _as_sent(body: bodies.CreateChat) -> bodies.SendMessage:
    """The first message as a request of its own. Sent to the chat with its key, it is the same message."""
    shared = set(bodies.CreateChat.__struct_fields__) & set(bodies.SendMessage.__struct_fields__)
    fields: dict[str, Any] = {name: getattr(body, name) for name in shared}
    return bodies.SendMessage(**fields | {"key": body.message_key})


async def show(asked: Asked[Q, B]) -> bodies.ChatView:
    seen, around = await permitted_around(asked)
    view = await show_found(asked, seen, around)
    return replace(view, held_up=asked.server.live.board.waits.shown.get(seen.chat.id))


async def patch(asked: Asked[Nothing, bodies.PatchChat]) -> bodies.ChatView:
    """All of it or nothing: what can be checked is checked first, the rest happens in one transaction."""
    body = asked.body
    seen = await permitted(asked)
    chat = seen.chat
    _check_patch(chat, body)
    if seen.relation is not Relation.OWNER and Deed.CHAT_KEEP in asked.deeds:
        # What somebody else marks is not in the chat's row.
        await mark_permitted(asked, seen, _marked(body))
        body = replace(body, pin_order=UNSET, last_read_message_id=UNSET)
    setup = await with_mcp_servers(asked, checks.patched_setup(body), chat)
    describe = _described(chat, body, setup)
    if body.archived is UNSET and not describe:
        return await show(asked)
    # The marks in the chat's row are its owner's.
    admit = still(asked, as_owner=_marked(body) != MarkChange())
    if body.archived is UNSET:
        done = await transact(asked.store, chat.id, *describe, admit=admit)
    else:
        deed = Archive() if body.archived else Unarchive()
        done, *_ = await archive_family(asked.store, chat.id, deed, *describe, admit=admit, by=asked.by)
    return await show_locked(asked, seen, done.locked)


async def children(asked: Asked[Nothing, Nothing]) -> bodies.ChildList:
    seen = await permitted(asked)
    found = await read_children(asked.store.db, seen.chat.id)
    # A child is seen as its parent is.
    return bodies.ChildList(chats=await show_page(asked, found, lambda _: seen))


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    chat = await permitted_chat(asked)
    if chat.parent_id is not None:
        raise BadInput(
            "not_a_root",
            "This chat works for another one.",
            hint=f"Delete {chat.parent_id}, with its family.",
        )
    await delete_chat(asked.store, chat.id, admit=still(asked), by=asked.by)


async def content_of(
    asked: Asked[Q, B], parts: Sequence[bodies.InputPart], chat_id: ChatId | None = None
) -> Content:
    """The message as it is stored. The media type of a file is the one found at its upload.

    One's own files can be attached, and those that the chat refers to already.
    """
    mentioned = checks.mentioned(parts)
    if mentioned and chat_id is not None:
        # What is attached there is nothing for strangers.
        await permitted_chat(asked)
    kept = await media_types(asked.store.db, asked.user.id, chat_id or "", mentioned) if mentioned else {}
    if (family := asked.known.standing.family) is not None:
        # Files of the user's other chats are not for this token, also not by way of a message.
        db, user_id = asked.store.db, asked.user.id
        kept = {
            file_id: media_type
            for file_id, media_type in kept.items()
            if await is_file_of_family(db, file_id, user_id, family)
        }
    return checks.content(parts, kept)


async def admitted(asked: Asked[Q, B], name: str | None, owner_id: UserId) -> str | None:
    """The model as it is called here, for chats of this user.

    Looked up past every cache: a turn that must fail should not begin.
    """
    return await asked.server.catalog_store.admit(checks.model(name), owner_id)


def _marked(body: bodies.PatchChat) -> MarkChange:
    read = body.last_read_message_id
    return MarkChange(read_id=MessageId(read) if read is not UNSET else UNSET, pin_order=body.pin_order)


def _described(chat: Chat, body: bodies.PatchChat, setup: SetupChange | None) -> tuple[DescribeChat, ...]:
    read = MessageId(body.last_read_message_id) if body.last_read_message_id is not UNSET else chat.read_id
    details = Details(
        title=checks.title(body.title) if body.title is not UNSET else None,
        labels=checks.labels(body.labels) if body.labels is not UNSET else None,
        pin_order=body.pin_order if body.pin_order is not UNSET else None,
        # A viewer tells it often, and mostly what is known.
        read_id=read if read_after(chat, read) != chat.read_id else None,
    )
    command = DescribeChat(details=details, setup=setup)
    return (command,) if command != DescribeChat(details=Details()) else ()


def _check_patch(chat: Chat, body: bodies.PatchChat) -> None:
    """What the machine would refuse as well, said in the words of the request."""
    if body == bodies.PatchChat():
        raise BadInput(
            "nothing_to_change",
            "The request names nothing to change.",
            hint="Name title, labels, archived, pin_order, last_read_message_id, mcp_servers, mode or "
            "delegation.",
        )
    if body.archived is chat.archived:
        state = "in the archive already" if chat.archived else "not in the archive"
        raise BadInput("already_so", f"The chat is {state}.", field="archived")
    archived = chat.archived if body.archived is UNSET else body.archived
    if body.pin_order is not UNSET and body.pin_order and (archived or chat.parent_id is not None):
        raise BadInput(
            "not_pinnable",
            "Archived chats and chats that work for another cannot be pinned.",
            field="pin_order",
        )
