"""A user: does this and that in a chat of their own, over HTTP, and remembers what was promised."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec.structs import replace

from chatd.kit.codec import encode
from tests.api.client import CHATS, Answer
from tests.simulation.chaos import Chaos
from tests.simulation.people.answers import Answered, Decisions, Forbidden, as_action, decided
from tests.simulation.people.scripts import any_script, script_of
from tests.simulation.servers.http import ask
from tests.simulation.servers.process import Process
from tests.simulation.work import WORK_SHARE, Restore, work_script
from tests.words import CLIENT_TOOL

PAUSE_SECONDS = (0.0, 0.5, 1.5, 3.0, 20.0)
WHENS = ("queue", "steer", "interrupt")
# How many of the requests have a key, and how often one of them is repeated at most.
KEYED_SHARE = 0.7
REPEATS_MAX = 3
# How often a user sends an answer once more, or late; and has a rule against what they are asked.
LATE_SHARE = 0.25
# How often they send it for another call of the same id, where there is one.
STALE_SHARE = 0.4
FORBIDDEN_SHARE = 0.15
# How often a user of a chat that rests has its files brought back.
RESTORE_SHARE = 0.3
RULES = "/api/v1/rules"
# Between two looks at what the client is asked for, in the end.
STAY_SECONDS = 3.0


class Promises:
    """What users were told had happened; and what they asked for and never heard of again."""

    def __init__(self) -> None:
        self.acknowledged: list[tuple[str, str]] = []
        self.unknown: list[str] = []
        # Everything that was asked for, and what came of it. For whoever wants to know what happened.
        self.requests: list[tuple[float, str]] = []
        # What became of files that were to be brought back.
        self.restores: list[Restore] = []
        self._said = 0
        self._places = 0

    def new_place(self) -> int:
        """A workspace of its own for each chat that is begun."""
        self._places += 1
        return self._places

    def new_name(self) -> str:
        self._said += 1
        return f"m{self._said}"


class User:
    def __init__(
        self,
        chaos: Chaos,
        promises: Promises,
        decisions: Decisions,
        somewhere: Callable[[], Awaitable[Process]],
    ) -> None:
        self._chaos = chaos
        self._chance = chaos.chance
        self._promises = promises
        self._decisions = decisions
        self._somewhere = somewhere
        # What they were asked and may still answer, late.
        self._asked: list[Answered] = []
        # None: they have started none yet, or do not know of it.
        self._chat_id: str | None = None

    async def run(self) -> None:
        for _ in range(self._chaos.story.deeds):
            if self._chat_id is None:
                await self._start_chat()
            elif (chat := await self._look(self._path())) is not None:
                await self._do_something(chat)
            await asyncio.sleep(self._chance.choice(PAUSE_SECONDS))

    async def stay(self) -> None:
        """Answer what the client is asked for, until the chat rests: otherwise it waits for minutes."""
        while self._chat_id is not None:
            if (chat := await self._look(self._path())) is not None:
                asked = [each for each in chat["waiting_for"] if each["deadline"] is not None]
                if chat["status"] not in ("running", "interrupting") and not asked:
                    return
                for each in asked:
                    await self._answer_call(each)
            await asyncio.sleep(STAY_SECONDS)

    async def _do_something(self, chat: Any) -> None:
        chance = self._chance.random()
        if chance < STALE_SHARE and (stale := self._stale(chat["waiting_for"])):
            # From a window that still shows the call before.
            await self._decide(self._chance.choice(stale))
        elif chat["waiting_for"] and chance < 0.75:
            await self._answer_call(self._chance.choice(chat["waiting_for"]))
        elif self._asked and chance < LATE_SHARE:
            # The chat may have moved on since then.
            await self._decide(self._chance.choice(self._asked))
        elif self._is_to_restore(chat):
            await self._restore()
        elif chat["status"] == "error" and chance < 0.5:
            await self._ask("POST", self._path("/retry"))
        elif chance < 0.35 and chat["status"] == "running":
            await self._ask("POST", self._path("/interrupt"))
        elif chance < 0.4 and chat["queue"]:
            await self._ask("POST", self._path(f"/queue/{chat['queue'][-1]['id']}/promote"))
        elif chance < 0.45 and chat["queue"]:
            turned = [each["id"] for each in reversed(chat["queue"])]
            await self._ask("PUT", self._path("/queue"), {"queued_ids": turned})
        elif chance < 0.45 and not chat["queue"]:
            # An edit drops the queue, and what was accepted would be gone. Nobody else fills it.
            await self._edit()
        else:
            when = self._chance.choice(WHENS)
            await self._say("POST", self._path("/messages"), {"when": when})

    def _is_to_restore(self, chat: Any) -> bool:
        rests = chat["status"] in ("waiting", "error")
        return self._chaos.has_workspaces and rests and self._chance.random() < RESTORE_SHARE

    async def _restore(self) -> None:
        """The files as they were before something they said."""
        page = await self._look(self._path("/messages"))
        if page is None:
            return
        theirs = [message["id"] for message in page["messages"] if message["role"] == "user"]
        message_id, asked = self._chance.choice(theirs), self._now()
        answer = await self._ask("POST", self._path(f"/messages/{message_id}/restore"), {})
        if answer is not None:
            self._promises.restores.append(
                Restore(
                    chat_id=str(self._chat_id),
                    message_id=message_id,
                    asked=asked,
                    told=self._now(),
                    status=answer.status,
                    code=answer.json["error"]["code"] if answer.status != 200 else None,
                )
            )

    async def _start_chat(self) -> None:
        answer = await self._say("POST", CHATS, self._of_new_chat())
        if answer is not None and answer.status == 201:
            self._chat_id = answer.json["id"]

    def _of_new_chat(self) -> dict[str, Any]:
        own = {"workspace": f"of chat {self._promises.new_place()}"} if self._chaos.has_workspaces else {}
        return {"client_tools": [{"name": CLIENT_TOOL}], **own}

    async def _edit(self) -> None:
        page = await self._look(self._path("/messages"))
        if page is not None:
            theirs = [message["id"] for message in page["messages"] if message["role"] == "user"]
            await self._say("PATCH", self._path(f"/messages/{self._chance.choice(theirs[:2])}"), {})

    async def _answer_call(self, waiting: Any) -> None:
        if waiting["kind"] == "approval":
            assert self._chat_id is not None
            await self._decide_on(waiting, self._chat_id)
            return
        call = {key: waiting[key] for key in ("tool_call_id", "message_id")}
        await self._ask("POST", self._path("/actions"), {"results": [{**call, "output": "from the client"}]})

    def _stale(self, waiting_for: Any) -> list[Answered]:
        """Answers of theirs to an earlier call with the id of one that waits now."""
        waiting = {each["tool_call_id"]: each["message_id"] for each in waiting_for}
        return [each for each in self._asked if waiting.get(each.call_id, each.message_id) != each.message_id]

    async def _decide_on(self, waiting: Any, chat_id: str) -> None:
        answer = decided(waiting, chat_id, self._chance, self._now())
        self._asked.append(answer)
        if "command" in waiting["args"] and self._chance.random() < FORBIDDEN_SHARE:
            await self._forbid(answer.command)
        await self._decide(answer)

    async def _forbid(self, command: str) -> None:
        """Another window of the same user, a moment before."""
        body = {"verdict": "deny", "words": command.split()}
        answer = await self._ask("POST", RULES, body)
        if answer is not None and answer.status == 201:
            self._decisions.forbidden.append(Forbidden(command=command, at=self._now()))

    async def _decide(self, answer: Answered) -> None:
        answer = replace(answer, at=self._now())
        self._decisions.sent.append(answer)
        body = {"approvals": [as_action(answer, self._chance)]}
        told = await self._ask("POST", f"{CHATS}/{answer.chat_id}/actions", body)
        if told is not None and told.status == 200:
            self._decisions.acknowledged.append(answer)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _say(self, method: str, path: str, fields: dict[str, Any]) -> Answer | None:
        """Say something new, and note what becomes of it."""
        name = self._promises.new_name()
        words = self._words(name)
        body = {"content": [{"type": "text", "text": words}], **fields}
        keyed = method == "POST" and self._chance.random() < KEYED_SHARE
        answer = await (self._repeat(path, body | {"key": name}) if keyed else self._ask(method, path, body))
        if answer is None or answer.status >= 500:
            self._promises.unknown.append(words)
        elif answer.status < 300:
            self._promises.acknowledged.append((self._chat_id or answer.json["id"], words))
        # Refused: nothing happened, and the user knows it.
        return answer

    def _words(self, name: str) -> str:
        """What they say in a message of this name."""
        if self._chaos.has_workspaces and self._chance.random() < WORK_SHARE:
            return work_script(name, self._chance)
        return script_of(name, any_script(self._chance, long=self._chaos.has_long_chats))

    async def _repeat(self, path: str, body: dict[str, Any]) -> Answer | None:
        """Ask with a key, again while it is not known what became of it, and now and then once too often."""
        answer = await self._ask("POST", path, body)
        for _ in range(REPEATS_MAX):
            is_known = answer is not None and answer.status < 500
            if is_known and self._chance.random() < 0.7:
                break
            await asyncio.sleep(self._chance.choice(PAUSE_SECONDS))
            answer = await self._ask("POST", path, body)
        return answer

    async def _look(self, path: str) -> Any:
        """What is there; None when it could not be seen just now."""
        answer = await self._ask("GET", path)
        return answer.json if answer is not None and answer.status == 200 else None

    async def _ask(self, method: str, path: str, body: object = None) -> Answer | None:
        process, asked = await self._somewhere(), self._now()
        answer = await ask(process, method, path, encode(body) if body is not None else None)
        told = "no answer" if answer is None else answer.status
        self._promises.requests.append((asked, f"{method} {path} at {process.life.name}: {told}, {body}"))
        return answer

    def _path(self, below: str = "") -> str:
        return f"{CHATS}/{self._chat_id}{below}"
