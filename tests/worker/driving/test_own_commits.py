"""A runner that looks at its chat while it commits does not take its own commit for that of another."""

import asyncio

from chatd.domain.decision.change import Details
from chatd.domain.decision.locked import LockedChat
from chatd.domain.part import ToolResult
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.queries import SqlEngine
from chatd.storage.transactions.transact import Done, Store, transact
from tests.worker.worlds.world import CHAT, World, tell


class LateAnswers:
    """A database that answers the commit of a step when the chat, just renamed, has been looked at."""

    engine = SqlEngine.SQLITE

    def __init__(self, inner: Database, elsewhere: Store) -> None:
        self._inner = inner
        self._elsewhere = elsewhere
        self._looked = asyncio.Event()
        self.commits = 0

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        result = await self._inner.write(body, pace=pace)
        if isinstance(result, Done) and any(isinstance(each, CommitStep) for each in result.commands):
            self.commits += 1
            self._looked.clear()
            renamed = DescribeChat(details=Details(title=f"Step {self.commits}"))
            await transact(self._elsewhere, CHAT, renamed)
            await self._looked.wait()
        return result

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        result = await self._inner.read(body, pace=pace)
        if isinstance(result, LockedChat):
            self._looked.set()
        return result


class LateWorld(World):
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.late = LateAnswers(db, Store(db, self.bus))

    def store_of_workers(self) -> Store:
        return Store(self.late, self.bus)


def test_a_runner_that_sees_its_own_commit_goes_on_with_what_follows() -> None:
    """Here a tool that runs once: begun anew, its outcome would be unknown."""

    async def story(world: World) -> None:
        assert isinstance(world, LateWorld)
        await world.start('call @a launch {"text": "x", "seconds": 1}\nnext\nsay Done.')
        await world.until_idle()

        assert world.late.commits == 3
        messages = (await world.stored()).messages
        (launched,) = (part for each in messages for part in each.content if isinstance(part, ToolResult))
        assert not launched.is_error

    tell(story, make=LateWorld)
