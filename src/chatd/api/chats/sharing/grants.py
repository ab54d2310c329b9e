"""With whom a chat is shared: see it, grant something, take it back."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from chatd.accounts.sharing.grants import (
    NamedGrant,
    Wish,
    check_subject,
    delete_grant,
    grant_not_found,
    list_grants,
    save_grant,
    subject_of,
)
from chatd.api import checks
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import permitted
from chatd.api.chats.sharing.bodies import GrantList, GrantView, PutGrant
from chatd.api.failures import Forbidden
from chatd.api.router import Asked, B, Q
from chatd.api.serving.callers.permits import Seen, check_with_chat
from chatd.domain.chat import Chat
from chatd.domain.ids import Micros
from chatd.domain.people.deeds import Deed
from chatd.domain.people.grants import Grant, GrantKind, is_of_user, may_be_made
from chatd.errors import BadInput, NotFound
from chatd.kit.clock import rfc3339
from chatd.storage.database import Connection

# Of our count of microseconds.
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


async def list_(asked: Asked[Nothing, Nothing]) -> GrantList:
    seen = await permitted(asked)
    return GrantList(grants=tuple(map(_view, await _visible(asked, seen))))


async def show(asked: Asked[Nothing, Nothing]) -> GrantView:
    seen = await permitted(asked)
    kind, subject_id = await _named(asked)
    for each in await _visible(asked, seen):
        if (each.grant.kind, each.grant.subject_id) == (kind, subject_id):
            return _view(each)
    raise grant_not_found(kind)


async def put(asked: Asked[Nothing, PutGrant]) -> GrantView:
    """Who may is seen under the lock of the chat, where it is known whether somebody is let do more."""
    body = asked.body
    seen = await permitted(asked)
    _check_root(seen.chat)
    kind, subject_id = await _named(asked)
    wish = Wish(kind=kind, subject_id=subject_id, role=body.role, expires_at=_micros(body.expires_at))

    async def admit(tx: Connection, chat: Chat, before: Grant | None, widens: bool) -> None:  # noqa: FBT001
        now = await check_with_chat(tx, asked.known, asked.deeds, chat, asked.server.policy)
        # A grant that somebody does not know of is as good as new to them.
        if widens or _is_hidden(asked, now, before):
            deeds = (*asked.deeds, Deed.CHAT_SHARE)
            await check_with_chat(tx, asked.known, deeds, chat, asked.server.policy)
        if widens and not may_be_made(kind, asked.server.policy):
            raise Forbidden(
                "policy_forbids",
                "On this server chats are not shared like that.",
                hint="An administrator can change the setting `sharing`.",
            )

    # Only the owner lets others in: nobody else learns from us who there is.
    await _check_known(asked, kind, subject_id)
    await save_grant(asked.store, seen.chat.id, asked.by, wish, admit)
    for each in await list_grants(asked.store.db, seen.chat.id):
        if (each.grant.kind, each.grant.subject_id) == (kind, subject_id):
            return _view(each)
    raise grant_not_found(kind)


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    seen = await permitted(asked)
    _check_root(seen.chat)
    kind, subject_id = await _named(asked)

    async def admit(tx: Connection, chat: Chat, before: Grant | None, widens: bool) -> None:  # noqa: ARG001, FBT001
        now = await check_with_chat(tx, asked.known, asked.deeds, chat, asked.server.policy)
        if _is_hidden(asked, now, before):
            raise grant_not_found(kind)

    await delete_grant(asked.store, seen.chat.id, asked.by, (kind, subject_id), admit)


async def _visible(asked: Asked[Nothing, Nothing], seen: Seen) -> Sequence[NamedGrant]:
    grants = await list_grants(asked.store.db, seen.chat.family)
    if not seen.only_own:
        return grants
    return [each for each in grants if is_of_user(each.grant, asked.user.id)]


async def _named(asked: Asked[Q, B]) -> tuple[GrantKind, str]:
    kind = next((each for each in GrantKind if each == asked.path["kind"]), None)
    if kind is None:
        raise NotFound("grant_not_found", "A chat is shared with a user, a group or everyone.", field="kind")
    subject = checks.plain(asked.path["subject"], "subject")
    return kind, await subject_of(asked.store.db, kind, subject)


async def _check_known(asked: Asked[Nothing, PutGrant], kind: GrantKind, subject_id: str) -> None:
    if asked.may(Deed.PEOPLE_FIND) or kind is GrantKind.EVERYONE:
        await check_subject(asked.store.db, kind, subject_id)


def _is_hidden(asked: Asked[Q, B], seen: Seen, before: Grant | None) -> bool:
    """Readers and writers may give up what is their own, and know nothing of the others."""
    return seen.only_own and (before is None or not is_of_user(before, asked.user.id))


def _check_root(chat: Chat) -> None:
    if chat.parent_id is not None:
        raise BadInput(
            "not_a_root",
            "This chat works for another one.",
            hint=f"Share {chat.parent_id}; what is granted there counts here.",
        )


def _micros(moment: datetime | None) -> Micros | None:
    return Micros((moment - BEGINNING) // timedelta(microseconds=1)) if moment is not None else None


def _view(named: NamedGrant) -> GrantView:
    grant = named.grant
    return GrantView(
        kind=grant.kind,
        subject_id=grant.subject_id,
        name=named.name,
        display_name=named.display_name,
        role=grant.role,
        made_by=grant.made_by,
        made_at=rfc3339(grant.made_at),
        expires_at=rfc3339(grant.expires_at) if grant.expires_at is not None else None,
    )
