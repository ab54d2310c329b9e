"""chatd chat: talk in the terminal.

Two things go on at once: the stream of the chat is shown, and lines are read. What is typed while the
agent works waits in the queue. Ctrl-C stops the agent; twice within two seconds, it leaves the program.
"""

import asyncio
import re
from collections.abc import Iterable
from contextlib import aclosing

from chatd.cli.context import run_loop
from chatd.cli.keyboard import Ended, Keyboard, Pressed, keyboard
from chatd.cli.model import choices
from chatd.cli.remote import client_from
from chatd.cli.rows import Rows
from chatd.cli.screen import Screen
from chatd.cli.transcript import Piece, Transcript
from chatd.client import ApiError, AsyncClient
from chatd.client.answers import Awaited
from chatd.errors import ChatdError, Unusable

LEAVE_SECONDS = 2.0

HELP = (
    "/steer TEXT is heard between two steps, /model NAME is used from the next message on, /retry tries a "
    "failed turn again, /quit leaves. Ctrl-C stops the agent. To begin a message with /, write //."
)
_COMMAND = re.compile(r"/[a-z]+")


def run(*, chat_id: str | None, model: str | None, effort: str | None, **flags: object) -> None:
    run_loop(_talk(client_from(flags), chat_id, model, effort))


async def _talk(client: AsyncClient, chat_id: str | None, model: str | None, effort: str | None) -> None:
    try:
        async with client, keyboard() as keys:
            # A server that is not there is told before anybody types.
            if chat_id is None:
                await client.chats(limit=1)
            else:
                await client.chat(chat_id)
            if model is not None:
                await check_model(client, model)
            talk = Talk(client, keys, chat_id, model, effort)
            await talk.run()
            if chat_id is None and not keys.waits_at_end:
                talk.say_how_to_come_back()
    except BaseExceptionGroup as group:
        # Of what ends both halves, the first is the reason.
        known, _ = group.split(ChatdError)
        if known is None:
            raise
        raise known.exceptions[0] from group


async def check_model(client: AsyncClient, name: str) -> None:
    """A name that nobody has is told before anybody types. Raises Unusable."""
    models = await client.models()
    if not any(name in (each.name, each.model) for each in models):
        raise Unusable(f"There is no model {name!r}. {choices(models)}")


class Talk:
    def __init__(
        self, client: AsyncClient, keys: Keyboard, chat_id: str | None, model: str | None, effort: str | None
    ) -> None:
        self._client = client
        self._keys = keys
        self._model = model
        self._effort = effort
        self._chat_id = chat_id
        self._screen = Screen()
        self._rows = Rows(lambda: keys.columns() or 1) if keys.columns() is not None else None
        self._transcript = Transcript()
        self._follower: asyncio.Task[None] | None = None
        self._moved = asyncio.Event()
        self._pressed_at = -LEAVE_SECONDS

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            if self._chat_id is not None:
                self._follower = group.create_task(self._follow())
            await self._listen(group)
            if self._follower is not None:
                self._follower.cancel()

    async def _follow(self) -> None:
        assert self._chat_id is not None
        async with aclosing(self._client.stream(self._chat_id)) as events:
            async for event in events:
                self._show(self._transcript.pieces_of(event))
                self._moved.set()

    def _show(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            for shown in self._rows.add(piece) if self._rows is not None else (piece,):
                self._screen.show(shown)
        self._keys.show(self._question(), self._rows.open_row if self._rows is not None else "")

    def _note(self, words: str) -> None:
        self._show(self._transcript.note(words))

    async def _listen(self, group: asyncio.TaskGroup) -> None:
        while True:
            try:
                line = await self._keys.read(self._question())
            except Pressed:
                if await self._stop():
                    return
                continue
            except Ended:
                if self._keys.waits_at_end:
                    await self._until_rest()
                return
            if line.strip() == "/quit":
                return
            try:
                await self._obey(line.strip(), group)
            except (ApiError, Unusable) as error:
                # What cannot be done is told; the talk goes on.
                self._note(str(error))

    async def _obey(self, line: str, group: asyncio.TaskGroup) -> None:
        command, _, rest = line.partition(" ")
        if not line:
            return
        if command == "/model":
            await self._choose(rest.strip())
        elif command == "/help" or (_COMMAND.fullmatch(command) and command not in ("/retry", "/steer")):
            self._note(HELP if command == "/help" else f"There is no {command}. {HELP}")
        elif self._chat_id is None:
            if command in ("/retry", "/steer"):
                self._note("Nothing was said yet.")
                return
            chat = await self._client.create_chat(
                _said(line), model=self._model, reasoning_effort=self._effort
            )
            self._chat_id = chat.id
            self._transcript.status = chat.status
            self._follower = group.create_task(self._follow())
        elif command == "/retry":
            await self._client.retry(self._chat_id)
        elif command == "/steer":
            await self._client.send(self._chat_id, rest, when="steer")
        elif (awaited := self._asked()) is not None:
            await self._answer(self._chat_id, awaited, _said(line))
        else:
            sent = await self._client.send(
                self._chat_id, _said(line), model=self._model, reasoning_effort=self._effort
            )
            if not sent.queued:
                # Until the stream says so too.
                self._transcript.status = "running"

    async def _choose(self, name: str) -> None:
        if not name:
            raise Unusable("Say which: /model NAME. `chatd model ls` lists them.")
        await check_model(self._client, name)
        self._model = name
        self._note(f"{name} is used from the next message on.")

    def say_how_to_come_back(self) -> None:
        if self._chat_id is not None:
            self._note(f"`chatd chat {self._chat_id}` goes on from here.")

    async def _answer(self, chat_id: str, awaited: Awaited, line: str) -> None:
        if awaited.kind == "answer":
            await self._client.submit(
                chat_id, answers=[{"tool_call_id": awaited.tool_call_id, "answer": line}]
            )
            return
        word, _, reason = line.partition(" ")
        decision = {"y": "allow", "yes": "allow", "n": "deny", "no": "deny"}.get(word.lower())
        if decision is None:
            self._note("Say y or n; what follows is the reason.")
            return
        approval = {"tool_call_id": awaited.tool_call_id, "decision": decision, "reason": reason or None}
        await self._client.submit(chat_id, approvals=[approval])

    def _asked(self) -> Awaited | None:
        """What a person can answer, of what the chat waits for."""
        if self._transcript.status != "requires_action":
            return None
        return next((a for a in self._transcript.waiting_for if a.kind in ("approval", "answer")), None)

    def _question(self) -> str:
        asked = self._asked()
        if asked is not None:
            return "y/n> " if asked.kind == "approval" else "answer> "
        return "…> " if self._transcript.busy else "> "

    async def _stop(self) -> bool:
        """Whether to leave."""
        now = asyncio.get_running_loop().time()
        again = now - self._pressed_at < LEAVE_SECONDS
        self._pressed_at = now
        if again:
            return True
        if self._chat_id is None or not (self._transcript.busy or self._transcript.waiting_for):
            self._note("Press Ctrl-C again to leave.")
            return False
        try:
            await self._client.interrupt(self._chat_id)
            self._note("Stopping the agent. Press Ctrl-C again to leave; it goes on without you.")
        except ApiError as error:
            self._note(str(error))
        return False

    async def _until_rest(self) -> None:
        """Nobody types any more; what was said is still to be answered."""
        while self._chat_id is not None and (self._transcript.busy or not self._transcript.status):
            self._moved.clear()
            await self._moved.wait()


def _said(line: str) -> str:
    return line.removeprefix("/") if line.startswith("//") else line
