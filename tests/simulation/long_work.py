"""Chats that do everything that takes long: agents, advice, a question, a plan, a title.

One process at a time works on them, and a person answers what is asked, over HTTP: each answer twice, as from
two windows, and once more when it is not known what became of it.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, cast

from msgspec.structs import replace

from chatd.domain.ids import ChatId
from chatd.domain.part import Json
from chatd.domain.setup import SetupChange
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import Clock
from chatd.providers.model import Model, Models
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.transactions.transact import Store, create_chat
from tests.api.client import CHATS, Answer
from tests.simulation.one_crash import Heard, OneCrash
from tests.simulation.servers.equipment import for_long_work
from tests.simulation.servers.http import ask
from tests.simulation.servers.life import Life
from tests.simulation.servers.one_database import fill_database
from tests.simulation.servers.process import Process
from tests.simulation.servers.wire import Wire
from tests.simulation.world import World
from tests.words import create, user

PLANNED, FAMILY = ChatId("planned"), ChatId("family")
OPTIONS = [{"label": "Blue", "description": "B."}, {"label": "Red", "description": "R."}]
QUESTION = {"questions": [{"header": "Wall", "question": "Which?", "options": OPTIONS}]}
ACCEPT, REVISE = {"decision": "accept"}, {"decision": "revise", "feedback": "Shorter."}
PLANNING = f"""\
for title wait 5
for title say Of the model
call @asked ask_user_question {json.dumps(QUESTION)}
next
call @plan propose_plan {{"plan": "# Plan"}}
next
call @first advisor {{"question": "say Good advice."}}
next
call @second advisor {{"question": "say More advice."}}
next
say answer to planned"""
SPAWNING = """\
for title say Of the model
call @one spawn_agent {"type": "general", "title": "one", "prompt": "say Report one."}
call @two spawn_agent {"type": "general", "title": "two", "prompt": "say Report two."}
next
call @wait wait_agent {}
next
say answer to family"""
PERSON_SECONDS = 3600


class LongWorld(World):
    """One process at a time, which dies at one moment."""

    def __init__(self, at: int) -> None:
        super().__init__(seed=1)
        self.chaos = OneCrash(at)
        self.wire = Wire(self.chaos, self.raw)
        self.person = Person(self._somewhere, self.clock)
        self._answering: asyncio.Task[None] | None = None

    def process(self, name: str) -> Process:
        def models(life: Life) -> Models:
            return Heard(cast("Model", ScriptedModel(self.clock)), self.chaos, life)

        return Process(
            name,
            self.db,
            chaos=self.chaos,
            wire=self.wire,
            clock=self.clock,
            witness=self.witness,
            models=models,
            equip=for_long_work,
        )

    async def tell(self) -> None:
        await fill_database(self.db)
        silent = Store(self.db, MemoryBus())
        planned = create(user(PLANNING), chat_id=PLANNED)
        await create_chat(silent, replace(planned, setup=SetupChange(mode="plan")))
        await create_chat(silent, create(user(SPAWNING), chat_id=FAMILY))
        assert self._attending is not None
        self._answering = self._attending.create_task(self.person.run(), context=self._outside)

    def _meet(self, chat_id: ChatId) -> None:
        """No viewers: other stories have them, and here they would take a quarter of the time."""

    async def _come_to_rest(self) -> None:
        assert self._answering is not None
        async with asyncio.timeout(PERSON_SECONDS):
            await asyncio.wait([self._answering])
        await super()._come_to_rest()


class Person:
    """Answers twice and in different ways, and notes which answer was acknowledged."""

    def __init__(self, somewhere: Callable[[], Awaitable[Process]], clock: Clock) -> None:
        self._somewhere = somewhere
        self._clock = clock
        self.acknowledged: dict[str, list[Json]] = {"asked": [], "plan": []}
        self.renamed = False

    async def run(self) -> None:
        await self._answer("asked", ["Blue"], ["Red"])
        await self._answer("plan", ACCEPT, REVISE)
        while (await self._chat())["status"] != "waiting":
            await self._clock.sleep(1)
        while not self.renamed:
            told = await self._ask("PATCH", "", {"title": "Mine"})
            self.renamed = told is not None and told.status == 200

    async def _answer(self, call_id: str, *answers: Json) -> None:
        while not await self._waits(call_id):
            await self._clock.sleep(1)
        while await self._waits(call_id):
            for answer in answers:
                told = await self._ask(
                    "POST", "/actions", {"answers": [{"tool_call_id": call_id, "answer": answer}]}
                )
                if told is not None and told.status == 200:
                    self.acknowledged[call_id].append(answer)

    async def _waits(self, call_id: str) -> bool:
        waiting = (await self._chat())["waiting_for"]
        return any(each["tool_call_id"] == call_id for each in waiting)

    async def _chat(self) -> Any:
        while (told := await self._ask("GET", "")) is None or told.status != 200:
            await self._clock.sleep(1)
        return told.json

    async def _ask(self, method: str, below: str, body: Json = None) -> Answer | None:
        data = json.dumps(body).encode() if body is not None else None
        return await ask(await self._somewhere(), method, f"{CHATS}/{PLANNED}{below}", data)
