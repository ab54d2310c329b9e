"""Files are kept before a step changes them, and a step that only reads keeps nothing."""

from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.domain.chat import AT_WORK, Chat
from chatd.domain.ids import CallId, ChatId, MessageId
from chatd.domain.message import Role, Visibility, text
from chatd.domain.setup import ClientTool, Setup, SetupChange
from chatd.domain.transitions.calls.submit_actions import Result, SubmitActions
from chatd.storage.database import Database
from chatd.storage.transactions.transact import create_chat
from chatd.workspaces.checkpoints import Announce, CheckpointError, Diff, Kept, Restored
from chatd.workspaces.files import FileError, Files, Problem
from tests.words import CLIENT_TOOL, create, user
from tests.worker.worlds.world import World, tell

SCRIPT = """\
call echo {"text": "only reads"}
next
call launch {"text": "first"}
call launch {"text": "second"}
next
call remember {"text": "third"}
next
say Done.
"""


class Noted:
    """Checkpoints that note what had been done when each was taken."""

    def __init__(self, lines: list[str]) -> None:
        self.taken: list[tuple[MessageId, int]] = []
        self.waited_at: list[int] = []
        self.broken = False
        self._lines = lines

    async def take(self, chat_id: ChatId, message_id: MessageId) -> None:
        if self.broken:
            raise CheckpointError("The disk is full.")
        self.taken.append((message_id, len(self._lines)))

    async def settled(self) -> None:
        self.waited_at.append(len(self._lines))

    async def kept(self, chat_id: ChatId) -> Kept:
        raise NotImplementedError

    async def plan(self, chat_id: ChatId, message_id: MessageId | None) -> Restored:
        raise NotImplementedError

    async def restore(self, chat_id: ChatId, message_id: MessageId | None, announce: Announce) -> Restored:
        raise NotImplementedError

    async def diff(
        self, chat_id: ChatId, since: MessageId, until: MessageId | None, path: str | None = None
    ) -> Diff:
        raise NotImplementedError


class Working(World):
    """Chats with a workspace. The tools of a rehearsal need nothing of it."""

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.checkpoints = Noted(self.witness.lines)
        self.asked: list[str | None] = []

    @property
    def files(self) -> Files:
        raise FileError(Problem.UNAVAILABLE, "Only its checkpoints are there.")

    def services(self) -> AgentServices:
        return replace(super().services(), workspace_of=self.workspace_of)

    async def workspace_of(self, chat: Chat, setup: Setup) -> "Working":
        self.asked.append(setup.workspace)
        return self


async def begin(world: World, workspace: str | None, script: str = SCRIPT) -> None:
    setup = SetupChange(workspace=workspace, client_tools=(ClientTool(name=CLIENT_TOOL),))
    await create_chat(world.store, replace(create(user(script)), setup=setup))
    await world.until(lambda chat: chat.status not in AT_WORK)


def test_each_step_that_changes_something_is_preceded_by_one_checkpoint() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, Working)
        await begin(world, "/srv/project")

        stored = (await world.stored()).messages
        _, second, third = [m.id for m in stored if m.role == "assistant"][:3]
        # What the witness had seen by then: one reading, and then two launches.
        assert world.checkpoints.taken == [(second, 1), (third, 3)]
        assert set(world.asked) == {"/srv/project"}
        # Also one that only reads waits until no files are being brought back.
        assert world.checkpoints.waited_at == [0, 1, 3]

    tell(story, make=Working)


def test_people_are_told_once_in_a_turn_that_files_could_not_be_kept_and_the_agent_works_on() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, Working)
        world.checkpoints.broken = True
        await begin(world, "/srv/project")
        await world.send('call launch {"text": "fourth"}\nnext\nsay Done again.')
        await world.until_idle()

        assert len(world.witness.lines) == 5
        notices = [m for m in (await world.stored()).messages if m.role is Role.SYSTEM]
        assert [notice.visibility for notice in notices] == [Visibility.USER] * 2
        assert "The disk is full." in text(notices[0])
        # They stand before the results of the step, and the turn has its end as ever.
        lines = [line.partition(",")[0].split(" ")[0] for line in await world.transcript()]
        assert lines[:6] == ["user:", "assistant:", "tool:", "assistant:", "system:", "tool:"]
        assert (await world.transcript())[-1] == "assistant: Done again."

    tell(story, make=Working)


def test_a_turn_that_has_waited_for_an_answer_tells_it_once_as_well() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, Working)
        world.checkpoints.broken = True
        launches = [f'call launch {{"text": "{text}"}}' for text in ("before", "after")]
        script = f"\nnext\ncall @tab {CLIENT_TOOL} {{}}\nnext\n".join(launches)
        await begin(world, "/srv/project", script)

        await world.tell(SubmitActions(actions=(Result(call_id=CallId("tab"), output=1),)))
        await world.until_idle()

        assert len(world.witness.lines) == 2
        assert [m.role for m in (await world.stored()).messages].count(Role.SYSTEM) == 1

    tell(story, make=Working)


def test_a_chat_without_a_workspace_keeps_nothing() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, Working)
        await begin(world, None)

        assert (world.checkpoints.taken, world.asked) == ([], [])
        assert len(world.witness.lines) == 4

    tell(story, make=Working)
