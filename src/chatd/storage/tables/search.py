"""Searching a user's chats by words, and the index that makes it fast.

A document is a message that people see, or a title. The index follows the chats (`worker/search_index.py`):
no turn waits for it, and what was said is found about a second later. Nothing is answered from the index
alone: what it finds is looked up again, and left out if the caller may not see it now.
"""

import asyncio
import hashlib
import zlib
from collections.abc import Mapping, Sequence

from msgspec import Struct

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, MessageId, Micros, UserId
from chatd.domain.part import Content, Text
from chatd.kit.codec import Decoder, encode_text
from chatd.kit.words import Term, snippet, words_of
from chatd.storage.database import Connection, Database, Row
from chatd.storage.queries import SqlEngine
from chatd.storage.reads.lists import SharedWith, owners_of_shared, shared_among
from chatd.storage.reads.read import title_pattern
from chatd.storage.rows import chat_of

# Messages of one chat that are indexed in one transaction, for which others wait on SQLite.
MESSAGES_AT_ONCE = 50
# Documents that are looked at in one go, and how often for one page. Then the page ends, however short it is.
DOCUMENTS_AT_ONCE_MAX = 400
LOOKS_PER_PAGE_MAX = 10
# Newer documents of one chat that are tried, to see whether an earlier page had it.
NEWER_DOCUMENTS_MAX = 1000
# No snippet is made of a longer message: all of it would have to be read. About 64 KiB.
SNIPPET_TOKENS_MAX = 16 * 1024

# The number of a title among the messages of its chat, which begin with 1.
TITLE = 0
# Ids of documents are milliseconds and these bits: the number of a message, moved by its chat.
_ID_BITS = 20
_LAST_DOCUMENT = 2**63 - 1

_content: Decoder[Content] = Decoder(Content)

_Pair = tuple[str, int]

# Owners of chats that were shared with one user, among whose documents is looked.
SHARING_OWNERS_MAX = 200


class Found(Struct, frozen=True):
    """A chat, and where the words were found in it. No message: in its title."""

    chat: Chat
    message_id: MessageId | None
    snippet: str


class FoundPage(Struct, frozen=True):
    """The chats of the newest documents with these words. There may be more even if there are few here."""

    found: tuple[Found, ...]
    # Where the next page begins: before this document.
    next: int | None


class Filter(Struct, frozen=True, kw_only=True):
    """Which chats are looked at."""

    owner_id: UserId
    archived: bool = False
    title: str = ""
    labels: Mapping[str, str] = {}
    unread: bool | None = None
    # No other chat than this one.
    only: ChatId | None = None
    # Instead of those of the owner: chats of others that were shared with this user.
    shared_with: SharedWith | None = None


async def find_chats(
    db: Database, among: Filter, terms: Sequence[Term], *, before: int | None = None, limit: int
) -> FoundPage:
    """The chats with all of these words in one message or in the title, the newest message first."""

    async def body(tx: Connection) -> FoundPage:
        await tx.one("plan_for_these_words")
        owners: Sequence[UserId] = (among.owner_id,)
        if among.shared_with is not None:
            owners = await owners_of_shared(tx, among.shared_with, limit=SHARING_OWNERS_MAX)
            if not owners:
                return FoundPage((), None)
        match = match_of(db.engine, owners, terms)
        search = _Search(tx, among, owners, match, before)
        hits, last = await search.page(limit)
        return FoundPage(await _with_snippets(tx, hits, terms), last)

    return await db.read(body)


class _Hit(Struct, frozen=True):
    chat: Chat
    message_id: int


class _Search:
    """One page of a search, within one transaction."""

    def __init__(
        self, tx: Connection, among: Filter, owners: Sequence[UserId], match: str, before: int | None
    ) -> None:
        self._tx = tx
        self._owners = owners
        self._among = among
        self._match = match
        self._before = before
        self._chats: dict[str, Chat | None] = {}

    async def page(self, limit: int) -> tuple[list[_Hit], int | None]:
        """The hits, and the document after which there may be more."""
        hits: list[_Hit] = []
        last, count, looked_at = self._before or _LAST_DOCUMENT, limit + 1, 0
        for _ in range(LOOKS_PER_PAGE_MAX):
            documents = await self._documents(last, count)
            await self._look_up({chat_id for _, chat_id, _ in documents} - set(self._chats))
            wanted = [row for row in documents if self._chats[row[1]] is not None]
            visible = await self._visible([(chat_id, number) for _, chat_id, number in wanted])
            for document, chat_id, number in wanted:
                if (chat := self._chats[chat_id]) is not None and (chat_id, number) in visible:
                    if len(hits) == limit:
                        return hits, last
                    hits.append(_Hit(chat, number))
                    last = document
                    # A chat is found once.
                    self._chats[chat_id] = None
            if len(documents) < count:
                return hits, None
            last, looked_at = documents[-1][0], looked_at + count
            # A chat may have most of them: twice as many, or what the rest of the page takes at this rate.
            rest = looked_at * (limit + 1 - len(hits)) // max(1, len(hits))
            count = min(max(2 * count, rest), DOCUMENTS_AT_ONCE_MAX)
        return hits, last

    async def _documents(self, before: int, count: int) -> Sequence[Row]:
        if self._among.shared_with is None:
            return await self._tx.all("find_documents", self._among.owner_id, self._match, before, count)
        owners = encode_text(list(self._owners))
        return await self._tx.all("find_documents_of", owners, self._match, before, count)

    async def _visible(self, pairs: Sequence[_Pair]) -> set[_Pair]:
        """Which of these documents are still there. All are, as a rule: the first of each chat is enough."""
        first = list({chat_id: (chat_id, number) for chat_id, number in reversed(pairs)}.values())
        visible = await self._check(first)
        if len(visible) < len(first):
            visible |= await self._check([pair for pair in pairs if pair not in visible])
        return visible

    async def _check(self, pairs: Sequence[_Pair]) -> set[_Pair]:
        said = [pair for pair in pairs if pair[1] != TITLE]
        rows = await self._tx.all("visible_messages", encode_text(said)) if said else ()
        return {(chat_id, number) for chat_id, number in rows} | (set(pairs) - set(said))

    async def _look_up(self, chat_ids: set[str]) -> None:
        """Which of these chats the caller wants to see, and has not seen on an earlier page."""
        self._chats |= dict.fromkeys(chat_ids)
        if not chat_ids:
            return
        among = self._among
        if among.shared_with is not None:
            await self._look_up_shared(among.shared_with, chat_ids)
            return
        rows = await self._tx.all(
            "listed_among",
            among.owner_id,
            among.archived,
            title_pattern(among.title),
            encode_text(among.labels),
            encode_text(sorted(chat_ids)),
        )
        for chat in map(chat_of, rows):
            if among.unread not in (None, chat.has_unread) or among.only not in (None, chat.id):
                continue
            if self._before is None or not await self._was_found_before(chat.id, self._before):
                self._chats[chat.id] = chat

    async def _look_up_shared(self, who: SharedWith, chat_ids: set[str]) -> None:
        among = self._among
        for read_id, chat in await shared_among(self._tx, who, sorted(chat_ids)):
            is_listed = chat.archived is among.archived and among.title.casefold() in chat.title.casefold()
            if not is_listed or among.unread not in (None, chat.is_unread_after(read_id)):
                continue
            if self._before is None or not await self._was_found_before(chat.id, self._before):
                self._chats[chat.id] = chat

    async def _was_found_before(self, chat_id: ChatId, place: int) -> bool:
        row = await self._tx.one("found_before", chat_id, place, self._match, NEWER_DOCUMENTS_MAX)
        return row is not None


async def _with_snippets(tx: Connection, hits: Sequence[_Hit], terms: Sequence[Term]) -> tuple[Found, ...]:
    pairs = [(hit.chat.id, hit.message_id) for hit in hits if hit.message_id != TITLE]
    rows = await tx.all("found_contents", encode_text(pairs), SNIPPET_TOKENS_MAX) if pairs else ()
    contents = {(chat_id, number): words_in(_content.decode(content)) for chat_id, number, content in rows}
    return tuple(
        Found(hit.chat, None, snippet(hit.chat.title, terms))
        if hit.message_id == TITLE
        else Found(
            hit.chat,
            MessageId(hit.message_id),
            snippet(contents.get((hit.chat.id, hit.message_id), ""), terms),
        )
        for hit in hits
    )


async def chats_behind(db: Database, *, after: str = "", limit: int) -> list[ChatId]:
    """Chats that have changed since they were indexed, in the order of their ids."""

    async def body(tx: Connection) -> list[ChatId]:
        return [ChatId(row[0]) for row in await tx.all("chats_behind_search", after, limit)]

    return await db.read(body)


async def index_chat(db: Database, chat_id: ChatId) -> bool:
    """Index what has changed in a chat, up to a bound. Whether there is more to do."""
    state = await db.read(lambda tx: _read_state(tx, chat_id))
    if state is None or state.is_up_to_date:
        return False
    if state.is_new:
        # By itself: the check that there is such a chat locks it until the commit.
        await db.write(lambda tx: tx.run("begin_search", chat_id))
    documents = await _documents_of(state)
    await db.write(lambda tx: _write_documents(tx, state, documents))
    return state.more


class _Row(Struct, frozen=True):
    """A message that changed. Without content it is not, or no longer, to be found."""

    id: int
    revision: int
    created_at: Micros
    content: str | None


class _State(Struct, frozen=True, kw_only=True):
    """A chat, how far it is indexed, and what comes next."""

    chat_id: ChatId
    owner_id: UserId
    version: int
    title: str
    created_at: Micros
    indexed_version: int
    indexed_title: str
    place: tuple[int, int]
    is_new: bool
    rows: tuple[_Row, ...] = ()

    @property
    def is_up_to_date(self) -> bool:
        return self.version == self.indexed_version

    @property
    def more(self) -> bool:
        return len(self.rows) == MESSAGES_AT_ONCE


class _Document(Struct, frozen=True):
    id: int
    message_id: int
    words: str


async def _read_state(tx: Connection, chat_id: ChatId) -> _State | None:
    row = await tx.one("search_state", chat_id)
    if row is None:
        return None
    owner_id, version, title, created_at, indexed, revision, message_id, indexed_title = row
    place = (revision or 0, message_id or 0)
    rows = await tx.all("messages_to_index", chat_id, *place, MESSAGES_AT_ONCE) if indexed != version else ()
    return _State(
        chat_id=chat_id,
        owner_id=owner_id,
        version=version,
        title=title,
        created_at=created_at,
        indexed_version=indexed or 0,
        indexed_title=indexed_title or "",
        place=place,
        is_new=indexed is None,
        rows=tuple(_Row(*columns) for columns in rows),
    )


async def _documents_of(state: _State) -> list[_Document]:
    owner = owner_word(state.owner_id)
    documents = []
    if state.title != state.indexed_title:
        documents.append(_document(state, TITLE, state.created_at, owner, state.title))
    for row in state.rows:
        if row.content is not None and (words := words_in(_content.decode(row.content))):
            documents.append(_document(state, row.id, row.created_at, owner, words))
            # A long text takes a while, and others have a turn of the event loop.
            await asyncio.sleep(0)
    return documents


def _document(state: _State, number: int, created_at: Micros, owner: str, words: str) -> _Document:
    return _Document(
        document_id(state.chat_id, number, created_at), number, " ".join((owner, *words_of(words)))
    )


async def _write_documents(tx: Connection, state: _State, documents: Sequence[_Document]) -> None:
    revision, message_id = (state.rows[-1].revision, state.rows[-1].id) if state.rows else state.place
    # Looked at again later, if there is more.
    version = state.indexed_version if state.more else state.version
    ours = await tx.all(
        "advance_search", state.chat_id, *state.place, version, revision, message_id, state.title
    )
    if not ours:
        return
    # Messages that left the history or came back to it, and a title that was changed.
    changed = [row.id for row in state.rows] + [d.message_id for d in documents if d.message_id == TITLE]
    if not state.is_new and changed:
        gone = [(state.chat_id, number) for number in changed]
        await tx.run_many("delete_words", gone)
        await tx.run_many("delete_document", gone)
    if documents:
        await tx.run_many("insert_document", [(d.id, state.chat_id, d.message_id) for d in documents])
        await tx.run_many(
            "insert_words",
            [(d.id, state.chat_id, d.message_id, state.owner_id, d.words) for d in documents],
        )


def document_id(chat_id: ChatId, number: int, created_at: Micros) -> int:
    """Newer is higher. The same again for the same message."""
    moved = (number + zlib.crc32(chat_id.encode())) % 2**_ID_BITS
    return int(created_at // 1000 << _ID_BITS | moved)


def owner_word(owner_id: UserId) -> str:
    """The owner as a word of each document, so that the documents of others are not even looked at."""
    return "owner" + hashlib.blake2s(owner_id.encode(), digest_size=8).hexdigest()


def words_in(content: Content) -> str:
    """What can be found of a message: what was said, not what was thought or what tools did."""
    return "\n".join(part.text for part in content if isinstance(part, Text))


def match_of(engine: SqlEngine, owners: Sequence[UserId], terms: Sequence[Term]) -> str:
    """The query as the index takes it. Words have letters and digits alone, so there is nothing to escape."""
    if engine is SqlEngine.POSTGRES:
        # The owner is a column there. As a word as well, the planner would take few documents for theirs.
        return " & ".join(f"'{term.word}'{':*' if term.is_beginning else ''}" for term in terms)
    of_owners = " OR ".join(f'"{owner_word(owner_id)}"' for owner_id in owners)
    words = (f'"{term.word}"{"*" if term.is_beginning else ""}' for term in terms)
    return " AND ".join((f"({of_owners})", *words))
