"""What a chat is told of its workspace: pinned at its first turn, and the same from then on."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from chatd.agent.context.telling import Telling
from chatd.agent.services import AgentServices
from chatd.domain.chat import Chat
from chatd.domain.ids import UserId
from chatd.domain.setup import Setup, SetupChange
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.workspace.skill_list import PersonalSkill
from chatd.providers.model import Model
from chatd.storage.database import Database
from chatd.storage.reads.contexts import read_resources
from chatd.storage.transactions.transact import create_chat
from chatd.workspaces.context.discover import discover
from chatd.workspaces.files import Files
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from tests.traceability import proves
from tests.words import create, send, user
from tests.worker.worlds.world import CHAT, World, tell

ROUNDS = 'call echo {"text": "a"}\nnext\ncall echo {"text": "b"}\nnext\nsay Done.'


class NoSkills:
    """Users who keep none."""

    async def skills_of(self, user_id: UserId) -> tuple[PersonalSkill, ...]:
        return ()

    async def skill_body(self, user_id: UserId, name: str) -> str | None:
        return None


class Told(World):
    """Chats with a directory. What their models are told of it is noted, once for each turn."""

    root: Path

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.prompted: list[tuple[str, ...]] = []
        self.opened = 0
        self.checkpoints = None

    @property
    def files(self) -> Files:
        self.opened += 1
        return LocalFiles(self.root, Threads(inline=True))

    def services(self) -> AgentServices:
        return replace(super().services(), workspace_of=self.workspace_of, prompts=self.prompts)

    async def workspace_of(self, chat: Chat, setup: Setup) -> "Told":
        return self

    async def prompts(self, chat: Chat, model: Model, setup: Setup) -> tuple[str, ...]:
        self.prompted.append(await Telling(self.db, NoSkills()).prompts(chat, model))
        return self.prompted[-1]

    def write(self, text: str) -> None:
        (self.root / "AGENTS.md").write_text(text)

    async def begin(self, words: str = "say Hello.", workspace: str | None = "/w") -> Chat:
        await create_chat(self.store, replace(create(user(words)), setup=SetupChange(workspace=workspace)))
        return await self.until_idle()

    async def go_on(self, words: str = "say Hello.") -> Chat:
        await self.tell(send(words))
        return await self.until_idle()

    async def refresh(self) -> None:
        await self.tell(PinContext(context=await discover(self.files, "/w")))

    def told_in_turn(self, number: int) -> str:
        return "\n".join(self.prompted[number])


@pytest.fixture
def here(tmp_path: Path) -> type[Told]:
    class Here(Told):
        root = tmp_path / "root"

    Here.root.mkdir()
    return Here


def of(world: World) -> Told:
    assert isinstance(world, Told)
    return world


@proves("workspaces", 24)
def test_an_instruction_file_is_pinned_and_told_at_the_first_turn(here: type[Told]) -> None:
    async def story(world: World) -> None:
        of(world).write("Use make.")
        chat = await of(world).begin()

        assert chat.context is not None
        assert (chat.context.workspace, chat.context.dirty_since) == ("/w", None)
        assert [each.source for each in await read_resources(world.db, CHAT)] == ["AGENTS.md"]
        assert "Use make." in of(world).told_in_turn(0)

    tell(story, make=here)


def test_the_workspace_is_looked_at_once_a_turn(here: type[Told]) -> None:
    async def story(world: World) -> None:
        await of(world).begin(ROUNDS)
        assert of(world).opened == 1

        await of(world).go_on(ROUNDS)
        assert of(world).opened == 2

    tell(story, make=here)


@proves("workspaces", 29)
def test_a_file_that_changed_is_noted_and_the_prompt_stays_the_same(here: type[Told]) -> None:
    async def story(world: World) -> None:
        of(world).write("Use make.")
        await of(world).begin()
        of(world).write("Use npm.")
        chat = await of(world).go_on()

        assert chat.context is not None
        assert chat.context.dirty_since is not None
        assert of(world).prompted[1] == of(world).prompted[0]

        of(world).write("Use make.")
        chat = await of(world).go_on()
        assert chat.context is not None
        assert chat.context.dirty_since is None

    tell(story, make=here)


@proves("workspaces", 30)
def test_after_a_refresh_the_next_turn_is_told_the_new_words(here: type[Told]) -> None:
    async def story(world: World) -> None:
        of(world).write("Use make.")
        await of(world).begin()
        of(world).write("Use npm.")
        await of(world).go_on()

        await of(world).refresh()
        chat = await of(world).go_on()

        assert chat.context is not None
        assert chat.context.dirty_since is None
        assert "Use npm." in of(world).told_in_turn(2)

    tell(story, make=here)


def test_a_refresh_in_the_middle_of_a_turn_counts_from_the_next_step_on(here: type[Told]) -> None:
    async def story(world: World) -> None:
        await of(world).begin()
        await world.tell(send('call wait {"seconds": 10}\nnext\nsay Done.'))
        await world.until(lambda chat: chat.open_calls == 1)
        of(world).write("Use make.")
        await of(world).refresh()
        await world.until_idle()

        _, before, after = of(world).prompted
        assert ("Use make." in "".join(before), "Use make." in "".join(after)) == (False, True)

    tell(story, make=here)


@proves("workspaces", 33)
def test_while_the_workspace_is_away_the_pin_still_counts(here: type[Told]) -> None:
    async def story(world: World) -> None:
        of(world).write("Use make.")
        await of(world).begin()
        shutil.rmtree(of(world).root)

        chat = await of(world).go_on()

        assert chat.context is not None
        assert chat.context.dirty_since is None
        assert "Use make." in of(world).told_in_turn(1)

    tell(story, make=here)


def test_a_workspace_that_was_away_at_first_is_pinned_when_it_is_back(here: type[Told]) -> None:
    async def story(world: World) -> None:
        shutil.rmtree(of(world).root)
        assert (await of(world).begin()).context is None

        of(world).root.mkdir()
        of(world).write("Use make.")
        await of(world).go_on()

        assert "Use make." in of(world).told_in_turn(1)

    tell(story, make=here)


@proves("workspaces", 34)
def test_another_workspace_is_pinned_at_the_next_turn(here: type[Told]) -> None:
    async def story(world: World) -> None:
        of(world).write("Use make.")
        await of(world).begin()
        of(world).write("Use npm.")
        await world.tell(replace(send("say Hello."), setup=SetupChange(workspace="/elsewhere")))
        chat = await world.until_idle()

        assert chat.context is not None
        assert chat.context.workspace == "/elsewhere"
        assert "Use npm." in of(world).told_in_turn(1)

    tell(story, make=here)


def test_what_another_workspace_told_is_not_told_while_the_new_one_is_away(here: type[Told]) -> None:
    async def story(world: World) -> None:
        of(world).write("Use make.")
        await of(world).begin()
        shutil.rmtree(of(world).root)
        await world.tell(replace(send("say Hello."), setup=SetupChange(workspace="/elsewhere")))
        chat = await world.until_idle()

        assert (chat.context, of(world).prompted[1]) == (None, ())

    tell(story, make=here)


def test_a_chat_that_lost_its_workspace_is_told_nothing(here: type[Told]) -> None:
    async def story(world: World) -> None:
        of(world).write("Use make.")
        await of(world).begin()
        await world.tell(replace(send("say Hello."), setup=SetupChange(workspace=None)))
        chat = await world.until_idle()

        assert (chat.context, of(world).prompted[1]) == (None, ())

    tell(story, make=here)


def test_a_chat_without_a_workspace_writes_and_reads_nothing_for_it(here: type[Told]) -> None:
    async def story(world: World) -> None:
        chat = await of(world).begin(workspace=None)

        assert (chat.context, of(world).opened, of(world).prompted) == (None, 0, [()])

    tell(story, make=here)


@proves("workspaces", 26)
def test_a_file_that_is_too_large_is_shown_and_not_told(here: type[Told]) -> None:
    async def story(world: World) -> None:
        of(world).write("x" * 100_000)
        await of(world).begin()

        assert of(world).prompted == [()]
        (only,) = await read_resources(world.db, CHAT)
        assert (only.source, only.status) == ("AGENTS.md", "oversize")

    tell(story, make=here)


@proves("workspaces", 35)
def test_what_people_cannot_see_is_not_told(here: type[Told]) -> None:
    async def story(world: World) -> None:
        of(world).write("Use\u200b make\u202e.")
        await of(world).begin()

        assert "Use make." in of(world).told_in_turn(0)

    tell(story, make=here)
