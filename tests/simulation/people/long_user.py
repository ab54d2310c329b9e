"""A user whose chats plan and delegate: answers questions and plans, looks after agents, gives titles."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from msgspec import Struct

from chatd.domain.part import Json
from tests.api.client import CHATS, Answer
from tests.simulation.chaos import Chaos
from tests.simulation.people.answers import Decisions
from tests.simulation.people.long_scripts import OPTIONS, any_long_script, messaging, stopping, titled
from tests.simulation.people.user import Promises, User
from tests.simulation.servers.process import Process

LONG_SHARE = 0.6
PLANNING_SHARE = 0.5
STOP_SHARE = 0.15
CHILDREN_SHARE = 0.45
# How often a user thinks of a title: mostly while there is none.
NAME_SHARE = {"fallback": 0.35, "model": 0.15, "person": 0.15}
# How often an answer is sent once more, in other words, as from another window.
AGAIN_SHARE = 0.4
PLAN_ANSWERS: tuple[Json, ...] = (
    {"decision": "accept"},
    {"decision": "revise", "feedback": "Shorter."},
    {"decision": "decline"},
)


class PersonAnswer(Struct, frozen=True, kw_only=True):
    """To a question or a plan, and acknowledged."""

    chat_id: str
    message_id: int
    call_id: str
    answer: Json


class Stopped(Struct, frozen=True, kw_only=True):
    """A stop of a whole family that was acknowledged: when it was asked for, and when it was told."""

    chat_id: str
    asked: float
    told: float


class LongPromises:
    """What these users were told had happened."""

    def __init__(self) -> None:
        self.answers: list[PersonAnswer] = []
        self.stopped: list[Stopped] = []
        # The titles that people have chosen for a chat, the newest last, and whether each was acknowledged.
        self.titles: dict[str, list[tuple[str, bool]]] = {}
        # Chats for which a title was asked of a model.
        self.named_anew: set[str] = set()
        # Chats that began in plan mode; and those whose mode a person may have changed since.
        self.planned: set[str] = set()
        self.changed_mode: set[str] = set()


class LongUser(User):
    def __init__(
        self,
        chaos: Chaos,
        promises: Promises,
        decisions: Decisions,
        somewhere: Callable[[], Awaitable[Process]],
        long_promises: LongPromises,
    ) -> None:
        super().__init__(chaos, promises, decisions, somewhere)
        self._long = long_promises
        # Whether their chat was in plan mode when they looked last.
        self._plans = False
        # What the next message of a name says, if that is decided.
        self._next: Callable[[str], str] | None = None

    async def _do_something(self, chat: Any) -> None:
        self._plans = chat["mode"] == "plan"
        answers = [each for each in chat["waiting_for"] if each["kind"] == "answer"]
        chance = self._chance.random()
        if answers and chance < 0.85:
            await self._answer_questions(self._chance.choice(answers))
        elif chat["children"]["at_work"] and chance < STOP_SHARE:
            await self._stop_all()
        elif chat["children"]["count"] and chance < CHILDREN_SHARE:
            await self._tend(chat)
        elif chance < 0.1:
            await self._ask_for_less(chat)
        elif chance < NAME_SHARE[chat["title_by"]]:
            await self._name()
        else:
            await super()._do_something(chat)

    def _of_new_chat(self) -> dict[str, Any]:
        self._plans = self._chance.random() < PLANNING_SHARE
        return super()._of_new_chat() | ({"mode": "plan"} if self._plans else {})

    async def _start_chat(self) -> None:
        await super()._start_chat()
        if self._chat_id is not None:
            chat = await self._look(self._path())
            if chat is not None and chat["mode"] == "plan":
                self._long.planned.add(self._chat_id)

    def _words(self, name: str) -> str:
        if self._next is not None:
            words, self._next = self._next(name), None
            return f"# {name}\n{words}"
        if self._chance.random() < LONG_SHARE:
            return f"# {name}\n{titled(name, any_long_script(name, self._chance, plans=self._plans))}"
        return super()._words(name)

    async def _answer_questions(self, waiting: Any) -> None:
        """Once, or twice in different ways: of these, one counts."""
        labels: list[Json] = [[each["label"]] for each in OPTIONS]
        possible = list(PLAN_ANSWERS) if "plan" in waiting else labels
        self._chance.shuffle(possible)
        count = 2 if self._chance.random() < AGAIN_SHARE else 1
        for answer in possible[:count]:
            await self._answer_question(waiting, answer)

    async def _answer_question(self, waiting: Any, answer: Json) -> None:
        assert self._chat_id is not None
        named = {key: waiting[key] for key in ("tool_call_id", "message_id")}
        told = await self._ask("POST", self._path("/actions"), {"answers": [{**named, "answer": answer}]})
        if told is not None and told.status == 200:
            self._long.answers.append(
                PersonAnswer(
                    chat_id=self._chat_id,
                    message_id=waiting["message_id"],
                    call_id=waiting["tool_call_id"],
                    answer=answer,
                )
            )

    async def _tend(self, chat: Any) -> None:
        """Answer what an agent waits for; or have something done about one of them."""
        waiting = [(child, each) for child in chat["children"]["waiting"] for each in child["waiting_for"]]
        if waiting and self._chance.random() < 0.6:
            child, asked = self._chance.choice(waiting)
            await self._decide_on(asked, child["chat_id"])
            return
        page = await self._look(self._path("/children"))
        if page is None or not page["chats"]:
            return
        child_id = self._chance.choice(page["chats"])["id"]
        chance = self._chance.random()
        if chance < 0.5:
            self._next = partial(messaging, child_id=child_id, interrupt=self._chance.random() < 0.5)
            await self._say("POST", self._path("/messages"), {"when": "queue"})
        elif chance < 0.7:
            self._next = partial(stopping, child_id=child_id)
            await self._say("POST", self._path("/messages"), {"when": "queue"})
        elif chance < 0.85:
            await self._ask("POST", f"{CHATS}/{child_id}/interrupt", {})
        else:
            await self._say_to(child_id)

    async def _say_to(self, child_id: str) -> None:
        """In the chat of an agent itself."""
        name = self._promises.new_name()
        words = f"# {name}\nsay answer to {name}"
        body = {"content": [{"type": "text", "text": words}], "when": "queue"}
        answer = await self._ask("POST", f"{CHATS}/{child_id}/messages", body)
        if answer is None or answer.status >= 500:
            self._promises.unknown.append(words)
        elif answer.status < 300:
            self._promises.acknowledged.append((child_id, words))

    async def _ask_for_less(self, chat: Any) -> None:
        """Stop it with all that work for it, or alone; have it summed up; or change its mode."""
        assert self._chat_id is not None
        kind = self._chance.choice(("stop all", "stop all", "stop it alone", "compact", "mode"))
        if kind == "stop all":
            await self._stop_all()
        elif kind == "stop it alone":
            await self._ask("POST", self._path("/interrupt"), {"cascade": False})
        elif kind == "compact":
            await self._ask("POST", self._path("/compact"))
        else:
            self._long.changed_mode.add(self._chat_id)
            mode = None if chat["mode"] == "plan" else "plan"
            await self._ask("PATCH", self._path(), {"mode": mode})

    async def _stop_all(self) -> None:
        assert self._chat_id is not None
        asked = self._now()
        told = await self._ask("POST", self._path("/interrupt"), {})
        if told is not None and told.status == 200:
            self._long.stopped.append(Stopped(chat_id=self._chat_id, asked=asked, told=self._now()))

    async def _name(self) -> None:
        """By themselves, or by a model."""
        assert self._chat_id is not None
        if self._chance.random() < 0.3:
            self._long.named_anew.add(self._chat_id)
            await self._ask("POST", self._path("/title/regenerate"))
            return
        titles = self._long.titles.setdefault(self._chat_id, [])
        title = f"Mine {len(titles)}"
        told: Answer | None = await self._ask("PATCH", self._path(), {"title": title})
        titles.append((title, told is not None and told.status == 200))
