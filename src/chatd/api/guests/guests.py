"""A chat as guests read it. That they may is seen in the transaction that reads what they are shown."""

from chatd.accounts.sharing.guests import Guest
from chatd.api.bodies import Nothing
from chatd.api.files.files import downloaded
from chatd.api.guests.bodies import GuestChat, GuestPage, ListGuestMessages
from chatd.api.router import Asked, B, Download, Q
from chatd.api.serving.callers.guests import admitted
from chatd.domain.ids import FileId, MessageId
from chatd.domain.message import Message
from chatd.errors import BadInput, NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.sealed_numbers import WORD_LENGTH, SealedNumbers
from chatd.kit.text import is_plain
from chatd.live.guests.messages import GuestMessage
from chatd.live.guests.parts import GuestFile, GuestResult
from chatd.live.guests.sight import Sight
from chatd.storage.database import Connection, Pace
from chatd.storage.reads.chunks import Chunk
from chatd.storage.reads.shown import shown_before
from chatd.storage.rows import message_of
from chatd.storage.tables.files import StoredFile, file_in


async def show(asked: Asked[Nothing, Nothing]) -> GuestChat:
    guest = await guest_of(asked)
    asked.server.guests.openings.note(guest.link.id)
    return GuestChat(
        title=guest.title,
        owner_name=guest.owner_name,
        live=guest.link.is_live,
        include=tuple(sorted(guest.link.include)),
        expires_at=rfc3339(guest.link.expires_at),
    )


async def messages(asked: Asked[ListGuestMessages, Nothing]) -> GuestPage:
    query = asked.query

    async def body(tx: Connection) -> tuple[Sight, Chunk]:
        guest = await _guest(tx, asked)
        sight = sight_of(guest)
        before = _place(sight, query.before) if query.before is not None else sight.end
        return sight, await shown_before(tx, guest.link.chat_id, before, sight.size, limit=query.limit)

    sight, chunk = await asked.store.db.read(body)
    shown = (sight.message(message) for message in reversed(chunk.messages))
    return GuestPage(
        messages=tuple(message for message in shown if message is not None),
        next=sight.name(chunk.messages[0].id) if chunk.more else None,
    )


async def file(asked: Asked[Nothing, Nothing]) -> Download:
    """By what it is called in a message that is shown: anything else is not there."""
    called = asked.path["file_id"]

    async def body(tx: Connection) -> StoredFile | None:
        guest = await _guest(tx, asked)
        sight = sight_of(guest)
        message = await _message(tx, guest, sight.number_of_file(called) if is_plain(called) else None)
        shown = sight.message(message) if message is not None else None
        if shown is None or not any(each.file_id == called for each in _files_in(shown)):
            return None
        return await file_in(tx, FileId(called[WORD_LENGTH + 1 :]))

    found = await asked.store.db.read(body)
    if found is None:
        raise NotFound("file_not_found", "There is no such file.")
    return downloaded(found, cached="no-store")


async def guest_of(asked: Asked[Q, B]) -> Guest:
    """Raises NotFound."""
    return await asked.store.db.read(lambda tx: _guest(tx, asked), pace=Pace.QUICK)


def sight_of(guest: Guest) -> Sight:
    # The id of a link is not told to guests.
    return Sight(guest.link.include, guest.line, SealedNumbers(guest.link.id))


async def _guest(tx: Connection, asked: Asked[Q, B]) -> Guest:
    (deed,) = asked.deeds
    return await admitted(tx, asked.code_hash, deed, asked.server.policy)


async def _message(tx: Connection, guest: Guest, number: MessageId | None) -> Message | None:
    row = await tx.one("message_of_chat", guest.link.chat_id, number) if number is not None else None
    return message_of(row) if row is not None else None


def _files_in(message: GuestMessage) -> list[GuestFile]:
    files = [part.media if isinstance(part, GuestResult) else part for part in message.content]
    return [each for each in files if isinstance(each, GuestFile)]


def _place(sight: Sight, name: str) -> MessageId:
    number = sight.number(name)
    if number is None:
        raise BadInput(
            "bad_cursor", "This does not come from a page of this link.", field="before", hint="Leave it out."
        )
    return min(number, sight.end)
