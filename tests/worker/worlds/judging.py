"""A world with tools of which people are asked, for tests of approvals."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.approvals.judging import PREVIEW_CHARACTERS_MAX
from chatd.agent.services import AgentServices
from chatd.approvals.judge import Rules
from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import AddRule, ApprovalScope, KeptRule, Rule, Touches
from chatd.domain.call import Call, CallState, Effect
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import CallId, ChatId, MessageId, Micros
from chatd.domain.part import Json, ToolResult
from chatd.domain.setup import Setup, SetupChange
from chatd.domain.transitions.calls.submit_actions import Approval, SubmitActions
from chatd.storage.transactions.transact import create_chat
from chatd.tools.arguments import typed
from chatd.tools.rehearsal import rehearsal_tools
from chatd.tools.tool import AnyTool, Setting, Tool
from tests.support.same_tools import toolbox_with
from tests.words import OWNER, create, user
from tests.worker.worlds.world import CHAT, World, tell

ROOT = "/srv/project"


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    command: str


class Write(Struct, frozen=True, forbid_unknown_fields=True):
    path: str


class Free(Struct, frozen=True, forbid_unknown_fields=True):
    text: str = ""


def touches_broken(_: object) -> Touches:
    raise RuntimeError("cannot tell")


class NoRepositories:
    """The files of a workspace, as far as rules ask about them."""

    async def run_by_git(self) -> tuple[str, ...]:
        return ()


class Judging(World):
    """Tools of which people are asked: a command, a change of a file, some that tell nothing."""

    deployment = Rules()
    # How long a preview takes.
    preview_seconds = 0.0
    # Writes wait for this.
    gate: asyncio.Event | None = None
    checkpoints = None
    files = NoRepositories()

    def services(self) -> AgentServices:
        tools = (*rehearsal_tools(self.witness, self.clock), *self._tools())
        return replace(
            super().services(),
            toolbox_of=toolbox_with(tools),
            rules=self.deployment,
            workspace_of=self.workspace_of,
        )

    async def workspace_of(self, _: Chat, __: Setup) -> "Judging":
        return self

    def _tools(self) -> Sequence[AnyTool]:
        def tool(name: str, args: type[Struct], **more: object) -> AnyTool:
            return Tool(
                name=name,
                description="",
                arguments=typed(args),
                effect=Effect.ONCE,
                run=self._saw(name),
                **more,  # type: ignore[arg-type]  # as `Tool` has them
            )

        return (
            tool("execute", Command, touches=lambda args: Touches(commands=(args.command,))),
            tool("write", Write, touches=lambda args: Touches(writes=(args.path,)), preview=self._preview),
            tool("silent", Free),
            tool("broken", Free, touches=touches_broken),
            tool("proud", Free, exclusive=True),
        )

    def _saw(self, name: str) -> Callable[[Struct, Setting], Awaitable[Json]]:
        async def run(args: Struct, setting: Setting) -> Json:
            self.witness.saw(f"{name} {setting.call_id}")
            if self.gate is not None:
                await self.gate.wait()
            return "done"

        return run

    async def _preview(self, args: Write, _: object) -> str:
        await self.clock.sleep(self.preview_seconds)
        if args.path == "raises":
            raise RuntimeError("no diff")
        return f"+ {args.path} " + "x" * (PREVIEW_CHARACTERS_MAX if args.path == "long" else 0)

    async def open(self, script: str, chat_id: ChatId = CHAT) -> None:
        command = replace(create(user(script), chat_id=chat_id), setup=SetupChange(workspace=ROOT))
        await create_chat(self.store, command)

    async def until_asked(self, chat_id: ChatId = CHAT) -> list[Call]:
        await self.until(lambda chat: chat.status is Status.REQUIRES_ACTION, chat_id)
        return [c for c in (await self.stored(chat_id)).calls if c.state is CallState.NEEDS_APPROVAL]

    async def answer(
        self,
        call_id: str = "a",
        decision: Decision = Decision.ALLOW,
        scope: ApprovalScope = ApprovalScope.ONCE,
        reason: str | None = None,
        chat_id: ChatId = CHAT,
        message_id: MessageId | None = None,
    ) -> None:
        approval = Approval(
            call_id=CallId(call_id), message_id=message_id, decision=decision, scope=scope, reason=reason
        )
        await self.tell(SubmitActions(actions=(approval,), decided_by=OWNER), chat_id=chat_id)

    async def results(self, chat_id: ChatId = CHAT) -> dict[str, Json]:
        parts = [part for m in (await self.stored(chat_id)).messages for part in m.content]
        return {part.tool_call_id: part.result for part in parts if isinstance(part, ToolResult)}

    async def states(self) -> dict[str, CallState]:
        return {c.id: c.state for c in (await self.stored()).calls}

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """A worker for as long as the block runs."""
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.worker().run(stop))
            try:
                yield
            finally:
                stop.set()


def kept(rule: Rule) -> AddRule:
    return AddRule(kept=KeptRule(rule=rule, created_at=Micros(0)))


def execute(command: str, call_id: str = "a") -> str:
    return f"call @{call_id} execute {json.dumps({'command': command})}"


def play(
    story: Callable[[Judging], Awaitable[None]], *, rules: Rules | None = None, workers: int = 1
) -> None:
    class Here(Judging):
        deployment = rules if rules is not None else Rules()

    async def told(world: World) -> None:
        assert isinstance(world, Judging)
        await story(world)

    tell(told, make=Here, workers=workers)
