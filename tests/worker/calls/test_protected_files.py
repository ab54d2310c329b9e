"""Rules about files count for what a tool really reads and writes, not only for the path it was given."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

import pytest
from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.approvals.judge import Rules
from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import Rule, Touches, Verdict
from chatd.domain.call import Effect
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import CallId
from chatd.domain.part import Json, ToolResult
from chatd.domain.setup import Setup, SetupChange
from chatd.domain.transitions.calls.submit_actions import Approval, SubmitActions
from chatd.storage.transactions.transact import create_chat
from chatd.tools.arguments import typed
from chatd.tools.files import file_tools
from chatd.tools.tool import AnyTool, Setting, Tool
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from tests.support.same_tools import toolbox_with
from tests.tools.files.desk import OnlyFiles
from tests.words import OWNER, create, user
from tests.worker.worlds.world import World, tell
from tests.workspaces.trees import needs_ripgrep

DENIED = Rule(verdict=Verdict.DENY, paths=(".env", "**/.env"))
ASKED = Rule(verdict=Verdict.ASK, paths=("private/**",))
DOCS = Rule(verdict=Verdict.ALLOW, tool="write_file", paths=("docs/**",))


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    command: str
    workdir: str = ""


async def ran(_: Command, __: Setting) -> Json:
    return "ran"


# As `execute`, but it runs nothing.
COMMAND: AnyTool = Tool(
    name="execute",
    description="",
    arguments=typed(Command),
    effect=Effect.ONCE,
    run=ran,
    touches=lambda args: Touches(commands=(args.command,), directory=args.workdir),
)


class Protected(World):
    """A workspace with files that rules are about, and links to them."""

    root = Path()
    rules = Rules()

    def services(self) -> AgentServices:
        return replace(
            super().services(),
            toolbox_of=toolbox_with((*file_tools(), COMMAND)),
            rules=self.rules,
            workspace_of=self.workspace_of,
        )

    async def workspace_of(self, _: Chat, __: Setup) -> OnlyFiles:
        return OnlyFiles(LocalFiles(self.root, Threads(inline=True)))

    async def open(self, tool: str, **args: Json) -> None:
        script = f"call @a {tool} {json.dumps(args)}\nnext\nsay Done."
        await create_chat(
            self.store, replace(create(user(script)), setup=SetupChange(workspace=str(self.root)))
        )

    async def told(self) -> Json:
        await self.until_idle()
        parts = [part for m in (await self.stored()).messages for part in m.content]
        return next(part.result for part in parts if isinstance(part, ToolResult))

    async def allow(self) -> None:
        await self.until(lambda chat: chat.status is Status.REQUIRES_ACTION)
        approval = Approval(call_id=CallId("a"), decision=Decision.ALLOW)
        await self.tell(SubmitActions(actions=(approval,), decided_by=OWNER))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("src", "docs", "private"):
        (tmp_path / name).mkdir()
    (tmp_path / ".env").write_text("KEY=1\n")
    (tmp_path / "private" / "diary").write_text("KEY=2\n")
    (tmp_path / "src" / "a.py").write_text("KEY=3\n")
    (tmp_path / "docs" / "link").symlink_to("../.env")
    (tmp_path / "docs" / "to-source").symlink_to("../src/a.py")
    return tmp_path


def play(root: Path, rules: tuple[Rule, ...], story: Callable[[Protected], Awaitable[None]]) -> None:
    made = type("Here", (Protected,), {"root": root, "rules": Rules(deployment=rules)})
    tell(cast("Callable[[World], Awaitable[None]]", story), make=made)


@needs_ripgrep
def test_a_search_shows_nothing_of_files_that_rules_deny_or_ask_for(root: Path) -> None:
    async def story(world: Protected) -> None:
        await world.open("search_files", pattern="KEY")

        assert await world.told() == {"matches": 1, "files": [{"path": "src/a.py", "lines": "1:KEY=3"}]}

    play(root, (DENIED, ASKED), story)


@needs_ripgrep
def test_a_search_that_a_person_has_allowed_shows_what_is_only_asked_for(root: Path) -> None:
    async def story(world: Protected) -> None:
        await world.open("search_files", pattern="KEY")
        await world.allow()

        assert [each["path"] for each in (await world.told())["files"]] == ["private/diary", "src/a.py"]

    play(root, (DENIED, Rule(verdict=Verdict.ASK, tool="search_files")), story)


def test_a_link_to_a_file_that_a_rule_denies_is_not_read(root: Path) -> None:
    async def story(world: Protected) -> None:
        await world.open("read_file", path="docs/link")

        assert await world.told() == {"error": "docs/link leads to .env, which the rules do not allow."}

    play(root, (DENIED,), story)


def test_a_rule_that_allows_a_folder_does_not_allow_what_its_links_lead_to(root: Path) -> None:
    async def story(world: Protected) -> None:
        await world.open("write_file", path="docs/to-source", content="changed")

        assert "leads to src/a.py" in (await world.told())["error"]
        assert (root / "src" / "a.py").read_text() == "KEY=3\n"

    play(root, (DOCS,), story)


def test_a_person_who_allows_a_write_allows_it_through_a_link(root: Path) -> None:
    async def story(world: Protected) -> None:
        await world.open("write_file", path="docs/to-source", content="changed")
        await world.allow()

        assert (await world.told())["ok"]
        assert (root / "src" / "a.py").read_text() == "changed"

    play(root, (), story)


def test_a_person_who_allows_a_write_does_not_allow_a_link_to_a_file_that_makes_git_run_programs(
    root: Path,
) -> None:
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / "docs" / "harmless").symlink_to("../.git/hooks/pre-commit")

    async def story(world: Protected) -> None:
        await world.open("write_file", path="docs/harmless", content="#!/bin/sh")
        await world.allow()

        assert "leads to .git/hooks/pre-commit" in (await world.told())["error"]
        assert not (root / ".git" / "hooks" / "pre-commit").exists()

    play(root, (), story)


ECHO = (
    DENIED,
    Rule(verdict=Verdict.ALLOW, tool="execute", words=("echo", "*")),
    Rule(verdict=Verdict.ALLOW, tool="execute", words=("cat",)),
    Rule(verdict=Verdict.ALLOW, tool="execute", paths=("docs/**",)),
)


@pytest.mark.parametrize("command", ["echo x > docs/link", "cat < docs/link", "echo x >> docs/../docs/link"])
def test_a_command_does_not_redirect_to_a_file_that_a_rule_denies_through_a_link(
    root: Path, command: str
) -> None:
    async def story(world: Protected) -> None:
        await world.open("execute", command=command)

        assert await world.told() == {"error": "The rules of this server do not allow `.env`."}

    play(root, ECHO, story)


def test_nor_out_of_the_workspace_and_an_ordinary_file_is_as_before(root: Path) -> None:
    (root / "docs" / "out").symlink_to("/etc/passwd")

    async def story(world: Protected) -> None:
        await world.open("execute", command="echo x > docs/out")
        assert "outside of the workspace" in (await world.told())["error"]

    async def plain(world: Protected) -> None:
        await world.open("execute", command="echo x > docs/new")
        assert await world.told() == {"output": "ran"}

    play(root, ECHO, story)
    play(root, ECHO, plain)


@pytest.mark.parametrize("tool", ["write_file", "execute"])
def test_where_settings_of_git_say_that_hooks_are_a_rule_for_all_files_does_not_count(
    root: Path, tool: str
) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]\n\thooksPath = src/hooks\n")
    everything = (Rule(verdict=Verdict.ALLOW, paths=("**",)), Rule(verdict=Verdict.ALLOW, words=("cp", "*")))
    written: Json = {"path": "src/hooks/pre-commit", "content": "#!/bin/sh"}
    args = written if tool == "write_file" else {"command": "cp evil src/hooks/pre-commit"}

    async def story(world: Protected) -> None:
        await world.open(tool, **args)
        await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)

        (call,) = (await world.stored()).calls
        assert call.request is not None
        assert call.request.danger is not None
        assert "git runs programs" in call.request.danger

    play(root, everything, story)


def test_a_link_in_place_of_the_directory_of_a_command_leads_neither_out_nor_to_what_is_protected(
    root: Path,
) -> None:
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / "docs" / "out").symlink_to("/etc")
    (root / "docs" / "harmless").symlink_to("../.git/hooks")
    allowed = (Rule(verdict=Verdict.ALLOW, tool="execute", words=("cp", "*")),)

    async def out(world: Protected) -> None:
        await world.open("execute", command="cp a b", workdir="docs/out")

        assert "outside of the workspace" in (await world.told())["error"]

    async def to_hooks(world: Protected) -> None:
        await world.open("execute", command="cp a pre-commit", workdir="docs/harmless")
        await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION)

    async def elsewhere(world: Protected) -> None:
        await world.open("execute", command="cp a b", workdir="docs")

        assert await world.told() == {"output": "ran"}

    for story in (out, to_hooks, elsewhere):
        play(root, allowed, story)
