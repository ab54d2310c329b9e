"""Chats of others in lists: they appear when they are shared, move, and vanish when access ends.

A hint names a chat and not those with whom it is shared. So the chat is looked at once for all who watch
here: its row, its grants, and what they have marked in it. That takes a handful of queries for whatever
happened in half a second, however many watch; what is beyond the bounds of one look is for the next one.

Hints may be lost: every ten seconds it is compared what each user, group and everyone was granted.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager

import structlog
from msgspec import Struct

from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.people.grants import ALL, GrantKind
from chatd.errors import Unavailable
from chatd.hints.hint import CatalogChanged, CatalogKind, Hint, HintsLost
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell
from chatd.live.lists.others.index import CHATS_MAX
from chatd.live.lists.others.known import Known
from chatd.live.lists.others.watcher import Watcher
from chatd.storage.reads.shared_lists import (
    Granted,
    OtherChat,
    Standing,
    Subject,
    in_chunks,
    read_granted,
    read_marks_of,
    read_others,
    read_standings,
)
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()

# Between two looks.
LOOK_SECONDS = 0.5
POLL_SECONDS = 10.0
# While the database is away.
AWAY_SECONDS = 1.0
# How late it is noticed that a grant has ended by itself.
ENDS_SECONDS = 1.0
# Of one look: chats that are read, watchers who are told, users whose groups and offers are read.
CHATS_AT_ONCE = 200
TOLD_AT_ONCE = 500
USERS_AT_ONCE = 500
# Of one query of a poll: subjects, and rows.
SUBJECTS_AT_ONCE = 100
ROWS_AT_ONCE = 2000

EVERYONE = Subject(GrantKind.EVERYONE, ALL)


class WatchedBy(Struct, frozen=True, kw_only=True):
    """Who watches, and by which grants they are meant on this server."""

    user_id: UserId
    by_name: bool = True
    by_everyone: bool = True

    def subjects(self, groups: Collection[str]) -> frozenset[Subject]:
        named = {Subject(GrantKind.USER, self.user_id), *(Subject(GrantKind.GROUP, each) for each in groups)}
        return frozenset((named if self.by_name else set()) | ({EVERYONE} if self.by_everyone else set()))


class OtherChats:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._db = store.db
        self._hints = store.hints
        self._clock = clock
        self._bell = Bell()
        # What is known changes in one place at a time: a look, a poll, or somebody who comes.
        self._lock = asyncio.Lock()
        self._known = Known()
        self._meant: dict[UserId, WatchedBy] = {}
        self._standings: dict[UserId, Standing] = {}
        # They have more chats than are compared.
        self._large: set[Subject] = set()

    @asynccontextmanager
    async def watching(self, who: WatchedBy, bell: Bell) -> AsyncIterator[Watcher]:
        """Somebody's list. Raises Unavailable before it is watched."""
        watcher = Watcher(who.user_id, bell)
        async with self._lock:
            await self._admit(who)
            watchers = self._known.watchers.setdefault(who.user_id, set())
            watchers.add(watcher)
        try:
            yield watcher
        finally:
            watchers.discard(watcher)
            if not watchers:
                self._dismiss(who.user_id)

    def offers_to(self, user_id: UserId) -> int:
        """How many chats are offered to somebody who watches."""
        return self._standings[user_id].offers

    async def run(self) -> None:
        """Until cancelled."""
        with (
            self._hints.listening(self._bell) as heard,
            self._hints.listening_to_news(CatalogChanged, self._hear_of_users),
        ):
            while await self._bell.wait():
                self.hear(heard.take())
                if self._known.is_behind:
                    await self._try_to_look()
                await self._clock.sleep(LOOK_SECONDS)

    async def run_polls(self) -> None:
        """The safety net under lost hints."""
        while True:
            await self._clock.sleep(POLL_SECONDS)
            await self._try_to_poll()

    async def run_polls_when_hints_are_lost(self) -> None:
        bell = Bell()
        with self._hints.listening_to_news(HintsLost, lambda _: bell.ring()):
            while await bell.wait():
                await self._try_to_poll()

    async def run_ends(self) -> None:
        """Notice grants that end by themselves."""
        while True:
            await self._clock.sleep(ENDS_SECONDS)
            if self._known.note_ended(Micros(self._clock.now_micros())):
                self._bell.ring()

    async def _try_to_look(self) -> None:
        try:
            await self.look()
        except Unavailable:
            await self._clock.sleep(AWAY_SECONDS)
            self._bell.ring()
        except Exception:
            # What it was about is found by a poll, or told with the next change.
            log.warning("shared_lists.look_failed", exc_info=True)

    async def _try_to_poll(self) -> None:
        try:
            await self.poll()
        except Unavailable:
            pass  # The database has said so in the log.
        except Exception:
            log.warning("shared_lists.poll_failed", exc_info=True)

    def hear(self, hints: Iterable[Hint]) -> None:
        """While nobody watches, nothing is to be looked at."""
        for hint in hints if self._known.watchers else ():
            self._known.hear(hint)

    @property
    def is_behind(self) -> bool:
        """Whether there is something to look at, or to tell."""
        return self._known.is_behind

    async def look(self) -> None:
        """Read whatever was heard of since, and tell of it. Raises Unavailable, and forgets nothing then."""
        known = self._known
        async with self._lock:
            if users := sorted(known.stale)[:USERS_AT_ONCE]:
                await self._read_standings(users)
                known.stale.difference_update(users)
            await self._look_at_chats()
            if telling := known.to_tell(TOLD_AT_ONCE):
                users = [watcher.user_id for each in telling for watcher in each.watchers]
                marks = await read_marks_of(self._db, set(users), {each.other.chat.id for each in telling})
                for each in telling:
                    known.tell(each, marks)
        if known.is_behind:
            self._bell.ring()

    async def poll(self) -> None:
        """Compare what everybody here was granted with what is known."""
        known = self._known
        for users in in_chunks(known.watchers, USERS_AT_ONCE):
            async with self._lock:
                await self._read_standings(users)
        subjects = sorted(known.index.subjects - self._large, key=lambda each: (each.id, each.kind))
        for start in range(0, len(subjects), SUBJECTS_AT_ONCE):
            async with self._lock:
                granted = await self._granted(subjects[start : start + SUBJECTS_AT_ONCE])
                for subject in granted.keys() - self._large:
                    known.compare(subject, granted[subject])
        known.prune()
        if known.is_behind:
            self._bell.ring()

    async def _look_at_chats(self) -> None:
        asked = self._known.take_dirty(CHATS_AT_ONCE)
        if not asked:
            return
        try:
            found = await self._read_others(asked)
        except Unavailable:
            self._known.put_back(asked)
            raise
        for chat_id, access in asked.items():
            self._known.see(chat_id, found.get(chat_id), access)

    async def _read_others(self, chat_ids: Collection[ChatId]) -> Mapping[ChatId, OtherChat]:
        """One that cannot be read is in no list, and holds up no other."""
        try:
            return await read_others(self._db, chat_ids)
        except Unavailable:
            raise
        except Exception as error:
            if len(chat_ids) == 1:
                log.warning("shared_lists.chat_unreadable", chat_ids=list(chat_ids), exc_info=error)
                return {}
        one_by_one = [await self._read_others((chat_id,)) for chat_id in chat_ids]
        return {chat_id: other for found in one_by_one for chat_id, other in found.items()}

    def _hear_of_users(self, change: CatalogChanged) -> None:
        """Groups may be others now."""
        if change.kind == CatalogKind.USER_ACCESS:
            watched = self._known.watchers.keys()
            self._known.stale |= watched & {UserId(change.entity)} if change.entity is not None else watched
            self._bell.ring()

    async def _admit(self, who: WatchedBy) -> None:
        """The user is known from now on, with what they may see."""
        if who.user_id in self._meant:
            return
        standing = (await read_standings(self._db, (who.user_id,)))[who.user_id]
        self._meant[who.user_id] = who
        self._standings[who.user_id] = standing
        try:
            await self._place(who.user_id)
        except BaseException:
            self._dismiss(who.user_id)
            raise

    def _dismiss(self, user_id: UserId) -> None:
        known = self._known
        known.watchers.pop(user_id, None)
        known.stale.discard(user_id)
        known.index.leave(user_id)
        self._meant.pop(user_id, None)
        self._standings.pop(user_id, None)
        self._large &= known.index.subjects
        if not self._meant:
            # Nobody watches: what is known would only grow old.
            self._known = Known()

    async def _place(self, user_id: UserId) -> None:
        subjects = self._meant[user_id].subjects(self._standings[user_id].groups)
        if new := self._known.place(user_id, subjects):
            for subject, granted in (await self._granted(new)).items():
                self._known.load(subject, granted)

    async def _read_standings(self, user_ids: Collection[UserId]) -> None:
        for user_id, now in (await read_standings(self._db, user_ids)).items():
            before = self._standings.get(user_id)
            if before is None or now == before:
                continue
            self._standings[user_id] = now
            moved = now.groups != before.groups
            if moved:
                await self._place(user_id)
            for watcher in self._known.watchers.get(user_id, ()):
                if now.offers != before.offers:
                    watcher.offer(now.offers)
                if moved:
                    watcher.miss()

    async def _granted(self, subjects: Collection[Subject]) -> Mapping[Subject, list[Granted]]:
        """What each of these was granted. Of one that has too much, some; it is remembered as large."""
        found: dict[Subject, list[Granted]] = {subject: [] for subject in subjects}
        wanted, after = set(subjects), None
        while wanted:
            rows = await read_granted(self._db, wanted, after=after, limit=ROWS_AT_ONCE)
            for row in rows:
                if row.subject in wanted:
                    found[row.subject].append(row)
            if len(rows) < ROWS_AT_ONCE:
                break
            after = rows[-1]
            if len(found.get(after.subject, ())) > CHATS_MAX:
                self._large.add(after.subject)
                wanted.discard(after.subject)
        return found
