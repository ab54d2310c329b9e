"""wait_agent: wait for agents, and read their reports. Waiting is only reading, so a restart repeats it."""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.chat import AT_WORK, Chat, Status
from chatd.domain.family import is_done
from chatd.domain.ids import ChatId
from chatd.domain.limits import CHILDREN_MAX
from chatd.domain.part import Json
from chatd.hints.bus import Heard
from chatd.hints.hint import ChatChanged
from chatd.kit.concurrency.bell import Bell
from chatd.storage.reads.read import read_chats
from chatd.tools.agents.agents import Agents
from chatd.tools.agents.report import failure_of, length_for, read_report
from chatd.tools.arguments import typed
from chatd.tools.tool import Setting, Tool, ToolError, touches_nothing

WAIT_SECONDS = 300
WAIT_SECONDS_MAX = 3600
# Hints may be lost; this often the wait looks by itself.
LOOK_SECONDS = 5.0


class Until(StrEnum):
    ALL = "all"
    ANY = "any"


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    chat_id: Annotated[str | None, Meta(description="One agent to wait for.")] = None
    chat_ids: Annotated[
        tuple[str, ...],
        Meta(max_length=CHILDREN_MAX, description="Several agents; without any id, all agents of this chat."),
    ] = ()
    until: Annotated[Until, Meta(description="all: until the last one is done; any: the first one.")] = (
        Until.ALL
    )
    timeout_seconds: Annotated[
        int, Meta(description=f"{WAIT_SECONDS} by default, {WAIT_SECONDS_MAX} at most.")
    ] = WAIT_SECONDS


def wait_agent(agents: Agents) -> Tool[Args]:
    return Tool(
        name="wait_agent",
        description=(
            "Wait until agents are done, and read their reports. One that is done already is reported at "
            "once. When the time is over, those that still work go on, and can be waited for again. An agent "
            "that waits for a person has waiting_for: the user has to answer it, in that agent's chat."
        ),
        arguments=typed(Args),
        effect=Effect.READ,
        run=_WaitAgent(agents).run,
        touches=touches_nothing,
    )


class _WaitAgent:
    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def run(self, args: Args, setting: Setting) -> Json:
        ids = await self._ids(args, setting)
        seconds = min(args.timeout_seconds, WAIT_SECONDS_MAX) if args.timeout_seconds > 0 else WAIT_SECONDS
        seen = await _Wait(self._agents, setting, ids, args.until).wait(seconds)
        length_max = length_for(sum(map(is_done, seen)))
        described = [await self._describe(child, length_max) for child in seen]
        if args.chat_id is not None and not args.chat_ids:
            return described[0]
        return {"agents": described, "timed_out": not _is_enough(seen, args.until)}

    async def _ids(self, args: Args, setting: Setting) -> list[ChatId]:
        await self._agents.parent(setting)
        named = dict.fromkeys((*((args.chat_id,) if args.chat_id is not None else ()), *args.chat_ids))
        if named:
            return [(await self._agents.child(setting, each)).id for each in named]
        ids = [child.id for child in await self._agents.children(setting)]
        if not ids:
            raise ToolError("This chat has no agents. Start some with spawn_agent.")
        return ids

    async def _describe(self, child: Chat, length_max: int) -> dict[str, Json]:
        described = await self._agents.describe(child)
        if not is_done(child):
            return described | {"timed_out": True}
        described["report"] = await read_report(self._agents.store.db, child.id, length_max=length_max)
        return described | (failure_of(child) if child.status is Status.ERROR else {})


class _Wait:
    """One wait for these agents. Viewers are shown who is done, and who waits for a person."""

    def __init__(self, agents: Agents, setting: Setting, ids: Sequence[ChatId], until: Until) -> None:
        self._agents = agents
        self._setting = setting
        self._ids = ids
        self._until = until
        self._bell = Bell()
        self._shown: dict[ChatId, str] = {}

    async def wait(self, seconds: float) -> list[Chat]:
        """The agents as they were when enough of them were done, or when the time was over."""
        clock = self._agents.clock
        deadline = clock.monotonic() + seconds
        with ExitStack() as listening:
            bus = self._agents.store.hints
            # Before the first look: what happens after it is told.
            heard = [listening.enter_context(bus.listening_to_chat(each, self._bell)) for each in self._ids]
            seen = await self._look()
            if _is_enough(seen, self._until):
                return seen
            async with self._setting.resting():
                while not _is_enough(seen, self._until) and (left := deadline - clock.monotonic()) > 0:
                    await self._show(seen)
                    await self._until_hinted(heard, min(left, LOOK_SECONDS))
                    seen = await self._look()
            return seen

    async def _look(self) -> list[Chat]:
        found = {chat.id: chat for chat in await read_chats(self._agents.store.db, self._ids)}
        if missing := [each for each in self._ids if each not in found]:
            raise ToolError(f"The agent {missing[0]} was deleted.")
        return [found[each] for each in self._ids]

    async def _until_hinted(self, heard: Sequence[Heard], seconds: float) -> None:
        """Returns when an agent may be done or waits for a person, or after so many seconds."""
        clock = self._agents.clock
        async with asyncio.TaskGroup() as group:
            ringing = group.create_task(self._until_news(heard))
            sleeping = group.create_task(clock.sleep(seconds))
            await asyncio.wait([ringing, sleeping], return_when=asyncio.FIRST_COMPLETED)
            ringing.cancel()
            sleeping.cancel()

    async def _until_news(self, heard: Sequence[Heard]) -> None:
        while True:
            await self._bell.wait()
            hints = [hint for each in heard for hint in each.take()]
            # An agent that goes on working is no news. Only what is read counts: this saves reading.
            if any(not isinstance(hint, ChatChanged) or hint.status not in AT_WORK for hint in hints):
                return

    async def _show(self, seen: Sequence[Chat]) -> None:
        for child in seen:
            line = await self._line(child)
            if line != self._shown.get(child.id, ""):
                self._shown[child.id] = line
                self._setting.show(line)

    async def _line(self, child: Chat) -> str:
        if child.status is Status.REQUIRES_ACTION:
            waits = " and ".join(await self._agents.waiting_for(child))
            return f"{child.title} ({child.id}) waits for {waits}.\n"
        return f"{child.title} is done.\n" if is_done(child) else ""


def _is_enough(seen: Sequence[Chat], until: Until) -> bool:
    return all(map(is_done, seen)) if until is Until.ALL else any(map(is_done, seen))
