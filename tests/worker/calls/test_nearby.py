"""Instruction files further down in a workspace: told with the first call that touches their directory."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.calls.nearby import FILES_MAX, TEXT_BYTES_MAX
from chatd.agent.context.told_instructions import KEY
from chatd.agent.services import AgentServices
from chatd.approvals.judge import Rules
from chatd.domain.approvals.rule import Rule, Touches, Verdict
from chatd.domain.call import CallState, Effect
from chatd.domain.chat import Chat
from chatd.domain.part import Json, ToolResult
from chatd.domain.setup import Setup, SetupChange
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.storage.database import Database
from chatd.storage.transactions.transact import create_chat
from chatd.tools.arguments import typed
from chatd.tools.files import file_tools
from chatd.tools.tool import AnyTool, Setting, Tool
from chatd.workspaces.files import Stat
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from tests.support.same_tools import toolbox_with
from tests.tools.files.desk import OnlyFiles
from tests.words import create, send, user
from tests.worker.worlds.world import World, tell

ALLOWED = Rule(verdict=Verdict.ALLOW, tool="edit_files")


class Free(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Project(World):
    root = Path()
    rules = Rules(deployment=(ALLOWED,))

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.gate = asyncio.Event()

    def services(self) -> AgentServices:
        return replace(
            super().services(),
            toolbox_of=toolbox_with((*file_tools(), self.slow)),
            rules=self.rules,
            workspace_of=self.workspace_of,
        )

    @property
    def slow(self) -> AnyTool:
        """Touches the same directory, and takes its time."""

        async def run(_: Free, __: Setting) -> Json:
            await self.gate.wait()
            return {"ok": True}

        return Tool(
            name="slow",
            description="",
            arguments=typed(Free),
            effect=Effect.READ,
            run=run,
            touches=lambda _: Touches(reads=("web/src/b.ts",)),
        )

    async def workspace_of(self, _: Chat, setup: Setup) -> OnlyFiles:
        assert setup.workspace is not None
        return OnlyFiles(LocalFiles(Path(setup.workspace), Threads(inline=True)))

    async def reads(self, *paths: str) -> dict[str, list[str]]:
        """Read these files in one reply; what each result tells of instructions, by path."""
        return await self.calls(*(f"read_file {json.dumps({'path': path})}" for path in paths))

    async def calls(self, *calls: str) -> dict[str, list[str]]:
        before = set(await self.results())
        number = len(before)
        script = "".join(f"call @c{number + n} {call}\n" for n, call in enumerate(calls)) + "next\nsay Done."
        if number or before:
            await self.tell(send(script))
        else:
            setup = SetupChange(workspace=str(self.root))
            await create_chat(self.store, replace(create(user(script)), setup=setup))
        await self.until_idle()
        found = await self.results()
        return {name: told_of(found[name], self.root) for name in found if name not in before}

    async def results(self) -> dict[str, Json]:
        try:
            stored = await self.stored()
        except AssertionError:
            return {}
        parts = [part for m in stored.messages if not m.deleted for part in m.content]
        return {part.tool_call_id: part.result for part in parts if isinstance(part, ToolResult)}


def told_of(result: Any, root: Path) -> list[str]:
    told = result.get(KEY, {"files": []})["files"]
    return [f"{Path(each['path']).relative_to(root)}: {each['text']}" for each in told]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("web/src", "docs"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("root")
    (tmp_path / "web" / "AGENTS.md").write_text("Use npm.")
    for name in ("README.md", "web/a.ts", "web/src/b.ts", "docs/c.md"):
        (tmp_path / name).write_text("x\n")
    return tmp_path


def play(
    root: Path, story: Callable[[Project], Awaitable[None]], rules: tuple[Rule, ...] = (), workers: int = 1
) -> None:
    made = type("Here", (Project,), {"root": root, "rules": Rules(deployment=(ALLOWED, *rules))})
    tell(cast("Callable[[World], Awaitable[None]]", story), make=made, workers=workers)


def test_the_first_call_that_touches_a_directory_is_told_and_no_other(root: Path) -> None:
    async def story(world: Project) -> None:
        assert await world.reads("README.md", "docs/c.md") == {"c0": [], "c1": []}
        assert await world.reads("web/src/b.ts") == {"c2": ["web/AGENTS.md: Use npm."]}
        assert await world.reads("web/a.ts") == {"c3": []}

    play(root, story)


def test_of_calls_at_once_one_is_told(root: Path) -> None:
    async def story(world: Project) -> None:
        told = await world.reads("web/a.ts", "web/src/b.ts", "web/a.ts")

        assert sorted(told.values()) == [[], [], ["web/AGENTS.md: Use npm."]]

    play(root, story)


@pytest.mark.parametrize(
    "call",
    [
        'find_files {"path": "web"}',
        'edit_files {"files": [{"path": "web/a.ts", "edits": [{"old_text": "x", "new_text": "y"}]}]}',
    ],
)
def test_a_directory_that_is_listed_and_a_file_that_is_changed_count(root: Path, call: str) -> None:
    async def story(world: Project) -> None:
        assert await world.calls(call) == {"c0": ["web/AGENTS.md: Use npm."]}

    play(root, story)


def test_after_a_summary_it_is_told_again(root: Path) -> None:
    async def story(world: Project) -> None:
        assert await world.reads("web/a.ts") == {"c0": ["web/AGENTS.md: Use npm."]}
        await world.tell(RequestCompaction())
        await world.until(lambda chat: chat.projection.boundary > 0)
        await world.until_idle()

        assert list((await world.reads("web/a.ts")).values()) == [["web/AGENTS.md: Use npm."]]

    play(root, story)


def test_in_another_workspace_a_file_of_the_same_name_is_another(root: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "web").mkdir()
    (other / "web" / "AGENTS.md").write_text("Use yarn.")
    (other / "web" / "a.ts").write_text("x\n")

    async def story(world: Project) -> None:
        await world.reads("web/a.ts")
        script = 'call @z read_file {"path": "web/a.ts"}\nnext\nsay Done.'
        await world.tell(replace(send(script), setup=SetupChange(workspace=str(other))))
        await world.until_idle()

        assert told_of((await world.results())["z"], other) == ["web/AGENTS.md: Use yarn."]

    play(root, story)


@pytest.mark.parametrize("verdict", [Verdict.DENY, Verdict.ASK])
def test_what_rules_do_not_let_the_model_read_is_not_told(root: Path, verdict: Verdict) -> None:
    async def story(world: Project) -> None:
        assert await world.reads("web/a.ts") == {"c0": []}

    play(root, story, (Rule(verdict=verdict, tool="read_file", paths=("**/AGENTS.md",)),))


def test_nor_is_what_a_link_of_that_name_leads_to(root: Path) -> None:
    (root / ".env").write_text("KEY=1")
    (root / "web" / "AGENTS.md").unlink()
    (root / "web" / "AGENTS.md").symlink_to("../.env")

    async def story(world: Project) -> None:
        assert await world.reads("web/a.ts") == {"c0": []}

    play(root, story, (Rule(verdict=Verdict.DENY, paths=(".env",)),))


def test_a_link_to_the_file_at_the_root_tells_nothing_new(root: Path) -> None:
    (root / "docs" / "AGENTS.md").symlink_to("../AGENTS.md")

    async def story(world: Project) -> None:
        assert await world.reads("docs/c.md") == {"c0": []}

    play(root, story)


def test_the_file_itself_is_not_told_beside_itself(root: Path) -> None:
    async def story(world: Project) -> None:
        assert await world.reads("web/AGENTS.md") == {"c0": []}

    play(root, story)


def test_a_call_that_fails_is_told_nothing(root: Path) -> None:
    async def story(world: Project) -> None:
        assert await world.reads("web/missing.ts") == {"c0": []}
        assert await world.reads("web/a.ts") == {"c1": ["web/AGENTS.md: Use npm."]}

    play(root, story)


def test_texts_and_files_of_one_result_have_a_bound(root: Path) -> None:
    names = ["a", "b", "c", "d", "e"]
    for name in names:
        (root / name).mkdir()
        (root / name / "x").write_text("x\n")
        (root / name / "AGENTS.md").write_text(f"{name} " + "y" * 6000)
    edits = [{"path": f"{name}/x", "edits": [{"old_text": "x", "new_text": "y"}]} for name in names]

    async def story(world: Project) -> None:
        (told,) = (await world.calls(f"edit_files {json.dumps({'files': edits})}")).values()
        assert len(told) == FILES_MAX
        assert sum(map(len, told)) < TEXT_BYTES_MAX + 200

        (later,) = (await world.reads("d/x")).values()
        assert later[0].startswith("d/AGENTS.md: d yyy")

    play(root, story)


def test_a_crash_in_the_middle_of_a_batch_does_not_have_it_told_twice(root: Path) -> None:
    async def story(world: Project) -> None:
        script = 'call @a read_file {"path": "web/a.ts"}\ncall @b slow {}\nnext\nsay Done.'
        setup = SetupChange(workspace=str(world.root))
        await create_chat(world.store, replace(create(user(script)), setup=setup))
        async with asyncio.TaskGroup() as group:
            first = group.create_task(world.worker().run(world.stop))
            while not any(call.state is CallState.FINISHED for call in (await world.stored()).calls):
                await world.clock.sleep(0.01)
            first.cancel()
        async with asyncio.TaskGroup() as group:
            group.create_task(world.worker().run(world.stop))
            world.gate.set()
            await world.until_idle()
            world.stop.set()

        told = {name: told_of(result, root) for name, result in (await world.results()).items()}
        assert told == {"a": ["web/AGENTS.md: Use npm."], "b": []}

    play(root, story, workers=0)


def test_a_stop_while_it_is_looked_for_keeps_the_result(root: Path) -> None:
    class Hanging(LocalFiles):
        async def stat(self, path: str) -> Stat:
            await asyncio.Event().wait()
            raise AssertionError(path)

    class Stopped(Project):
        async def workspace_of(self, _: Chat, setup: Setup) -> OnlyFiles:
            return OnlyFiles(Hanging(self.root, Threads(inline=True)))

    async def story(world: World) -> None:
        assert isinstance(world, Stopped)
        script = 'call @a read_file {"path": "web/a.ts"}\nnext\nsay Done.'
        setup = SetupChange(workspace=str(world.root))
        await create_chat(world.store, replace(create(user(script)), setup=setup))
        await world.until(lambda chat: chat.open_calls == 1)
        await world.clock.sleep(0.5)
        await world.tell(Interrupt())
        await world.until_idle()

        assert (await world.results())["a"] == {
            "content": "1\tx",
            "file_size": 2,
            "lines_read": 1,
            "total_lines": 1,
        }

    tell(story, make=type("Here", (Stopped,), {"root": root}))
